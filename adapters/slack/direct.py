"""Finds the conversation in which one person is told something directly."""

from dataclasses import replace

from adapters.slack import fields, identity
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed
from core.records import Post


async def placed(api: SlackApi, post: Post) -> Post:
    """The post with an address of ours; one that names a person alone leads to the conversation
    with them. Raises `DeliveryFailed`."""
    if set(post.address) != {"person"}:
        return post
    surface, _, rest = post.address["person"].partition(":")
    team, _, user = rest.partition("/")
    own = fields.text(api.own, "team_id")
    if surface != "slack" or not identity.is_id(user) or (own and team != own):
        raise DeliveryFailed("person_is_elsewhere", is_final=True)
    return replace(post, address=await address(api, team, user))


async def address(api: SlackApi, team: str, user: str) -> dict[str, str]:
    opened = await api.write("conversations.open", {"users": user})
    return {
        "team": team,
        "channel": fields.text(fields.child(opened, "channel"), "id"),
        "thread_ts": "",
        "message_ts": "",
        "user": user,
        "is_dm": "true",
    }
