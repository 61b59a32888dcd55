"""No model is asked for a credential or for whom to act, and none gets through."""

import random

import pytest
from mcp_types import Tool as ListedTool

from core.capabilities.arguments import validate
from core.capabilities.forbidden import is_forbidden, refusal
from core.capabilities.listing import read_listing
from core.errors import BadArguments
from core.records import Json, Tool

SECRET_NAMES = (
    *("token", "access_token", "apiToken", "userPassword", "password", "passwd", "api_key"),
    *("apikey", "X-Api-Key", "client_secret", "authorization", "Authorization", "bearerToken"),
    *("privateKey", "credentials", "jwt", "session_token", "cookie", "connectionString"),
    *("impersonatedUserName", "impersonate", "on_behalf_of", "onBehalfOfUser", "run_as"),
    *("actAs", "as_user", "x-countersign-person", "countersign_turn", "oauth", "idToken"),
)
PLAIN_NAMES = (
    *("max_tokens", "page_token", "nextPageToken", "continuationToken", "tokens", "author"),
    *("authority", "secretary", "tokenize", "token_count", "key", "keyword", "user_id", "to"),
    *("path", "pattern", "passenger", "customer", "assignee", "basket", "description"),
)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_credential_or_an_identity_is_recognised_by_its_name(name: str) -> None:
    assert is_forbidden(name)


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_an_ordinary_name_is_left_alone(name: str) -> None:
    assert not is_forbidden(name)


@pytest.mark.promise("S4", "core.capabilities")
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"token": {"type": "string"}}},
        {"properties": {"login": {"properties": {"password": {}}}}},
        {
            "$defs": {"A": {"properties": {"apiKey": {}}}},
            "properties": {"a": {"$ref": "#/$defs/A"}},
        },
        {"anyOf": [{"properties": {"a": {}}}, {"properties": {"secret": {}}}]},
        {"properties": {"rows": {"type": "array", "items": {"required": ["access_token"]}}}},
        {"properties": {"pin": {"type": "string", "format": "password"}}},
        {"properties": {"tenant": {"type": "string", "x-mcp-header": "Tenant"}}},
        {"properties": {"tenant": {"type": "string", "X-MCP-Header": "Authorization"}}},
        {"patternProperties": {"^password$": {}}},
        {"dependentRequired": {"secret": ["a"]}},
        {"odd": {"properties": {"token": {}}}, "properties": {"a": {"$ref": "#/odd"}}},
        {"properties": {"impersonatedUserName": {"type": "string"}}},
    ],
)
def test_a_tool_that_asks_for_one_is_refused_wherever_it_hides(schema: Json) -> None:
    """Peers' case 48."""
    schema = {"type": "object", **schema}
    assert refusal(schema)
    listing = read_listing("crm", [ListedTool(name="t", input_schema=schema)])
    assert listing.tools == ()
    assert listing.problems[0].sentence.startswith("crm/t is refused: ")


@pytest.mark.promise("S4", "core.capabilities")
def test_a_thousand_calls_carry_no_credential_in_their_arguments() -> None:
    dice = random.Random(4)
    tool = Tool(server="s", name="t", description="", schema={"type": "object"})
    for _ in range(1_000):
        inner: Json = {dice.choice(SECRET_NAMES): "x"}
        for _ in range(dice.randint(0, 4)):
            inner = dice.choice(({"rows": [1, inner]}, {"payload": inner}, {"a": 1, "b": inner}))
        with pytest.raises(BadArguments):
            validate(tool, inner)
        plain = {dice.choice(PLAIN_NAMES): dice.choice(("token", "password", 1))}
        validate(tool, plain)


def test_a_property_called_properties_or_required_is_only_a_property() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "properties": {"type": "object", "properties": {"height": {}}},
            "required": {"type": "boolean"},
        },
    }
    assert refusal(schema) == ""
