"""The `servers` section: what is taken, and what is refused with a sentence."""

from typing import Any

import pytest

from core.capabilities.servers import read_servers
from core.errors import Misconfigured


def test_a_url_and_a_command_are_read_and_secrets_are_put_in() -> None:
    crm, local = read_servers(
        {
            "crm": {
                "url": "https://crm.example/mcp",
                "accept": "first",
                "headers": {"authorization": "Bearer ${CRM_TOKEN}"},
            },
            "local": {"command": ["python", "-m", "my_server"], "env": {"KEY": "${K}"}},
        },
        {"CRM_TOKEN": "t0ps3cret", "K": "k"},
    )
    assert (crm.name, crm.url, crm.accept) == ("crm", "https://crm.example/mcp", "first")
    assert crm.headers == {"authorization": "Bearer t0ps3cret"}
    assert local.command == ("python", "-m", "my_server")
    assert local.env == {"KEY": "k"}
    assert local.accept == "none", "unknown tools are withheld unless the file says otherwise"
    assert "t0ps3cret" not in repr(crm)


def test_no_section_is_no_server() -> None:
    assert read_servers(None, {}) == ()


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ([], "must map a name to a server"),
        ({"CRM": {"url": "https://a.example"}}, "servers.CRM: a name is"),
        ({"host": {"url": "https://a.example"}}, "not 'host'"),
        ({"a.b": {"url": "https://a.example"}}, "a name is"),
        ({"crm": "https://a.example"}, "must be a mapping"),
        ({"crm": {}}, "needs either a url or a command"),
        ({"crm": {"url": "https://a.example", "command": ["x"]}}, "either a url or a command"),
        ({"crm": {"url": "http://crm.example/mcp"}}, "must be https"),
        ({"crm": {"url": "ftp://crm.example"}}, "http or https"),
        ({"crm": {"url": "https://u:p@crm.example"}}, "must not hold a password"),
        ({"crm": {"url": "https://a.example", "accept": "all"}}, "accept is none or first"),
        (
            {"crm": {"url": "https://a.example", "headers": {"a": "${NO}"}}},
            "names NO, which is not",
        ),
        ({"crm": {"url": "https://a.example", "headers": {"a": "x\ny"}}}, "printable ASCII"),
        ({"crm": {"command": "python -m x"}}, "must be a list of words"),
        ({"crm": {"url": "https://a.example", "token": "x"}}, "token is not known here"),
    ],
)
def test_a_mistake_is_told(section: Any, sentence: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        read_servers(section, {})
    assert sentence in str(refused.value)


def test_plain_http_is_taken_on_loopback() -> None:
    [local] = read_servers({"crm": {"url": "http://127.0.0.1:9000/mcp"}}, {})
    assert local.url
