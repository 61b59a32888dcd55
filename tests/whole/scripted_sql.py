"""A model that answers questions to databases by a script, as orchestrator and as specialist."""

import json
import re
from dataclasses import dataclass, field

from tests.fakes.model_script import Asked, Step, call, say

ROWS = "Here they are [{number}].\n\n[table {number}]"


@dataclass(slots=True)
class Scripted:
    """`sql` are the statements for a question, in order; `tool` the tool that it is asked with."""

    sql: dict[str, list[str]]
    tool: str
    words: str = ROWS
    """What the orchestrator says; `{number}` is the newest evidence."""
    seen: list[Asked] = field(default_factory=list[Asked])
    """What the specialist's model was asked."""

    def step(self, asked: Asked) -> Step:
        if "run_query" in asked.tools or "look_at_tables" in asked.tools:
            self.seen.append(asked)
            return self._specialist(asked)
        told = [str(one["content"]) for one in asked.messages if one["role"] == "tool"]
        found = re.findall(r"\[evidence (\d+)\]", " ".join(told))
        if found:
            return say(self.words.format(number=found[-1]))
        return call(self.tool, question=self._question(asked))

    def _question(self, asked: Asked) -> str:
        return next(
            one for one in self.sql if json.dumps(one, ensure_ascii=False)[1:-1] in asked.text
        )

    def _specialist(self, asked: Asked) -> Step:
        statements = self.sql[self._question(asked)]
        if "run_query" not in asked.tools:
            named = re.findall(r'(?:FROM|JOIN)\s+"?(\w+)"?', " ".join(statements), re.IGNORECASE)
            return call("look_at_tables", tables=sorted(set(named)))
        tries = asked.text.count("Not taken: ")
        return call("run_query", sql=statements[min(tries, len(statements) - 1)])
