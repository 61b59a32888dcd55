"""Graph's people: who somebody is, who is meant by a name."""

from bot.workspace.microsoft.graph import odata
from bot.workspace.microsoft.graph.calls import Answer, Call, Route, owned, route
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.records import Account, Json, texts_of

PROFILE = ("User.Read", "User.ReadBasic.All")
EVERYBODY = ("User.ReadBasic.All",)


def profile(account: Account) -> Json:
    given, _, surname = account.display_name.partition(" ")
    return {
        "id": account.oid,
        "displayName": account.display_name,
        "givenName": given,
        "surname": surname,
        "mail": account.upn,
        "userPrincipalName": account.upn,
        "jobTitle": account.job_title or None,
        "department": account.department or None,
        "officeLocation": None,
        "businessPhones": [],
        "mobilePhone": None,
        "preferredLanguage": "en-GB",
    }


def get_profile(call: Call) -> Answer:
    item = odata.selected(profile(call.owner), call.query.get("$select", ""))
    context = f"{call.graph.tenant.base}/v1.0/$metadata#users/$entity"
    return Answer(body={"@odata.context": context} | item)


def list_users(call: Call) -> Answer:
    """`$search` names the field, `"displayName:lena"`, and wants a header of its own."""
    if "$search" in call.query:
        if call.headers.get("consistencylevel", "").lower() != "eventual":
            told = "Request with $search query parameter only works through MSGraph with a special "
            told += "request header: 'ConsistencyLevel: eventual'"
            raise refused(400, "Request_UnsupportedQuery", told)
        if ":" not in call.query["$search"]:
            told = "Unrecognized query argument specified: '$search'."
            raise refused(400, "Request_BadRequest", told)
    found = [profile(account) for account in call.graph.tenant.accounts.values()]
    return Answer(body=odata.listed(call, found, meets=_matches, usual=100, context="users"))


def _matches(item: Json, word: str) -> bool:
    name, _, value = word.partition(":")
    text = str(item.get(name) or "").lower() if value else texts_of(item)
    return any(part.startswith((value or name).lower()) for part in [text, *text.split()])


def list_people(call: Call) -> Answer:
    """The people one deals with, the closest first."""
    near = [a for a in call.graph.tenant.accounts.values() if a.oid != call.owner.oid]
    found = [_person(account) for account in near]
    return Answer(body=odata.listed(call, found, meets=_said, context="people"))


def _person(account: Account) -> Json:
    known = profile(account)
    return {
        **{name: known[name] for name in ("id", "displayName", "givenName", "surname")},
        "jobTitle": account.job_title or None,
        "department": account.department or None,
        "userPrincipalName": account.upn,
        "scoredEmailAddresses": [
            {"address": account.upn, "relevanceScore": 8.0, "selectionLikelihood": "notSpecified"}
        ],
        "personType": {"class": "Person", "subclass": "OrganizationUser"},
    }


def _said(item: Json, word: str) -> bool:
    text = texts_of(item)
    return any(part.startswith(word.lower()) for part in text.split())


def revoke_sessions(call: Call) -> Answer:
    """Every refresh token of this person is void from now on."""
    call.graph.on_revoke(call.owner)
    return Answer(body={"@odata.context": "Edm.Boolean", "value": True})


def mailbox_settings(call: Call) -> Answer:
    return Answer(body={"timeZone": call.owner.time_zone, "language": {"locale": "en-GB"}})


def group_members(call: Call) -> Answer:
    """All that are in the group, those of groups inside it included."""
    members = call.graph.tenant.groups.get(call.parts["group"])
    if members is None:
        raise refused(404, "Request_ResourceNotFound", "Resource does not exist.")
    found: list[Json] = [{"id": oid} for oid in members]
    return Answer(body=odata.listed(call, found, usual=100, context="users"))


def memberships(call: Call) -> Answer:
    """The groups that somebody is in, also by a group in between."""
    groups = call.graph.tenant.groups
    found: list[Json] = [{"id": id} for id, oids in groups.items() if call.owner.oid in oids]
    return Answer(body=odata.listed(call, found, usual=100, context="directoryObjects"))


ROUTES: tuple[Route, ...] = (
    owned("GET", "", get_profile, *PROFILE, others="anybody"),
    owned("GET", "/transitiveMemberOf", memberships, "User.Read", "GroupMember.Read.All"),
    owned("GET", "/people", list_people, "People.Read"),
    owned("GET", "/mailboxSettings", mailbox_settings, "MailboxSettings.Read"),
    owned("POST", "/revokeSignInSessions", revoke_sessions, "User.RevokeSessions.All"),
    route("GET", "/users", list_users, *EVERYBODY),
    route(
        "GET",
        "/groups/{group}/transitiveMembers/microsoft.graph.user",
        group_members,
        "GroupMember.Read.All",
    ),
)
