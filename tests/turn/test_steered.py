"""What lies over the file: rows of admins on every replica, the file itself when it changes."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from bot.workspace.microsoft.seed import ACCOUNTS
from core.ledger.budget import Budgets, Limit
from core.policy.guards import Choice
from core.policy.rules import Rule, Rules, is_admin, permit
from core.policy.section import read_policy
from core.records import Person, PersonId, Place, Tool
from core.storage import memberships
from core.storage.acts import Act
from core.storage.database import Conflict, Database
from core.turn.laid import as_value
from core.turn.setup import Setup
from core.turn.steering import Steering
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION
from tests.turn.reading import chat
from tests.turn.steering import ADMINS, OFFERED, ordered, words_of

TOMAS = next(one.oid for one in ACCOUNTS if one.name == "tomas")
ADA = Person(id=PersonId("slack:T1/UADA"))
HERE = Place(surface="slack", tenant="T1", channel="C1", kind="public")
TOOL = Tool(server="crm", name="deals", description="", schema={}, digest="d")
FILE = Setup(
    models=("demo",),
    default=Choice(model="demo", agent=""),
    rules=Rules(rules=(Rule(number=1, verb="offer", what="tool:*"),)),
    budgets=Budgets(limits=(Limit(whom="everyone", amount=Decimal(9)),)),
)


def offered(setup: Setup) -> bool:
    return bool(permit([TOOL], ADA, HERE, "", setup.rules, {TOOL.key: "d"}).offered)


def act(topic: str, subject: str, value: str, at: float = 1.0) -> Act:
    return Act(topic, subject, value, "", "slack:T1/UADA", at)


async def test_a_switch_holds_at_the_next_call_of_every_replica(database: Database) -> None:
    here, there = Steering(database, FILE), Steering(database, FILE)
    assert offered(await there.fresh())
    for subject in ("tool:crm/deals", "server:crm", "everything"):
        await here.act(act("switch", subject, "off"))
        assert not offered(await there.fresh())
        await here.act(act("switch", subject, ""))
        assert offered(await there.fresh())
    await here.act(act("switch", "effects", "off"))
    assert not (await there.fresh()).rules.has_effects


async def test_a_switch_reaches_the_calls_of_turns_that_run_elsewhere_within_a_second(
    database: Database,
) -> None:
    """What a running turn asks before each of its calls; the other replica has its own clock."""
    passed = 0.0
    here, there = Steering(database, FILE), Steering(database, FILE, now=lambda: passed)
    assert offered(await there.recent())
    await here.act(act("switch", "everything", "off"))
    passed += 0.99
    assert not offered(await there.recent())
    await here.act(act("switch", "everything", ""))
    passed += 0.1
    assert not offered(await there.recent())
    passed += 0.89
    assert offered(await there.recent())


async def test_budgets_and_channels_of_chat_lie_over_the_file(database: Database) -> None:
    steering = Steering(database, FILE)
    more = Limit(whom="everyone", amount=Decimal(50))
    await steering.act(act("budget", more.subject, as_value(more)))
    [limit] = steering.setup.budgets.limits
    assert limit.amount == 50 and "slack:T1/UADA" in limit.origin
    await steering.act(act("budget", more.subject, "off"))
    assert steering.setup.budgets.limits == ()
    await steering.act(act("budget", more.subject, ""))
    assert steering.setup.budgets.limits == FILE.budgets.limits
    await steering.act(act("channel", HERE.id, '{"model": "demo", "agent": "a"}'))
    assert steering.setup.choice(HERE).agent == "a"


async def test_what_admins_did_is_never_changed_or_deleted(database: Database) -> None:
    await Steering(database, FILE).act(act("switch", "everything", "off"))
    for change in ("UPDATE acts SET value = ''", "DELETE FROM acts"):
        with pytest.raises(Conflict):
            await database.execute(change)  # type: ignore[arg-type]


async def test_members_of_groups_that_others_keep_count_once_they_are_read(
    database: Database,
) -> None:
    rules = read_policy({"admins": ["group:it"], "groups": {"it": ["slack:S1", "entra:g1"]}})
    steering = Steering(database, Setup(models=FILE.models, default=FILE.default, rules=rules))
    assert not is_admin(ADA, (await steering.fresh()).rules)
    await memberships.keep(database, "slack:S1", ["slack:T1/UADA"], now=5.0)
    assert is_admin(ADA, (await steering.fresh()).rules)
    await memberships.keep(database, "slack:S1", [], now=6.0)
    await memberships.keep(database, "entra:g1", ["oid-1"], now=6.0)
    rules = (await steering.fresh()).rules
    assert not is_admin(ADA, rules)
    assert is_admin(Person(id=ADA.id, ids=("entra:oid-1",)), rules)
    assert is_admin(Person(id=PersonId("teams:t/oid-1")), rules)
    await memberships.note_fault(database, "entra:g1", "no answer")
    assert is_admin(Person(id=PersonId("teams:t/oid-1")), (await steering.fresh()).rules)


async def test_the_file_counts_without_a_restart_and_parked_calls_are_asked_about_anew(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    approving = OFFERED + '    - {approve: "tool:sample/list_products"}\n'
    async with house(tmp_path, models=models, side=side, yaml=approving) as bot:
        models.script([call("sample_list_products"), say("It waits.")])
        await bot.ask(f"{MENTION} list the products", person="tomas")
        file = tmp_path / "countersign.yaml"
        broken = file.read_text().replace('{offer: "server:sample"}', '{offfer: "server:sample"}')
        file.write_text(broken)
        await until(bot, lambda: bool(bot.bot.rooms.steering.fault))
        shown = words_of(await ordered(bot, "mara", "policy show"))
        assert (
            "cannot be read; what it said before holds" in shown and "countersign.yaml:5" in shown
        )

        file.write_text(f'policy: {{{ADMINS}, rules: [{{withhold: "server:sample"}}]}}\n')
        await until(bot, lambda: not bot.bot.rooms.steering.fault)
        db = bot.bot.rooms.db
        async with asyncio.timeout(15):
            while not await db.fetch("SELECT 1 FROM parked WHERE state = 'void'"):
                await db.wait("test", 0.1)
        models.script([say("Nothing to look in.")])
        await bot.ask(f"{MENTION} list the products once more", person="tomas")
        assert "sample_list_products" not in chat(models)[-1].tools


async def test_a_user_group_of_slack_makes_its_members_admins(
    tmp_path: Path, models: ModelServer
) -> None:
    yaml = "policy: {admins: ['group:it'], groups: {it: ['slack:S0IT']}}\n"
    async with house(tmp_path, models=models, yaml=yaml) as bot:
        bot.slack.world.user_groups["S0IT"] = ["U0TOMAS"]
        steering = bot.bot.rooms.steering
        await until(bot, lambda: bool(steering.rules.groups["it"]))
        assert is_admin(Person(id=PersonId(bot.side.person("tomas"))), steering.rules)
        shown = words_of(await ordered(bot, "tomas", "policy"))
        assert "it: 1 person; slack:S0IT as of 0 min ago" in shown


async def until(bot: House, holds: Callable[[], bool], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not holds():
            await bot.bot.rooms.db.wait("test", 0.05)


async def test_a_group_of_entra_makes_its_members_admins_on_both_chats(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    group = "0e6f1d38-54b5-4d0b-9a51-0a4f7f1f9d11"
    yaml = f"policy: {{admins: ['group:it'], groups: {{it: ['entra:{group}']}}}}\n"
    async with house(tmp_path, models=models, side=side, yaml=yaml) as bot:
        workspace = bot.bot.workspace
        assert workspace is not None
        workspace.microsoft.tenant.groups[group] = [TOMAS]
        steering = bot.bot.rooms.steering
        await until(bot, lambda: bool(steering.rules.groups["it"]))
        found = await steering.known(Person(id=PersonId(bot.side.person("tomas"))))
        # On Slack only whoever has proven to own the account is meant by its object id.
        assert is_admin(found, steering.rules) is (side == "teams")
        linked = Person(id=found.id, ids=(f"entra:{TOMAS}",))
        assert is_admin(linked, steering.rules)
