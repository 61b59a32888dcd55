"""The demo model: a script that stands in for a language model."""

from collections.abc import Sequence

from core.records import ModelMessage, ModelReply, ToolSchema, Usage


def answer(messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]) -> ModelReply:
    """The next message of the scripted model."""
    text = "I am no language model but a scripted demo."
    return ModelReply(
        message=ModelMessage(role="assistant", text=text),
        usage=Usage(input_tokens=1, output_tokens=1),
        finish="stop",
        model="demo",
    )
