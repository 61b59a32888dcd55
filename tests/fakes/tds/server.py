"""A stand-in for SQL Server and Fabric on a real socket, for Microsoft's own driver."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from tests.fakes.tds.answers import Answers
from tests.fakes.tds.session import Session


@asynccontextmanager
async def tds_server(
    answers: Answers,
    context: ssl.SSLContext,
    *,
    tokens: Mapping[str, str],
    logins: Mapping[str, str],
) -> AsyncGenerator[int]:
    """Its port. `tokens` are the Entra tokens that it takes and whose they are, `logins` names and
    passwords."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = Session(answers, tokens, logins, reader, writer, context)
        # The end of the test ends its connections: asyncio would report each of them.
        gone = (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, asyncio.CancelledError)
        with suppress(*gone):
            await session.serve()
        writer.close()

    # Its TLS travels in TDS packets, for which the driver wants 1.2.
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
