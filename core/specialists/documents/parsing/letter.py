"""Reads mails that were saved as files."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from core.specialists.documents.parsing.pages import Page, Unread
from core.specialists.documents.parsing.web import markdown

_HEADERS = ("From", "To", "Cc", "Date")


def read(content: bytes) -> Iterator[Page]:
    mail = message_from_bytes(content, policy=policy.default)
    if not mail.keys():
        raise Unread("is called a mail, and is not")
    subject = " ".join(str(mail.get("Subject", "")).split())
    parts = [f"# {subject}"] if subject else []
    heads = [f"{name}: {' '.join(str(mail[name]).split())}" for name in _HEADERS if mail[name]]
    parts += ["\n".join(heads)] if heads else []
    body = mail.get_body(preferencelist=("plain", "html"))
    if body is not None:
        text = _text(cast(EmailMessage, body))
        parts.append(markdown(text)[0] if body.get_content_subtype() == "html" else text.strip())
    names = [name for part in mail.iter_attachments() if (name := part.get_filename())]
    parts += [f"Attached: {', '.join(names)}"] if names else []
    yield Page(text="\n\n".join(parts))


def _text(body: EmailMessage) -> str:
    try:
        return str(body.get_content())
    except (LookupError, ValueError):
        # An encoding that nobody knows: what can be read of it is read.
        raw = body.get_payload(decode=True)
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
