"""The buttons with which people say what they think of an answer."""

from core.records import Json

ACTION = "answer.rate"
GOOD, BAD = "good", "bad"


def block(turn: str) -> Json:
    buttons: Json = {
        "type": "feedback_buttons",
        "action_id": ACTION,
        "positive_button": _button("Good answer", f"{GOOD}:{turn}"),
        "negative_button": _button("Bad answer", f"{BAD}:{turn}"),
    }
    return {"type": "context_actions", "elements": [buttons]}


def _button(label: str, value: str) -> Json:
    text = {"type": "plain_text", "text": label}
    return {"text": text, "accessibility_label": label, "value": value}
