"""How this room reads what Slack sends."""

from adapters.fields import child, children, number, text

__all__ = ["child", "children", "number", "text"]
