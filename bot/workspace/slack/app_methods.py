"""The Web API's methods with which an app is installed or connects a socket."""

import secrets

from bot.workspace.slack import limits
from bot.workspace.slack.arguments import needed
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Json
from bot.workspace.slack.world import World


def connections_open(world: World, _: Json) -> Json:
    """A socket address, good for one connection."""
    if world.sockets >= limits.SOCKETS:
        raise Refusal("too_many_websockets")
    ticket = secrets.token_hex(12)
    world.tickets.add(ticket)
    return {"url": f"{world.base.replace('http', 'ws', 1)}/socket?ticket={ticket}"}


def oauth_access(world: World, args: Json) -> Json:
    app = world.app
    if args.get("client_id") != app.client_id:
        raise Refusal("invalid_client_id")
    if args.get("client_secret") != app.client_secret:
        raise Refusal("bad_client_secret")
    return {
        "app_id": app.id,
        **_token(world, args),
        "token_type": "bot",
        "scope": "app_mentions:read,chat:write",
        "bot_user_id": app.member,
        "team": {"id": world.team.id, "name": world.team.name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": next(iter(world.members))},
    }


def _token(world: World, args: Json) -> Json:
    if args.get("grant_type") == "refresh_token":
        return world.tokens.refreshed(args.get("refresh_token"))
    code = needed(args, "code")
    if code not in world.oauth_codes:
        raise Refusal("invalid_code")
    world.oauth_codes.remove(code)
    return world.tokens.given()


METHODS = {"apps.connections.open": connections_open, "oauth.v2.access": oauth_access}
