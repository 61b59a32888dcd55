"""The Web API's chat.* methods for a message that is streamed: start, append, stop.

Each call is held to what the whole message would be with it.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, cast

from bot.workspace.slack import limits, messages
from bot.workspace.slack.arguments import missing, needed
from bot.workspace.slack.blocks import SOURCE, STATUS
from bot.workspace.slack.chat_methods import not_archived, own
from bot.workspace.slack.checks import Refusal, check_blocks, check_metadata, text_length
from bot.workspace.slack.elements import ANY_TEXT, IDENTIFIER
from bot.workspace.slack.records import Channel, Json, Stream
from bot.workspace.slack.shapes import Anything, Fields, Items, Kinds, problems
from bot.workspace.slack.thread_methods import SESSION_STATUSES
from bot.workspace.slack.world import World

DISPLAY_MODES = ("timeline", "plan", "dense")
CHUNKS = Items(
    Kinds(
        {
            "markdown_text": Fields({"text": ANY_TEXT}),
            "task_update": Fields(
                {"id": IDENTIFIER, "title": ANY_TEXT, "status": STATUS},
                {"details": ANY_TEXT, "output": ANY_TEXT, "sources": Items(SOURCE, 100, 0)},
            ),
            "plan_update": Fields({"title": ANY_TEXT}),
            "blocks": Fields({"blocks": Anything()}),
        }
    ),
    1_000,
    0,
)


def start_stream(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    not_archived(channel)
    root = messages.thread_root(channel, needed(args, "thread_ts"))
    if args.get("task_display_mode") not in (None, *DISPLAY_MODES):
        raise Refusal("invalid_arguments")
    if channel.kind != "im":
        for name in ("recipient_user_id", "recipient_team_id"):
            if not args.get(name):
                raise Refusal(f"missing_{name}")
    stream = Stream(started_at=world.clock(), recipient=str(args.get("recipient_user_id") or ""))
    # The text is set afterwards: a stream may start empty, which no other message may.
    message = messages.app_message(world, {})
    message |= {"ts": world.next_ts(), "thread_ts": root, "streaming_state": "in_progress"}
    _take(world, stream, message, args)
    world.streams[channel.id, message["ts"]] = stream
    world.sessions[channel.id, root] = {"status": "processing"}
    messages.put(world, channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


def append_stream(world: World, args: Json) -> Json:
    channel, message, stream = _streaming(world, args)
    if args.get("markdown_text") is None and not args.get("chunks"):
        raise missing("markdown_text")
    _take(world, stream, message, args)
    world.publish("streamed", channel=channel.id, body=message)
    return {"channel": channel.id, "ts": message["ts"]}


def stop_stream(world: World, args: Json) -> Json:
    channel, message, stream = _streaming(world, args)
    blocks = cast("list[Json]", args.get("blocks") or [])
    check_metadata(args.get("metadata"))
    if blocks:
        check_blocks(blocks)
    if args.get("session_status") not in (None, *SESSION_STATUSES):
        raise Refusal("invalid_arguments")
    _take(world, stream, message, args, blocks)
    if args.get("metadata"):
        message["metadata"] = args["metadata"]
    message.pop("streaming_state", None)
    del world.streams[channel.id, message["ts"]]
    status = str(args.get("session_status") or "active")
    world.sessions[channel.id, message["thread_ts"]] = {"status": status}
    world.publish("streamed", channel=channel.id, body=message)
    return {"channel": channel.id, "ts": message["ts"], "message": messages.shown(message)}


def _streaming(world: World, args: Json) -> tuple[Channel, Json, Stream]:
    channel, message = own(world, args, "message_not_owned_by_app")
    not_archived(channel)
    stream = world.streams.get((channel.id, message["ts"]))
    if stream is None:
        raise Refusal("message_not_in_streaming_state")
    if stream.is_stopped_by_person:
        raise Refusal("stopped_by_user")
    if world.clock() - stream.started_at > limits.STREAM_SECONDS:
        del world.streams[channel.id, message["ts"]]
        message.pop("streaming_state", None)
        raise Refusal("message_not_in_streaming_state")
    return channel, message, stream


def _take(
    world: World, stream: Stream, message: Json, args: Json, closing: Sequence[Json] = ()
) -> None:
    """Add what one call brings to the message, or refuse it and leave the message as it is."""
    chunks = _chunks(args)
    tasks = stream.tasks | {chunk["id"] for chunk in chunks if chunk["type"] == "task_update"}
    if len(tasks) > limits.PLAN_TASKS:
        raise Refusal("invalid_chunks")
    length = text_length(chunks)
    if length > limits.MARKDOWN_TEXT or stream.length + length > limits.STREAM_TEXT:
        raise Refusal("msg_too_long")
    added = [block for chunk in chunks if chunk["type"] == "blocks" for block in chunk["blocks"]]
    if added:
        check_blocks(added)
    if stream.chunk_blocks + len(added) > limits.MESSAGE_BLOCKS:
        raise Refusal("invalid_blocks")
    made = deepcopy(message)
    _append(world, made, chunks)
    made["blocks"] = [*made.get("blocks", []), *world.with_ids(closing)]
    # The message's own fifty blocks, and as many of the chunks; in between stands the text.
    check_blocks(made["blocks"], most=2 * limits.MESSAGE_BLOCKS + len(chunks) + 1)
    message |= made
    stream.length += length
    stream.tasks |= tasks
    stream.chunk_blocks += len(added)


def _chunks(args: Json) -> list[Json]:
    """The chunks of one call, its text as one of them."""
    chunks = [dict(chunk) for chunk in cast("list[Json]", args.get("chunks") or [])]
    if args.get("markdown_text"):
        chunks.insert(0, {"type": "markdown_text", "text": str(args["markdown_text"])})
    if any(problems(CHUNKS, chunks, "/chunks")):
        raise Refusal("invalid_chunks")
    return chunks


def _append(world: World, message: Json, chunks: list[Json]) -> None:
    blocks: list[Json] = message.setdefault("blocks", [])
    for chunk in chunks:
        match chunk["type"]:
            case "markdown_text":
                message["text"] += chunk["text"]
                if not blocks or blocks[-1]["type"] != "markdown":
                    blocks += world.with_ids([{"type": "markdown", "text": ""}])
                blocks[-1]["text"] += chunk["text"]
            case "blocks":
                blocks += world.with_ids(chunk["blocks"])
            case "plan_update":
                _plan(world, blocks)["title"] = chunk["title"]
            case _:
                _task(_plan(world, blocks), chunk)


def _plan(world: World, blocks: list[Json]) -> Json:
    for block in blocks:
        if block["type"] == "plan":
            return block
    blocks[:0] = world.with_ids([{"type": "plan", "title": "", "tasks": []}])
    return blocks[0]


def _task(plan: Json, chunk: Json) -> None:
    def words(text: Any) -> Json:
        part = {"type": "rich_text_section", "elements": [{"type": "text", "text": str(text)}]}
        return {"type": "rich_text", "elements": [part]}

    task: Json = {"type": "task_card", "task_id": chunk["id"]}
    for found in plan["tasks"]:
        if found["task_id"] == chunk["id"]:
            task = found
            break
    else:
        plan["tasks"].append(task)
    task |= {"title": chunk["title"], "status": chunk["status"]}
    for name in ("details", "output"):
        if chunk.get(name):
            task[name] = words(chunk[name])
    if chunk.get("sources"):
        task["sources"] = chunk["sources"]


METHODS = {
    "chat.appendStream": append_stream,
    "chat.startStream": start_stream,
    "chat.stopStream": stop_stream,
}
