"""What Slack vouches for about a person: the address that their workspace knows them by."""

from adapters.slack import fields
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed, SourceFailed
from core.records import PersonId


async def address_and_name(api: SlackApi, person: PersonId) -> tuple[str, str]:
    """The person's mail address ("" where the workspace keeps none) and name.

    Raises `SourceFailed` with a sentence for the person when Slack does not say.
    """
    user = person.rpartition("/")[2]
    try:
        answer = await api.read("users.info", {"user": user})
    except DeliveryFailed as failure:
        raise SourceFailed(
            "Slack does not say who you are just now, so no account can be connected. Try again."
        ) from failure
    profile = fields.child(fields.child(answer, "user"), "profile")
    return fields.text(profile, "email"), fields.text(profile, "real_name")
