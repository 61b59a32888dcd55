"""Graph's list of what changed in a drive: pages of items, then a link to ask again with."""

import secrets

from bot.workspace.microsoft.graph import drives
from bot.workspace.microsoft.graph.calls import Answer, Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import DriveItem
from bot.workspace.microsoft.records import Json

PAGE = 50
"""Items of one page."""


def delta(call: Call) -> Answer:
    """What the caller may see and has not been shown since the token. An item that they may no
    longer see is told as deleted. Raises GraphRefused 410 for a token that is not known."""
    seen, skip = _seen(call)
    now = {
        item.id: _version(item)
        for item in call.drive.items.values()
        if drives.may_see(call, call.drive, item)
    }
    changed = sorted(id for id, version in now.items() if seen.get(id) != version)
    told = [drives.shown(call.graph, call.drive, call.drive.items[id]) for id in changed]
    told += [{"id": id, "deleted": {"state": "deleted"}} for id in sorted(set(seen) - set(now))]
    body: Json = {"value": told[skip : skip + PAGE]}
    if skip + PAGE < len(told):
        body["@odata.nextLink"] = _link(call, f"{call.query.get('token', '')}~{skip + PAGE}")
    else:
        token = secrets.token_urlsafe(12)
        call.graph.changes[token] = now
        body["@odata.deltaLink"] = _link(call, token)
    return Answer(body=body)


def _seen(call: Call) -> tuple[dict[str, str], int]:
    token, _, skip = call.query.get("token", "").partition("~")
    if not token:
        return {}, int(skip or 0)
    if token not in call.graph.changes:
        raise refused(410, "resyncRequired", "Resync required. Replace any local items.")
    return call.graph.changes[token], int(skip or 0)


def _version(item: DriveItem) -> str:
    return f"{item.etag} {item.name} {item.parent}"


def _link(call: Call, token: str) -> str:
    return f"{call.graph.tenant.base}/v1.0{call.path}?token={token}"
