"""Our own MCP server on a real socket, for the suite to look at.

`python -m tests.conformance.server PORT` serves the sample tools until it is ended. In the product
nothing listens: the server answers inside the process, where there is no host to rebind.
"""

import asyncio
import sys

from core.specialists.sample.server import sample_server
from tests.fakes.mcp_modern import serving_asgi


async def main(port: int) -> None:
    app = sample_server().streamable_http_app(stateless_http=True)
    async with serving_asgi(app, port):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
