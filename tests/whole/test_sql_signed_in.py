"""A question to SQL Server, Fabric and Databricks through the whole bot, as the person who asks."""

import base64
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from core.specialists.sql.source import Kind, Source
from tests.fakes.certificate import server_context
from tests.fakes.databricks.server import warehouse_server
from tests.fakes.databricks.warehouse import Warehouse
from tests.fakes.model_server import ModelServer
from tests.fakes.tds.answers import Answers
from tests.fakes.tds.server import tds_server
from tests.house import House, house
from tests.specialists.sql import test_databricks, test_mssql
from tests.turn.reading import MENTION
from tests.whole.scripted_sql import Scripted
from tests.whole.test_approval import follow
from tests.whole.test_asked_to_connect import links
from tests.whole.test_sql import brought, offered, rows_of, said

AZURE_SQL = "https://database.windows.net"
DATABRICKS = "2ff814a6-3304-4ab8-85cb-cd0e6f879c1d"


class Claimed(dict[str, str]):
    """Whose a token of the local tenant is; nobody's where it is for another resource."""

    def __init__(self, resource: str) -> None:
        super().__init__()
        self._resource = resource

    def get(self, token: str, default: Any = None) -> Any:
        try:
            body = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        except (IndexError, ValueError):
            return default
        if (claims.get("aud"), claims.get("scp")) != (self._resource, "user_impersonation"):
            return default
        return claims["upn"].partition("@")[0]


async def _served(
    stack: AsyncExitStack, kind: Kind, folder: Path
) -> tuple[Source, list[tuple[str, str]]]:
    """A database of this kind, and who has asked it for what."""
    context, certificate = server_context(folder)
    if kind == "databricks":
        warehouse = Warehouse(test_databricks.TABLES)
        taken = Claimed(DATABRICKS)
        port = stack.enter_context(warehouse_server(warehouse, context, tokens=taken))
        path = "/sql/1.0/warehouses/w1"
        connection = {"host": "localhost", "http_path": path, "catalog": "corp"}
        connection |= {"schema": "default", "url": f"https://localhost:{port}{path}"}
        return _source(kind, {**connection, "ca_file": str(certificate)}), warehouse.said
    answers = Answers(test_mssql.TABLES)
    serving = tds_server(answers, context, tokens=Claimed(AZURE_SQL), logins={})
    port = await stack.enter_async_context(serving)
    connection = {"server": f"localhost,{port}", "database": "shop"}
    return _source(kind, {**connection, "certificate": str(certificate)}), answers.said


def _source(kind: Kind, connection: dict[str, str]) -> Source:
    return Source(id="shop", title="The shop", kind=kind, connection=connection)


@pytest.mark.parametrize("kind", ["mssql", "fabric", "databricks"])
async def test_the_database_is_asked_as_the_person_and_by_nobody_before_they_signed_in(
    tmp_path: Path, kind: Kind
) -> None:
    sql = "SELECT s.region, s.amount FROM sales AS s WHERE s.amount < 0"
    asked = Scripted(sql={"What was paid back?": [sql]}, tool="sources_ask_shop")
    async with AsyncExitStack() as stack:
        source, heard = await _served(stack, kind, tmp_path)
        models = await stack.enter_async_context(ModelServer(dimensions=1536))
        models.answer(asked.step)
        bot: House = await stack.enter_async_context(
            house(tmp_path, models=models, sources=(source,))
        )
        await offered(bot, "sources/ask_shop")
        await said(bot, f"{MENTION} What was paid back?")
        assert heard == []

        [link] = links(bot, "mara", "sales")
        assert "You are signed in" in await follow(bot, link, "mara")
        await said(bot, f"{MENTION} What was paid back?")
        found = await brought(bot)
        assert not found.is_error, found.text
        assert [str(cell) for row in rows_of(found) for cell in row][-1] == "-20.25"
        assert {user for user, _ in heard} == {"mara"}
        kept = [file.read_bytes() for file in (tmp_path / ".state").glob("*.db*")]
        assert all(b"Bearer" not in content and b"eyJ" not in content for content in kept)
