"""Files are fetched from Slack alone, whole or not at all, and the token goes nowhere else."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from adapters.slack import files, quiet
from adapters.slack.api import SlackApi
from adapters.slack.settings import SlackSettings
from core.errors import SourceFailed
from core.records import FileId, FileRef
from tests.slack.server import Scripted, scripted

REF = FileRef(id=FileId("slack:T1/F1"), name="policy.pdf", media_type="application/pdf", size=8)
LIMIT = 1_048_576


@pytest.fixture
async def server() -> AsyncIterator[Scripted]:
    async with scripted() as running:
        described = {"id": "F1", "mimetype": "application/pdf", "size": 8}
        address = f"{running.base}/files-pri/T1-F1/policy.pdf"
        running.answers["files.info"] = {"file": {**described, "url_private_download": address}}
        yield running


async def fetched(server: Scripted, file: FileRef = REF) -> bytes:
    async with SlackApi(server.settings, quiet.library_logger()) as api:
        return await files.fetch(api, file, limit=LIMIT)


def page(body: bytes, media_type: str = "application/pdf", status: int = 200, **headers: str):
    return lambda: web.Response(
        body=body, content_type=media_type, status=status, headers=headers or None
    )


async def test_the_bytes_are_fetched_by_id_with_the_bots_token(server):
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"%PDF-1.7")
    assert await fetched(server) == b"%PDF-1.7"
    assert server.asked[-1] == ("/files-pri/T1-F1/policy.pdf", "Bearer xoxb-scripted")


async def test_case_48_a_sign_in_page_in_the_place_of_a_file_is_a_clear_sentence(server):
    login = page(b"<html>Sign in</html>", "text/html")
    server.pages["/files-pri/T1-F1/policy.pdf"] = login
    with pytest.raises(SourceFailed, match=r"sign-in page instead of policy\.pdf.*files:read"):
        await fetched(server)


@pytest.mark.parametrize(("size", "is_taken"), [(9, True), (8, False)])
async def test_a_page_that_was_posted_as_a_file_is_told_from_a_sign_in_page(server, size, is_taken):
    server.answers["files.info"]["file"] |= {"mimetype": "text/html", "size": size}
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"<b>ok</b>", "text/html")
    if is_taken:
        assert await fetched(server) == b"<b>ok</b>"
    else:
        with pytest.raises(SourceFailed):
            await fetched(server)


async def test_case_48_a_stub_of_a_file_is_looked_up_before_it_is_fetched(server):
    """`check_file_info`: the event has the id alone, no name and no address."""
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"%PDF-1.7")
    stub = FileRef(id=REF.id, name="file")
    assert await fetched(server, stub) == b"%PDF-1.7"
    assert [path for path, _ in server.asked] == ["/api/files.info", "/files-pri/T1-F1/policy.pdf"]


@pytest.mark.promise("I4", "adapters.slack")
async def test_case_49_a_redirect_to_another_host_gets_neither_token_nor_request(server):
    async with scripted() as elsewhere:
        elsewhere.pages["/policy.pdf"] = page(b"%PDF-1.7")
        target = f"{elsewhere.base}/policy.pdf"
        moved = page(b"", "text/plain", 302, Location=target)
        server.pages["/files-pri/T1-F1/policy.pdf"] = moved
        with pytest.raises(SourceFailed, match="outside of Slack"):
            await fetched(server)
        assert elsewhere.asked == []


async def test_a_redirect_within_slack_is_followed_but_not_for_ever(server):
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"", "text/plain", 302, Location="/there")
    server.pages["/there"] = page(b"%PDF-1.7")
    assert await fetched(server) == b"%PDF-1.7"
    server.pages["/there"] = page(b"", "text/plain", 302, Location="/there")
    with pytest.raises(SourceFailed):
        await fetched(server)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/F1",
        "http://files.slack.com/F1",
        "https://files.slack.com.evil.example/F1",
        "https://files.slack.com@evil.example/F1",
        "https://evilslack.com/F1",
        "https://files.slack.com:8443/F1",
        "ftp://files.slack.com/F1",
        "http://127.0.0.1:1/F1",
        "https://[::1/F1",
    ],
)
async def test_an_address_outside_of_slack_is_not_asked(server, address):
    server.answers["files.info"]["file"]["url_private_download"] = address
    with pytest.raises(SourceFailed, match="outside of Slack"):
        await fetched(server)


def test_slacks_own_hosts_may_see_the_token():
    api = SlackApi(
        SlackSettings(bot_token="xoxb-1", signing_secret="s" * 32), quiet.library_logger()
    )
    assert api.is_slack("https://files.slack.com/files-pri/T1-F1/a.pdf")
    assert api.is_slack("https://slack.com/api/x")
    assert not api.is_slack("http://127.0.0.1/x")


async def test_a_file_that_is_too_large_is_refused_before_and_while_it_is_read(server):
    server.answers["files.info"]["file"]["size"] = LIMIT + 1
    with pytest.raises(SourceFailed, match=r"policy\.pdf is larger than the 1 MiB"):
        await fetched(server)
    assert len(server.asked) == 1

    server.answers["files.info"]["file"]["size"] = 8
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"x" * (LIMIT + 1))
    with pytest.raises(SourceFailed, match="larger than"):
        await fetched(server)


async def test_a_file_that_is_gone_or_refused_is_a_sentence(server):
    server.pages["/files-pri/T1-F1/policy.pdf"] = page(b"", "text/plain", 404)
    with pytest.raises(SourceFailed, match="404"):
        await fetched(server)
    server.answers["files.info"] = {"ok": False, "error": "file_not_found"}
    with pytest.raises(SourceFailed, match="no longer in Slack"):
        await fetched(server)
    server.answers["files.info"] = {"file": {"id": "F1"}}
    with pytest.raises(SourceFailed, match="not stored in Slack"):
        await fetched(server)


@pytest.mark.parametrize("file_id", ["file_1", "slack:T1/../F1", "slack:T1/"])
async def test_an_id_that_is_not_slacks_is_never_asked_for(server, file_id):
    with pytest.raises(SourceFailed):
        await fetched(server, FileRef(id=FileId(file_id), name="x"))
    assert server.asked == []
