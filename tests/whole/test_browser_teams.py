"""Teams' channel of the local workspace in a real browser: asked, read, clicked."""

import pytest

from bot.workspace.teams.page import RENDERER
from tests.browser import launched, needs_chromium, opened, shoot
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import house

pytestmark = [pytest.mark.browser, needs_chromium]

MAIL = {"to": ["priya@larkspur.example"], "subject": "Q3 summary", "body": "Nordics lead."}
QUESTION = "What did we sell per region in Q3 2026?"


def page_of(bot) -> str:
    return f"{bot.bot.workspace.slack.base}/teams"


async def write(page, text: str) -> None:
    area = page.locator(".writer-text")
    await area.fill(text)
    await area.press("Enter")


async def go(page, place: str) -> None:
    await page.locator("#list").get_by_role("button", name=place).click()
    await page.locator("#head", has_text=place).wait_for()


async def become(page, name: str) -> None:
    await page.locator("#me").click()
    await page.get_by_role("menuitem", name=name).click()
    await page.locator("#me", has_text=name).wait_for()


@pytest.mark.parametrize("is_microsoft", [False, True])
async def test_a_mail_is_read_edited_and_sent_by_its_own_person_alone(tmp_path, is_microsoft):
    if is_microsoft and not RENDERER.is_file():
        pytest.skip("Microsoft's card renderer is not installed: `./dev setup` does, with Node")
    async with ModelServer(dimensions=1536) as models, launched() as browser:
        models.script([call("office_send_mail", **MAIL), say("It waits for you as #1.")])
        async with house(tmp_path, models=models, side="teams") as bot:
            microsoft = bot.bot.workspace.microsoft
            async with opened(browser, page_of(bot)) as page:
                if not is_microsoft:
                    await page.evaluate("window.AdaptiveCards = undefined")
                assert await page.evaluate("!!window.AdaptiveCards") == is_microsoft
                await go(page, "sales")
                await write(page, "@Countersign mail the Q3 summary to Priya")

                card = page.locator(".card", has_text="#1 Send a mail")
                await card.get_by_text("Nordics lead.").wait_for()
                await shoot(page, f"teams-card-{is_microsoft}")
                await card.get_by_role("button", name="Connect account").click()
                await page.locator(".told", has_text="in our own chat").wait_for()

                await go(page, "Countersign")
                async with page.context.expect_page() as opening:
                    await page.locator(".card").get_by_text("Connect account").first.click()
                tab = await opening.value
                await tab.get_by_text("Mara Lindqvist").first.click()
                await tab.get_by_role("button", name="Accept").click()
                await tab.get_by_text("You are signed in").wait_for()
                await tab.close()

                await go(page, "sales")
                await card.get_by_role("button", name="Send").wait_for()
                await become(page, "Tomás Ferrer")
                await card.get_by_role("button", name="Send").click()
                await page.locator(".told").wait_for()
                assert microsoft.effects("mail.sent") == []

                await become(page, "Mara Lindqvist")
                await card.get_by_role("button", name="Edit").click()
                body = page.locator("#posts").get_by_label("Body").last
                await body.fill("Nordics lead by far.")
                await shoot(page, f"teams-form-{is_microsoft}")
                await page.get_by_role("button", name="Save").click()
                await card.get_by_text("Nordics lead by far.").wait_for()
                await card.get_by_role("button", name="Send").click()
                await card.get_by_text("Handed to Outlook").wait_for()
                assert await card.get_by_role("button", name="Send").count() == 0
                await shoot(page, f"teams-sent-{is_microsoft}")
            assert len(microsoft.effects("mail.sent")) == 1


async def test_an_answer_shows_its_label_sources_table_cost_and_takes_feedback(tmp_path):
    async with launched() as browser, house(tmp_path, side="teams") as bot:
        async with opened(browser, page_of(bot)) as page:
            await page.evaluate("window.AdaptiveCards = undefined")
            await go(page, "sales")
            await write(page, f"@Countersign {QUESTION}")
            answer = page.locator(".replies .post.is-bot", has_text="AI generated")
            await answer.wait_for()
            await answer.locator("td", has_text="Nordics").first.wait_for()
            assert "tokens" in await answer.inner_text()
            chip = answer.locator(".citation").first
            await chip.hover()
            await chip.locator(".citation-card").wait_for()
            await shoot(page, "side-by-side-teams")

            await answer.get_by_role("button", name="Dislike").click()
            await answer.get_by_label("What did you think?").fill("The south is missing.")
            await answer.get_by_role("button", name="Submit").click()
            await answer.get_by_text("Thank you").wait_for()
        async with opened(browser, f"{bot.bot.workspace.slack.base}/") as page:
            area = page.locator(".conversation .composer-text")
            await area.fill(f"@Countersign {QUESTION}")
            await area.press("Escape")
            await area.press("Enter")
            await page.locator(".thread td", has_text="Nordics").first.wait_for()
            await shoot(page, "side-by-side-slack")


async def test_a_chat_of_two_needs_no_mention_and_a_channel_does(tmp_path):
    async with launched() as browser, house(tmp_path, side="teams") as bot:
        async with opened(browser, page_of(bot)) as page:
            await go(page, "sales")
            await write(page, "Has anybody seen the figures?")
            await go(page, "Countersign")
            await write(page, QUESTION)
            await page.locator(".post.is-bot", has_text="AI generated").wait_for()
            assert bot.teams.by_bot("sales") == []

            await go(page, "sales")
            note = {"name": "note.md", "mimeType": "text/markdown", "buffer": b"# Hotels"}
            await page.locator("#writer input[type=file]").set_input_files(note)
            await write(page, "@Countersign what may a hotel cost?")
            await page.locator(".post.is-mine .post-file", has_text="note.md").wait_for()
            await page.locator(".post.is-bot", has_text="AI generated").wait_for()
            await shoot(page, "teams-attached")
        assert "own chat" in str(bot.teams.by_bot("sales")) or bot.teams.by_bot("@mara")


async def test_the_page_answers_nobody_without_its_token_and_shows_nobody_a_strangers_chat(
    tmp_path,
):
    async with launched() as browser, house(tmp_path, side="teams") as bot:
        async with opened(browser, page_of(bot), expected="40") as page:
            refused = await page.evaluate(
                "fetch('/teams/overview', {method: 'POST', body: '{}'}).then(a => a.status)"
            )
            assert refused == 403
            foreign = await page.evaluate(
                """async () => {
                  const token = document.querySelector('meta[name="page-token"]').content;
                  const body = JSON.stringify({person: 'mara', place: '@tomas'});
                  const how = {method: 'POST', headers: {'X-Page-Token': token}, body};
                  return (await fetch('/teams/conversation', how)).status;
                }"""
            )
            assert foreign == 400


async def test_a_spreadsheet_goes_into_the_files_of_whoever_allows_it(tmp_path):
    async with launched() as browser, house(tmp_path, side="teams") as bot:
        async with opened(browser, page_of(bot)) as page:
            await write(page, "Put the sales per product into a spreadsheet.")
            asked = page.locator(".file-card", has_text=".xlsx")
            await asked.get_by_role("button", name="Allow").click()
            await page.locator(".file-card", has_text="In your files").wait_for()
            await shoot(page, "teams-file")
        [content] = bot.teams.world.uploads.values()
        assert content.startswith(b"PK")
