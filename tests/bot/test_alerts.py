"""The page, the dashboard and the alerts speak of the numbers that `/metrics` gives."""

import json
import re

import yaml

from bot import observing
from core.storage.database import Database
from core.telemetry import metrics
from core.telemetry.metrics import Durations
from tests.approvals.office import office
from tests.architecture.sources import ROOT

NAME = re.compile(r"\bcountersign_[a-z_]+[a-z]\b")
GRAFANA = json.loads((ROOT / "deploy/grafana.json").read_text("utf-8"))
ALERTS = yaml.safe_load((ROOT / "deploy/alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
PAGE = (ROOT / "docs/operating.md").read_text("utf-8")


async def given(database: Database, now: float = 0.0) -> str:
    """What `/metrics` answers."""
    numbers = observing.Numbers(database, "t", observing.Lateness(), lambda: now)
    return metrics.exposed(await numbers._gauges())


def kinds(text: str) -> dict[str, str]:
    return dict(re.findall(r"# TYPE (\w+) (\w+)", text))


def series(name: str, known: dict[str, str]) -> str:
    """The metric that a series of this name belongs to."""
    base = re.sub(r"_(?:bucket|sum|count)$", "", name)
    return base if known.get(base) == "histogram" else name


def queries() -> list[str]:
    drawn = [target["expr"] for panel in GRAFANA["panels"] for target in panel["targets"]]
    return [*drawn, *(rule["expr"] for rule in ALERTS)]


def labels_of(query: str) -> set[str]:
    grouped = " ".join(re.findall(r"by \(([^)]*)\)", query)).replace(",", " ").split()
    return {*grouped, *re.findall(r"(\w+)=~?\"", query)} - {"le"}


async def test_the_page_names_every_number_and_no_other(sqlite: Database) -> None:
    table = PAGE.partition("| metric, each")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    told = {f"countersign_{name}" for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert told == set(kinds(await given(sqlite)))


async def test_dashboard_and_alerts_ask_for_numbers_that_there_are(sqlite: Database) -> None:
    known = kinds(await given(sqlite))
    asked = {series(name, known) for query in queries() for name in NAME.findall(query)}
    assert asked <= set(known), asked - set(known)
    drawn = " ".join(t["expr"] for panel in GRAFANA["panels"] for t in panel["targets"])
    assert {series(name, known) for name in NAME.findall(drawn)} == set(known)


async def test_they_use_each_number_as_what_it_is(sqlite: Database) -> None:
    """Counters are asked for their growth, gauges never; labels are those that are counted."""
    known = kinds(await given(sqlite))
    labels = {
        one.name: {one.label} if isinstance(one, Durations) else set(one.labels)
        for one in metrics._ALL
    }
    for query in queries():
        for name in NAME.findall(query):
            grows = bool(re.search(rf"(?:rate|increase)\({name}\b", query))
            assert grows == (known[series(name, known)] != "gauge"), query
            assert labels_of(query) <= labels.get(series(name, known), set()), query


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in ALERTS]
    assert len(set(names)) == len(names) >= 6
    for rule in ALERTS:
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        assert rule["annotations"]["action"].endswith("."), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_the_dashboard_has_no_panel_over_another() -> None:
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in GRAFANA["panels"]]
    assert len(set(places)) == len(places)
    assert all(
        x + panel["gridPos"]["w"] <= 24
        for (x, _), panel in zip(places, GRAFANA["panels"], strict=True)
    )


async def test_an_unknown_outcome_and_a_call_that_nobody_begins_grow_old(
    sqlite: Database,
) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        await room.click(call)
        text = await given(sqlite, room.clock.now + 90)
        assert "\ncountersign_oldest_approved_seconds 90\n" in text
        assert "\ncountersign_oldest_unknown_seconds 0\n" in text
        room.box.answers.append(TimeoutError("no answer"))
        await room.carry_out()
        text = await given(sqlite, room.clock.now + 4_000)
        assert "\ncountersign_unknown_calls 1\n" in text
        assert "\ncountersign_oldest_unknown_seconds 4000\n" in text
        assert "\ncountersign_oldest_approved_seconds 0\n" in text
