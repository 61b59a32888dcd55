"""What a provider is sent of a LangChain message."""

import json

from langchain_core.messages import BaseMessage


def spoken(message: BaseMessage) -> str:
    """The message's text, and the calls that it holds."""
    calls = getattr(message, "tool_calls", [])
    return str(message.content) + (json.dumps(calls) if calls else "")
