"""The two pages: what a browser is told to keep, to hide and to show."""

from tests.identity.office import MARA, Office


async def test_the_cookie_is_for_this_sign_in_alone(one: Office) -> None:
    page = await one.browser().open(await one.offer(MARA))
    cookie = page.headers["Set-Cookie"]
    for word in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"):
        assert word in cookie
    assert "Secure" not in cookie and "__Host-" not in cookie


async def test_off_this_machine_the_cookie_needs_https(one: Office) -> None:
    object.__setattr__(one.settings, "public_url", "https://bot.larkspur.example")
    one.ms.app.redirect_uris.append("https://bot.larkspur.example/connect/callback")
    key = (await one.offer(MARA)).partition("/connect")[2]
    port = one.served.rpartition(":")[2]
    page = await one.browser().open(f"http://127.0.0.1:{port}/connect{key}")
    cookie = page.headers["Set-Cookie"]
    assert cookie.startswith("__Host-connect-") and "Secure" in cookie and "Domain" not in cookie


async def test_no_page_is_kept_framed_or_named_to_others(one: Office) -> None:
    url = await one.offer(MARA)
    browser = one.browser()
    pages = [await browser.open(url), await browser.open(url), await one.link(MARA, "mara")]
    assert [page.status for page in pages] == [302, 400, 200]
    for page in pages:
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


async def test_no_page_shows_code_or_state(one: Office) -> None:
    browser = one.browser()
    query = await one.answer(await one.leave(browser, MARA), "mara")
    pages = [await one.back(browser, query), await one.back(browser, query)]
    for page in pages:
        assert query["code"] not in page.text and query["state"] not in page.text


async def test_a_name_with_markup_is_shown_as_text(one: Office) -> None:
    upn = '"><script>alert(1)</script>@larkspur.example'
    one.ms.entra.id_token_patch = {"preferred_username": upn, "email": one.ms.person("mara").upn}
    page = await one.link(MARA, "mara")
    assert page.status == 200 and "<script>" not in page.text and "&lt;script&gt;" in page.text
