"""The Web API's files.* methods: the two-step upload and what is known of a file."""

import secrets
from typing import Any, cast

from bot.workspace.slack import messages
from bot.workspace.slack.arguments import needed, whole
from bot.workspace.slack.chat_methods import not_archived
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.people import file_json, media_type_of
from bot.workspace.slack.records import File, Json
from bot.workspace.slack.world import World


def upload_address(world: World, args: Json) -> Json:
    name, length = needed(args, "filename"), whole(args, "length", 0)
    if length <= 0:
        raise Refusal("invalid_arguments")
    file = File(
        id=world.next_id("F"),
        name=name,
        owner=world.app.member,
        media_type=media_type_of(name),
        created=int(world.clock()),
    )
    world.files[file.id] = file
    place = f"{world.team.id}-{file.id}/{secrets.token_hex(12)}"
    address = f"{world.base}/upload/v1/{place}?length={length}"
    return {"upload_url": address, "file_id": file.id}


def complete_upload(world: World, args: Json) -> Json:
    """With a channel the files are shared there, as one message of the app."""
    listed = cast("list[Json]", args.get("files") or [])
    files = [_uploaded(world, str(item.get("id"))) for item in listed]
    if not files:
        raise Refusal("invalid_arguments")
    for file, item in zip(files, listed, strict=True):
        file.title = str(item.get("title") or file.name)
        file.is_complete = True
    for channel in _places(args):
        _share(world, channel, files, args)
    return {"files": [file_json(world, file) for file in files]}


def _uploaded(world: World, file_id: str) -> File:
    file = world.files.get(file_id)
    if file is None or not file.content:
        raise Refusal("file_not_found")
    return file


def _places(args: Json) -> list[str]:
    if args.get("channel_id"):
        return [str(args["channel_id"])]
    return [name for name in str(args.get("channels") or "").split(",") if name]


def _share(world: World, channel_id: str, files: list[File], args: Json) -> None:
    channel = world.open_to_app(channel_id)
    not_archived(channel)
    message = messages.app_message(world, {"text": args.get("initial_comment") or ""})
    message |= {"ts": world.next_ts(), "upload": True, "subtype": "file_share"}
    if args.get("blocks"):
        message["blocks"] = world.with_ids(args["blocks"])
    if args.get("thread_ts"):
        message["thread_ts"] = messages.thread_root(channel, str(args["thread_ts"]))
    for file in files:
        file.channels.append(channel.id)
    message["files"] = [file_json(world, file) for file in files]
    messages.put(world, channel, message)


def info(world: World, args: Json) -> Json:
    file = world.files.get(needed(args, "file"))
    if file is None or not (file.is_complete or file.owner == world.app.member):
        raise Refusal("file_not_found")
    return {"file": file_json(world, file), "comments": [], "response_metadata": _NO_MORE}


def delete(world: World, args: Json) -> Json:
    file = world.files.get(needed(args, "file"))
    if file is None:
        raise Refusal("file_not_found")
    if file.owner != world.app.member:
        raise Refusal("cant_delete_file")
    del world.files[file.id]
    world.publish("file_deleted", body={"id": file.id})
    return {}


_NO_MORE: Any = {"next_cursor": ""}

METHODS = {
    "files.completeUploadExternal": complete_upload,
    "files.delete": delete,
    "files.getUploadURLExternal": upload_address,
    "files.info": info,
}
