"""The Web API's methods around a thread: its status, its agent session, its suggested prompts,
its reactions."""

from typing import Any, cast

from bot.workspace.slack import limits, messages
from bot.workspace.slack.arguments import missing, needed
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Channel, Json, Status
from bot.workspace.slack.world import World

SESSION_STATUSES = ("active", "processing", "suspended", "closed")


def _thread(world: World, args: Json) -> tuple[Channel, str]:
    channel = world.open_to_app(needed(args, "channel_id"))
    ts = needed(args, "thread_ts")
    if ts not in channel.messages:
        raise Refusal("thread_not_found")
    return channel, str(channel.messages[ts].get("thread_ts", ts))


def set_status(world: World, args: Json) -> Json:
    """An empty status takes it away; so does the app's next message in the thread."""
    channel, root = _thread(world, args)
    if args.get("status") is None:
        raise missing("status")
    loading = cast("list[Any]", args.get("loading_messages") or [])
    if len(loading) > limits.LOADING_MESSAGES:
        raise Refusal("invalid_arguments")
    text = str(args["status"])
    if text:
        world.statuses[channel.id, root] = Status(
            text=text, loading_messages=tuple(map(str, loading)), set_at=world.clock()
        )
    else:
        world.statuses.pop((channel.id, root), None)
    body = {"thread_ts": root, "status": text, "loading_messages": loading}
    world.publish("status", channel=channel.id, body=body)
    return {}


def set_title(world: World, args: Json) -> Json:
    channel, root = _thread(world, args)
    title = needed(args, "title")
    world.sessions.setdefault((channel.id, root), {"status": "active"})["title"] = title
    return {}


def set_suggested_prompts(world: World, args: Json) -> Json:
    """`thread_ts` may be left out: then the prompts stand above the composer of the DM."""
    channel = world.open_to_app(needed(args, "channel_id"))
    prompts = cast("list[Json]", args.get("prompts") or [])
    if not prompts or len(prompts) > limits.SUGGESTED_PROMPTS:
        raise Refusal("invalid_arguments")
    if any(not prompt.get("title") or not prompt.get("message") for prompt in prompts):
        raise Refusal("invalid_arguments")
    root = str(args.get("thread_ts") or "")
    world.prompts[channel.id, root] = {"title": str(args.get("title") or ""), "prompts": prompts}
    world.publish("prompts", channel=channel.id, body={"thread_ts": root})
    return {}


def set_session_status(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel_id"))
    status = needed(args, "status")
    if status not in SESSION_STATUSES or len(args.get("title") or "") > limits.SESSION_TITLE:
        raise Refusal("invalid_arguments")
    root = str(args.get("thread_ts") or "")
    if root and root not in channel.messages:
        raise Refusal("thread_not_found")
    session = world.sessions.setdefault((channel.id, root), {})
    session["status"] = status
    if args.get("title"):
        session["title"] = str(args["title"])
    body = {"thread_ts": root, **session}
    world.publish("session", channel=channel.id, body=body)
    return {"session": body}


def rename_session(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel_id"))
    title = needed(args, "title")
    if len(title) > limits.SESSION_TITLE:
        raise Refusal("invalid_arguments")
    root = str(args.get("thread_ts") or "")
    session = world.sessions.get((channel.id, root))
    if session is None:
        raise Refusal("session_not_found")
    session["title"] = title
    world.publish("session", channel=channel.id, body={"thread_ts": root, **session})
    return {}


def add_reaction(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    message = world.message(channel, needed(args, "timestamp"))
    react(world, channel, message, world.app.member, needed(args, "name"))
    return {}


def remove_reaction(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    message = world.message(channel, needed(args, "timestamp"))
    unreact(world, channel, message, world.app.member, needed(args, "name"))
    return {}


def react(world: World, channel: Channel, message: Json, member: str, name: str) -> None:
    """Raises Refusal `already_reacted`."""
    name = name.strip(":")
    reactions: list[Json] = message.setdefault("reactions", [])
    fresh: Json = {"name": name, "users": [], "count": 0}
    reaction = next((r for r in reactions if r["name"] == name), fresh)
    if reaction is fresh:
        reactions.append(fresh)
    if member in reaction["users"]:
        raise Refusal("already_reacted")
    reaction["users"].append(member)
    reaction["count"] = len(reaction["users"])
    body = {"message": message, "member": member, "name": name, "is_added": True}
    world.publish("reaction", channel=channel.id, body=body)


def unreact(world: World, channel: Channel, message: Json, member: str, name: str) -> None:
    """Raises Refusal `no_reaction`."""
    name = name.strip(":")
    reactions: list[Json] = message.get("reactions", [])
    reaction = next((r for r in reactions if r["name"] == name and member in r["users"]), None)
    if reaction is None:
        raise Refusal("no_reaction")
    reaction["users"].remove(member)
    reaction["count"] = len(reaction["users"])
    if not reaction["users"]:
        reactions.remove(reaction)
    body = {"message": message, "member": member, "name": name, "is_added": False}
    world.publish("reaction", channel=channel.id, body=body)


def replies(world: World, args: Json) -> list[Json]:
    """The messages of a thread between `oldest` and `latest`; the root is always among them."""
    channel = world.open_to_app(needed(args, "channel"))
    thread = messages.of_thread(channel, needed(args, "ts"))
    return [m for i, m in enumerate(thread) if i == 0 or between(m["ts"], args)]


def between(ts: str, args: Json) -> bool:
    """Whether `ts` lies in the window that the arguments ask for."""
    oldest, latest = str(args.get("oldest") or "0"), str(args.get("latest") or "")
    inclusive = args.get("inclusive") in (True, 1, "1", "true")
    at, low = float(ts), float(oldest)
    high = float(latest) if latest else float("inf")
    return low <= at <= high if inclusive else low < at < high


METHODS = {
    "agents.sessions.rename": rename_session,
    "agents.sessions.setStatus": set_session_status,
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setSuggestedPrompts": set_suggested_prompts,
    "assistant.threads.setTitle": set_title,
    "reactions.add": add_reaction,
    "reactions.remove": remove_reaction,
}
