"""Serves a stand-in on loopback, to nobody who came by another name."""

from collections.abc import Awaitable, Callable, Iterable

from aiohttp import web

HOST = "127.0.0.1"


class Loopback:
    """A port on this machine alone, from `listen` to `close`."""

    def __init__(self, port: int, *, body_limit: int) -> None:
        """`port` 0 takes a free one; `body_limit` is the largest body in bytes."""
        self._port = port
        self._body_limit = body_limit
        self._runner: web.AppRunner | None = None

    @property
    def base(self) -> str:
        """The address without a path; known from `listen` on."""
        return f"http://{HOST}:{self._port}"

    async def listen(self, add_routes: Iterable[Callable[[web.Application], None]]) -> None:
        """Raises OSError when the port is taken."""
        site = web.Application(
            client_max_size=self._body_limit, middlewares=[self._only_local_names]
        )
        for add in add_routes:
            add(site)
        self._runner = web.AppRunner(site, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self._port).start()
        self._port = self._runner.addresses[0][1]

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _only_local_names(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """A page elsewhere that points its own name at loopback is turned away."""
        own = {f"{name}:{self._port}" for name in (HOST, "localhost")}
        origin = request.headers.get("Origin", f"http://{request.host}")
        if request.host not in own or origin.removeprefix("http://") not in own:
            return web.Response(status=421, text="This server answers to its loopback name only.")
        return await handler(request)
