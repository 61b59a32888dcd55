"""A stand-in for Slack on loopback: the real client and server libraries run against it
unmodified, tests drive it, and the local workspace's page shows it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any, Self

from aiohttp import web

from bot.workspace.loopback import Loopback
from bot.workspace.slack import (
    events,
    hooks,
    install,
    interactions,
    limits,
    messages,
    modals,
    people,
    seed,
)
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.delivery import Carrier
from bot.workspace.slack.file_routes import FileRoutes
from bot.workspace.slack.records import (
    App,
    Call,
    Change,
    Channel,
    ChannelKind,
    Delivery,
    Fault,
    File,
    Json,
    Member,
    Team,
)
from bot.workspace.slack.sockets import Sockets
from bot.workspace.slack.web_api import WebApi
from bot.workspace.slack.world import World

BODY_LIMIT = 64 * 2**20


class SlackStandIn:
    """One workspace with one app. Use it as an async context manager, or `start` and `stop` it.

    `person` is a member's id or handle, `channel` a channel's id or name throughout.
    """

    def __init__(
        self,
        events_url: str = "",
        *,
        app: App | None = None,
        team: Team | None = None,
        port: int = 0,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        pauses: tuple[float, ...] = limits.RETRY_PAUSES,
        patience: float = limits.DELIVERY_SECONDS,
        rate_limits: bool = False,
        is_planted: bool = True,
    ) -> None:
        self.world = World(app or App(), team or Team(), clock)
        self.app = self.world.app
        self.sockets = Sockets(self.world)
        self.carrier = Carrier(
            self.world, self.sockets, sleep=sleep, pauses=pauses, patience=patience
        )
        self.carrier.events_url = events_url
        self.web_api = WebApi(self.world, rate_limits=rate_limits)
        self._clock = clock
        self._loopback = Loopback(port, body_limit=BODY_LIMIT)
        self.more_routes: list[Callable[[web.Application], None]] = []
        """Whoever else answers on the same port adds its routes here before `start`."""
        self._others: list[SlackStandIn] = []
        self._is_told = True
        if is_planted:
            seed.plant(self.world)
        self.world.listeners.append(self._tell_the_app)

    async def add_team(self, team: Team, *, bot: str = "U1COUNTER") -> Self:
        """Another workspace with the same app, behind the same API. Its deliveries come from it,
        and it ends with this one. Start this one first."""
        own = replace(self.app, member=bot, bot="B00000002", bot_token=App().bot_token)
        made = type(self)(self.carrier.events_url, app=own, team=team)
        made.world.clock, made.world.base = self.world.clock, self.world.base
        made.carrier = Carrier(made.world, self.sockets, sleep=self.carrier.sleep)
        made.carrier.events_url = self.carrier.events_url
        await made.carrier.start()
        self.web_api.others.append(made.web_api)
        self._others.append(made)
        return made

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on loopback; `base` and `api_url` are known afterwards."""
        await self._loopback.listen([self._add_routes, *self.more_routes])
        self.world.base = self._loopback.base
        await self.carrier.start()

    def _add_routes(self, site: web.Application) -> None:
        files = FileRoutes(self._worlds)
        site.router.add_route("*", "/api/{method}", self.web_api.answer)
        site.router.add_post("/hooks/{name}", self._hook)
        site.router.add_post("/upload/v1/{place}/{secret}", files.upload)
        site.router.add_get("/files-pri/{place}/{name:.*}", files.download)
        site.router.add_get("/socket", self.sockets.join)
        site.router.add_get("/oauth/v2/authorize", self._authorize)

    async def stop(self) -> None:
        try:
            await self.sockets.close()
            await self.carrier.stop()
            for other in self._others:
                await other.carrier.stop()
        finally:
            await self._loopback.close()

    # What the app is told.

    @property
    def base(self) -> str:
        return self.world.base

    @property
    def api_url(self) -> str:
        """What `SLACK_API_URL` has to be."""
        return f"{self.world.base}/api/"

    def connect(self, events_url: str) -> None:
        """From now on the app is at this address."""
        self.carrier.events_url = events_url

    def _tell_the_app(self, change: Change) -> None:
        if not self._is_told or not (self.carrier.events_url or self.sockets.is_connected):
            return
        for event in events.events_of(self.world, change):
            self.carrier.launch(self.carrier.event(events.envelope(self.world, event)))

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        return install.allowed(self._worlds(), request)

    def _worlds(self) -> Iterable[World]:
        return (one.world for one in (self, *self._others))

    async def _hook(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        try:
            world = next((one for one in self._worlds() if name in one.hooks), self.world)
            hooks.use(world, name, await request.json())
        except Refusal as refusal:
            status = 404 if refusal.code in ("expired_url", "used_url") else 200
            return web.json_response({"ok": False, "error": refusal.code}, status=status)
        except ValueError:
            return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
        return web.Response(text="ok")

    # What people do.

    async def say(
        self,
        person: str,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        files: Iterable[File] = (),
        *,
        is_told: bool = True,
    ) -> str:
        """Write into a channel as this person; the app hears of it unless `is_told` is False.
        Returns the message's ts."""
        place, member = self.channel(channel), self.member(person)
        self._is_told = is_told
        try:
            said = messages.said_by_person(
                self.world, place, member.id, text, thread_ts or "", tuple(files)
            )
        finally:
            self._is_told = True
        return str(said["ts"])

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """The person changes what they wrote."""
        place = self.channel(channel)
        message = self.world.message(place, ts)
        words, block = messages.typed(
            text, self.world.members.values(), self.world.channels.values()
        )
        blocks = self.world.with_ids([block])
        messages.change(self.world, place, message, {"text": words, "blocks": blocks})

    async def delete(self, channel: str, ts: str) -> None:
        place = self.channel(channel)
        messages.remove(self.world, place, self.world.message(place, ts))

    def add_file(self, person: str, name: str, content: bytes, media_type: str = "") -> File:
        """A file that this person uploaded; hand it to `say` to share it."""
        file = File(
            id=self.world.next_id("F"),
            name=name,
            owner=self.member(person).id,
            media_type=media_type or people.media_type_of(name),
            content=content,
            created=int(self.world.clock()),
            is_complete=True,
        )
        self.world.files[file.id] = file
        return file

    async def click(
        self,
        person: str,
        message: Json | str,
        action_id: str,
        value: Any = None,
        block_id: str = "",
    ) -> Delivery:
        """Use a button or menu of a message (itself or its ts) as this person; `value` is what
        they pick in a menu. Raises Refusal when they cannot see it."""
        member = self.member(person)
        ts = message if isinstance(message, str) else str(message["ts"])
        place = self._place_of(ts)
        found, _ = messages.visible_to(place, member.id, ts)
        spot = interactions.find(found.get("blocks", []), action_id, block_id)
        payload = interactions.message_action(self.world, member.id, place, found, spot, value)
        return await self.carrier.interaction(payload)

    async def shortcut(self, person: str, channel: str, ts: str, callback_id: str) -> Delivery:
        """Choose an entry of a message's menu."""
        place, member = self.channel(channel), self.member(person)
        message = self.world.message(place, ts)
        payload = interactions.message_shortcut(self.world, member.id, place, message, callback_id)
        return await self.carrier.interaction(payload)

    async def command(self, person: str, channel: str, name: str, text: str = "") -> Delivery:
        """Type a slash command. What the app answers directly is shown, and so is a failure."""
        place, member = self.channel(channel), self.member(person)
        form = interactions.command(self.world, member.id, place, name, text)
        delivery = await self.carrier.command(form)
        hooks.answered(self.world, form, delivery)
        return delivery

    def open_home(self, person: str) -> None:
        """Look at the App Home; the app hears `app_home_opened`."""
        member = self.member(person)
        event: Json = {
            "type": "app_home_opened",
            "user": member.id,
            "channel": self.direct(person),
            "tab": "home",
        }
        view = self.world.views.get(self.world.homes.get(member.id, ""))
        if view is not None:
            event["view"] = interactions.given(view)
        self.world.publish("home_opened", body=event)

    def uninstall(self) -> None:
        """An administrator takes the app away; the app hears of it, and its tokens are void."""
        self.world.tokens.revoke()
        for event in install.farewell(self.world):
            self.carrier.launch(self.carrier.event(events.envelope(self.world, event)))

    def stop_session(self, person: str, channel: str, thread_ts: str) -> None:
        """Press Stop in a working thread; the app hears `agent_session_stopped`."""
        place = self.channel(channel)
        stopped: list[str] = []
        for (where, ts), stream in self.world.streams.items():
            if where == place.id and place.messages[ts].get("thread_ts") == thread_ts:
                stream.is_stopped_by_person = True
                place.messages[ts].pop("streaming_state", None)
                self.world.publish("streamed", channel=place.id, body=place.messages[ts])
                stopped.append(ts)
        event: Json = {
            "type": "agent_session_stopped",
            "channel": place.id,
            "thread_ts": thread_ts,
            "user": self.member(person).id,
            "streaming_message_ts": stopped,
        }
        self.world.publish("session_stopped", channel=place.id, body=event)

    async def submit(self, person: str, view_id: str, values: modals.Values) -> Json:
        """Send a modal; see `modals.submit` for what comes back."""
        view = modals.view_of(self.world, self.member(person).id, view_id)
        return await modals.submit(self.world, self.carrier, view, values)

    # What tests look at.

    def member(self, person: str) -> Member:
        """Raises KeyError for somebody who is not there."""
        for member in self.world.members.values():
            if person in (member.id, member.name):
                return member
        raise KeyError(person)

    def channel(self, channel: str) -> Channel:
        """Raises KeyError for a channel that is not there."""
        for found in self.world.channels.values():
            if channel == found.id or (channel and channel == found.name):
                return found
        raise KeyError(channel)

    def direct(self, person: str) -> str:
        """The id of this person's direct message channel with the app."""
        return self.world.direct(self.member(person).id, self.app.member).id

    def add_member(self, member: Member) -> Member:
        self.world.members[member.id] = member
        return member

    def add_channel(
        self, name: str, members: Iterable[str], kind: ChannelKind = "public", **fields: Any
    ) -> Channel:
        """`members` by id or handle; the app is a member only when it is named."""
        ids = [self.member(member).id for member in members]
        made = Channel(id=self.world.next_id("C"), name=name, kind=kind, members=ids, **fields)
        self.world.channels[made.id] = made
        return made

    def messages(self, channel: str, thread_ts: str | None = None) -> list[Json]:
        """What stands in a channel or in one of its threads, oldest first, with metadata."""
        place = self.channel(channel)
        if thread_ts is None:
            return messages.of_channel(place)
        return messages.of_thread(place, thread_ts)

    def replies(self, channel: str, thread_ts: str) -> list[Json]:
        """What the app said in a thread."""
        found = self.messages(channel, thread_ts)
        return [message for message in found if message.get("bot_id") == self.app.bot]

    def ephemerals(self, person: str, channel: str) -> list[Json]:
        """What this person alone sees in a channel."""
        audience = self.member(person).id
        return [m for m in self.channel(channel).ephemerals if m["audience"] == audience]

    def calls(self, method: str) -> list[Call]:
        """The Web API calls of a method, in order."""
        return [call for call in self.world.calls if call.method == method]

    @property
    def deliveries(self) -> list[Delivery]:
        return self.world.deliveries

    async def wait_for(self, holds: Callable[[], Any], seconds: float = 5.0) -> Any:
        """The first true value of `holds`, looked at after every change. Raises TimeoutError."""
        return await self.world.wait_for(holds, seconds)

    async def settled(self, seconds: float = 5.0) -> None:
        """Until every event has been delivered or given up."""
        await self.world.wait_for(lambda: self.carrier.is_idle, seconds)

    def fail(self, method: str, *faults: Fault) -> None:
        """The next calls of this method suffer these in order; `*` stands for anything."""
        self.web_api.faults.add(method, *faults)

    def move_clock(self, seconds: float) -> None:
        """Slack's clock is so many seconds ahead of the one it was given; behind when negative."""
        self.world.clock = lambda: self._clock() + seconds

    def envelope_for(self, channel: str, ts: str, kind: str = "app_mention") -> Json:
        """The event delivery of a message that is there, made anew with its own event_id,
        whatever the app has subscribed to. Raises KeyError when this kind of event does not
        belong to it."""
        place = self.channel(channel)
        change = Change(kind="message", channel=place.id, body=self.world.message(place, ts))
        for event in events.events_about(self.world, change):
            if event["type"] == kind:
                return events.envelope(self.world, event)
        raise KeyError(kind)

    async def deliver(
        self, envelope: Json, retry: int = 0, reason: str = "http_timeout"
    ) -> Delivery:
        """Send one delivery now, as retry number `retry`, and wait for the answer."""
        return await self.carrier.deliver(envelope, retry=retry, reason=reason)

    def _place_of(self, ts: str) -> Channel:
        for place in self.world.channels.values():
            if ts in place.messages or any(m["ts"] == ts for m in place.ephemerals):
                return place
        raise Refusal("message_not_found")
