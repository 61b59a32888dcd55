"""What the way in answers, over real sockets."""

import asyncio
import json
import logging
import time
from urllib.parse import quote

import pytest
from aiohttp import web

from adapters.raw import LARGEST
from adapters.slack import edge
from adapters.slack.deliveries import Reply
from bot.workspace.slack.delivery import FORM, signature
from tests.slack.envelopes import direct, envelope, mention
from tests.slack.forged import forgeries

CANARY = "canary-4711"


async def raw(url: str, head: list[bytes], body: bytes) -> int:
    """One request written by hand, so that headers may be what no client would send."""
    port = int(url.split(":")[2].split("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [b"POST /slack/events HTTP/1.1", b"Host: 127.0.0.1", b"Connection: close", *head]
    if not any(line.startswith(b"Content-Length") for line in lines):
        lines.append(b"Content-Length: %d" % len(body))
    writer.write(b"\r\n".join([*lines, b"", body]))
    status = int((await reader.readline()).split()[1])
    writer.close()
    await writer.wait_closed()
    return status


def headers(timestamps: list[str], signatures: list[str]) -> list[bytes]:
    named = [(b"X-Slack-Request-Timestamp", t) for t in timestamps]
    named += [(b"X-Slack-Signature", s) for s in signatures]
    lines = [n + b": " + v.encode("utf-8", "surrogateescape") for n, v in named]
    return [line.replace(b"\n", b"")[:4_000] for line in lines]


@pytest.mark.promise("I1", "adapters.slack")
async def test_forged_requests_get_401_reach_nothing_and_leave_no_trace_in_logs(bot, caplog):
    caplog.set_level(logging.DEBUG)
    statuses = []
    for timestamps, signatures, body in forgeries(300):
        sent = [b"Content-Type: application/json", *headers(timestamps, signatures)]
        statuses.append(await raw(bot.url, sent, body))

    assert statuses == [401] * 300
    assert bot.door.questions == [] and bot.door.helped == []
    assert CANARY not in caplog.text


@pytest.mark.promise("I1", "adapters.slack")
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"type":"event_callback"}', b"1" * 9_000],
)
async def test_malformed_bodies_are_401_signed_or_not(bot, body):
    assert await bot.send(body) == 401
    assert await raw(bot.url, [b"Content-Type: application/json"], body) == 401
    assert bot.door.questions == []


async def test_a_body_of_another_type_is_401_although_it_is_signed(bot):
    body = json.dumps(envelope(mention())).encode()
    assert await bot.send(body, "text/plain") == 401
    assert await bot.send(body, FORM) == 401
    assert await bot.send(body, headers={"Content-Encoding": "identity"}) == 401
    assert bot.door.questions == []


@pytest.mark.promise("I6", "adapters.slack")
async def test_a_deeply_nested_body_is_refused_and_a_reasonable_one_is_not(bot):
    deep = b'{"a":' * 70 + b"1" + b"}" * 70
    bottomless = b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    fine = b'{"a":' * 60 + b"1" + b"}" * 60
    assert await bot.send(deep) == 401
    assert await bot.send(bottomless) == 401
    assert await bot.send(fine) == 200


@pytest.mark.promise("I6", "adapters.slack")
async def test_more_than_a_mebibyte_is_413(bot):
    declared = b"Content-Length: %d" % (LARGEST + 1)
    assert await raw(bot.url, [declared], b"") == 413

    async def pieces():
        for _ in range(17):
            yield b" " * 65_536

    signed = signature(bot.secret, str(int(time.time())), b"")
    async with bot.http.post(bot.url, data=pieces(), headers=signed) as response:
        assert response.status == 413
    assert bot.door.questions == []


@pytest.mark.promise("I6", "adapters.slack")
async def test_bodies_that_never_end_are_given_up_while_others_are_served(bot):
    taken = []

    async def take(body):
        taken.append(body)
        return Reply(status=200)

    entrance = edge.Edge(bot.secret, time.time, take, body_seconds=0.5)
    site = web.Application()
    site.router.add_post(edge.PATH, entrance.respond)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    good = b'{"type":"other"}'
    signed = signature(bot.secret, str(int(time.time())), good)
    head = "".join(f"{name}: {value}\r\n" for name, value in signed.items()).encode()

    async def slow() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /slack/events HTTP/1.1\r\nHost: x\r\n" + head)
        writer.write(b"Content-Length: 500\r\n\r\n{")
        status = int((await reader.readline()).split()[1])
        writer.close()
        return status

    async with asyncio.TaskGroup() as group:
        sluggish = [group.create_task(slow()) for _ in range(100)]
        url = f"http://127.0.0.1:{port}{edge.PATH}"
        async with bot.http.post(
            url, data=good, headers={**signed, "Content-Type": "application/json"}
        ) as response:
            assert response.status == 200
    await runner.cleanup()

    assert {task.result() for task in sluggish} == {408}
    assert len(taken) == 1


async def test_case_52_ssl_check_and_url_verification_are_answered_only_when_signed(bot):
    challenge = {"type": "url_verification", "challenge": "abc123"}
    assert await bot.send_json(challenge) == 200
    assert bot.answers[-1] == "abc123"
    assert await bot.send_form({"ssl_check": "1"}) == 200
    assert await raw(bot.url, [b"Content-Type: " + FORM.encode()], b"ssl_check=1") == 401
    unsigned = json.dumps(challenge).encode()
    assert await raw(bot.url, [b"Content-Type: application/json"], unsigned) == 401


@pytest.mark.promise("I2", "adapters.slack")
async def test_a_thousand_replays_are_one_delivery_key(bot):
    body = envelope(mention())
    statuses = {await bot.send_json(body) for _ in range(1_000)}

    assert statuses == {200}
    assert {asked.delivery for asked in bot.door.questions} == {
        "slack:T00000001/C0SALES/1796000000.000100"
    }
    assert all(asked == bot.door.questions[0] for asked in bot.door.questions)


async def test_case_3_a_first_delivery_that_could_not_be_kept_is_taken_at_the_retry(slack, bot):
    bot.door.outages = 1
    await slack.say("mara", "sales", "@Countersign how many orders?", is_told=False)
    ts = slack.messages("sales")[-1]["ts"]
    body = slack.envelope_for("sales", ts)
    first = await slack.deliver(body)
    again = await slack.deliver(body, retry=1, reason="http_error")

    assert (first.status, first.reason) == (503, "http_error")
    assert again.status == 200
    assert [asked.text for asked in bot.door.questions] == ["how many orders?"]


async def test_slack_tries_again_by_itself_after_a_503(slack, bot):
    bot.door.outages = 2
    await slack.say("mara", "sales", "@Countersign how many orders?")
    await slack.settled()

    assert {asked.text for asked in bot.door.questions} == {"how many orders?"}


async def test_a_retry_with_the_retry_headers_is_taken_as_if_it_were_the_first(bot):
    """Case 3."""
    sent = {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
    assert await bot.send_json(envelope(mention()), sent) == 200
    assert len(bot.door.questions) == 1


async def test_bolts_own_headers_from_outside_have_no_effect(bot):
    sent = {"X-Slack-Bolt-Lazy-Only": "1", "X-Slack-Bolt-Lazy-Function-Name": "command"}
    assert await bot.send_json(envelope(direct()), sent) == 200
    assert len(bot.door.questions) == 1


async def test_a_command_whose_text_contains_the_word_payload_arrives(slack, bot):
    """Case 7, over HTTP."""
    delivery = await slack.command("mara", "sales", "/countersign", "payload-service payload=1")
    assert delivery.status == 200
    assert "I do not know that word" in delivery.body


async def test_words_of_a_person_are_in_no_log_however_the_delivery_ends(slack, bot, caplog):
    caplog.set_level(logging.DEBUG)
    await slack.command("mara", "sales", "/countersign", CANARY)
    await slack.command("mara", "sales", "/usage", CANARY)
    action = {"type": "block_actions", "actions": [{"action_id": CANARY, "value": CANARY}]}
    body = f"payload={quote(json.dumps({**action, 'user': {'id': 'U0MARA'}}))}".encode()
    await bot.send(body, FORM)
    await bot.send_json(envelope(mention(f"<@U0COUNTER> {CANARY}")))
    await bot.send_json(envelope({"type": CANARY, "text": CANARY}))
    bot.door.outages = 2
    await bot.send_json(envelope(mention(f"<@U0COUNTER> {CANARY} two")))
    await slack.command("mara", "sales", "/countersign", "help")

    ours = [r for r in caplog.records if not r.name.startswith(("asyncio", "bot.workspace"))]
    said = [logging.Formatter().format(record) + repr(record.__dict__) for record in ours]
    assert ours and not [line for line in said if CANARY in line]
