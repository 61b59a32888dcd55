"""Which environments start a bot, and what an operator is told about the others."""

import base64
import dataclasses
from pathlib import Path

import pytest

from bot import keyfile
from bot.settings import Settings, read
from core.errors import Misconfigured

KEY = base64.b64encode(bytes(range(32))).decode()
SECRET = "5f" * 16
SAFE = {"SLACK_BOT_TOKEN": "xoxb-1-2-abc", "SLACK_SIGNING_SECRET": SECRET}


def problems(folder: Path, given: dict[str, str], *, is_workspace: bool = False) -> list[str]:
    with pytest.raises(Misconfigured) as raised:
        read(given, folder=folder, is_workspace=is_workspace)
    return str(raised.value).splitlines()


def settings(folder: Path, given: dict[str, str], *, is_workspace: bool = False) -> Settings:
    return read(given, folder=folder, is_workspace=is_workspace)


UNSAFE = {
    "no credentials": ({}, "countersign run --workspace"),
    "no signing secret": ({"SLACK_BOT_TOKEN": "xoxb-1"}, "SLACK_SIGNING_SECRET is missing"),
    "no bot token": ({"SLACK_SIGNING_SECRET": SECRET}, "SLACK_BOT_TOKEN is missing"),
    "a short signing secret": (SAFE | {"SLACK_SIGNING_SECRET": "5f5f"}, "is too short"),
    "an app token of another kind": (SAFE | {"SLACK_APP_TOKEN": "xoxb-1"}, "must begin with xapp-"),
    "a user token": (SAFE | {"SLACK_BOT_TOKEN": "xoxp-1-2"}, "must begin with xoxb-"),
    "an http public address": (
        SAFE | {"COUNTERSIGN_PUBLIC_URL": "http://bot.example.com"},
        "COUNTERSIGN_PUBLIC_URL uses http",
    ),
    "a Slack address without /api/": (
        SAFE | {"SLACK_API_URL": "https://slack.com/"},
        "SLACK_API_URL does not end in /api/",
    ),
    "a Slack address on http": (
        SAFE | {"SLACK_API_URL": "http://slack.example.com/api/"},
        "SLACK_API_URL uses http",
    ),
    "a Slack address that only looks like loopback": (
        SAFE | {"SLACK_API_URL": "http://127.0.0.1.example.com/api/"},
        "SLACK_API_URL uses http",
    ),
    "a Slack address with a password": (
        SAFE | {"SLACK_API_URL": "https://me:secret@slack.com/api/"},
        "SLACK_API_URL carries a user name or password",
    ),
    "keys without ids": (SAFE | {"COUNTERSIGN_KEYS": KEY}, "the form id:base64 in entry 1"),
    "a short key": (SAFE | {"COUNTERSIGN_KEYS": "a:QUJD"}, "of 3 bytes; it must be 32"),
    "a key that is not base64": (SAFE | {"COUNTERSIGN_KEYS": "a:*&^"}, "that is not base64"),
    "two keys with one id": (
        SAFE | {"COUNTERSIGN_KEYS": f"a:{KEY},a:{KEY}"},
        "gives two keys the same id",
    ),
    "Postgres without keys": (
        SAFE | {"COUNTERSIGN_DATABASE": "postgresql://bot:pw@db/bot"},
        "COUNTERSIGN_KEYS is missing; on Postgres",
    ),
    "an unknown provider": (
        SAFE | {"COUNTERSIGN_MODEL": "gpt-5.5"},
        "`gpt-5.5` is not a model name",
    ),
    "a model without a name": (
        SAFE | {"COUNTERSIGN_MODEL": "openai:"},
        "`openai:` is not a model name",
    ),
    "a model without its key": (
        SAFE | {"COUNTERSIGN_MODEL": "openai:gpt-5.5"},
        "`openai:gpt-5.5` needs a key (OPENAI_API_KEY)",
    ),
    "Azure half configured": (
        SAFE | {"COUNTERSIGN_MODEL": "azure:x", "AZURE_OPENAI_API_KEY": "abcdefgh"},
        "(AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_VERSION)",
    ),
    "embeddings without their key": (
        SAFE | {"COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small"},
        "COUNTERSIGN_EMBEDDINGS: `openai:text-embedding-3-small` needs a key (OPENAI_API_KEY)",
    ),
    "unknown embeddings": (
        SAFE | {"COUNTERSIGN_EMBEDDINGS": "word2vec"},
        "COUNTERSIGN_EMBEDDINGS: `word2vec` is not a model name",
    ),
    "embeddings by a model that makes none": (
        SAFE | {"COUNTERSIGN_EMBEDDINGS": "demo"},
        "COUNTERSIGN_EMBEDDINGS: `demo` does not embed",
    ),
    "a model address on http": (
        SAFE | {"OPENAI_BASE_URL": "http://models.example.com/v1"},
        "OPENAI_BASE_URL uses http",
    ),
    "another database": (
        SAFE | {"COUNTERSIGN_DATABASE": "mysql://x/y"},
        "is neither sqlite:///FILE nor postgresql://",
    ),
    "a database in memory": (
        SAFE | {"COUNTERSIGN_DATABASE": "sqlite:///:memory:"},
        "must name a file on disk",
    ),
    "a database without a name": (
        SAFE | {"COUNTERSIGN_DATABASE": "postgresql://h", "COUNTERSIGN_KEYS": f"a:{KEY}"},
        "names no database",
    ),
    "a port that is none": (SAFE | {"COUNTERSIGN_PORT": "http"}, "COUNTERSIGN_PORT is not a port"),
    "a port out of range": (SAFE | {"COUNTERSIGN_PORT": "65536"}, "COUNTERSIGN_PORT is not a port"),
    "a misspelt setting": (
        SAFE | {"COUNTERSIGN_DATABSE": "sqlite:///x.db"},
        "COUNTERSIGN_DATABSE is not a setting of Countersign; did you mean COUNTERSIGN_DATABASE?",
    ),
    "a configuration that is not there": (
        SAFE | {"COUNTERSIGN_CONFIG": "other.yaml"},
        "COUNTERSIGN_CONFIG names a file that is not there",
    ),
    "a secret given twice": (
        SAFE | {"SLACK_BOT_TOKEN_FILE": "token"},
        "Both SLACK_BOT_TOKEN and SLACK_BOT_TOKEN_FILE are set",
    ),
    "a secret file that is not there": (
        {"SLACK_BOT_TOKEN_FILE": "token", "SLACK_SIGNING_SECRET": SECRET},
        "SLACK_BOT_TOKEN_FILE",
    ),
}


@pytest.mark.promise("I5", "bot")
@pytest.mark.parametrize("case", UNSAFE)
def test_an_unsafe_environment_does_not_start_and_says_what_to_do(tmp_path: Path, case: str):
    given, sentence = UNSAFE[case]
    assert any(sentence in problem for problem in problems(tmp_path, given))


@pytest.mark.parametrize("case", [c for c in UNSAFE if UNSAFE[c][0].items() >= SAFE.items()])
def test_each_unsafe_setting_is_the_only_problem_that_is_reported(tmp_path: Path, case: str):
    assert len(problems(tmp_path, UNSAFE[case][0])) == 1


@pytest.mark.promise("I5", "bot")
def test_a_workspace_that_others_could_reach_does_not_start(tmp_path: Path):
    for host in ("0.0.0.0", "::", "192.168.1.4", "bot.example.com"):
        told = problems(tmp_path, {"COUNTERSIGN_HOST": host}, is_workspace=True)
        assert told == [
            f"COUNTERSIGN_HOST is {host}; the local workspace has no sign-in "
            "and stays on 127.0.0.1."
        ]


@pytest.mark.promise("I5", "bot")
def test_a_secret_file_that_everybody_can_read_does_not_start(tmp_path: Path):
    file = tmp_path / "token"
    file.write_text("xoxb-1-2-abc\n")
    file.chmod(0o644)
    given = {"SLACK_BOT_TOKEN_FILE": "token", "SLACK_SIGNING_SECRET": SECRET}
    told = problems(tmp_path, given)
    assert "can be read by everybody on this machine (mode 0644)" in told[0]
    file.chmod(0o640)
    found = settings(tmp_path, given).slack
    assert found is not None and found.bot_token == "xoxb-1-2-abc"


@pytest.mark.promise("I5", "bot")
def test_a_generated_key_that_everybody_can_read_does_not_start(tmp_path: Path):
    key_file = settings(tmp_path, SAFE).key_file
    keyfile.made_keys(key_file)
    assert settings(tmp_path, SAFE).key_file == key_file
    key_file.chmod(0o604)
    assert problems(tmp_path, SAFE)[0].startswith(f"The key file {key_file} can be read by every")


def test_all_problems_are_told_together(tmp_path: Path):
    given = {"COUNTERSIGN_PORT": "-1", "COUNTERSIGN_MODEL": "x", "SLACK_BOT_TOKEN": "xoxp-1"}
    assert len(problems(tmp_path, given)) == 4


def test_no_problem_repeats_a_secret(tmp_path: Path):
    given = {
        "SLACK_BOT_TOKEN": "canary-token-1",
        "SLACK_SIGNING_SECRET": "canary-sign-2",
        "COUNTERSIGN_KEYS": "a:canary-key-3",
        "OPENAI_BASE_URL": "https://me:canary-pass-4@models.example.com/v1",
        "COUNTERSIGN_DATABASE": "mysql://me:canary-pass-5@db/x",
    }
    told = "\n".join(problems(tmp_path, given))
    assert len(told.splitlines()) == 5
    assert "canary" not in told


def test_the_workspace_needs_nothing_and_takes_no_real_credentials(tmp_path: Path):
    found = settings(tmp_path, SAFE, is_workspace=True)
    assert found.slack is None
    assert (found.model, found.embeddings, found.host) == ("demo", "minilm", "127.0.0.1")
    assert found.state == tmp_path / ".state"
    assert found.database == f"sqlite:///{tmp_path}/.state/countersign.db"


def test_settings_show_no_secret_and_name_every_one_to_the_redactor(tmp_path: Path):
    given = SAFE | {
        "OPENAI_API_KEY": "canary-openai",
        "ANTHROPIC_API_KEY": "canary-anthropic",
        "AZURE_OPENAI_API_KEY": "canary-azure",
        "COUNTERSIGN_KEYS": f"new:{KEY},old:{KEY[::-1].replace('=', 'A')[:43]}=",
        "COUNTERSIGN_DATABASE": "postgresql://bot:canary%40pass@db/bot",
    }
    given["MCP_CRM_TOKEN"] = "canary-crm"
    found = settings(tmp_path, given)
    assert found.server_secrets == {"MCP_CRM_TOKEN": "canary-crm"}
    shown = repr(found) + str(dataclasses.asdict(found).keys())
    for secret in (*SAFE.values(), KEY, "canary"):
        assert secret not in shown
    assert {
        *SAFE.values(),
        KEY,
        "canary-openai",
        "canary-anthropic",
        "canary-azure",
        "canary%40pass",
        "canary@pass",
        "canary-crm",
    } <= set(found.secrets())


def test_the_state_lies_beside_the_database(tmp_path: Path):
    given = SAFE | {"COUNTERSIGN_DATABASE": "sqlite:///data/bot.db"}
    found = settings(tmp_path, given)
    assert found.database == f"sqlite:///{tmp_path}/data/bot.db"
    assert found.state == tmp_path / "data"
    elsewhere = SAFE | {"COUNTERSIGN_DATABASE": f"sqlite:///{tmp_path}/deep/bot.db"}
    assert settings(Path("/"), elsewhere).state == tmp_path / "deep"


def test_a_model_at_the_operators_own_address_needs_no_key(tmp_path: Path):
    given = {"COUNTERSIGN_MODEL": "openai:llama", "OPENAI_BASE_URL": "http://localhost:11434/v1"}
    assert settings(tmp_path, SAFE | given).providers.openai_base_url.endswith("/v1")


def test_a_key_file_is_made_once_and_only_for_its_owner(tmp_path: Path):
    path = tmp_path / "state" / "sealing.key"
    keys, is_new = keyfile.made_keys(path)
    assert is_new and keyfile.keys_fault(keys) == "" and keyfile.file_fault(path) == ""
    assert path.stat().st_mode & 0o777 == 0o600
    assert keyfile.made_keys(path) == (keys, False)
    assert [child.name for child in path.parent.iterdir()] == ["sealing.key"]
