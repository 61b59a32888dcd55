"""An MCP server that is started as a command and speaks over its standard streams."""

import os

from mcp.server.mcpserver import MCPServer

server = MCPServer("command", log_level="CRITICAL")


@server.tool()
def pid() -> str:
    """The process that answers."""
    return str(os.getpid())


@server.tool()
def die() -> str:
    """Ends the process in the middle of the call."""
    os._exit(3)


@server.tool()
def environment() -> str:
    """The names of the environment."""
    return " ".join(sorted(os.environ))


if __name__ == "__main__":
    server.run("stdio")
