"""Reads who is in a user group of a workspace."""

from typing import Any, cast

from adapters.slack import fields, identity
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed
from core.records import PersonId


async def members(api: SlackApi, group: str) -> tuple[PersonId, ...]:
    """Raises `DeliveryFailed` where Slack does not say, or knows no such group."""
    answer = await api.read("usergroups.users.list", {"usergroup": group})
    listed: Any = answer.get("users")
    if not isinstance(listed, list):
        raise DeliveryFailed("unreadable_answer")
    team = fields.text(api.own, "team_id")
    users = [one for one in cast("list[Any]", listed) if isinstance(one, str)]
    return tuple(PersonId(f"slack:{team}/{user}") for user in users if identity.is_id(user))
