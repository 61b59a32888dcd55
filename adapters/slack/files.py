"""Fetches the bytes of a file that a person posted, by its id, from Slack alone."""

import re
from urllib.parse import urljoin

import aiohttp

from adapters.slack import fields
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed, SourceFailed
from core.records import FileRef, Json

REDIRECTS = 3
_ID = re.compile(r"slack:[A-Za-z0-9]+/([A-Za-z0-9]+)")
_LOGIN_PAGE = (
    "Slack gave a sign-in page instead of {name}. The app may lack the files:read permission: "
    "an administrator can add it and install the app again."
)


async def fetch(api: SlackApi, file: FileRef, *, limit: int) -> bytes:
    """Raises `SourceFailed` with a sentence for the person: too large, gone, not the file."""
    described = await _described(api, file)
    if fields.number(described, "size") > limit:
        raise SourceFailed(_too_large(file, limit))
    address = fields.text(described, "url_private_download") or fields.text(
        described, "url_private"
    )
    if not address:
        raise SourceFailed(f"{file.name} is not stored in Slack, so I cannot read it.")
    try:
        media_type, content = await _downloaded(api, address, limit)
    except DeliveryFailed as error:
        raise SourceFailed(f"Slack did not give me {file.name}. Please try again.") from error
    except OverflowError as error:
        raise SourceFailed(_too_large(file, limit)) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise SourceFailed(f"Slack did not give me {file.name}. Please try again.") from error
    is_page = media_type == "text/html"
    if is_page and not _is_itself(described, content):
        raise SourceFailed(_LOGIN_PAGE.format(name=file.name))
    return content


async def _described(api: SlackApi, file: FileRef) -> Json:
    named = _ID.fullmatch(file.id)
    if named is None:
        raise SourceFailed("That file is not one that was posted in Slack.")
    try:
        answer = await api.read("files.info", {"file": named[1]})
    except DeliveryFailed as error:
        if error.reason in {"file_not_found", "file_deleted"}:
            raise SourceFailed(f"{file.name} is no longer in Slack.") from error
        raise SourceFailed(
            f"Slack did not let me read {file.name} ({error.reason}). Please try again."
        ) from error
    return fields.child(answer, "file")


async def _downloaded(api: SlackApi, address: str, limit: int) -> tuple[str, bytes]:
    """Follows redirects within Slack; the token and the request go nowhere else."""
    for _ in range(REDIRECTS + 1):
        if not api.is_slack(address):
            raise SourceFailed("The file lies outside of Slack, so I do not fetch it.")
        status, media_type, target, content = await api.download(address, limit=limit)
        if status == 200:
            return media_type, content
        if status not in {301, 302, 303, 307, 308} or not target:
            raise SourceFailed(f"Slack did not give me the file (HTTP {status}).")
        address = urljoin(address, target)
    raise SourceFailed("Slack sent me from one address to the next and never to the file.")


def _is_itself(described: Json, content: bytes) -> bool:
    """True for a file that is an HTML page, unlike a sign-in page in the place of a file."""
    is_html = fields.text(described, "mimetype") == "text/html"
    return is_html and fields.number(described, "size") == len(content)


def _too_large(file: FileRef, limit: int) -> str:
    return f"{file.name} is larger than the {limit / 1_048_576:.0f} MiB that I can read."
