"""What docs/writing-a-capability.md shows works as it says."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.capabilities.servers import read_servers
from core.policy.section import read_policy
from tests.capabilities.bridge import catalog, silence, tool, trusted
from tests.fakes.mcp_modern import modern_server

PAGE = (Path(__file__).parents[2] / "docs" / "writing-a-capability.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


async def test_the_server_of_the_page_answers_and_gives_its_file_and_usage() -> None:
    names: dict[str, Any] = {"__name__": "stock_server"}
    for block in blocks("python"):
        exec(compile(block, "writing-a-capability.md", "exec"), names)
    async with modern_server(names["server"]) as url, catalog(trusted("stock", url)) as held:
        found = await held.discover()
        assert found.problems == ()
        in_stock, file = tool(found, "stock/in_stock"), tool(found, "stock/stock_file")
        assert in_stock.tags == {"connector:stock"}
        arguments = {"product": "Heron", "warehouse": "Porto"}
        result = await held.call(in_stock, arguments, credentials={}, on_progress=silence)
        assert result.structured == {"Porto": 5}
        written = await held.call(file, {}, credentials={}, on_progress=silence)
    [(made, content)] = written.files
    assert made.name == "stock.csv"
    assert content.startswith(b"warehouse,product,count\n")
    assert written.links == (("warehouse", "https://stock.example/warehouse"),)
    assert [(use.model, use.usage.pages) for use in written.usage] == [("ocr-2", 3)]


def test_the_first_server_of_the_page_has_about_twenty_lines() -> None:
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 22


@pytest.mark.parametrize("block", blocks("yaml"))
def test_the_configuration_of_the_page_is_taken(block: str) -> None:
    given = yaml.safe_load(block)
    if "servers" in given:
        stock, crm = read_servers(given["servers"], {"MCP_CRM_TOKEN": "t"})
        assert (stock.accept, crm.accept) == ("first", "none")
    else:
        assert len(read_policy(given["policy"]).rules) == 3
