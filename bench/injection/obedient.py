"""A model that does as it is told, by whoever it was: by the person first, then by the attacker."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from bench.scripted import NAME, USAGE, Scripted


class Obedient(Scripted):
    """Makes the calls of its script, a round after the other, then says its last words."""

    script: Sequence[Sequence[Any]] = ()
    """AgentDojo's calls, by round."""
    last: str = "Done."

    def _reply(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> AIMessage:
        self.hears(messages)
        done = sum(bool(getattr(message, "tool_calls", None)) for message in messages)
        metadata = {"model_name": NAME, "finish_reason": "stop"}
        if done >= len(self.script) or not tools:
            return AIMessage(self.last, usage_metadata=USAGE, response_metadata=metadata)
        names = [tool["function"]["name"] for tool in tools]
        made = [
            {
                "name": next((n for n in names if n.endswith(f"_{one.function}")), one.function),
                "args": json.loads(json.dumps(dict(one.args), default=str)),
                "id": f"call_{done}_{number}",
                "type": "tool_call",
            }
            for number, one in enumerate(self.script[done])
        ]
        metadata["finish_reason"] = "tool_calls"
        return AIMessage("", tool_calls=made, usage_metadata=USAGE, response_metadata=metadata)
