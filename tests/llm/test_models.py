"""Names of models are understood or refused with what would help."""

import subprocess
import sys
from dataclasses import replace

import pytest

from core.errors import Misconfigured
from core.ledger.prices import Rates
from core.llm.models import ModelSettings, dialect, find, known, parse, rates, unknown

KEY = "sk-canary-4f1d8a"
MODELS = known(
    [
        replace(parse("openai:gpt-5.5"), api_key=KEY),
        replace(parse("anthropic:claude-sonnet-5"), api_key=KEY),
        parse("demo"),
    ]
)


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("openai:gpt-5.5", "openai", "gpt-5.5"),
        ("azure:our-deployment", "azure", "our-deployment"),
        ("anthropic:claude-sonnet-5", "anthropic", "claude-sonnet-5"),
        ("openai:qwen3:8b", "openai", "qwen3:8b"),
        (" demo ", "demo", "demo"),
    ],
)
def test_a_name_has_a_provider_and_the_providers_own_name(
    text: str, provider: str, name: str
) -> None:
    model = parse(text)

    assert (model.provider, model.name) == (provider, name)
    assert parse(model.key) == model


@pytest.mark.parametrize("text", ["", "gpt-5.5", "openai:", "google:gemini", "demo:x", ":x"])
def test_what_is_no_name_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Misconfigured, match=r"openai:gpt-5\.5"):
        parse(text)


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        ("openai:gpt-5.5", "openai:gpt-5.5"),
        ("GPT-5.5", "openai:gpt-5.5"),
        ("claude-sonnet-5", "anthropic:claude-sonnet-5"),
        ("Demo", "demo"),
    ],
)
def test_people_may_leave_the_provider_out(wanted: str, key: str) -> None:
    found = find(MODELS, wanted)

    assert found is not None
    assert found.key == key


def test_a_name_that_two_providers_have_needs_its_provider() -> None:
    models = known(
        [
            replace(parse("openai:x"), api_key=KEY),
            replace(parse("anthropic:x"), api_key=KEY),
        ]
    )

    assert find(models, "x") is None
    assert find(models, "anthropic:x") is models["anthropic:x"]


def test_an_unknown_name_is_answered_with_the_nearest_and_the_list() -> None:
    sentence = unknown(MODELS, "claude-sonet-5")

    assert "Did you mean `anthropic:claude-sonnet-5`?" in sentence
    assert "`openai:gpt-5.5`, `anthropic:claude-sonnet-5`, `demo`" in sentence
    assert "Did you mean" not in unknown(MODELS, "zzz")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (parse("openai:gpt-5.5"), "OPENAI_API_KEY"),
        (parse("anthropic:x"), "ANTHROPIC_API_KEY"),
        (replace(parse("azure:x"), api_key=KEY), "AZURE_OPENAI_ENDPOINT"),
        (replace(parse("demo"), timeout=0), "timeout"),
    ],
)
def test_a_model_that_cannot_be_reached_does_not_start(model: ModelSettings, sentence: str) -> None:
    with pytest.raises(Misconfigured, match=sentence):
        known([model])


def test_a_model_that_is_named_twice_does_not_start() -> None:
    with pytest.raises(Misconfigured, match="twice"):
        known([parse("demo"), parse("demo")])


def test_a_server_of_ones_own_needs_no_key() -> None:
    assert known([replace(parse("openai:llama"), base_url="http://127.0.0.1:1/v1")])


def test_the_key_does_not_show() -> None:
    assert KEY not in repr(MODELS)
    assert KEY not in f"{MODELS['openai:gpt-5.5']}"


def test_tool_schemas_are_written_in_the_providers_dialect() -> None:
    assert [dialect(m) for m in MODELS.values()] == ["openai", "anthropic", "plain"]
    assert dialect(parse("azure:x")) == "openai"


def test_negotiated_prices_go_to_the_meter_by_provider_and_name() -> None:
    agreed = Rates(input="1")

    assert rates([replace(parse("azure:ours"), rates=agreed), parse("demo")]) == {
        "azure:ours": agreed
    }


def test_no_providers_library_is_loaded_before_its_model_is_asked() -> None:
    heavy = "{'langchain_core', 'openai', 'anthropic', 'onnxruntime', 'tokenizers', 'numpy'}"
    code = f"import core.llm.chat, core.llm.embed, sys; print({heavy} & set(sys.modules))"

    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert run.stdout.strip() == "set()"


LOADED_ON_THE_LOOP = """
import asyncio, sys, threading
from dataclasses import replace
from core.errors import ModelFailed
from core.ledger.meter import Meter
from core.llm.chat import ChatDoor
from core.llm.models import known, parse
from core.records import Billing, ModelMessage

heavy = {"langchain_core", "langchain_openai", "langchain_anthropic", "langsmith"}
heavy |= {"openai", "anthropic", "httpx2", "genai_prices", "pydantic"}
seen = set()

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in heavy and threading.current_thread() is threading.main_thread():
            seen.add(name)

async def main():
    async def add(entry):
        pass
    model = replace(parse(sys.argv[1]), base_url="http://127.0.0.1:1", api_key="k")
    meter = Meter(add, lambda: 0.0)
    door = ChatDoor(known([model]), meter, lambda: 0.0, sleep=lambda s: asyncio.sleep(0))
    billing = Billing(turn="t", thread="th", person="p", place="x")
    try:
        await door.ask(model.key, [ModelMessage(role="user", text="hi")], [], billing, 60)
    except ModelFailed as failed:
        print(failed.kind, sorted(seen))
    await door.close()

sys.meta_path.insert(0, Watch())
asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["openai:x", "anthropic:x"])
def test_a_providers_library_is_loaded_beside_the_loop_and_not_on_it(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED_ON_THE_LOOP, name],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert run.stdout.strip() == "unreachable []"
