"""`connect` asks for what was lacking: permissions, and the further proof."""

from typing import Any, cast

from bot.lacking import Lacking
from bot.office import Connecting
from core.storage.database import Database
from tests.approvals.office import ADA, PRIYA, Accounts

PROOF = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'


async def test_connect_asks_for_the_proof_that_was_missing_until_it_was_given(
    sqlite: Database,
) -> None:
    """Each step at another process."""
    accounts = Accounts()

    def connecting() -> Connecting:
        return Connecting(cast(Any, accounts), Lacking(sqlite, lambda: 5.0))

    await connecting().lacks(ADA.id, ("Mail.Read",), PROOF)
    await connecting().offer(PRIYA, ("Mail.Send",), {})
    asked = [(await connecting().connect(one, {})).sentence for one in (ADA.id, PRIYA)]
    assert asked == ["Connect for Mail.Read.", "Connect for Mail.Send."]
    assert accounts.proven == ["", PROOF, ""]
    await connecting().has_proven(ADA.id)
    await connecting().connect(ADA.id, {})
    assert accounts.proven[-1] == ""
