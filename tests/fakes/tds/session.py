"""One connection to the stand-in for SQL Server: TDS 7.4, by the public MS-TDS specification."""

import asyncio
import ssl
import struct
from collections.abc import Mapping

from tests.fakes.tds import values
from tests.fakes.tds.answers import Answers, Cancelled, Result, SqlError
from tests.fakes.tds.values import long_text, short_text, wide

BATCH, REPLY, ATTENTION, TRANSACTION = 1, 4, 6, 14
PRELOGIN = 0x12
_HEADER = 8
Message = tuple[int, bytes]
"""Its kind and its body."""


class Session:
    def __init__(
        self,
        answers: Answers,
        tokens: Mapping[str, str],
        logins: Mapping[str, str],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        context: ssl.SSLContext,
    ) -> None:
        self._answers = answers
        self._tokens = tokens
        self._logins = logins
        self._reader = reader
        self._writer = writer
        self._context = context
        self._tls: tuple[ssl.SSLObject, ssl.MemoryBIO, ssl.MemoryBIO] | None = None
        self._clear = b""
        self._packet = 4096
        self._user = ""
        self._cursor = answers.cursor()

    async def serve(self) -> None:
        await self._greet()
        if not await self._log_in():
            return
        listening = asyncio.create_task(self._message())
        try:
            while True:
                kind, body = await listening
                listening = asyncio.create_task(self._message())
                await self._answer(kind, body, listening)
        finally:
            listening.cancel()

    async def _answer(self, kind: int, body: bytes, listening: "asyncio.Task[Message]") -> None:
        if kind == BATCH:
            start = struct.unpack_from("<I", body)[0]
            await self._run(body[start:].decode("utf-16-le"), listening)
        elif kind == TRANSACTION:
            await self._send(_transaction(body))
        elif kind != ATTENTION:
            await self._send(_done())

    async def _run(self, sql: str, listening: "asyncio.Task[Message]") -> None:
        """Answer a batch, unless the client's attention (or its end) comes first."""
        working = asyncio.create_task(
            asyncio.to_thread(self._answers.answer, sql, self._user, self._cursor)
        )
        # Where this connection goes first, nobody else asks what became of it.
        working.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.wait((working, listening), return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            self._cursor.interrupt()
            await asyncio.wait((working,))
            await self._send(_done(0x20))
            return
        try:
            reply = _rows(working.result())
        except Cancelled:
            reply = _done(0x20)
        except SqlError as error:
            reply = _error(error.number, str(error), error.severity) + _done(2)
        await self._send(reply)

    # -- the way in

    async def _greet(self) -> None:
        _, body = await self._message()
        asked, place = dict[int, bytes](), 0
        while body[place] != 0xFF:
            start, length = struct.unpack(">HH", body[place + 1 : place + 5])
            asked[body[place]] = body[start : start + length]
            place += 5
        # Version, encryption required, instance, thread; and federated sign-in where it is offered.
        said = {0: bytes([16, 0, 3, 232, 0, 0]), 1: b"\x03", 2: b"\0", 3: b"", 4: b"\0"}
        if 6 in asked:
            said[6] = b"\x01" if asked[6] == b"\x01" else b"\x00"
        start, head, rest = len(said) * 5 + 1, b"", b""
        for key, value in said.items():
            head += struct.pack(">BHH", key, start + len(rest), len(value))
            rest += value
        await self._send(head + b"\xff" + rest)
        await self._shake_hands()

    async def _shake_hands(self) -> None:
        """TLS within TDS' own packets, until it stands."""
        arrived, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self._context.wrap_bio(arrived, leaving, server_side=True)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                if leaving.pending:
                    await self._send(leaving.read(), PRELOGIN)
                arrived.write((await self._message())[1])
        if leaving.pending:
            await self._send(leaving.read(), PRELOGIN)
        self._tls = (tls, arrived, leaving)

    async def _log_in(self) -> bool:
        _, body = await self._message()
        self._packet = min(max(struct.unpack_from("<I", body, 8)[0], 512), 32767)
        features = _features(body)
        if 2 in features:
            length = struct.unpack_from("<I", features[2], 1)[0]
            token = features[2][5 : 5 + length].decode("utf-16-le")
            self._user = self._tokens.get(token, "")
        else:
            user, password = _text(body, 40), _password(body)
            self._user = user if self._logins.get(user) == password else ""
        if not self._user:
            await self._send(_error(18456, "Login failed for user '<token>'.", 14) + _done(2))
            return False
        await self._send(self._welcome(features))
        return True

    def _welcome(self, features: Mapping[int, bytes]) -> bytes:
        product = b"\x01" + bytes([0x74, 0, 0, 4]) + short_text("Stand-in") + bytes([16, 0, 3, 232])
        out = _changed(1, short_text("shop"), short_text("master"))
        out += _changed(7, bytes([5]) + values.COLLATION, b"\0")
        out += struct.pack("<BH", 0xAD, len(product)) + product
        out += _changed(4, short_text(str(self._packet)), short_text("4096"))
        if features:
            taken = b"\x02" + struct.pack("<I", 0) if 2 in features else b""
            taken += b"\x0a" + struct.pack("<I", 1) + b"\x01" if 10 in features else b""
            out += b"\xae" + taken + b"\xff"
        return out + _done()

    # -- packets

    async def _message(self) -> tuple[int, bytes]:
        body = b""
        while True:
            head = await self._bytes(_HEADER)
            body += await self._bytes(struct.unpack(">H", head[2:4])[0] - _HEADER)
            if head[1] & 1:
                return head[0], body

    async def _bytes(self, count: int) -> bytes:
        if self._tls is None:
            return await self._reader.readexactly(count)
        tls, arrived, _ = self._tls
        while len(self._clear) < count:
            try:
                self._clear += tls.read(65536)
            except ssl.SSLWantReadError:
                more = await self._reader.read(65536)
                if not more:
                    raise asyncio.IncompleteReadError(b"", count) from None
                arrived.write(more)
        taken, self._clear = self._clear[:count], self._clear[count:]
        return taken

    async def _send(self, body: bytes, kind: int = REPLY) -> None:
        size = self._packet - _HEADER
        parts = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
        for number, part in enumerate(parts, 1):
            is_last = number == len(parts)
            head = struct.pack(
                ">BBHHBB", kind, int(is_last), len(part) + _HEADER, 0, number & 255, 0
            )
            self._put(head + part)
        await self._writer.drain()

    def _put(self, raw: bytes) -> None:
        if self._tls is not None:
            tls, _, leaving = self._tls
            tls.write(raw)
            raw = leaving.read()
        self._writer.write(raw)


def _rows(result: Result) -> bytes:
    if not result.columns:
        return _done()
    out = bytearray(values.headings(result.columns))
    for one in result.rows:
        out += values.row(result.columns, one)
    return bytes(out) + _done(0x10, len(result.rows))


def _done(status: int = 0, rows: int = 0) -> bytes:
    return struct.pack("<BHHQ", 0xFD, status, 0xC1, rows)


def _error(number: int, text: str, severity: int) -> bytes:
    body = struct.pack("<iBB", number, 1, severity) + long_text(text)
    body += short_text("stand-in") + short_text("") + struct.pack("<i", 1)
    return struct.pack("<BH", 0xAA, len(body)) + body


def _changed(what: int, new: bytes, old: bytes) -> bytes:
    body = bytes([what]) + new + old
    return struct.pack("<BH", 0xE3, len(body)) + body


def _transaction(body: bytes) -> bytes:
    """Begun (5), committed (7) or rolled back: there is nothing to undo here."""
    asked = struct.unpack_from("<H", body, struct.unpack_from("<I", body)[0])[0]
    mark = struct.pack("<Q", 1)
    if asked == 5:
        return _changed(8, b"\x08" + mark, b"\0") + _done()
    return _changed(9 if asked == 7 else 10, b"\0", b"\x08" + mark) + _done()


def _text(body: bytes, place: int) -> str:
    start, length = struct.unpack_from("<HH", body, place)
    return body[start : start + 2 * length].decode("utf-16-le")


def _password(body: bytes) -> str:
    hidden = wide(_text(body, 44))
    plain = (one ^ 0xA5 for one in hidden)
    return bytes(((one << 4) & 0xF0) | (one >> 4) for one in plain).decode("utf-16-le")


def _features(body: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    if body[27] & 0x10:
        place = struct.unpack_from("<I", body, struct.unpack_from("<H", body, 56)[0])[0]
        while body[place] != 0xFF:
            length = struct.unpack_from("<I", body, place + 1)[0]
            found[body[place]] = body[place + 5 : place + 5 + length]
            place += 5 + length
    return found
