"""How the app comes into a workspace, as its manifest makes it, and how it leaves."""

from collections.abc import Iterable
from urllib.parse import urlencode

from aiohttp import web

from bot.workspace.slack.records import App, Json
from bot.workspace.slack.world import World


def installed(manifest: Json) -> App:
    """What the manifest declares is there, and nothing else: an event without a subscription is
    not delivered, a command without a declaration is not known."""
    features, settings = manifest["features"], manifest["settings"]
    return App(
        name=manifest["display_information"]["name"],
        commands=tuple(one["command"] for one in features.get("slash_commands", ())),
        subscriptions=frozenset(settings["event_subscriptions"]["bot_events"]),
        has_home=features["app_home"]["home_tab_enabled"],
    )


def allowed(worlds: Iterable[World], request: web.Request) -> web.StreamResponse:
    """The page on which an administrator allows the app, who has chosen the workspace `team`
    there and clicks at once: back to the app with a code."""
    query, there = request.query, {world.team.id: world for world in worlds}
    world = there.get(query.get("team", next(iter(there))))
    if world is None or query.get("client_id") != world.app.client_id or not query.get("scope"):
        return web.Response(status=400, text="invalid_client_id, invalid_scope or invalid_team")
    given = {"code": world.code(), "state": query.get("state", "")}
    back = f"{query.get('redirect_uri', '')}?{urlencode(given)}"
    return web.Response(status=302, headers={"Location": back})


def farewell(world: World) -> tuple[Json, ...]:
    """What the app hears when it is taken away."""
    tokens: Json = {"oauth": [], "bot": [world.app.member]}
    return {"type": "app_uninstalled"}, {"type": "tokens_revoked", "tokens": tokens}
