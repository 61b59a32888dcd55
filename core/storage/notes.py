"""What a turn noted of itself while it ran, for whoever looks inside it later.

Only what stands nowhere else: results are in the evidence, uses of models in the ledger.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from core.records import Json, TurnId, Withheld
from core.storage.bodies import packed, unpacked
from core.storage.database import Statements, Transaction

CallOutcome = Literal["kept", "read", "parked", "failed"]
"""`kept`: there is evidence. `read`: earlier evidence was read again. `parked`: it waits for a
person. `failed`: the model was told why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A stretch of the turn. `began` is a time, `seconds` a length."""

    name: str
    began: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedCall:
    """A tool call as it went."""

    id: str
    """The model's."""
    round: int
    alias: str
    """The name by which the model called it."""
    tool: str
    """`server/tool`; empty where there is none of that name."""
    outcome: CallOutcome
    number: int
    """Its evidence is the turn's piece of this number, where it was kept."""
    size: int
    """Characters that the model was shown."""
    began: float
    seconds: float
    arguments: Json | None = None
    """As the model gave them; None where the evidence holds them."""
    text: str = ""
    """What the model was shown; empty where it can be made again from the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    attempt: int
    accepted_at: float
    began_at: float
    """When this try of the turn began."""
    finished_at: float
    phases: tuple[Phase, ...] = ()
    offered: tuple[str, ...] = ()
    """Keys of the tools that the model was given."""
    withheld: tuple[Withheld, ...] = ()
    problems: tuple[str, ...] = ()
    """Sentences about servers that could not be asked for their tools."""
    said: Json = field(default_factory=dict[str, Any])
    """Round → what the model said beside its calls."""
    calls: tuple[NotedCall, ...] = ()


async def write(tx: Transaction, turn: TurnId, notes: Notes) -> None:
    """Called by `inbox.finish`, in its transaction."""
    await tx.execute(
        "INSERT INTO notes (turn, body, made_at) VALUES (?, ?, ?)",
        (turn, packed(Notes, notes), notes.finished_at),
    )


async def read(db: Statements, turn: TurnId) -> Notes | None:
    row = await db.fetch_one("SELECT body FROM notes WHERE turn = ?", (turn,))
    return None if row is None else unpacked(Notes, row["body"])


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM notes WHERE made_at < ?", (before,))
