"""What `countersign.yaml` may say, and how an operator learns of a mistake in it."""

from pathlib import Path
from textwrap import dedent

import pytest

from bot import config, settings
from bot.config import Config
from core.context.skills import Skill
from core.errors import Misconfigured
from core.ledger.prices import Rates
from core.policy.rules import EVERYTHING

ENVIRONMENT = {"OPENAI_API_KEY": "key-of-openai", "MCP_CRM_TOKEN": "key-of-crm"}


def read(folder: Path, text: str) -> Config:
    (folder / "countersign.yaml").write_text(dedent(text))
    found = settings.read(ENVIRONMENT, folder=folder, is_workspace=True)
    return config.read(found)


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(Misconfigured) as raised:
        read(folder, text)
    return str(raised.value).splitlines()


def test_without_a_file_the_defaults_hold(tmp_path: Path):
    found = config.read(settings.read({}, folder=tmp_path, is_workspace=True))
    assert list(found.models) == ["demo"]
    assert (found.limits.call_deadline, found.limits.turn_deadline) == (60, 300)
    assert found.rules is EVERYTHING
    assert found == read(tmp_path, "") == read(tmp_path, "agents:\nmodels:\n")


def test_every_section_reaches_its_room(tmp_path: Path):
    (tmp_path / "tone.md").write_text("Be brief.\n")
    found = read(
        tmp_path,
        """
        models:
          "openai:gpt-5.5":
            price: {input: 1.25, output: "10", cached: 0.125}
            context_window: 400000
        agents:
          sales:
            instructions: Amounts are in euros.
            capabilities: ["connector:sales"]
            model: "openai:gpt-5.5"
        channels:
          "slack:T1/C1": {agent: sales}
        skills:
          tone: {file: tone.md, when: [brief, short]}
        servers:
          crm:
            url: "https://crm.example.com/mcp"
            headers: {Authorization: "Bearer ${MCP_CRM_TOKEN}"}
            accept: first
          local: {command: [python, -m, my_server]}
        policy:
          admins: ["group:it"]
          rules:
            - {offer: "tag:connector:sales", to: ["group:everyone"]}
        limits: {call_deadline: 30, turn_deadline: 120.5, question_length: 4000}
        """,
    )
    assert list(found.models) == ["demo", "openai:gpt-5.5"]
    gpt = found.models["openai:gpt-5.5"]
    assert (gpt.api_key, gpt.context_window) == ("key-of-openai", 400_000)
    assert gpt.rates == Rates(input="1.25", output="10", cached="0.125")
    assert found.agents["sales"].capabilities == ("connector:sales",)
    assert found.channels["slack:T1/C1"].agent == "sales"
    assert found.skills == (Skill(name="tone", text="Be brief.", when=("brief", "short")),)
    assert [server.name for server in found.servers] == ["crm", "local"]
    assert found.servers[0].headers == {"Authorization": "Bearer key-of-crm"}
    assert found.rules.admins == ("group:it",)
    assert found.rules.rules[0].line == 24
    assert found.limits.turn_deadline == 120.5
    assert "key-of" not in repr(found)


MISTAKES = {
    "an unknown section": ("agnets: {}", "1: `agnets` is not known; did you mean `agents`?"),
    "a section of a later version": ("\nsources: {}", "2: `sources` is not supported by this"),
    "an unknown key": (
        "agents:\n  sales:\n    modle: demo",
        "3: `agents.sales.modle` is not known; did you mean `model`?",
    ),
    "an unknown key of a price": (
        'models:\n  "openai:x":\n    price: {input: 1, outptu: 2, output: 2}',
        "3: `models.openai:x.price.outptu` is not known; did you mean `output`?",
    ),
    "rounds, which are fixed": ("limits: {rounds: 9}", "1: `limits.rounds` is not known."),
    "a word for a number": (
        "limits:\n  question_length: long",
        "2: `limits.question_length`: Input should be a valid integer.",
    ),
    "a deadline of nothing": (
        "limits:\n  turn_deadline: 0",
        "2: `limits.turn_deadline`: Input should be greater than 0.",
    ),
    "a call longer than its turn": (
        "limits: {call_deadline: 60, turn_deadline: 30}",
        "1: `limits`: a call may not take longer than its turn.",
    ),
    "a price that is missing": (
        'models:\n  "openai:x":\n    price: {input: 1}',
        "3: `models.openai:x.price.output` is missing.",
    ),
    "a negative price": (
        'models:\n  "openai:x":\n    price: {input: -1, output: 1}',
        "3: `models.openai:x.price.input`: Input should be greater than or equal to 0.",
    ),
    "a model that is none": ("models:\n  gpt: {}", "2: `gpt` is not a model name"),
    "a model without a key": (
        'models:\n  "anthropic:claude": {}',
        "2: `anthropic:claude` needs a key (ANTHROPIC_API_KEY).",
    ),
    "an agent with a model that is not offered": (
        'agents:\n  a:\n    model: "openai:x"',
        "3: `openai:x` is neither COUNTERSIGN_MODEL nor listed under `models`.",
    ),
    "a channel with an agent that is not there": (
        'channels:\n  "slack:T1/C1": {agent: nobody}',
        "2: There is no agent `nobody`.",
    ),
    "a channel that is no place": ("channels:\n  general: {}", "2: `channels.general`: String"),
    "a skill without words of its own": (
        "skills:\n  tone: {when: [brief]}",
        "2: `skills.tone`: needs either `text` or `file`.",
    ),
    "a skill from elsewhere on the disk": (
        "skills:\n  tone: {file: ../../etc/passwd, when: [x]}",
        "2: `skills.tone.file` names no text file under",
    ),
    "a server that is reached in two ways": (
        "servers:\n  ok: {command: [x]}\n  crm: {url: 'https://x.example.com', command: [x]}",
        "3: servers.crm: needs either a url or a command.",
    ),
    "a server with the name of one of ours": (
        "servers:\n  crm: {command: [x]}\n  office: {command: [x]}",
        "3: `office` is a server of Countersign itself: `host`, `office`, `documents`, `sample`,"
        " `sources`, `posted`, `powerbi` are taken;",
    ),
    "a secret that is not handed to servers": (
        "servers:\n  crm: {url: 'https://x.example.com', headers: {A: '${OPENAI_API_KEY}'}}",
        "only names that begin with MCP_ are handed to servers",
    ),
    "a rule that does nothing": (
        "policy:\n  rules:\n    - {to: ['group:everyone']}",
        "3: policy.rules.1: needs exactly one of offer, withhold, approve.",
    ),
    "a key twice": ("agents: {}\nagents: {}", "2: “agents” stands here a second time."),
    "an alias": ("agents: &a {}\nskills: *a", "1: Anchors and aliases (& and *) are not taken"),
    "an object of Python": ("agents: !!python/object:os.system {}", "1: "),
    "no YAML": ("agents: [", "1: This is not YAML: "),
    "a list": ("- agents", "1: The file must hold sections, such as `agents:`."),
    "a list for a section": ("agents: [a]", "1: `agents`: Input should be a valid dict"),
}


@pytest.mark.promise("I5", "bot")
@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, case: str):
    text, sentence = MISTAKES[case]
    told = problems(tmp_path, text)
    assert len(told) == 1
    assert told[0].startswith("countersign.yaml:") and sentence in told[0]


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path):
    told = problems(
        tmp_path,
        """\
        limits: {call_deadline: soon}
        sources: {}
        policy: {rules: [{allow: x}]}
        agnets: {}
        """,
    )
    assert [line.split(":")[1] for line in told] == ["1", "2", "3", "3", "4"]


def test_a_short_file_cannot_stand_for_an_endless_one(tmp_path: Path):
    bomb = "agents: &a {b: &c [*a, *a]}\nskills: [*c, *c]"
    assert "Anchors and aliases" in problems(tmp_path, bomb)[0]
