"""The button with which a person shows a channel what they were told there privately."""

from core.records import Json

ACTION = "answer.share"


def block(turn: str) -> Json:
    button: Json = {
        "type": "button",
        "action_id": ACTION,
        "text": {"type": "plain_text", "text": "Share"},
        "value": turn,
    }
    return {"type": "actions", "elements": [button]}
