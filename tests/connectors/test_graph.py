"""The way to Graph: one host, one request, each person's own token, failures in plain words."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.workspace.microsoft.records import Fault
from core.connectors.failures import GraphFailed, Wording, outcome
from core.connectors.graph import Graph, GraphSettings
from core.connectors.outcome import Failed, NeedsAccount, Unknown
from core.connectors.request import Request
from core.errors import Misconfigured

WORDING = Wording(
    asked="send this mail", look_at="your Sent Items", needs=("Mail.Send",), nothing="Not sent."
)
LETTER = {
    "message": {
        "subject": "Figures",
        "toRecipients": [{"emailAddress": {"address": "tomas@larkspur.example"}}],
    }
}
SEND = Request(method="POST", path="/me/sendMail", body=LETTER, id="c_1")


@asynccontextmanager
async def site(*routes: web.RouteDef) -> AsyncIterator[str]:
    """A server of a test's own; its address."""
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def failure(graph: Graph, token: str, request: Request) -> GraphFailed:
    with pytest.raises(GraphFailed) as failed:
        await graph.ask(token, request)
    return failed.value


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (Fault(status=400, message="Bad\nthing."), Failed, "did not take it (400: Bad thing)"),
        (Fault(status=401), NeedsAccount, "no longer takes this sign-in"),
        (Fault(claims='{"access_token":{}}'), NeedsAccount, "further proof"),
        (Fault(status=403), Failed, "needs the permission Mail.Send"),
        (Fault(status=403, code="ErrorSendAsDenied"), Failed, "send in that name"),
        (Fault(status=404), Failed, "does not find it"),
        (Fault(status=413), Failed, "too large"),
        (Fault(status=429, retry_after=7), Failed, "try again in 7 seconds"),
        (Fault(status=500), Unknown, "answered with an error (500)"),
        (Fault(status=503, retry_after=1), Unknown, "answered with an error (503)"),
        (Fault(status=504), Unknown, "answered with an error (504)"),
        (Fault(drop=True), Unknown, "did not hear back"),
        (Fault(delay=1.5), Unknown, "did not hear back"),
    ],
)
async def test_every_failure_of_a_write_is_one_request_with_the_right_outcome(
    ms, graph, fault, kind, words, when
):
    fault.when = when
    ms.graph.faults.add("POST /me/sendMail", fault)
    failed = await failure(graph, ms.token("mara", "Mail.Send"), SEND)
    came_to = outcome(failed, WORDING)
    assert isinstance(came_to, kind)
    said = came_to.reason if isinstance(came_to, Failed) else came_to.sentence
    assert words in said and said.endswith(".")
    if isinstance(came_to, NeedsAccount):
        assert came_to.claims == (fault.claims or "")
    if isinstance(came_to, Unknown):
        assert came_to.look_at == "your Sent Items"
    if isinstance(came_to, Failed):
        assert said.endswith("Not sent.") and came_to.request_id
    if fault.delay:
        await ms.wait_for(lambda: ms.graph.requests)
    assert [r.client_request_id for r in ms.graph.requests] == ["c_1"]


async def test_where_nobody_listens_nothing_was_sent(graph, ms):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    lost = Graph(GraphSettings(url=f"http://127.0.0.1:{port}/v1.0"))
    came_to = outcome(await failure(lost, "t", SEND), WORDING)
    await lost.close()
    assert came_to == Failed(reason="Microsoft could not be reached. Not sent.")


async def test_an_error_page_instead_of_json_keeps_its_status():
    async def page(_: web.Request) -> web.Response:
        return web.Response(status=502, text="<html>bad gateway</html>", content_type="text/html")

    async with site(web.post("/v1.0/me/sendMail", page)) as address:
        broken = Graph(GraphSettings(url=f"{address}/v1.0"))
        failed = await failure(broken, "t", SEND)
        await broken.close()
    assert failed.status == 502 and isinstance(outcome(failed, WORDING), Unknown)


@pytest.mark.promise("E6", "core.connectors")
@pytest.mark.parametrize("kind", ["next page", "redirect", "file", "next page beside"])
async def test_no_answer_of_graph_leads_to_another_host(ms, graph, kind):
    heard: list[str] = []

    async def hear(request: web.Request) -> web.Response:
        heard.append(request.headers.get("Authorization", ""))
        return web.json_response({"value": []})

    async with site(web.get("/{path:.*}", hear)) as elsewhere:

        async def lead_astray(request: web.Request) -> web.StreamResponse:
            if kind == "redirect":
                raise web.HTTPTemporaryRedirect(f"{elsewhere}/v1.0/me/messages")
            own = f"http://{request.host}"
            link = f"{own}/beta/me" if kind == "next page beside" else f"{elsewhere}/v1.0/me"
            return web.json_response({"value": [], "@odata.nextLink": link})

        async with site(web.get("/v1.0/me/messages", lead_astray)) as address:
            led = Graph(GraphSettings(url=f"{address}/v1.0"))
            why = "next page lies at" if "page" in kind else "307|not Microsoft's"
            with pytest.raises(GraphFailed, match=why):
                if kind == "file":
                    await led.download(f"{elsewhere}/secret", 1000)
                else:
                    await led.items("t", Request(path="/me/messages"), 5)
            await led.close()
    assert heard == []


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://169.254.169.254/x",
        "https://evil.sharepoint.com.example/x",
        "https://evilsharepoint.com/x",
        "https://a@tenant.sharepoint.com/x",
        "https://tenant.sharepoint.com:8443/x",
        "http://tenant.sharepoint.com/x",
        "file:///etc/passwd",
        "//tenant.sharepoint.com/x",
        "http://[::1]/x",
    ],
)
async def test_bytes_of_files_are_fetched_from_where_microsoft_keeps_them_alone(graph, address):
    with pytest.raises(GraphFailed, match="not Microsoft's"):
        await graph.download(address, 1000)


@pytest.mark.parametrize(
    "url", ["http://graph.example/v1.0", "ftp://graph.example", "https://a@graph.example", "x", ""]
)
def test_an_address_that_tokens_must_not_be_sent_to_is_refused(url):
    with pytest.raises(Misconfigured, match="GRAPH_API_URL"):
        GraphSettings(url=url)


async def test_two_hundred_calls_of_two_people_each_carry_their_own_token(ms):
    graph = Graph(GraphSettings(url=ms.graph_url))
    tokens = {who: ms.token(who, "User.Read") for who in ("mara", "tomas")}
    asked: list[tuple[str, str]] = []

    async def look(who: str, number: int) -> None:
        answer = await graph.ask(tokens[who], Request(path="/me", id=f"{who}-{number}"))
        asked.append((who, answer.body["mail"].partition("@")[0]))

    ms.graph.latency = 0.02
    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(look("mara", number))
            group.create_task(look("tomas", number))
    await graph.close()
    assert len(asked) == 200 and all(who == found for who, found in asked)
    assert all(r.client_request_id.startswith(f"{r.person}-") for r in ms.graph.requests)


async def test_a_cookie_of_one_answer_does_not_travel_with_the_next_request():
    heard: list[str] = []

    async def set_one(request: web.Request) -> web.Response:
        heard.append(request.headers.get("Cookie", ""))
        response = web.json_response({})
        response.set_cookie("who", "mara")
        return response

    async with site(web.get("/v1.0/me", set_one)) as address:
        held = Graph(GraphSettings(url=f"{address}/v1.0"))
        for token in ("a", "b"):
            await held.ask(token, Request(path="/me"))
        await held.close()
    assert heard == ["", ""]


async def test_pages_are_read_until_there_is_enough(ms, graph):
    token = ms.token("mara", "Mail.Read")
    found = await graph.items(token, Request(path="/me/messages", query={"$top": "2"}), 5)
    assert len(found) == 5 and len(ms.graph.requests) == 3
