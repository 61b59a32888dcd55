"""Microsoft's own client library, unmodified, works against the Graph stand-in."""

import time
from datetime import UTC, datetime

import httpx
import pytest

from bot.workspace.microsoft.records import Fault
from tests.workspace.microsoft.msal_client import Client

# The library warns of its own deprecated classes while it is imported.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:msgraph"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:kiota_abstractions"),
]


@pytest.fixture
async def graph(ms):
    from kiota_abstractions.authentication import (
        AccessTokenProvider,
        AllowedHostsValidator,
        BaseBearerTokenAuthenticationProvider,
    )
    from kiota_http.middleware.options import RetryHandlerOption
    from msgraph import GraphRequestAdapter, GraphServiceClient
    from msgraph.graph_request_adapter import options
    from msgraph_core import GraphClientFactory

    class Tokens(AccessTokenProvider):
        def get_allowed_hosts_validator(self):
            return AllowedHostsValidator(["127.0.0.1"])

        async def get_authorization_token(self, uri, additional_authentication_context=None):
            scope = "Mail.ReadWrite Mail.Send Calendars.ReadWrite Files.ReadWrite User.Read"
            return ms.token("mara", scope)

    given = options | {
        RetryHandlerOption.get_key(): RetryHandlerOption(max_retries=0, should_retry=False)
    }
    # The library puts its own transport around this one and does not close it.
    async with httpx.AsyncHTTPTransport(trust_env=False) as transport:
        wire = httpx.AsyncClient(timeout=8.0, transport=transport)
        http = GraphClientFactory.create_with_default_middleware(options=given, client=wire)
        adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Tokens()), http)
        adapter.base_url = ms.graph_url
        yield GraphServiceClient(request_adapter=adapter)


def message(*to):
    from msgraph.generated.models.body_type import BodyType
    from msgraph.generated.models.email_address import EmailAddress
    from msgraph.generated.models.file_attachment import FileAttachment
    from msgraph.generated.models.item_body import ItemBody
    from msgraph.generated.models.message import Message
    from msgraph.generated.models.recipient import Recipient

    return Message(
        subject="Figures",
        body=ItemBody(content_type=BodyType.Html, content="<p>See <b>below</b></p>"),
        to_recipients=[Recipient(email_address=EmailAddress(address=one)) for one in to],
        attachments=[FileAttachment(name="a.txt", content_bytes=b"aGVsbG8=")],
    )


async def test_a_mail_is_drafted_sent_and_found_again(ms, graph):
    draft = await graph.me.messages.post(message("tomas@larkspur.example"))
    assert (draft.is_draft, draft.subject) == (True, "Figures")
    await graph.me.messages.by_message_id(draft.id).send.post()
    assert ms.mails("tomas")[0]["bodyPreview"] == "See below"
    page = await graph.me.mail_folders.by_mail_folder_id("sentitems").messages.get()
    assert page.value[0].subject == "Figures"


async def test_sending_fails_as_an_error_that_carries_code_and_request_id(ms, graph):
    from msgraph.generated.models.o_data_errors.o_data_error import ODataError
    from msgraph.generated.users.item.send_mail.send_mail_post_request_body import (
        SendMailPostRequestBody,
    )

    body = SendMailPostRequestBody(message=message("tomas@larkspur.example"))
    ms.graph.faults.add("POST /me/sendMail", Fault(status=504, when="after"))
    with pytest.raises(ODataError) as failed:
        await graph.me.send_mail.post(body)
    assert failed.value.response_status_code == 504
    assert failed.value.error.code == "GatewayTimeout"
    assert failed.value.error.inner_error.request_id == ms.graph.requests[-1].request_id
    assert len(ms.effects("mail.sent")) == 1
    await graph.me.send_mail.post(body)
    assert len(ms.effects("mail.sent")) == 2


async def test_events_and_files_go_through_the_library_too(ms, graph):
    from msgraph.generated.models.date_time_time_zone import DateTimeTimeZone
    from msgraph.generated.models.event import Event

    made = await graph.me.events.post(
        Event(
            subject="Q3 review",
            start=DateTimeTimeZone(date_time="2026-10-06T10:00:00", time_zone="Europe/Berlin"),
            end=DateTimeTimeZone(date_time="2026-10-06T11:00:00", time_zone="Europe/Berlin"),
            transaction_id="call-1",
        )
    )
    assert made.start.date_time == "2026-10-06T08:00:00.0000000"
    drive = await graph.me.drive.get()
    items = graph.drives.by_drive_id(drive.id).items
    written = await items.by_drive_item_id("root:/Reports/q3.txt:").content.put(b"North 1")
    assert written.name == "q3.txt"
    assert isinstance(written.last_modified_date_time, datetime)
    assert written.last_modified_date_time <= datetime.fromtimestamp(time.time() + 2, UTC)
    assert await items.by_drive_item_id(written.id).content.get() == b"North 1"


async def test_a_claims_challenge_is_answered_with_one_more_request(ms, graph):
    ms.graph.faults.add("GET /me", Fault(claims='{"access_token":{"nbf":{"essential":true}}}'))
    me = await graph.me.get()
    assert me.user_principal_name == "mara@larkspur.example"
    assert [r.status for r in ms.graph.requests] == [401, 200]


async def test_a_token_from_a_sign_in_opens_the_mailbox(ms):
    got = await Client(ms).link("tomas", "Mail.Read")
    headers = {"Authorization": f"Bearer {got['access_token']}"}
    async with httpx.AsyncClient(trust_env=False) as wire:
        found = (
            await wire.get(f"{ms.graph_url}/me/mailFolders/inbox/messages", headers=headers)
        ).json()
    assert found["value"][0]["from"]["emailAddress"]["name"] == "Mara Lindqvist"
