"""A few tools with invented results, for conversations with the demo model."""

import json
from dataclasses import dataclass, field
from typing import Any

from core.context import prompts
from core.llm.demo.model import answer
from core.records import ModelMessage, ToolCall, ToolSchema

SYSTEM = "You are Countersign.\nToday is Monday, 30 November 2026 (UTC, UTC)."
ROUNDS = 4
QUARTER = {
    "anyOf": [{"type": "string", "pattern": r"^20\d\d-Q[1-4]$"}, {"type": "null"}],
    "description": "A quarter such as 2026-Q3.",
}
GROUP = {"type": "string", "enum": ["region", "product", "month", "segment"]}


def tool(name: str, description: str, required: str = "", /, **properties: Any) -> ToolSchema:
    return ToolSchema(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": required.split(),
        },
    )


TOOLS = (
    tool(
        "turnover_report",
        "Revenue and units sold, grouped by region, product, month or segment.",
        "group_by",
        group_by=GROUP,
        quarter=QUARTER,
        region={"anyOf": [{"$ref": "#/$defs/Region"}, {"type": "null"}]},
    ),
    tool(
        "find_customer",
        "Finds customers by a part of their name. Returns id, city and segment.",
        "name",
        name={"type": "string", "description": "Part of the name."},
    ),
    tool(
        "customer_orders",
        "The orders of one customer, newest first.",
        "customer_id",
        customer_id={"type": "string", "description": "As find_customer returns it."},
        limit={"type": "integer", "description": "At most so many."},
    ),
    tool("catalogue", "Lists the products with category and price."),
    tool(
        "search_notes",
        "Searches the meeting notes and returns the passages that fit.",
        "query",
        query={"type": "string"},
    ),
    tool(
        "write_workbook",
        "Exports a table of sales as an xlsx spreadsheet.",
        "group_by title",
        group_by=GROUP,
        quarter={"type": "string"},
        title={"type": "string"},
    ),
    tool(
        "read_result",
        "Reads on in an earlier result that was shortened.",
        "evidence",
        evidence={"type": "string"},
        first_row={"type": "integer"},
    ),
)
TOOLS[0].parameters["$defs"] = {
    "Region": {"type": "string", "enum": ["North", "South", "East", "West"]}
}
RESULTS = {
    "turnover_report": (
        "Sales grouped as asked.\n\n| region | revenue | units |\n| --- | ---: | ---: |\n"
        "| North | 120,400 | 310 |\n| South | 98,000 | 402 |\n| West | 45,100 | 99 |"
    ),
    "find_customer": (
        "2 customers found.\n\n| customer_id | name | city |\n|---|---|---|\n"
        "| C-7 | Harbor Books | Bergen |\n| C-1042 | Aurora Traders | Oslo |"
    ),
    "customer_orders": "2 orders.\n\n| order | amount |\n|---|---|\n| O-1 | 100 |\n| O-2 | 300 |",
    "catalogue": (
        "3 products.\n\n| product | category | price |\n|---|---|---|\n"
        "| Lamp | Light | 30 |\n| Desk | Furniture | 300 |\n| Chair | Furniture | 120 |"
    ),
    "search_notes": "2026-05-04, Pricing call: list prices stay until spring.",
    "write_workbook": "Wrote sales.xlsx with 3 rows.",
}


@dataclass
class Talk:
    """A thread with the demo model; each `ask` is a turn that goes to its end."""

    tools: tuple[ToolSchema, ...] = TOOLS
    past: str = ""
    results: dict[str, str] = field(default_factory=lambda: dict(RESULTS))
    history: list[ModelMessage] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    """Of the last turn."""
    rounds: list[int] = field(default_factory=list)
    """Calls per round of the last turn."""

    def ask(self, question: str) -> str:
        asked = ModelMessage(role="user", text=question)
        past = [ModelMessage(role="system", text=self.past)] if self.past else []
        messages = [ModelMessage(role="system", text=SYSTEM), *self.history, *past, asked]
        self.calls, self.rounds = [], []
        for number in range(ROUNDS + 1):
            reply = answer(messages, self.tools if number < ROUNDS else ()).message
            messages.append(reply)
            if not reply.calls:
                self.history += [asked, reply]
                return reply.text
            self.rounds.append(len(reply.calls))
            for call in reply.calls:
                self.calls.append(call)
                text = self.results.get(call.name, "")
                messages.append(
                    ModelMessage(
                        role="tool",
                        text=prompts.evidence(len(self.calls), text),
                        call_id=call.id,
                        is_error=text.startswith("Error"),
                    )
                )
        raise AssertionError("the last call without tools did not end in words")

    @property
    def made(self) -> list[tuple[str, dict[str, Any]]]:
        return [(call.name, dict(call.arguments)) for call in self.calls]


def said_earlier(*texts: str) -> str:
    return prompts.PAST + "".join(f"\n\n{text}" for text in texts)


def as_json(name: str, value: Any) -> dict[str, str]:
    """The results with one tool answering in JSON."""
    return {**RESULTS, name: json.dumps(value)}
