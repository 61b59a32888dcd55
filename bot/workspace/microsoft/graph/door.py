"""Graph's one entrance: who calls, with which permission, to which route, and what is answered."""

import asyncio
import base64
import json
import re
from collections.abc import Sequence
from typing import Any

import jwt
from aiohttp import web

from bot.workspace.microsoft.entra.directory import LOGIN, Directory
from bot.workspace.microsoft.entra.scopes import GRAPH, GRAPH_APP
from bot.workspace.microsoft.graph import failures, post
from bot.workspace.microsoft.graph.calls import Answer, Call, Route
from bot.workspace.microsoft.graph.failures import GraphRefused, refused
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, Fault, Json, Request
from bot.workspace.microsoft.tenant import new_guid

VERSION = "/v1.0"
SECRET = frozenset({"authorization", "cookie"})
OWNER = re.compile(
    r"^(?:/me|/users/(?P<who>[^/]+)|/drives/(?P<drive>[^/]+)|/sites/(?P<site>[^/]+))(?P<rest>/.*|)$",
    re.I,
)
CHALLENGE = '{"access_token":{"nbf":{"essential":true,"value":"%d"}}}'


class Door:
    """Every request goes through here, and into the record."""

    def __init__(self, graph: Graph, directory: Directory, routes: Sequence[Route]) -> None:
        self._graph, self._directory = graph, directory
        self._routes = tuple(routes)

    def add_routes(self, site: web.Application) -> None:
        site.router.add_route("*", f"{VERSION}/{{path:.*}}", self._answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        visit = _Visit(request, content)
        fault = self._graph.faults.take(f"{visit.method} {visit.path}")
        await asyncio.sleep(self._graph.latency + (fault.delay if fault else 0.0))
        post.settle(self._graph)
        try:
            if fault is not None and fault.when == "before":
                self._suffer(fault)
            answer = self._served(visit)
            if fault is not None and fault.when == "after":
                self._suffer(fault)
        except GraphRefused as no:
            now = self._graph.tenant.clock()
            body = failures.body(no.failure, visit.request_id, visit.client_request_id, now)
            answer = Answer(status=no.failure.status, body=body, headers=no.failure.headers)
        except _Cut:
            self._note(visit, Answer(status=0))
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        self._note(visit, answer)
        return _response(visit, answer)

    def _suffer(self, fault: Fault) -> None:
        if fault.drop:
            raise _Cut
        if fault.claims:
            raise self._challenge(fault.claims)
        if fault.status:
            raise failures.of_fault(fault)

    # Who calls.

    def _served(self, visit: "_Visit") -> Answer:
        caller, granted, visit.token = self._caller(visit)
        visit.person = caller.name
        route, owner, parts = self._route(visit, caller)
        is_foreign = owner.oid != caller.oid
        self._check(route, caller, owner, granted)
        call = Call(
            graph=self._graph,
            caller=caller,
            owner=owner,
            method=visit.method,
            path=visit.path,
            query=visit.query,
            headers=visit.headers,
            content=visit.content,
            scopes=granted,
            request_id=visit.request_id,
            client_request_id=visit.client_request_id,
            parts=parts,
            is_foreign=is_foreign,
        )
        return route.act(call)

    def _caller(self, visit: "_Visit") -> tuple[Account, frozenset[str], str]:
        """Whose token it is, its scopes, its id. Raises GraphRefused 401."""
        scheme, _, token = visit.authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise self._unauthorized("Access token is empty.")
        try:
            claims = self._directory.keys.verified(token, (GRAPH_APP, GRAPH))
        except jwt.InvalidAudienceError:
            raise self._unauthorized("Access token validation failure. Invalid audience.") from None
        except jwt.InvalidTokenError:
            raise self._unauthorized("IDX14100: JWT is not well formed.") from None
        if float(claims["exp"]) <= self._graph.tenant.clock():
            raise self._unauthorized("Lifetime validation failed, the token is expired.")
        minted = self._directory.access_tokens.get(str(claims.get("uti")))
        account = self._graph.tenant.find(str(claims.get("oid", "")))
        if minted is None or account is None:
            raise self._unauthorized("Access token validation failure.")
        if minted.has_cae and self._directory.is_revoked(minted):
            raise self._challenge(CHALLENGE % int(self._graph.tenant.clock()))
        return account, frozenset(str(claims["scp"]).split()), minted.uti

    def _unauthorized(self, message: str) -> GraphRefused:
        authority = f"{LOGIN}/common/oauth2/authorize"
        told = f'Bearer realm="", authorization_uri="{authority}", client_id="{GRAPH_APP}"'
        return refused(401, "InvalidAuthenticationToken", message, WWW_Authenticate=told)

    def _challenge(self, claims: str) -> GraphRefused:
        """Continuous access evaluation: a fresh token with these claims is wanted."""
        wanted = base64.b64encode(claims.encode()).decode()
        no = self._unauthorized(
            "Continuous access evaluation resulted in challenge with result: InteractionRequired "
            "and code: TokenIssuedBeforeRevocationTimestamp"
        )
        no.failure.headers["WWW-Authenticate"] += (
            f', error="insufficient_claims", claims="{wanted}"'
        )
        return no

    # Where to.

    def _route(self, visit: "_Visit", caller: Account) -> tuple[Route, Account, dict[str, str]]:
        owner, rest = self._owner(visit.path, caller)
        is_known = False
        for route in self._routes:
            path = rest if route.is_owned else visit.path
            if path is None or (route.is_owned and owner is None):
                continue
            found = route.shape.match(path)
            if found is not None:
                is_known = True
                if route.method == visit.method:
                    return route, owner or caller, found.groupdict()
        if is_known:
            raise refused(405, "Request_BadRequest", "Specified HTTP method is not allowed.")
        if OWNER.match(visit.path) and owner is None:
            raise refused(404, "ErrorInvalidUser", "The requested user is invalid.")
        told = f"Resource not found for the segment '{visit.path.rpartition('/')[2]}'."
        raise refused(400, "BadRequest", told)

    def _owner(self, path: str, caller: Account) -> tuple[Account | None, str | None]:
        """Whose things the path is about, and what follows their name."""
        found = OWNER.match(path)
        if found is None:
            return None, None
        if found["who"]:
            return self._graph.tenant.find(found["who"]), found["rest"]
        if found["site"]:
            return self._graph.sites.get(found["site"]), found["rest"]
        if found["drive"]:
            owners = [d.account for d in self._graph.drives.values() if d.id == found["drive"]]
            return (owners[0] if owners else None), f"/drive{found['rest']}"
        return caller, found["rest"]

    def _check(
        self, route: Route, caller: Account, owner: Account, granted: frozenset[str]
    ) -> None:
        """Raises GraphRefused 403, in the words of the part of Graph that refuses."""
        wanted = set(route.scopes)
        is_foreign = route.is_owned and owner.oid != caller.oid and route.others == "delegates"
        if is_foreign:
            wanted = {f"{name}.Shared" for name in wanted}
        if wanted and not granted & wanted:
            raise refused(403, *_missing(route.scopes, granted))
        if is_foreign and caller.name not in owner.delegates:
            raise refused(403)

    def _note(self, visit: "_Visit", answer: Answer) -> None:
        self._graph.requests.append(
            Request(
                method=visit.method,
                path=visit.path,
                query=visit.query,
                headers=visit.headers,
                body=visit.body,
                person=visit.person,
                token=visit.token,
                status=answer.status,
                answer=len(answer.body) if isinstance(answer.body, bytes) else answer.body,
                request_id=visit.request_id,
                client_request_id=visit.client_request_id,
                at=self._graph.tenant.clock(),
            )
        )
        self._graph.tenant.publish("request", visit.person)


class _Cut(Exception):
    """The connection ends without an answer."""


class _Visit:
    """What came in, before anybody knows who it is from."""

    def __init__(self, request: web.Request, content: bytes) -> None:
        self.method = request.method
        self.path = request.path.removeprefix(VERSION).rstrip("/")
        self.query = dict(request.query)
        self.content = content
        self.authorization = request.headers.get("Authorization", "")
        named = {name.lower(): value for name, value in request.headers.items()}
        self.headers = {name: value for name, value in named.items() if name not in SECRET}
        self.body: Any = _parsed(content)
        self.request_id = new_guid()
        self.client_request_id = self.headers.get("client-request-id", "")
        self.person = self.token = ""


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError:
        return len(content)


def _missing(wanted: tuple[str, ...], granted: frozenset[str]) -> tuple[str, str]:
    """Code and message differ from one part of Graph to the next."""
    first = wanted[0]
    if first.startswith(("Mail", "Calendars")):
        return "ErrorAccessDenied", failures.CODES[403][1]
    if first.startswith(("Files", "Sites")):
        return "accessDenied", "Access denied"
    if first.startswith(("Chat", "Channel", "Team")):
        told = f"API requires one of '{', '.join(wanted)}'."
        scopes = f"Scopes on the request '{', '.join(sorted(granted))}'"
        return "Forbidden", f"Missing scope permissions on the request. {told} {scopes}"
    return "Authorization_RequestDenied", "Insufficient privileges to complete the operation."


def _response(visit: _Visit, answer: Answer) -> web.Response:
    headers = {
        "request-id": visit.request_id,
        "client-request-id": visit.client_request_id or visit.request_id,
        "Cache-Control": "no-store",
        **answer.headers,
    }
    if isinstance(answer.body, bytes):
        return web.Response(status=answer.status, body=answer.body, headers=headers)
    if answer.body is None:
        return web.Response(status=answer.status, headers=headers)
    body: Json = answer.body
    return web.json_response(body, status=answer.status, headers=headers)
