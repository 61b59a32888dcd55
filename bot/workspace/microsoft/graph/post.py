"""The way of a mail: out of its mailbox, into those of its readers."""

import re
from copy import deepcopy

from bot.workspace.microsoft.graph import mails
from bot.workspace.microsoft.graph.calls import Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import Mail, Mailbox, OutsideMail
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, Json

ADDRESS = re.compile(r"^[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;]+$")


def send(call: Call, mail: Mail, *, is_kept: bool = True) -> None:
    """Accept a mail that is complete; it leaves at once, or after `send_seconds`.

    Raises GraphRefused: without recipients, with an address that is none, in another's name
    without permission, or when it was sent before. Microsoft does not document what a second
    `send` answers; a refusal is assumed.
    """
    graph, box = call.graph, call.mailbox
    if not mail.fields["isDraft"] or mail.folder == "outbox":
        raise refused(400, "ErrorInvalidOperation", "The message has already been submitted.")
    check_recipients(mail)
    _check_sender(call, mail)
    mail.is_kept = is_kept and box.keeps_sent
    call.note("mail.sent", str(mail.fields["subject"]), mail.immutable_id)
    if graph.send_seconds > 0:
        mail.move("outbox")
        mail.due_at = graph.tenant.clock() + graph.send_seconds
    else:
        depart(graph, box, mail)


def check_recipients(mail: Mail) -> None:
    found = mails.addresses(mail)
    if not found:
        told = "A message can't be sent because it contains no recipients."
        raise refused(400, "ErrorInvalidRecipients", f"At least one recipient isn't valid., {told}")
    for address in found:
        if not ADDRESS.match(address):
            told = f"At least one recipient isn't valid., Recipient '{address}' isn't resolved."
            raise refused(400, "ErrorInvalidRecipients", told)


def _check_sender(call: Call, mail: Mail) -> None:
    """In one's own name, or in that of a shared mailbox whose delegate one is."""
    address = str(mail.fields["from"]["emailAddress"]["address"])
    account = call.graph.tenant.find(address)
    if account is None or not may_send_as(call.caller, account):
        told = "The user account which was used to submit this request does not have the right "
        raise refused(
            403, "ErrorSendAsDenied", f"{told}to send mail on behalf of the specified account."
        )
    if account.oid != call.caller.oid and "Mail.Send.Shared" not in call.scopes:
        raise refused(403)
    sender = call.owner if call.owner.oid == account.oid else call.caller
    mail.fields["sender"] = {"emailAddress": {"name": sender.display_name, "address": sender.upn}}


def may_send_as(caller: Account, account: Account) -> bool:
    return caller.oid == account.oid or caller.name in account.delegates


def settle(graph: Graph) -> int:
    """Send what has waited long enough; how many mails that were."""
    now = graph.tenant.clock()
    due = [
        (box, mail)
        for box in graph.mailboxes.values()
        for mail in box.mails.values()
        if mail.due_at is not None and mail.due_at <= now
    ]
    for box, mail in due:
        depart(graph, box, mail)
    return len(due)


def depart(graph: Graph, box: Mailbox, mail: Mail) -> None:
    """Now it is on its way: a copy for every reader, the sender's own into Sent Items."""
    now = graph.stamp()
    mail.due_at = None
    mail.fields |= {"isDraft": False, "sentDateTime": now, "lastModifiedDateTime": now}
    mail.fields["receivedDateTime"] = now
    foreign: list[str] = []
    for address in mails.addresses(mail):
        reader = graph.tenant.find(address)
        if reader is None:
            foreign.append(address)
        else:
            arrive(graph, reader, mail)
    if foreign:
        graph.outside.append(_outside(mail, foreign))
    if mail.is_kept:
        mail.move("sentitems")
        box.mails[mail.immutable_id] = box.mails.pop(mail.immutable_id)
    else:
        del box.mails[mail.immutable_id]
    graph.tenant.publish("mail", box.account.name)


def arrive(graph: Graph, reader: Account, mail: Mail) -> Mail:
    """The reader's own copy; nobody but the sender sees Bcc."""
    fields: Json = deepcopy(mail.fields)
    fields |= {"isRead": False, "bccRecipients": []}
    copy = Mail(folder="inbox", fields=fields, attachments=deepcopy(mail.attachments))
    graph.mailboxes[reader.oid].mails[copy.immutable_id] = copy
    graph.tenant.publish("mail", reader.name)
    return copy


def _outside(mail: Mail, foreign: list[str]) -> OutsideMail:
    fields: Json = deepcopy(mail.fields)
    fields["bccRecipients"] = []
    return OutsideMail(
        sender=str(mail.fields["from"]["emailAddress"]["address"]),
        recipients=tuple(foreign),
        mail=fields,
        attachments=tuple(deepcopy(mail.attachments)),
    )
