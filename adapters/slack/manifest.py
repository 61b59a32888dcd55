"""Renders the app manifest that an administrator pastes into Slack, checked without Slack."""

from pathlib import Path
from urllib.parse import urlsplit

import yaml

from adapters import schema
from adapters.slack import scopes, shortcut
from adapters.slack.commands import APPROVALS, COMMAND, USAGE
from adapters.slack.edge import PATH
from adapters.slack.settings import PROMPTS
from core.errors import Misconfigured
from core.records import Json

_SCHEMA = Path(__file__).with_name("manifest.schema.json")
_ABOUT = (
    "Countersign answers questions from the systems that it has been connected to, and says where "
    "each answer comes from and what it cost. It reads only what the person who asks may use "
    "there, and changes nothing in another system unless a person has approved exactly that. "
    "Slack tells it of every message in the channels that it is in, since it tells of edits and "
    "deletions in no other way; it looks at what is meant for it and keeps nothing of the rest."
)


def render(public_url: str) -> str:
    """YAML for a bot that is reached at `public_url`, or over a socket where that is empty. Raises
    `Misconfigured` where Slack could not deliver to that address."""
    manifest = of(public_url) if public_url else over_a_socket()
    found = problems(manifest)
    if found:
        raise Misconfigured("Slack would not take this manifest: " + " ".join(found))
    return yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=96)


def of(public_url: str) -> Json:
    parts = urlsplit(public_url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise Misconfigured(
            "Slack delivers to public https addresses only: set COUNTERSIGN_PUBLIC_URL to the "
            "address under which the bot is reached from the internet."
        )
    endpoint = public_url.rstrip("/") + PATH
    return {
        "display_information": {
            "name": "Countersign",
            "description": "Answers with sources and costs, and acts only when you approve",
            "long_description": _ABOUT,
            "background_color": "#1f3a34",
        },
        "features": _features(endpoint),
        "oauth_config": {"scopes": {"bot": list(scopes.needed())}},
        "settings": {
            "event_subscriptions": {"request_url": endpoint, "bot_events": sorted(scopes.EVENTS)},
            "interactivity": {"is_enabled": True, "request_url": endpoint},
            "org_deploy_enabled": False,
            "socket_mode_enabled": False,
            "token_rotation_enabled": False,
        },
    }


def over_a_socket() -> Json:
    """For a bot that opens the connection itself: no address anywhere."""
    manifest = of("https://countersign.invalid")
    for command in manifest["features"]["slash_commands"]:
        del command["url"]
    manifest["settings"]["event_subscriptions"].pop("request_url")
    manifest["settings"]["interactivity"].pop("request_url")
    manifest["settings"]["socket_mode_enabled"] = True
    return manifest


def _features(endpoint: str) -> Json:
    return {
        "app_home": {
            "home_tab_enabled": True,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": False,
        },
        "bot_user": {"display_name": "Countersign", "always_online": True},
        "shortcuts": [
            {
                "name": shortcut.NAME,
                "type": "message",
                "callback_id": shortcut.ID,
                "description": "Ask Countersign about this message, in its thread",
            }
        ],
        "slash_commands": _commands(endpoint),
        "agent_view": {
            "agent_description": "Ask about your organisation's data and documents.",
            "suggested_prompts": [
                {"title": title, "message": message} for title, message in PROMPTS
            ],
        },
    }


def _commands(endpoint: str) -> list[Json]:
    return [
        {
            "command": COMMAND,
            "url": endpoint,
            "description": "What Countersign can do for you here; why, budgets, switches",
            "usage_hint": "help | home | usage | why TOOL | budget | connect | disable TOOL",
            "should_escape": True,
        },
        {
            "command": APPROVALS,
            "url": endpoint,
            "description": "What waits for you: to decide, or to see decided",
            "should_escape": True,
        },
        {
            "command": USAGE,
            "url": endpoint,
            "description": "What you used; for admins, what everybody used",
            "usage_hint": "today | 7d | 30d | month, by person | channel | model | tool",
            "should_escape": True,
        },
    ]


def problems(manifest: Json) -> list[str]:
    """Where the manifest is not what Slack takes, or lacks a permission that the adapter uses."""
    if found := schema.faults(manifest, _SCHEMA):
        return found
    granted = set(manifest["oauth_config"]["scopes"]["bot"])
    missing = [scope for scope in scopes.needed() if scope not in granted]
    return [f"The scope {scope} is missing." for scope in missing]
