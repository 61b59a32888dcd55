"""The addresses at which file bytes go in and come out."""

from collections.abc import Callable, Iterable

from aiohttp import web

from bot.workspace.slack.records import File
from bot.workspace.slack.world import World

LOGIN_PAGE = "<!doctype html><title>Slack</title><h1>Sign in to your workspace</h1>"


class FileRoutes:
    """`/upload/v1/…` takes bytes, `/files-pri/…` gives them to whoever shows the bot's token."""

    def __init__(self, worlds: Callable[[], Iterable[World]]) -> None:
        self._worlds = worlds

    async def upload(self, request: web.Request) -> web.StreamResponse:
        _, file = self._found(request)
        if file is None or file.is_complete:
            return web.Response(status=404, text="not found")
        content = await self._content(request)
        if str(len(content)) != request.query.get("length"):
            return web.Response(status=400, text="length does not match")
        file.content = content
        return web.Response(text=f"OK - {len(content)}")

    async def _content(self, request: web.Request) -> bytes:
        if request.content_type != "multipart/form-data":
            return await request.read()
        form = await request.post()
        for value in form.values():
            if isinstance(value, web.FileField):
                return value.file.read()
        return b""

    async def download(self, request: web.Request) -> web.StreamResponse:
        """Without the token Slack answers 200 with its sign-in page, not an error."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        world, file = self._found(request)
        if not world or not world.tokens.is_good(token):
            return web.Response(text=LOGIN_PAGE, content_type="text/html")
        if file is None:
            return web.Response(status=404, text="not found")
        return web.Response(body=file.content, content_type=file.media_type)

    def _found(self, request: web.Request) -> tuple[World | None, File | None]:
        team, _, file = request.match_info["place"].partition("-")
        for world in self._worlds():
            if world.team.id == team:
                return world, world.files.get(file)
        return None, None
