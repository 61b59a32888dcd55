"""The effect behind a message to a Teams chat or channel."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote

from core.cards import CardField
from core.connectors import failures
from core.connectors.failures import GraphFailed, Wording
from core.connectors.office import Office, link, look, look_at_all, other_sender, sender
from core.connectors.outcome import Description, Done, Failed, Outcome
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.parked import EffectKind, ParkedCall
from core.records import Json

CHAT, CHANNEL = "ChatMessage.Send", "ChannelMessage.Send"
READ_CHAT, READ_CHANNEL, READ_TEAM = "Chat.ReadBasic", "Channel.ReadBasic.All", "Team.ReadBasic.All"
_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToChat:
    """An `Effect`, blind: a message has no key, and nobody looks for it afterwards."""

    office: Office
    tool: str = "office/post_to_teams_chat"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "blind"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (CHAT,)

    async def prepare(self, call: ParkedCall) -> Json:
        """An id says nothing to a person: the card names who is in the chat."""
        asked = Request(path=f"{_chat(call)}/members")
        found = await look_at_all(self.office, call.authority, asked, _MOST, READ_CHAT)
        members = [f"{text(one, 'displayName')} <{text(one, 'email')}>" for one in found]
        chat = await look(self.office, call.authority, Request(path=_chat(call)), READ_CHAT)
        return {
            "sender": await sender(self.office, call.authority),
            "topic": text(chat, "topic"),
            "members": members,
        }

    def describe(self, arguments: Json, facts: Json) -> Description:
        fields = [CardField(label="From", value=str(facts["sender"]))]
        if facts["topic"]:
            fields.append(CardField(label="Chat", value=str(facts["topic"])))
        fields.append(CardField(label="Who reads it", value=", ".join(facts["members"])))
        fields.append(CardField(label="Text", value=text(arguments, "text"), is_long=True))
        return Description(title="Post to a Teams chat", fields=tuple(fields))

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        return await _posted(self.office, call, token, f"{_chat(call)}/messages", CHAT)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToChannel:
    """An `Effect`, blind as `PostToChat`."""

    office: Office
    tool: str = "office/post_to_teams_channel"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "blind"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (CHANNEL,)

    async def prepare(self, call: ParkedCall) -> Json:
        teams = Request(path="/me/joinedTeams")
        team = await self._named(call, teams, text(call.arguments, "team_id"), READ_TEAM)
        channels = Request(path=f"{_team(call)}/channels")
        wanted = text(call.arguments, "channel_id")
        channel = await self._named(call, channels, wanted, READ_CHANNEL)
        address = await sender(self.office, call.authority)
        return {"sender": address, "team": team, "channel": channel}

    def describe(self, arguments: Json, facts: Json) -> Description:
        fields = (
            CardField(label="From", value=str(facts["sender"])),
            CardField(label="Team", value=str(facts["team"])),
            CardField(label="Channel", value=str(facts["channel"])),
            CardField(label="Text", value=text(arguments, "text"), is_long=True),
        )
        return Description(title="Post to a Teams channel", fields=fields)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        channel = quote(text(call.arguments, "channel_id"), safe="")
        path = f"{_team(call)}/channels/{channel}/messages"
        return await _posted(self.office, call, token, path, CHANNEL)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        return None

    async def _named(self, call: ParkedCall, asked: Request, id: str, scope: str) -> str:
        """The name of one of the person's own teams or channels. Raises BadArguments."""
        for one in await look_at_all(self.office, call.authority, asked, _MOST, scope):
            if text(one, "id") == id:
                return text(one, "displayName")
        raise BadArguments(f"{id!r} is none of the teams and channels of this person")


def _chat(call: ParkedCall) -> str:
    return f"/chats/{quote(text(call.arguments, 'chat_id'), safe='')}"


def _team(call: ParkedCall) -> str:
    return f"/teams/{quote(text(call.arguments, 'team_id'), safe='')}"


async def _posted(office: Office, call: ParkedCall, token: str, path: str, scope: str) -> Outcome:
    """Plain text: nobody is mentioned, and nothing in it is live."""
    if other := await other_sender(office, call.authority, text(call.facts, "sender")):
        return Failed(reason=f"{other} Nothing was sent.")
    body = {"body": {"contentType": "text", "content": text(call.arguments, "text")}}
    try:
        request = Request(method="POST", path=path, body=body, id=call.id)
        answer = await office.graph.ask(token, request)
    except GraphFailed as failure:
        wording = Wording(asked="post this", look_at="the conversation in Teams", needs=(scope,))
        return failures.outcome(failure, wording)
    return Done(
        summary="Posted in Teams.",
        link=link(answer.body),
        request_id=answer.request_id,
        evidence={"message_id": text(answer.body, "id")},
    )
