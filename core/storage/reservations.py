"""What running turns may still spend: reserved before a turn, used up by its ledger entries.

A budget is overspent by at most one call. Whoever is given all that was asked for stays below it;
whoever is given less, because that is all there is, takes the rest of the budget, so that nobody
else begins before it is settled.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.records import LedgerEntry, PersonId, TurnId
from core.storage.database import Dialect, Statements, Transaction
from core.storage.usage import charged

Unit = Literal["picos", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A budget as it holds for one turn."""

    key: str
    """Names the budget: one turn at a time may spend its end."""
    span: str
    """`2026-12-01` or `2026-12`, in UTC."""
    unit: Unit
    limit: int
    scopes: tuple[str, ...] = ()
    """`everyone`, the persons that are one human, or a place."""
    members: Callable[[str], bool] | None = None
    """Of a group that spends together: whether a person counts."""


class Amount(NamedTuple):
    picos: int = 0
    tokens: int = 0

    def of(self, unit: Unit) -> int:
        return self.picos if unit == "picos" else self.tokens


class Standing(NamedTuple):
    """How a budget stands."""

    cap: Cap
    spent: int
    reserved: int
    """By turns that run, beside what they have spent."""

    @property
    def left(self) -> int:
        return self.cap.limit - self.spent - self.reserved


class Held(NamedTuple):
    """A reservation that counts."""

    turn: str
    person: str
    place: str
    amount: Amount
    held: Amount
    """Of it, what calls that are under way may cost."""
    clipped: str


async def use(tx: Statements, entry: LedgerEntry) -> None:
    """A turn has spent some of what it reserved."""
    amount, tokens = charged(entry)
    await tx.execute(
        """
        UPDATE reservations SET
          picos = CASE WHEN picos > ? THEN picos - ? ELSE 0 END,
          tokens = CASE WHEN tokens > ? THEN tokens - ? ELSE 0 END
        WHERE turn = ?
        """,
        (
            *(amount, amount),
            *(tokens, tokens),
            entry.billing.turn,
        ),
    )


async def standings(db: Statements, caps: Sequence[Cap]) -> list[Standing]:
    """How each of the budgets stands now."""
    open_ones = await _open(db)
    return [
        Standing(cap, await _spent(db, cap), sum(_counts(cap, one) for one in open_ones))
        for cap in caps
    ]


async def admit(
    tx: Transaction,
    dialect: Dialect,
    turn: TurnId,
    who: tuple[PersonId, str],
    want: Amount,
    caps: Sequence[Cap],
    *,
    now: float,
) -> Standing | None:
    """Reserve for a turn that begins, in the transaction that records its question: all that it
    wants, or what is left. None when it may begin, else the budget of which nothing is left.
    `who` is the person and the place."""
    await _alone(tx, dialect)
    found = await standings(tx, caps)
    if spent := next((one for one in found if one.left <= 0), None):
        return spent
    amount, clipped = _granted(want, found)
    await tx.execute(
        "INSERT INTO reservations (turn, person, place, picos, tokens, clipped, reserved_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (turn, *who, *amount, clipped, now),
    )
    return None


async def hold(
    tx: Transaction,
    dialect: Dialect,
    turn: TurnId,
    who: tuple[PersonId, str],
    want: Amount,
    caps: Sequence[Cap],
    *,
    now: float,
) -> Standing | None:
    """Before a call of a turn: hold back what it may cost, and reserve more where the turn has
    not enough. None when the call may be made; end it with `let_go`."""
    await _alone(tx, dialect)
    await tx.execute(
        "INSERT INTO reservations (turn, person, place, picos, tokens, reserved_at)"
        " VALUES (?, ?, ?, 0, 0, ?) ON CONFLICT (turn) DO NOTHING",
        (turn, *who, now),
    )
    open_ones = await _open(tx)
    mine = next((one for one in open_ones if one.turn == turn), None)
    if mine is None:
        # A turn that is over, such as a call that was approved later: nothing to reserve for.
        found = await standings(tx, caps)
        return next((one for one in found if one.left <= 0), None)
    short = Amount(
        max(0, want.picos - (mine.amount.picos - mine.held.picos)),
        max(0, want.tokens - (mine.amount.tokens - mine.held.tokens)),
    )
    found = await standings(tx, caps) if any(short) else []
    more, clipped = _granted(short, found)
    if clipped:
        tight = next(one for one in found if one.cap.key == clipped)
        unit = tight.cap.unit
        rest = mine.amount.of(unit) - mine.held.of(unit) + more.of(unit)
        if rest <= 0 or any(o.clipped == clipped and o.turn != turn for o in open_ones):
            return tight
    await tx.execute(
        "UPDATE reservations SET picos = picos + ?, tokens = tokens + ?, clipped = ?,"
        " held_picos = held_picos + ?, held_tokens = held_tokens + ? WHERE turn = ?",
        (*more, clipped, *want, turn),
    )
    return None


async def let_go(tx: Statements, turn: TurnId, want: Amount) -> None:
    """The call is over, and its entry has been counted."""
    await tx.execute(
        "UPDATE reservations SET held_picos = held_picos - ?, held_tokens = held_tokens - ?"
        " WHERE turn = ?",
        (*want, turn),
    )


async def begin(db: Statements, turn: TurnId) -> None:
    """No call of this turn is under way: it is begun, perhaps after a crash."""
    await db.execute(
        "UPDATE reservations SET held_picos = 0, held_tokens = 0"
        " WHERE turn = ? AND (held_picos > 0 OR held_tokens > 0)",
        (turn,),
    )


async def settle(db: Statements) -> int:
    """Forget the reservations of turns that are over; they have not counted since."""
    return await db.execute(
        "DELETE FROM reservations WHERE turn NOT IN"
        " (SELECT id FROM inbox WHERE state IN ('new', 'running'))"
    )


async def warn(tx: Statements, key: str, span: str, *, now: float) -> bool:
    """Whether this is the first warning about the budget in this span."""
    warned = await tx.execute(
        "INSERT INTO budget_warnings (budget, span, warned_at) VALUES (?, ?, ?)"
        " ON CONFLICT (budget, span) DO NOTHING",
        (key, span, now),
    )
    return warned == 1


def _granted(want: Amount, found: Sequence[Standing]) -> tuple[Amount, str]:
    """What can be given, and the key of the budget that gave less than was wanted."""
    given, clipped = {"picos": want.picos, "tokens": want.tokens}, ""
    for one in found:
        if one.left < given[one.cap.unit]:
            given[one.cap.unit] = max(0, one.left)
            clipped = one.cap.key
    return Amount(**given), clipped


async def _alone(tx: Transaction, dialect: Dialect) -> None:
    """Decisions about budgets are made one after the other: SQLite has one writer anyway."""
    if dialect == "postgres":
        await tx.execute("SELECT pg_advisory_xact_lock(2)")


async def _open(db: Statements) -> list[Held]:
    rows = await db.fetch(
        "SELECT reservations.* FROM reservations JOIN inbox ON inbox.id = reservations.turn"
        " WHERE inbox.state IN ('new', 'running')"
    )
    return [
        Held(
            row["turn"],
            row["person"],
            row["place"],
            Amount(row["picos"], row["tokens"]),
            Amount(row["held_picos"], row["held_tokens"]),
            row["clipped"],
        )
        for row in rows
    ]


async def _spent(db: Statements, cap: Cap) -> int:
    if cap.members is not None:
        rows = await db.fetch("SELECT * FROM spent WHERE span = ?", (cap.span,))
        return sum(row[cap.unit] for row in rows if cap.members(row["scope"]))
    total = 0
    for scope in cap.scopes:
        row = await db.fetch_one(
            "SELECT picos, tokens FROM spent WHERE scope = ? AND span = ?", (scope, cap.span)
        )
        total += 0 if row is None else row[cap.unit]
    return total


def _counts(cap: Cap, one: Held) -> int:
    is_counted = (
        cap.members(one.person)
        if cap.members is not None
        else "everyone" in cap.scopes or one.person in cap.scopes or one.place in cap.scopes
    )
    return one.amount.of(cap.unit) if is_counted else 0
