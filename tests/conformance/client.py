"""The client that the suite drives: our own bridge, which lists a server's tools and calls each.

`python -m tests.conformance.client URL` is what the suite runs for one scenario.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

from core.capabilities.catalog import Catalog
from core.capabilities.servers import Limits, Server
from core.errors import BadArguments, NotAllowed, SourceFailed
from tests.fakes.mcp_pins import MemoryPins

LIMITS = Limits(deadline=20, open_within=20, first_look=20)
VALUES: dict[str, Any] = {
    "array": [],
    "boolean": True,
    "integer": 3,
    "null": None,
    "number": 2.5,
    "object": {},
    "string": "words",
}


async def main(url: str) -> None:
    """List, then call every tool once with what its schema or the scenario asks for. What the
    bridge refuses is printed; whether it should have been is the suite's to say."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    told = {call["name"]: call["arguments"] for call in context.get("toolCalls", [])}
    server = Server(name="suite", url=url, accept="all")
    async with Catalog([server], MemoryPins(), clock=time.time, limits=LIMITS) as catalog:
        found = await catalog.discover()
        for problem in found.problems:
            print("problem:", problem.tool, problem.sentence)
        for tool in found.tools:
            given = told.get(tool.name) or arguments(dict(tool.schema))
            if "schema" in given:
                # The suite has one tool to which a client hands the schema of another as it got it.
                given["schema"] = next(other.schema for other in found.tools if other != tool)
            try:
                result = await catalog.call(tool, given, credentials={}, on_progress=silence)
                print("called:", tool.name, given, str(result)[:200])
            except (BadArguments, NotAllowed, SourceFailed) as error:
                print("failed:", tool.name, given, error)


def arguments(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    return {name: value(properties.get(name, {})) for name in schema.get("required", properties)}


def value(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema:
        return schema["default"]
    return VALUES.get(str(schema.get("type", "string")), "words")


async def silence(_: str) -> None:
    """Progress that nobody watches."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
