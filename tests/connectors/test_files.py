"""Files: written once under their path, never over one that the card did not show."""

import pytest

from bot.workspace.microsoft.graph.drives import by_path, root_of
from bot.workspace.microsoft.records import Fault
from core.connectors.files import drive
from core.connectors.files.share import ShareLink, ShareWith
from core.connectors.files.upload import UploadFile
from core.connectors.outcome import Done, Failed, Unknown
from core.errors import BadArguments
from tests.connectors.desk import keep

LOST = [
    Fault(status=status, when=when) for status in (500, 504) for when in ("before", "after")
] + [Fault(drop=True, when="before"), Fault(drop=True, when="after"), Fault(delay=1.4)]
NEW = {"path": "Reports/Q3 summary.md", "file": "1"}
PLAN = "Dealers/Visit plan Nordics.md"


@pytest.fixture
def upload(desk):
    return UploadFile(office=desk.office)


def item(ms, path: str, who: str = "mara"):
    held = ms.graph.drive(who)
    return by_path(held, root_of(held), path)


def written(ms) -> int:
    return len(ms.effects("file.written"))


async def test_a_result_becomes_the_file_that_the_card_shows(ms, desk, upload):
    await keep(desk.office.db, 1, "# Q3\n\nNorth 1")
    call = await desk.park(upload, NEW)
    assert call.effect == "keyed"
    assert desk.shown(upload, call) == {
        "OneDrive of": "mara@larkspur.example",
        "Path": "/Reports/Q3 summary.md",
        "File": "Sales by region.md (13 bytes)",
    }
    outcome = await desk.perform(upload, call)
    assert isinstance(outcome, Done) and outcome.link
    assert item(ms, NEW["path"]).content == b"# Q3\n\nNorth 1"


@pytest.mark.parametrize("fault", LOST, ids=lambda f: f"{f.status}{f.when}{f.delay}")
async def test_a_file_whose_answer_is_lost_is_written_once(ms, desk, upload, fault):
    fault.times = 1
    await keep(desk.office.db, 1, "# Q3")
    call = await desk.park(upload, NEW)
    ms.graph.faults.add("PUT /me/drive/*", fault)
    assert isinstance(await desk.carry_out(upload, call), Done)
    await ms.wait_for(lambda: written(ms))
    assert written(ms) == 1 and item(ms, NEW["path"]).version == 1


async def test_a_file_that_is_there_is_not_written_over_unasked(ms, desk, upload):
    await keep(desk.office.db, 1, "# Q3")
    before = item(ms, PLAN).content
    call = await desk.park(upload, {"path": PLAN, "file": "1"})
    outcome = await desk.carry_out(upload, call)
    assert isinstance(outcome, Failed) and "is there already" in outcome.reason
    assert item(ms, PLAN).content == before and written(ms) == 0


@pytest.mark.parametrize("is_changed", [False, True])
async def test_a_file_is_written_over_in_the_state_that_was_shown(ms, desk, upload, is_changed):
    await keep(desk.office.db, 1, "# Q3")
    call = await desk.park(upload, {"path": PLAN, "file": "1", "replace": True})
    assert "the file that is there (" in desk.shown(upload, call)["Replaces"]
    if is_changed:
        item(ms, PLAN).version += 1
    outcome = await desk.carry_out(upload, call)
    assert isinstance(outcome, Failed if is_changed else Done)
    assert (item(ms, PLAN).content == b"# Q3") is not is_changed


@pytest.mark.parametrize(
    "path", ["", "/", "a//b", "../x", "a/./b", "a:b", 'a"b', "a\u202eb", "x" * 500]
)
def test_a_path_that_no_file_can_have_is_refused(path):
    with pytest.raises(BadArguments):
        drive.checked(path)


# Sharing.


async def test_a_link_for_the_organisation_is_made_once(ms, desk):
    share = ShareLink(office=desk.office)
    call = await desk.park(share, {"item_id": item(ms, PLAN).id, "right": "read"})
    assert desk.shown(share, call)["File"] == f"/{PLAN}"
    assert desk.shown(share, call)["For"].startswith("everybody in the organisation")
    ms.graph.faults.add("POST /me/drive/items/*/createLink", Fault(drop=True, when="after"))
    outcome = await desk.carry_out(share, call)
    assert isinstance(outcome, Done) and outcome.link
    assert len(ms.effects("link.created")) == 1
    grants = [g["link"]["scope"] for g in item(ms, PLAN).permissions if "link" in g]
    assert grants == ["organization"]


async def test_people_are_invited_once_and_a_lost_answer_stays_in_doubt(ms, desk):
    share = ShareWith(office=desk.office)
    given = {
        "item_id": item(ms, PLAN).id,
        "people": ["Lena Hoffmann", "ingrid@fjord-fell.example"],
        "right": "edit",
        "message": "For Thursday.",
    }
    call = await desk.park(share, given)
    assert call.effect == "blind" and "gets a mail" in desk.described(share, call).notices[0]
    assert desk.shown(share, call)["They"] == "may read and change it"
    ms.graph.faults.add("POST /me/drive/items/*/invite", Fault(status=504, when="after"))
    outcome = await desk.carry_out(share, call)
    assert isinstance(outcome, Unknown) and "Manage access" in outcome.look_at
    assert len(ms.effects("file.shared")) == 1
    assert "For Thursday." in ms.mails("lena")[0]["body"]["content"]


async def test_a_file_that_cannot_be_seen_cannot_be_shared(ms, desk):
    for share in (ShareLink(office=desk.office), ShareWith(office=desk.office)):
        given = {"item_id": item(ms, "Runbooks/Restore a mailbox.md", "priya").id}
        with pytest.raises(BadArguments):
            await desk.park(share, {**given, "people": ["Tomás Vega"]})
