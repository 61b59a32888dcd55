"""Lets the stand-in for Microsoft Graph show what is written and posted in the one for Teams."""

from functools import partial
from urllib.parse import quote

from bot.workspace.microsoft.graph import drives
from bot.workspace.microsoft.graph.records import Chat, DriveItem
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.teams import shapes
from bot.workspace.teams.records import GROUP, Conversation, Json, Member, Posted
from bot.workspace.teams_server import TeamsStandIn


def share(teams: TeamsStandIn, microsoft: MicrosoftStandIn) -> None:
    """Channels and group chats are the same in both from now on. Files of a channel lie in the
    team's site, those of a chat in the drive of whoever posted them; whoever is there may read
    them."""
    microsoft.graph.teams[GROUP] = "Larkspur"
    for place in list(teams.world.conversations.values()):
        is_channel = place.kind == "channel"
        microsoft.graph.chats[place.id] = Chat(
            id=place.id,
            members=[teams.member(key).oid for key in place.members],
            kind="channel" if is_channel else "group",
            topic=place.name,
            team=GROUP if is_channel else "",
            elsewhere=partial(_messages, teams, place),
        )
    teams.world.stored = partial(_stored, teams, microsoft)


def _messages(teams: TeamsStandIn, place: Conversation) -> list[Json]:
    shown = [shapes.in_graph(one, place, teams.world.members) for one in place.activities]
    for one in shown:
        if "application" in one["from"]:
            one["from"]["application"]["id"] = teams.world.app_id
    return shown


def _stored(
    teams: TeamsStandIn,
    microsoft: MicrosoftStandIn,
    member: Member,
    place: Conversation,
    name: str,
    content: bytes,
) -> Posted:
    graph = microsoft.graph
    is_channel = place.kind == "channel"
    owner = microsoft.tenant.service if is_channel else microsoft.tenant.account(member.oid)
    drive = graph.drives[owner.oid]
    folder = place.id.replace(":", "-") if is_channel else "Microsoft Teams Chat Files"
    target = drives.folder_for(graph, drive, drives.root_of(drive), f"{folder}/{name}")
    item, _ = drives.write(graph, drive, owner, target, content, behaviour="rename")
    there = drive.items[item.parent] if is_channel else item
    for key in place.members:
        _let_in(there, teams.member(key).mail)
    address = f"{microsoft.tenant.base}/sites/{quote(folder)}/{quote(item.name)}"
    graph.shared[address] = (owner.oid, item.id)
    return Posted(id=item.unique_id, name=item.name, address=address)


def _let_in(item: DriveItem, mail: str) -> None:
    if not any(grant["id"] == mail for grant in item.permissions):
        item.permissions.append({"id": mail, "roles": ["read"], "invitation": {"email": mail}})
