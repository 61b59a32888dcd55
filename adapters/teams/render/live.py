"""Shapes an answer that is still being written: the part of it that will not change any more."""

from adapters.teams.render import limits, markdown, messages
from core.records import Json


def shown(text: str) -> str:
    """The words up to the first table, as the finished message begins with them; tables come with
    that message."""
    kept: list[str] = []
    size, fence = 0, ""
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = markdown.fenced(line, fence)
        said = markdown.inert(line)
        size += limits.weight(said) + 1
        if size > limits.STREAM_UNITS or (not fence and "|" in line):
            break
        kept.append(said)
    return "\n".join(kept).strip()


def piece(text: str, stream: str, number: int) -> Json:
    """All of the text so far, as Teams wants it; without a `stream` it begins one."""
    info: Json = {"type": "streaminfo", "streamType": "streaming", "streamSequence": number}
    if stream:
        info["streamId"] = stream
    return {"type": "typing", "text": text, "textFormat": "markdown", "entities": [info]}


def final(stream: str, message: Json) -> Json:
    """The message that ends the stream and stays."""
    info: Json = {"type": "streaminfo", "streamId": stream, "streamType": "final"}
    return {**message, "entities": [info, *message.get("entities", [])]}


def stopped(stream: str, text: str, said: str) -> Json:
    """What was written so far, with the label that a model wrote it."""
    message = messages.message(f"{text}\n\n{said}")
    message["entities"] = [messages.label(message, ())]
    return final(stream, message)
