"""What the doctor finds, and that it changes nothing."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bot import config, doctor, settings
from core.storage.database import open_database
from tests.bot.parts import free_port


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
