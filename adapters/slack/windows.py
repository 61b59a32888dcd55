"""Takes what was sent from a window (edit, cancel, full text) to the desk, and answers in it."""

import logging

from adapters.slack import answers, clicks
from adapters.slack.clicks import Pressed
from adapters.slack.deciding import AGAIN, Deciding
from adapters.slack.render import cards, pages
from core.errors import CountersignError
from core.parked import Click, Verdict
from core.records import Json

log = logging.getLogger(__name__)
_TITLE = "Not done"
_CLOSE: Json = {"response_action": "clear"}


async def submitted(deciding: Deciding, body: Json) -> Json:
    """What Slack is to do with the window."""
    at = clicks.submitted(body, deciding.own_team)
    if at is None:
        return {}
    try:
        match at.word:
            case "edit":
                return await _edited(deciding, at)
            case "cancel":
                found = clicks.click(at, "cancel", reason=answers.reason(at.view))
                return await _decided(deciding, at, found)
            case "full":
                return await _decided(deciding, at, clicks.click(at, "send"))
            case _:
                return {}
    except CountersignError as failure:
        log.warning("slack.click_lost", extra={"fields": {"reason": type(failure).__name__}})
        return _said(AGAIN)


async def _edited(deciding: Deciding, at: Pressed) -> Json:
    opened = clicks.click(at, "edit")
    if opened is None:
        return _said(AGAIN)
    form = await deciding.form(at, opened)
    if isinstance(form, Verdict):
        return _said(form.sentence)
    values = answers.values(form, at.view)
    found = await deciding.decided(at, clicks.edit(opened, values))
    place = answers.place_of(form, found.sentence)
    if found.kind == "refused" and place:
        errors = {place: found.sentence[:300]}
        return {"response_action": "errors", "errors": errors}
    return await _ended(deciding, at, found)


async def _decided(deciding: Deciding, at: Pressed, click: Click | None) -> Json:
    if click is None:
        return _said(AGAIN)
    return await _ended(deciding, at, await deciding.decided(at, click))


async def _ended(deciding: Deciding, at: Pressed, found: Verdict) -> Json:
    if found.kind == "connect":
        await deciding.told(at, found)
        return _CLOSE
    if found.kind != "recorded":
        return _said(found.sentence)
    await deciding.told(at, found)
    return _CLOSE


def _said(sentence: str) -> Json:
    view = pages.sentence(_TITLE, sentence)
    return {"response_action": "update", "view": view | {"close": cards.plain("Close")}}
