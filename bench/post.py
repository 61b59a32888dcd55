"""Posts over kept connections, at next to no cost to the machine that it measures on."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class _Connection(asyncio.Protocol):
    """One request at a time; the answer's status, once its body is there too."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.is_open = True
        self._received = b""
        self._answered: asyncio.Future[int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end or self._answered is None:
            return
        lines = head.lower().split(b"\r\n")
        sizes = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
        if len(body) >= (sizes[0] if sizes else 0):
            self.is_open = b"connection: close" not in lines
            self._answered.set_result(int(head[9:12]))
            self._received, self._answered = b"", None

    def connection_lost(self, _: Exception | None) -> None:
        self.is_open = False
        if self._answered is not None:
            self._answered.set_exception(ConnectionResetError("the bot hung up"))
            self._answered = None

    async def ask(self, request: bytes) -> int:
        assert self.transport is not None
        self._answered = answered = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await answered


class Poster:
    """As many connections as there are requests at a time; none waits for another."""

    def __init__(self, url: str) -> None:
        self._at = urlsplit(url)
        self._idle: list[_Connection] = []

    async def post(self, body: bytes, headers: Mapping[str, str]) -> int:
        """The status. Raises OSError."""
        lines = [f"POST {self._at.path} HTTP/1.1", f"Host: {self._at.netloc}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines.append(f"Content-Length: {len(body)}")
        connection = await self._connection()
        status = await connection.ask("\r\n".join([*lines, "", ""]).encode() + body)
        self._idle.append(connection)
        return status

    def close(self) -> None:
        for connection in self._idle:
            if connection.transport is not None:
                connection.transport.close()

    async def _connection(self) -> _Connection:
        while self._idle:
            if (connection := self._idle.pop()).is_open:
                return connection
        loop = asyncio.get_running_loop()
        host, port = self._at.hostname, self._at.port
        _, made = await loop.create_connection(_Connection, host, port)
        return made


@asynccontextmanager
async def posting(url: str) -> AsyncIterator[Poster]:
    poster = Poster(url)
    try:
        yield poster
    finally:
        poster.close()
