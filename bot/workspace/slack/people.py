"""Members, channels and files as the Web API writes them."""

import mimetypes
from urllib.parse import quote

from bot.workspace.slack.records import Channel, File, Json, Member
from bot.workspace.slack.world import World


def member_json(world: World, member: Member) -> Json:
    team = member.team or world.team.id
    return {
        "id": member.id,
        "team_id": team,
        "name": member.name,
        "real_name": member.real_name,
        "deleted": member.is_deleted,
        "tz": member.tz,
        "tz_label": member.tz,
        "tz_offset": member.tz_offset,
        "locale": member.locale,
        "is_bot": member.is_bot,
        "is_app_user": False,
        "is_admin": member.is_admin,
        "is_owner": False,
        "is_restricted": member.is_guest,
        "is_ultra_restricted": False,
        "is_stranger": bool(member.team),
        "updated": 1_700_000_000,
        "profile": {
            "real_name": member.real_name,
            "display_name": member.name,
            "title": member.title,
            "email": member.email,
            "team": team,
            **({"bot_id": world.app.bot, "api_app_id": world.app.id} if member.is_bot else {}),
        },
    }


def channel_json(world: World, channel: Channel, *, with_count: bool = False) -> Json:
    shared: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.is_archived,
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "public",
        "context_team_id": world.team.id,
    }
    if channel.kind == "im":
        others = [member for member in channel.members if member != world.app.member]
        return shared | {"user": (others or [world.app.member])[0], "is_user_deleted": False}
    return (
        shared
        | {
            "name": channel.name,
            "name_normalized": channel.name,
            "is_channel": channel.kind == "public",
            "is_group": channel.kind == "private",
            "is_general": channel.name == "general",
            "is_member": world.app.member in channel.members,
            "is_shared": channel.is_shared,
            "is_ext_shared": channel.is_shared,
            "is_org_shared": False,
            "creator": channel.members[0] if channel.members else "",
            "topic": {"value": channel.topic, "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }
        | ({"num_members": len(channel.members)} if with_count else {})
    )


def media_type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def file_json(world: World, file: File) -> Json:
    """Without addresses until the upload is complete, as Slack does."""
    extension = file.name.rpartition(".")[2].lower() if "." in file.name else "text"
    address = f"{world.base}/files-pri/{world.team.id}-{file.id}/{quote(file.name)}"
    download = f"{world.base}/files-pri/{world.team.id}-{file.id}/download/{quote(file.name)}"
    return {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.media_type,
        "filetype": extension,
        "pretty_type": extension.upper(),
        "user": file.owner,
        "user_team": world.team.id,
        "size": len(file.content),
        "mode": "hosted",
        "is_external": False,
        "is_public": True,
        "file_access": "visible",
        "url_private": address,
        "url_private_download": download,
        "permalink": f"{world.base}/files/{file.owner}/{file.id}/{quote(file.name)}",
        "channels": list(file.channels),
    }
