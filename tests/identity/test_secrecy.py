"""No code, state, link or token stands in a log line, an exception, a value's text or the file."""

import base64
import logging
import traceback
from urllib.parse import quote

import pytest

from bot.workspace.microsoft.records import Fault
from core.errors import NeedsAccount
from tests.fakes.entra_between import Between
from tests.identity.office import MAIL, MARA, TOM, Office


def forms(secret: str) -> set[str]:
    return {secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()[:-4]}


@pytest.mark.promise("S1", "core.identity", "bot")
async def test_no_secret_is_printed_or_kept_in_clear(
    one: Office, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # The database logs the statements it is given, and the test's own browser what it opens.
    for loud in ("aiosqlite", "asyncio", "aiohttp"):
        logging.getLogger(loud).setLevel(logging.WARNING)
    texts: list[str] = []
    browser, url = one.browser(), await one.offer(MARA)
    page = await browser.open(url)
    query = await one.answer(page.location, "mara")
    cookie = page.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    asked = dict(pair.partition("=")[::2] for pair in page.location.partition("?")[2].split("&"))
    await one.back(one.browser(), query)
    second = await one.offer(MARA)
    page = await browser.open(second)
    forged = await one.answer(page.location, "mara")
    one.ms.entra.id_token_patch = {"nonce": "f" * 64}
    await one.back(browser, forged)
    one.ms.entra.id_token_patch = {}
    await one.link(MARA, "mara")
    await one.link(TOM, "mara")
    tokens = [await one.accounts.token(MARA, MAIL)]
    texts.append(repr(tokens))
    for fault in (Fault(status=503, retry_after=0), Fault(drop=True), Fault(status=400)):
        one.ms.entra.faults.add("token refresh_token", fault)
        with pytest.raises(NeedsAccount) as caught:
            await one.accounts.token(MARA, MAIL)
        texts.append("".join(traceback.format_exception(caught.value)))
        texts.append(everything(caught.value))
    texts += [caplog.text, repr(one.told), repr(one.settings), repr(one.accounts)]
    texts += [str(vars(record)) for record in caplog.records]
    path = one.database.path
    assert path
    for file in path.parent.glob(f"{path.name}*"):
        texts.append(file.read_bytes().decode("latin-1"))
    secrets = [query["code"], query["state"], forged["code"], forged["state"], cookie]
    secrets += [u.partition("key=")[2] for u in (url, second)]
    secrets += [asked["nonce"], asked["code_challenge"], one.ms.app.secret, tokens[0].value]
    secrets += [
        *one.ms.entra.refresh_tokens,
        *(m.text for m in one.ms.entra.access_tokens.values()),
    ]
    assert all(len(secret) > 12 for secret in secrets) and len(secrets) > 14
    for secret in secrets:
        for form in forms(secret):
            for text in texts:
                at = text.find(form)
                assert at < 0, text[max(0, at - 200) : at + 20]


@pytest.mark.promise("S1", "core.identity")
async def test_an_answer_that_breaks_off_is_not_quoted(
    overheard: Office, between: Between, caplog: pytest.LogCaptureFixture
) -> None:
    """A JSON error carries the whole text that could not be read, and MSAL logs it."""
    caplog.set_level(logging.DEBUG)
    await overheard.link(MARA, "mara")
    between.texts["/token"] = '{"access_token": "a-token-cut-off'
    with pytest.raises(NeedsAccount) as caught:
        await overheard.accounts.token(MARA, MAIL)
    for text in (caplog.text, everything(caught.value)):
        assert "a-token-cut-off" not in text


def everything(error: BaseException | None) -> str:
    """What an exception and all behind it hold, shown or not."""
    text = ""
    while error is not None:
        text += f"{error!r} {error.args!r} {vars(error)!r}"
        error = error.__cause__ or error.__context__
    return text
