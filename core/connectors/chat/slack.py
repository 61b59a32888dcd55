"""The effect behind a message to a Slack channel, through a port that an adapter fills."""

from collections.abc import Collection
from dataclasses import dataclass

from core.cards import CardField
from core.connectors.outcome import Description, Done, Failed, Outcome, Unknown
from core.connectors.request import text
from core.errors import BadArguments, DeliveryFailed
from core.parked import EffectKind, ParkedCall
from core.ports import Poster
from core.records import Json, Posted

_SILENCE = "I asked Slack to post this, and did not hear back."
_NOTHING = "Nothing was posted."


@dataclass(frozen=True, slots=True, kw_only=True)
class PostToSlack:
    """An `Effect`, checkable: a post has no key, but its marker can be found."""

    poster: Poster
    tool: str = "office/post_to_slack"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "checkable"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return ()

    async def prepare(self, call: ParkedCall) -> Json:
        wanted = text(call.arguments, "channel").strip().removeprefix("#")
        try:
            found = await self.poster.channel(wanted, call.requester)
        except DeliveryFailed as failure:
            raise BadArguments(f"Slack does not say which channel that is: {failure}") from None
        if found is None:
            raise BadArguments(
                f"there is no channel {wanted!r} that both the bot and who asks are in: invite them"
            )
        return {
            "channel": found.id,
            "name": found.name,
            "is_private": found.is_private,
            "is_shared": found.is_shared,
        }

    def describe(self, arguments: Json, facts: Json) -> Description:
        where = f"#{facts['name']}{' (private)' if facts['is_private'] else ''}"
        notices = ("People of another organisation read this channel.",)
        return Description(
            title="Post to a Slack channel",
            fields=(
                CardField(label="Channel", value=where),
                CardField(label="From", value="the bot"),
                CardField(label="Text", value=text(arguments, "text"), is_long=True),
            ),
            notices=notices if facts["is_shared"] else (),
        )

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        channel = str(call.facts["channel"])
        try:
            posted = await self.poster.post(channel, text(call.arguments, "text"), call.id)
        except DeliveryFailed as failure:
            if failure.is_final or failure.retry_after:
                return Failed(reason=f"Slack did not take it ({failure.reason}). {_NOTHING}")
            return Unknown(sentence=_SILENCE, look_at=f"#{call.facts['name']}")
        return self._done(call, posted)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        try:
            found = await self.poster.find(str(call.facts["channel"]), call.id)
        except DeliveryFailed:
            return None
        return None if found is None else self._done(call, found)

    def _done(self, call: ParkedCall, posted: Posted) -> Done:
        return Done(
            summary=f"Posted in #{call.facts['name']}.",
            link=posted.link,
            request_id=posted.ts,
            evidence={"channel": call.facts["channel"], "ts": posted.ts},
        )
