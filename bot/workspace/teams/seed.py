"""The people and conversations of a fresh stand-in: the tenant's own people, and a guest."""

import uuid

from bot.workspace.microsoft.records import NAMES
from bot.workspace.microsoft.seed import ACCOUNTS
from bot.workspace.slack.seed import PEOPLE
from bot.workspace.teams.records import Conversation, Member


def members() -> dict[str, Member]:
    found = [
        Member(
            key=one.name,
            name=one.display_name,
            oid=one.oid,
            mail=one.upn,
            time_zone=one.time_zone,
        )
        for one in ACCOUNTS
        if not one.is_shared_mailbox
    ]
    found += [
        Member(
            key=one.name,
            name=one.real_name,
            oid=str(uuid.uuid5(NAMES, one.email)),
            mail=one.email,
            role="guest",
        )
        for one in PEOPLE
        if one.is_guest
    ]
    return {one.key: one for one in found}


def conversations(people: dict[str, Member]) -> dict[str, Conversation]:
    everybody = list(people)
    found = [
        Conversation(id="19:sales0001@thread.tacv2", kind="channel", name="sales"),
        Conversation(id="19:general01@thread.tacv2", kind="channel", name="general"),
        Conversation(id="19:planning01@thread.v2", kind="groupChat", name="planning"),
    ]
    for one in found:
        one.members = everybody
    return {one.name: one for one in found}
