"""The Web API's methods that only read: conversations, members, the team, the app itself."""

from typing import Any

from bot.workspace.slack import limits, messages
from bot.workspace.slack.arguments import flag, needed, page
from bot.workspace.slack.checks import Refusal, block_problems
from bot.workspace.slack.people import channel_json, member_json
from bot.workspace.slack.records import Channel, Json
from bot.workspace.slack.thread_methods import between, replies
from bot.workspace.slack.world import World

KINDS = {"public": "public_channel", "private": "private_channel", "im": "im", "mpim": "mpim"}


def api_test(_: World, args: Json) -> Json:
    return {"args": args}


def auth_test(world: World, _: Json) -> Json:
    app, team = world.app, world.team
    return {
        "url": f"{world.base}/",
        "team": team.name,
        "user": app.name.lower(),
        "team_id": team.id,
        "user_id": app.member,
        "bot_id": app.bot,
        "is_enterprise_install": False,
    }


def bots_info(world: World, args: Json) -> Json:
    if args.get("bot") not in (None, world.app.bot):
        raise Refusal("bot_not_found")
    app = world.app
    bot = {"id": app.bot, "app_id": app.id, "user_id": app.member, "name": app.name}
    return {"bot": {**bot, "deleted": False, "updated": 1_700_000_000, "icons": {}}}


def team_info(world: World, _: Json) -> Json:
    team = world.team
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "icon": {}}}


def users_info(world: World, args: Json) -> Json:
    member = world.members.get(needed(args, "user"))
    if member is None:
        raise Refusal("user_not_found")
    return {"user": member_json(world, member)}


def users_list(world: World, args: Json) -> Json:
    rows = [member_json(world, member) for member in world.members.values()]
    found, following = page(rows, args, limits.PAGE_SIZE, limits.PAGE_SIZE)
    return {"members": found, "response_metadata": {"next_cursor": following}}


def usergroups_users_list(world: World, args: Json) -> Json:
    members = world.user_groups.get(needed(args, "usergroup"))
    if members is None:
        raise Refusal("no_such_subteam")
    return {"users": list(members)}


def users_conversations(world: World, args: Json) -> Json:
    member = str(args.get("user") or world.app.member)
    if member not in world.members:
        raise Refusal("user_not_found")
    rows = [c for c in _of_kinds(world, args) if member in c.members]
    return _channels(world, rows, args)


def conversations_list(world: World, args: Json) -> Json:
    rows = [
        channel
        for channel in _of_kinds(world, args)
        if channel.kind == "public" or world.app.member in channel.members
    ]
    return _channels(world, rows, args)


def _of_kinds(world: World, args: Json) -> list[Channel]:
    kinds = str(args.get("types") or "public_channel").split(",")
    return [channel for channel in world.channels.values() if KINDS[channel.kind] in kinds]


def _channels(world: World, rows: list[Channel], args: Json) -> Json:
    written = [channel_json(world, channel) for channel in rows]
    found, following = page(written, args, limits.PAGE_SIZE, limits.DEFAULT_PAGE)
    return {"channels": found, "response_metadata": {"next_cursor": following}}


def conversations_info(world: World, args: Json) -> Json:
    channel = _readable(world, args)
    count = flag(args, "include_num_members")
    return {"channel": channel_json(world, channel, with_count=count)}


def conversations_members(world: World, args: Json) -> Json:
    channel = _readable(world, args)
    rows: list[Json] = [{"id": member} for member in channel.members]
    found, following = page(rows, args, limits.PAGE_SIZE, limits.DEFAULT_PAGE)
    members = [row["id"] for row in found]
    return {"members": members, "response_metadata": {"next_cursor": following}}


def _readable(world: World, args: Json) -> Channel:
    """A public channel, or one that the app is in."""
    channel = world.channel(needed(args, "channel"))
    if channel.kind != "public" and world.app.member not in channel.members:
        raise Refusal("channel_not_found")
    return channel


def conversations_open(world: World, args: Json) -> Json:
    if args.get("channel"):
        channel = world.channel(args["channel"])
    else:
        people = needed(args, "users").split(",")
        if any(person not in world.members for person in people):
            raise Refusal("user_not_found")
        if len(people) > 1:
            raise Refusal("method_not_supported_for_channel_type")
        channel = world.direct(people[0], world.app.member)
    whole = channel_json(world, channel) if flag(args, "return_im") else {"id": channel.id}
    return {"channel": whole}


def conversations_history(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    rows = [m for m in reversed(messages.of_channel(channel)) if between(m["ts"], args)]
    return _messages(rows, args, limits.DEFAULT_PAGE)


def conversations_replies(world: World, args: Json) -> Json:
    return _messages(replies(world, args), args, limits.PAGE_SIZE)


def _messages(rows: list[Json], args: Json, default: int) -> Json:
    found, following = page(rows, args, limits.PAGE_SIZE, default)
    with_metadata = flag(args, "include_all_metadata")
    answer: Json = {
        "messages": [messages.shown(m, with_metadata=with_metadata) for m in found],
        "has_more": bool(following),
    }
    return answer | ({"response_metadata": {"next_cursor": following}} if following else {})


def blocks_validate(_: World, args: Json) -> Json:
    blocks: Any = args.get("blocks")
    found = block_problems(blocks)
    if found:
        rows = [{"pointer": problem.pointer, "message": problem.reason} for problem in found]
        raise Refusal("invalid_blocks", errors=rows)
    return {}


METHODS = {
    "api.test": api_test,
    "auth.test": auth_test,
    "blocks.validate": blocks_validate,
    "bots.info": bots_info,
    "conversations.history": conversations_history,
    "conversations.info": conversations_info,
    "conversations.list": conversations_list,
    "conversations.members": conversations_members,
    "conversations.open": conversations_open,
    "conversations.replies": conversations_replies,
    "team.info": team_info,
    "users.conversations": users_conversations,
    "users.info": users_info,
    "usergroups.users.list": usergroups_users_list,
    "users.list": users_list,
}
