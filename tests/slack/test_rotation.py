"""Where the app's tokens expire, each is renewed once and in time, and nobody notices."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.slack.rotation import Rotating
from bot.workspace.slack.records import Fault
from bot.workspace.slack_server import SlackStandIn
from core.errors import DeliveryFailed, Unavailable
from core.identity.installations import Installations
from core.ports import Installation
from core.records import PersonId
from tests.slack.several import ALDER, KEYS, Two, two_workspaces

TOKENS = "SELECT body FROM tokens"
LIFE = 43_200.0
"""Seconds that a token is good where tokens rotate."""


@pytest.fixture
async def two(slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Two]:
    async with two_workspaces(slack, tmp_path) as made:
        yield made


@pytest.fixture
async def rotating(two: Two) -> Two:
    """The app's tokens expire, and both workspaces' clocks stand still."""
    for slack in (two.first, two.second):
        slack.world.clock = lambda: two.now[0]
        slack.world.tokens.life = LIFE
        await two.install(slack)
    return two


def refreshed(slack: SlackStandIn) -> list[str]:
    """What came of each refresh token that was shown; a word where it was refused."""
    calls = [c for c in slack.calls("oauth.v2.access") if "refresh_token" in c.args]
    return [call.answer.get("error", "") for call in calls]


async def test_case_46_twenty_calls_at_the_expiry_renew_the_token_once(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    rotating.now[0] += LIFE + 60.0
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(api.read("users.info", {"user": "U0MARA"})) for _ in range(20)]
    assert all(task.result()["ok"] for task in asked)
    assert refreshed(rotating.second) == [""]
    assert refreshed(rotating.first) == []


async def test_a_renewed_token_is_kept_sealed_and_good_after_a_restart(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    rotating.now[0] += LIFE + 60.0
    await api.read("users.info", {"user": "U0MARA"})
    await rotating.bot.close()
    again = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    assert (await again.read("users.info", {"user": "U0MARA"}))["ok"]
    assert refreshed(rotating.second) == [""]
    assert "xoxe" not in str([bytes(row["body"]) for row in await rotating.db.fetch(TOKENS)])


async def test_nobody_waits_while_a_token_that_still_holds_is_renewed(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    rotating.now[0] += LIFE - 3_600.0
    rotating.second.fail("oauth.v2.access", Fault(error="internal_error"))
    for _ in range(3):
        assert (await api.read("users.info", {"user": "U0MARA"}))["ok"]
    await rotating.second.wait_for(lambda: refreshed(rotating.second) == ["internal_error"])
    rotating.now[0] += 60.0
    async with asyncio.timeout(5.0):
        while len(refreshed(rotating.second)) < 2:
            assert (await api.read("users.info", {"user": "U0MARA"}))["ok"]
    assert refreshed(rotating.second) == ["internal_error", ""]


async def test_a_token_that_slack_calls_expired_before_its_time_is_renewed(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    rotating.second.fail("chat.postMessage", Fault(error="token_expired"))
    await api.write("chat.postMessage", {"channel": "C0SALES", "text": "x"})
    assert refreshed(rotating.second) == [""]
    assert [m["text"] for m in rotating.second.messages("sales")] == ["x"]


async def test_a_renewal_by_somebody_else_is_taken_over(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    kept = Installations(rotating.db, KEYS, lambda: rotating.now[0])
    held = await kept.read(ALDER)
    assert held is not None
    rotating.now[0] += LIFE + 60.0
    given = rotating.second.world.tokens.refreshed(held.refresh_token)
    theirs = replace(
        held,
        bot_token=given["access_token"],
        refresh_token=given["refresh_token"],
        expires_at=rotating.now[0] + LIFE,
    )
    assert await kept.renew(held, theirs)
    assert not await kept.renew(held, theirs)
    assert (await api.read("users.info", {"user": "U0MARA"}))["ok"]
    # The refresh token that was used up is nobody's any more, so no workspace answers for it.
    assert refreshed(rotating.first) == ["invalid_refresh_token"]


async def test_a_workspace_that_left_meanwhile_stays_away(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    await rotating.db.execute("DELETE FROM tokens")
    rotating.now[0] += LIFE + 60.0
    with pytest.raises(DeliveryFailed) as failed:
        await api.read("users.info", {"user": "U0MARA"})
    assert failed.value.is_final
    assert await rotating.db.fetch(TOKENS) == []


async def test_who_stops_waiting_does_not_stop_the_renewal(rotating: Two):
    api = await rotating.bot.api_of(PersonId(f"slack:{ALDER}/U0MARA"))
    rotating.now[0] += LIFE + 60.0
    rotating.second.fail("oauth.v2.access", Fault(delay=0.2))
    impatient = asyncio.create_task(api.read("users.info", {"user": "U0MARA"}))
    await asyncio.wait({impatient}, timeout=0.05)
    impatient.cancel()
    assert (await api.read("users.info", {"user": "U0MARA"}))["ok"]
    assert refreshed(rotating.second) == [""]


class Reluctant:
    """`core.ports.Installations` that does not take the first renewal."""

    def __init__(self, kept: Installations) -> None:
        self.read, self.keep, self.remove = kept.read, kept.keep, kept.remove
        self._renew = kept.renew
        self._outages = 1

    async def renew(self, before: Installation, after: Installation) -> bool:
        if self._outages:
            self._outages -= 1
            raise Unavailable
        return await self._renew(before, after)


async def test_a_token_that_could_not_be_kept_is_used_and_kept_later(rotating: Two):
    kept = Reluctant(Installations(rotating.db, KEYS, lambda: rotating.now[0]))
    held = await kept.read(ALDER)
    assert held is not None
    settings = rotating.bot.settings
    assert settings.distribution is not None
    token = Rotating(held, kept, settings, settings.distribution, lambda: rotating.now[0])
    rotating.now[0] += LIFE + 60.0
    fresh = await token.current()
    assert fresh != held.bot_token and await kept.read(ALDER) == held
    rotating.now[0] += 60.0
    assert await token.current() == fresh
    await token.close()
    now = await kept.read(ALDER)
    assert now is not None and now.bot_token == fresh
    assert refreshed(rotating.second) == [""]
