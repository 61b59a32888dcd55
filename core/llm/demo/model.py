"""The demo model: a script that stands in for a language model.

It is deterministic and works on records alone: it chooses tools by their descriptions, takes
arguments from the words of the question and writes from the results. Nothing in it knows a
particular tool.
"""

import json
from collections.abc import Sequence

from core.llm.demo.calls import Plan
from core.llm.demo.conversation import understand
from core.llm.demo.plan import plan
from core.llm.demo.writing import write
from core.records import ModelMessage, ModelReply, ToolSchema, Usage

CHARACTERS_PER_TOKEN = 4


def answer(messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]) -> ModelReply:
    """The next message: calls while something is to be found out, words otherwise.

    Usage is an estimate by length; the demo model costs nothing.
    """
    conversation = understand(messages)
    intended = plan(conversation, tools) if tools else Plan()
    text = "" if intended.calls else write(conversation, tools, intended)
    message = ModelMessage(role="assistant", text=text, calls=intended.calls)
    return ModelReply(
        message=message,
        usage=_usage(messages, tools, message),
        finish="tools" if intended.calls else "stop",
        model="demo",
    )


def _usage(
    messages: Sequence[ModelMessage], tools: Sequence[ToolSchema], made: ModelMessage
) -> Usage:
    read = sum(_length(m) for m in messages)
    read += sum(len(t.description) + len(json.dumps(t.parameters)) for t in tools)
    return Usage(
        input_tokens=-(-read // CHARACTERS_PER_TOKEN),
        output_tokens=-(-_length(made) // CHARACTERS_PER_TOKEN),
    )


def _length(message: ModelMessage) -> int:
    return len(message.text) + sum(
        len(c.name) + len(json.dumps(c.arguments)) for c in message.calls
    )
