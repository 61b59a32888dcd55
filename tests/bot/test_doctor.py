"""What the doctor finds, and that it changes nothing."""

import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from bot import config, doctor, doctor_reach, settings
from core.identity.settings import EntraSettings
from core.identity.vault import KeyRing
from core.storage.database import Database, open_database
from core.storage.migrate import migrations
from tests.bot.parts import free_port
from tests.identity.test_custody import NEW, OLD, TENANT, fill


@asynccontextmanager
async def provider(key: str, *names: str) -> AsyncIterator[str]:
    """The address of a model provider that takes one key and lists these models."""

    async def models(request: web.Request) -> web.Response:
        shown = request.headers.get("x-api-key") or request.headers.get("Authorization", "")
        if shown.removeprefix("Bearer ") != key:
            return web.json_response({"error": "invalid key"}, status=401)
        return web.json_response({"data": [{"id": name} for name in names]})

    app = web.Application()
    app.add_routes([web.get("/v1/models", models), web.get("/models", models)])
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def problems(folder: Path, given: dict[str, str], file: str = "") -> list[str]:
    (folder / "countersign.yaml").write_text(file)
    found = settings.read(given, folder=folder, is_workspace=True)
    return await doctor.problems(found, config.read(found))


async def test_a_fresh_workspace_lacks_nothing_and_is_left_as_it_was(tmp_path: Path):
    assert await problems(tmp_path, {}) == []
    assert os.listdir(tmp_path) == ["countersign.yaml"]


async def test_a_database_that_a_bot_is_running_on_is_in_order(tmp_path: Path):
    database = await open_database(f"sqlite:///{tmp_path}/bot.db")
    try:
        assert await problems(tmp_path, {"COUNTERSIGN_DATABASE": "sqlite:///bot.db"}) == []
    finally:
        await database.close()


async def test_a_database_that_is_none_is_told(tmp_path: Path):
    (tmp_path / "bot.db").write_bytes(b"this is not a database, " * 100)
    told = await problems(tmp_path, {"COUNTERSIGN_DATABASE": "sqlite:///bot.db"})
    assert len(told) == 1 and told[0].startswith("The database cannot be written: ")


async def test_a_folder_that_cannot_hold_the_database_is_told(tmp_path: Path):
    (tmp_path / "notes").write_text("no folder")
    told = await problems(tmp_path, {"COUNTERSIGN_DATABASE": "sqlite:///notes/bot.db"})
    assert told == [f"The database cannot be written: {tmp_path}/notes cannot be written."]


async def test_a_postgres_that_is_not_there_is_told(tmp_path: Path):
    key = "a:" + "A" * 43 + "="
    address = f"postgresql://bot:canary-password@127.0.0.1:{free_port()}/bot"
    given = {"COUNTERSIGN_DATABASE": address, "COUNTERSIGN_KEYS": key}
    told = await problems(tmp_path, given)
    assert len(told) == 1 and told[0].startswith("The database cannot be written: ")
    assert "canary" not in told[0]


async def test_a_model_that_answers_lacks_nothing(tmp_path: Path):
    async with provider("right-key", "llama", "nomic") as address:
        given = {
            "COUNTERSIGN_MODEL": "openai:llama",
            "COUNTERSIGN_EMBEDDINGS": "openai:nomic",
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "right-key",
        }
        assert await problems(tmp_path, given) == []


async def test_a_key_that_the_provider_refuses_is_told(tmp_path: Path):
    async with provider("right-key", "claude") as address:
        given = {
            "COUNTERSIGN_MODEL": "anthropic:claude",
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "wrong-key",
        }
        told = await problems(tmp_path, given)
        assert told == ["The provider of `anthropic:claude` refuses the key (401)."]
        assert await problems(tmp_path, given | {"ANTHROPIC_API_KEY": "right-key"}) == []


async def test_a_model_that_the_provider_does_not_have_is_told(tmp_path: Path):
    async with provider("right-key", "llama") as address:
        given = {
            "COUNTERSIGN_MODEL": "openai:lama",
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "right-key",
        }
        told = await problems(tmp_path, given)
    assert told == ["The provider does not list `openai:lama` among its models."]


async def test_a_provider_that_is_not_there_is_told(tmp_path: Path):
    address = f"http://127.0.0.1:{free_port()}/v1"
    given = {"COUNTERSIGN_MODEL": "openai:llama", "OPENAI_BASE_URL": address}
    (told,) = await problems(tmp_path, given)
    assert told.startswith(f"The provider of `openai:llama` cannot be reached at {address}/models")


async def test_a_server_that_is_not_there_is_told(tmp_path: Path):
    file = f"servers: {{crm: {{url: 'http://127.0.0.1:{free_port()}/mcp'}}}}"
    (told,) = await problems(tmp_path, {}, file)
    assert told.startswith("Server crm did not answer")


async def test_a_database_of_an_older_version_is_told_and_not_migrated(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    last = migrations("sqlite")[-1].number
    await database.execute("DELETE FROM migrations WHERE number = ?", (last,))
    given = {"COUNTERSIGN_DATABASE": database_url, "COUNTERSIGN_KEYS": OLD}
    (told,) = await problems(tmp_path, given)
    assert "the next start applies 1 migration, " in told and "countersign backup FILE" in told
    row = await database.fetch_one("SELECT max(number) AS last FROM migrations")
    assert row and row["last"] < last


async def test_a_database_of_a_newer_version_is_told(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await database.execute("INSERT INTO migrations (number, name) VALUES (9999, 'later_breaks')")
    given = {"COUNTERSIGN_DATABASE": database_url, "COUNTERSIGN_KEYS": OLD}
    (told,) = await problems(tmp_path, given)
    assert "written by a newer version" in told


async def test_rows_that_the_keys_do_not_open_and_links_that_lapse_are_told(
    tmp_path: Path, sqlite: Database
) -> None:
    await fill(sqlite, KeyRing.parse(OLD), 3)
    given = {"COUNTERSIGN_DATABASE": f"sqlite:///{tmp_path}/countersign.db"}
    idle, *others = await problems(tmp_path, given | {"COUNTERSIGN_KEYS": OLD})
    assert others == [] and idle.startswith("3 connected accounts were not used for 80 days")
    shut, *_ = await problems(tmp_path, given | {"COUNTERSIGN_KEYS": NEW})
    assert shut.startswith("6 sealed rows (tokens and links of people's accounts) do not open with")
    await sqlite.execute("UPDATE tokens SET saved_at = ?", (time.time(),))
    assert await problems(tmp_path, given | {"COUNTERSIGN_KEYS": OLD}) == []


@asynccontextmanager
async def microsoft(*, tenant: int = 200, graph: int = 401, date: str = "") -> AsyncIterator[str]:
    """The address of an Entra and a Graph that answer like this."""

    async def answer(request: web.Request) -> web.Response:
        status = graph if request.path.endswith("/me") else tenant
        headers = {"Date": date} if date else {}
        return web.Response(status=status, headers=headers)

    app = web.Application()
    app.add_routes([web.get("/{path:.*}", answer)])
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


def at(address: str) -> settings.Microsoft:
    entra = EntraSettings(
        tenant_id=TENANT,
        client_id=TENANT,
        client_secret="of the test",
        authority=f"{address}/{TENANT}",
        public_url="http://127.0.0.1:3978",
    )
    return settings.Microsoft(entra=entra, graph_url=f"{address}/v1.0")


async def test_what_microsoft_lacks_is_told_apart() -> None:
    async with microsoft() as address:
        assert await doctor_reach.microsoft(at(address), time.time) == []
    async with microsoft(tenant=404) as address:
        (told,) = await doctor_reach.microsoft(at(address), time.time)
        assert "knows no tenant" in told and "ENTRA_TENANT_ID" in told
    async with microsoft(graph=503) as address:
        (told,) = await doctor_reach.microsoft(at(address), time.time)
        assert "answers 503" in told and "GRAPH_API_URL" in told
    entra, graph = await doctor_reach.microsoft(at(f"http://127.0.0.1:{free_port()}"), time.time)
    assert "does not answer" in entra and "does not answer" in graph


async def test_a_clock_that_is_off_is_told() -> None:
    async with microsoft(date="Tue, 01 Dec 2026 03:00:00 GMT") as address:
        now = 1_796_094_000.0
        assert await doctor_reach.microsoft(at(address), lambda: now) == []
        (told,) = await doctor_reach.microsoft(at(address), lambda: now - 400)
        assert told.startswith("This machine's clock is 400 seconds behind Microsoft's")


async def test_a_collector_and_a_public_address_that_are_not_there_are_told(
    tmp_path: Path,
) -> None:
    collector = f"http://127.0.0.1:{free_port()}"
    (told,) = await problems(tmp_path, {"OTEL_EXPORTER_OTLP_ENDPOINT": collector})
    assert told.startswith("The collector at OTEL_EXPORTER_OTLP_ENDPOINT")
    (told,) = await problems(tmp_path, {"COUNTERSIGN_PUBLIC_URL": "https://countersign.invalid"})
    assert told.startswith("Nothing answers at COUNTERSIGN_PUBLIC_URL")
    async with microsoft() as address:
        assert await problems(tmp_path, {"OTEL_EXPORTER_OTLP_ENDPOINT": address}) == []


def certificate(days: float) -> str:
    """A key and a certificate that ends that many days after the epoch, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "countersign")])
    start = datetime(1970, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return (private + made.public_bytes(serialization.Encoding.PEM)).decode()


def test_a_certificate_that_ends_soon_is_told() -> None:
    pem = certificate(100)
    for day, said in ((60, ""), (90, "ends in 10 days, on 1970-04-11"), (101, "ended on 1970")):
        told = doctor_reach.ending([("TEAMS_APP_CERTIFICATE", pem)], day * 86_400.0)
        assert (said in told[0] and "upload a new one" in told[0]) if said else told == []
    (told,) = doctor_reach.ending([("TEAMS_APP_CERTIFICATE", "nothing")], 0.0)
    assert "no certificate that can be read" in told


async def test_a_source_that_is_not_there_or_not_as_described_is_told(tmp_path: Path) -> None:
    shop = tmp_path / "shop.db"
    file = (
        "sources:\n"
        "  shop:\n"
        "    title: The shop\n"
        "    kind: sqlite\n"
        "    connection: {path: shop.db}\n"
        "    tables: [{name: orders, description: What was ordered}]\n"
    )
    (told,) = await problems(tmp_path, {}, file)
    assert told.startswith("Source shop, connection: ")
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE customers (id INTEGER)")
    (told,) = await problems(tmp_path, {}, file)
    assert told == "Source shop, tables: there is no orders, or the login may not see it."
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER)")
    assert await problems(tmp_path, {}, file) == []
