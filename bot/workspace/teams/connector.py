"""The Bot Connector's routes: what a bot asks for, answered as Teams does."""

import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from adapters import fields
from bot.workspace.teams import checks
from bot.workspace.teams.checks import Refused, Throttle
from bot.workspace.teams.records import GROUP, TEAM, Call, Conversation, Fault, Json
from bot.workspace.teams.signing import Signing
from bot.workspace.teams.streams import Streams
from bot.workspace.teams.world import World

_THREAD = ";messageid="


class ConnectorRoutes:
    def __init__(self, world: World, signing: Signing, *, is_throttled: bool) -> None:
        self._world = world
        self._signing = signing
        self.streams = Streams(world)
        self.posted: Callable[[Conversation, Json], None] = lambda _, __: None
        self._throttle = Throttle() if is_throttled else None

    def add_routes(self, site: web.Application) -> None:
        base = "/teams/v3/conversations"
        site.router.add_post(base, self._answer)
        site.router.add_route("*", base + "/{conversation}/activities", self._answer)
        site.router.add_route("*", base + "/{conversation}/activities/{activity}", self._answer)
        site.router.add_get(base + "/{conversation}/members/{member}", self._answer)
        site.router.add_get("/teams/v3/teams/{team}", self._answer)
        site.router.add_put("/uploads/{name}", self._upload)
        site.router.add_get("/files/{id}", self._download)

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        """A person's files: the address that was given out is all the proof that is asked for."""
        raw = await request.read()
        if request.headers.get("Content-Range") != f"bytes 0-{len(raw) - 1}/{len(raw)}":
            return web.Response(status=416)
        self._world.uploads[request.match_info["name"]] = raw
        return web.json_response({"id": request.match_info["name"]}, status=201)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        content = self._world.files.get(request.match_info["id"])
        return web.Response(status=404) if content is None else web.Response(body=content)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: Json = json.loads(raw) if raw else {}
        try:
            fault = self._fault(request.method)
            if fault is not None and not fault.is_done:
                raise Refused(fault.status, fault.code, fault.retry_after)
            status, found = self._done(request, body)
            if fault is not None:
                raise Refused(fault.status, fault.code, fault.retry_after)
        except Refused as refused:
            self._note(request, body, refused.status)
            headers = {"Retry-After": str(refused.retry_after)} if refused.retry_after else {}
            detail = {"error": {"code": refused.code, "message": refused.said}}
            return web.json_response(detail, status=refused.status, headers=headers)
        self._note(request, body, status)
        return web.json_response(found, status=status)

    def _fault(self, method: str) -> Fault | None:
        for fault in self._world.faults:
            if fault.method in ("", method):
                self._world.faults.remove(fault)
                return fault
        return None

    def _note(self, request: web.Request, body: Json, status: int) -> None:
        self._world.calls.append(
            Call(
                method=request.method,
                path=request.path,
                body=body,
                authorization=request.headers.get("Authorization", ""),
                status=status,
                at=self._world.clock(),
            )
        )
        self._world.publish()

    def _done(self, request: web.Request, body: Json) -> tuple[int, Any]:
        """Raises `Refused`."""
        if not self._signing.knows(request.headers.get("Authorization", "")):
            raise Refused(401, "Unauthorized")
        names = request.match_info
        if "team" in names:
            if names["team"] != TEAM:
                raise Refused(404, "TeamNotFound")
            return 200, {"id": TEAM, "name": "Larkspur", "aadGroupId": GROUP}
        if "conversation" not in names:
            return self._create(body)
        place = self._world.conversation(names["conversation"])
        if place is None:
            raise Refused(404, "ConversationNotFound")
        if not place.has_bot:
            raise Refused(403, "BotNotInConversationRoster")
        if "member" in names:
            return self._member(place, names["member"])
        if request.method == "POST":
            is_targeted = request.query.get("isTargetedActivity") == "true"
            only = self._only(place, body) if is_targeted else ""
            return self._post(place, names["conversation"], body, only)
        return self._change(request.method, place, names["activity"], body)

    def _create(self, body: Json) -> tuple[int, Any]:
        asked = [
            self._world.member(fields.text(one, "id")) for one in fields.children(body, "members")
        ]
        member = asked[0] if len(asked) == 1 else None
        # The service reads names of fields without regard to case, and the library writes so.
        tenant = {name.lower(): value for name, value in body.items()}.get("tenantid")
        if member is None or tenant != self._world.tenant:
            raise Refused(400, "BadSyntax")
        place = self._world.personal(member)
        if not place.has_bot:
            raise Refused(403, "MessageWritesBlocked")
        return 201, {"id": place.id}

    def _member(self, place: Conversation, id: str) -> tuple[int, Any]:
        member = self._world.member(id)
        if member is None or member.key not in place.members:
            raise Refused(404, "MemberNotFoundInConversation")
        return 200, {
            "id": member.id,
            "name": member.name,
            "aadObjectId": member.oid,
            "email": member.mail,
            "userPrincipalName": member.mail,
            "tenantId": member.tenant or self._world.tenant,
            "userRole": member.role,
        }

    def _only(self, place: Conversation, body: Json) -> str:
        """For which member alone it is."""
        member = self._world.member(fields.text(fields.child(body, "recipient"), "id"))
        is_in = member is not None and member.key in place.members
        if not self._world.is_targeting or place.kind == "personal" or not is_in or not member:
            raise Refused(400, "BadSyntax", said="Targeted messages are not supported here.")
        return member.key

    def _post(self, place: Conversation, path: str, body: Json, only: str = "") -> tuple[int, Any]:
        checks.activity(body)
        for entity in fields.children(body, "entities"):
            if entity["type"] == "streaminfo":
                return self.streams.take(place, body, entity)
        if self._throttle is not None and body["type"] == "message":
            self._throttle.count(path, self._world.clock())
        id = self._world.next_id()
        root = path.partition(_THREAD)[2]
        if place.kind == "channel" and root and self._world.find(place, root) is None:
            raise Refused(404, "ActivityNotFound")
        if body["type"] == "typing":
            place.typing_at = self._world.clock()
        else:
            made = {**body, "id": id, "by": "bot", "thread": root, "edits": 0}
            made |= {"only": only} if only else {}
            place.typing_at = float("-inf")
            self._world.put(place, made)
            self.posted(place, made)
        return 201, {"id": id}

    def _change(self, method: str, place: Conversation, id: str, body: Json) -> tuple[int, Any]:
        known = self._world.find(place, id)
        if known is None or known["by"] != "bot":
            raise Refused(404, "ActivityNotFoundInConversation")
        if method == "DELETE":
            place.activities.remove(known)
            return 200, {}
        if method != "PUT":
            raise Refused(405, "MethodNotAllowed")
        checks.activity(body)
        kept = {name: known[name] for name in ("id", "by", "thread")}
        known.clear()
        known.update({**body, **kept, "edits": 1})
        self._world.publish()
        return 200, {"id": id}
