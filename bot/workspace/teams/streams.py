"""Messages that are streamed into a one-to-one chat, with what Teams refuses of them."""

from dataclasses import dataclass

from adapters import fields
from bot.workspace.teams import limits
from bot.workspace.teams.checks import Refused
from bot.workspace.teams.records import Conversation, Json
from bot.workspace.teams.world import World

CODE = "ContentStreamNotAllowed"
_OVER = "Content stream finished due to exceeded streaming time."
_DONE = "Content stream is not allowed on an already completed streamed message."
_STOPPED = "Content stream was canceled by user."


@dataclass(slots=True, kw_only=True)
class _Open:
    conversation: str
    began_at: float
    said_at: float
    number: int = 0
    text: str = ""
    is_done: bool = False
    is_stopped: bool = False


class Streams:
    """By the id of the message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[str, _Open] = {}

    def stop(self, conversation: str) -> None:
        """The person presses Stop."""
        for one in self._known.values():
            if one.conversation == conversation and not one.is_done:
                one.is_stopped = True

    def take(self, place: Conversation, body: Json, info: Json) -> tuple[int, Json]:
        """A piece, or the end. Raises `Refused`."""
        if place.kind != "personal":
            raise Refused(403, CODE, said="Content stream is only allowed in one on one chats.")
        id = fields.text(info, "streamId")
        if not id:
            return self._begin(place, body, info)
        known = self._known.get(id)
        if known is None:
            raise Refused(400, "BadSyntax")
        self._live(known)
        if fields.text(info, "streamType") == "final":
            return self._end(place, id, known, body, info)
        if self._world.clock() - known.said_at < limits.STREAM_GAP:
            raise Refused(429, "429", retry_after=1)
        self._went_on(known, body, info)
        shown = self._world.find(place, id)
        if shown is not None:
            shown["text"] = body["text"]
        self._world.publish()
        return 202, {}

    def _begin(self, place: Conversation, body: Json, info: Json) -> tuple[int, Json]:
        now = self._world.clock()
        for one in self._known.values():
            is_open = not one.is_done and now - one.began_at < limits.STREAM_SECONDS
            if one.conversation == place.id and is_open and not one.is_stopped:
                raise Refused(403, CODE, said="A content stream is under way.")
        made = _Open(conversation=place.id, began_at=now, said_at=now)
        self._went_on(made, body, info)
        id = self._world.next_id()
        self._known[id] = made
        message: Json = {"type": "message", "text": body["text"], "id": id, "by": "bot"}
        self._world.put(place, message | {"thread": "", "edits": 0, "is_streaming": True})
        return 201, {"id": id}

    def _live(self, known: _Open) -> None:
        if known.is_stopped:
            raise Refused(403, CODE, said=_STOPPED)
        if known.is_done:
            raise Refused(403, CODE, said=_DONE)
        if self._world.clock() - known.began_at >= limits.STREAM_SECONDS:
            raise Refused(403, CODE, said=_OVER)

    def _went_on(self, known: _Open, body: Json, info: Json) -> None:
        text, number = fields.text(body, "text"), info.get("streamSequence")
        if body.get("type") != "typing" or not text or body.get("attachments"):
            raise Refused(400, "BadSyntax")
        if not isinstance(number, int) or number <= known.number:
            raise Refused(400, "BadSyntax")
        if fields.text(info, "streamType") == "streaming":
            if not text.startswith(known.text):
                raise Refused(403, CODE, said="The text does not go on from what was streamed.")
            known.text = text
        elif len(text.encode()) > limits.INFORMATIVE_BYTES:
            raise Refused(400, "BadSyntax")
        known.number, known.said_at = number, self._world.clock()

    def _end(
        self, place: Conversation, id: str, known: _Open, body: Json, info: Json
    ) -> tuple[int, Json]:
        if body.get("type") != "message" or "streamSequence" in info:
            raise Refused(400, "BadSyntax")
        if not fields.text(body, "text").startswith(known.text):
            raise Refused(403, CODE, said="The text does not go on from what was streamed.")
        known.is_done = True
        shown = self._world.find(place, id)
        if shown is None:
            raise Refused(404, "ActivityNotFoundInConversation")
        shown.clear()
        shown.update({**body, "id": id, "by": "bot", "thread": "", "edits": 0})
        self._world.publish()
        return 202, {}
