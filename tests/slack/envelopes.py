"""Slack's event envelopes, as tests need them."""

from typing import Any

Json = dict[str, Any]
TEAM, BOT, APP = "T00000001", "U0COUNTER", "A00000001"


def envelope(event: Json, **fields: Any) -> Json:
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": APP,
        "event_id": "Ev1",
        "event": event,
        "authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": True}],
        "is_ext_shared_channel": False,
        **fields,
    }


def mention(text: str = f"<@{BOT}> how many?", **fields: Any) -> Json:
    return {
        "type": "app_mention",
        "user": "U0MARA",
        "text": text,
        "ts": "1796000000.000100",
        "channel": "C0SALES",
        "team": TEAM,
        **fields,
    }


def message(text: str = f"<@{BOT}> how many?", **fields: Any) -> Json:
    return {**mention(text), "type": "message", "channel_type": "channel", **fields}


def direct(text: str = "how many?", **fields: Any) -> Json:
    return message(text, channel="D0MARA", channel_type="im", **fields)


def rich(*elements: Json) -> list[Json]:
    return [{"type": "rich_text", "elements": list(elements)}]


def section(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}
