"""Builds the app package that an administrator uploads to Teams, checked without Teams."""

import io
import json
import re
import zipfile
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from adapters import fields, schema
from adapters.teams import icons
from core.errors import Misconfigured
from core.records import Json

_SCHEMA = Path(__file__).with_name("manifest.schema.json")
VERSION = "1.30"
APP_VERSION = "1.0.0"
_APP = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STAMP = (2026, 1, 1, 0, 0, 0)
"""Of every file in the package: the same settings make the same bytes."""
_ABOUT = (
    "Countersign answers questions from the systems that it has been connected to, and says where "
    "each answer comes from and what it cost. It reads only what the person who asks may use "
    "there, and changes nothing in another system unless a person has approved exactly that. "
    "In channels and group chats it reads the messages that mention it and no others."
)
COMMANDS = (
    ("help", "What I can do for you here"),
    ("stop", "Ends what I am working on for you in this thread"),
    ("usage", "What you used today"),
    ("approvals", "What waits for you: to decide, or to see decided"),
    ("connect", "Connect your Microsoft account; the link comes to you alone"),
    ("disconnect", "Take your Microsoft account away again"),
)


def package(public_url: str, app_id: str, sso_resource: str = "") -> bytes:
    """The zip file. Raises `Misconfigured` where Teams would not take it."""
    made = of(public_url, app_id, sso_resource)
    found = problems(made)
    if found:
        raise Misconfigured("Teams would not take this manifest: " + " ".join(found))
    files = {
        "manifest.json": json.dumps(made, indent=2, ensure_ascii=False).encode() + b"\n",
        "color.png": icons.color(),
        "outline.png": icons.outline(),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package_file:
        for name, body in files.items():
            package_file.writestr(zipfile.ZipInfo(name, _STAMP), body)
    return content.getvalue()


def of(public_url: str, app_id: str, sso_resource: str = "") -> Json:
    """The manifest; with an `sso_resource` Teams may sign people in. Raises `Misconfigured`."""
    parts = urlsplit(public_url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise Misconfigured(
            "Teams delivers to public https addresses only: give the address under which the bot "
            "is reached from the internet."
        )
    if not _APP.fullmatch(app_id):
        raise Misconfigured(
            "The application id is missing: it stands as Microsoft App ID in the configuration of "
            "the Azure Bot, in lower case."
        )
    page = f"https://{parts.netloc}"
    made: Json = {
        "$schema": "https://developer.microsoft.com/json-schemas/teams/"
        f"v{VERSION}/MicrosoftTeams.schema.json",
        "manifestVersion": VERSION,
        "version": APP_VERSION,
        "id": app_id,
        "developer": {
            "name": "Countersign",
            "websiteUrl": page,
            "privacyUrl": page,
            "termsOfUseUrl": page,
        },
        "name": {"short": "Countersign", "full": "Countersign, the governed AI colleague"},
        "description": {
            "short": "Answers with sources and costs, and acts only when you approve",
            "full": _ABOUT,
        },
        "icons": {"color": "color.png", "outline": "outline.png"},
        "accentColor": "#1F3A34",
        "bots": [_bot(app_id)],
        "validDomains": [parts.hostname],
    }
    if sso_resource:
        # The application's id ends the URI.
        made["webApplicationInfo"] = {"id": sso_resource[-36:], "resource": sso_resource}
    return made


def _bot(app_id: str) -> Json:
    commands = [{"title": title, "description": about} for title, about in COMMANDS]
    prompt = {
        "title": "What can you do for me?",
        "description": "The sources and tools that you may use here",
        "type": "prompt",
        "prompt": "help",
    }
    return {
        "botId": app_id,
        "scopes": ["personal", "team", "groupChat"],
        "supportsFiles": True,
        # Needed for slash commands: what is said with one reaches the bot and nobody else.
        "supportsTargetedMessages": True,
        "isNotificationOnly": False,
        "commandLists": [
            {"scopes": ["personal"], "commands": [prompt, *commands]},
            {
                "scopes": ["team", "groupChat"],
                "commands": commands,
                "triggers": ["mention", "slash"],
            },
        ],
    }


def problems(manifest: Json) -> list[str]:
    """Where the manifest is not what Teams takes; what no schema can say is asked as well."""
    if found := schema.faults(manifest, _SCHEMA):
        return found
    [bot] = fields.children(manifest, "bots")
    if bot["botId"] != manifest["id"]:
        found.append("The bot is not the app's own.")
    found += [
        f"A list of commands is for {scope}, where the bot is not."
        for listed in fields.children(bot, "commandLists")
        for scope in cast("list[str]", listed["scopes"])
        if scope not in cast("list[str]", bot["scopes"])
    ]
    sizes = ((icons.color(), icons.COLOR_SIZE), (icons.outline(), icons.OUTLINE_SIZE))
    if any(icons.size(png) != (side, side) for png, side in sizes):
        found.append("An icon has not the size that Teams asks for.")
    return found
