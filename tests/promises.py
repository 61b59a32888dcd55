"""The promises that Countersign makes, and where each of them is kept already.

A test shows a promise with `@pytest.mark.promise(id, room, …)`. tests/architecture/test_promises.py
holds this list and the tests to each other: a promise is `kept` when every one of its `rooms` has
a test, and no test may speak for a promise that is not.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    id: str
    sentence: str
    rooms: tuple[str, ...] = ()
    """Where it is kept; while it is not, where it is going to be."""
    kept: bool = False
    later: str = ""
    """What is still missing, and what has to be built for it."""


APPROVALS = "there are no approvals yet, so no call can wait for a click"
TEAMS = "Microsoft Teams is not connected yet"
GRAPH = "nothing acts in Microsoft 365 yet"
CRASHES = "needs a night of kill -9 or of cut power, which no gate has time for"

DURABILITY = (
    Promise(
        "D1",
        "A click that was answered with “recorded” is never lost.",
        ("core.approvals",),
        later=APPROVALS,
    ),
    Promise("D2", "We carry no call out twice.", ("core.approvals",), later=APPROVALS),
    Promise(
        "D3",
        "An effect that can be repeated or read back happens exactly once.",
        ("core.approvals", "core.connectors"),
        later=GRAPH,
    ),
    Promise(
        "D4",
        "An effect whose outcome cannot be known is shown as unknown and never repeated unasked.",
        ("core.approvals",),
        later=APPROVALS,
    ),
    Promise(
        "D5",
        "The tests of desk and executor fail when desk or executor is broken.",
        ("core.approvals",),
        later=APPROVALS,
    ),
    Promise("D6", "A delivery that was answered with 200 has been committed.", ("core.storage",)),
    Promise(
        "D7",
        "A decision that was recorded survives a loss of power.",
        ("core.storage",),
        later=f"every connection syncs each commit, and a power cut {CRASHES}",
    ),
    Promise(
        "D8",
        "A turn that a crash cut short ends where people see it, once.",
        ("core.storage", "core.turn"),
    ),
    Promise("D9", "A parked call makes legal moves only.", ("core.approvals",), later=APPROVALS),
    Promise(
        "D10",
        "A backup can be restored, and at most five minutes are missing from it.",
        ("core.storage",),
        later="there is no backup command yet",
    ),
)

ORDER = (
    Promise(
        "O1",
        "A thread has one turn at a time, in the order in which its questions were accepted.",
        ("core.storage", "core.turn"),
    ),
    Promise("O2", "A delivery that comes again starts nothing.", ("core.storage",)),
    Promise(
        "O3",
        "The bot answers neither itself nor other bots, edits and joins.",
        ("adapters.slack",),
        later=TEAMS,
    ),
    Promise("O4", "A thread that hangs holds up no other.", ("core.turn",)),
    Promise(
        "O5",
        "A question that arrives too late to matter is not answered unasked.",
        ("core.policy",),
        kept=True,
    ),
)

IDENTITY = (
    Promise(
        "I1",
        "What Slack did not sign, just now and byte for byte, gets 401 and touches nothing.",
        ("adapters.slack",),
    ),
    Promise("I2", "A genuine delivery that is sent again changes nothing.", ("adapters.slack",)),
    Promise(
        "I3",
        "A Teams token that is not Microsoft's, ours and current is refused.",
        ("adapters.teams",),
        later=TEAMS,
    ),
    Promise(
        "I4",
        "No delivery can aim our answers, and our token, at another host.",
        ("adapters.teams",),
        later=TEAMS,
    ),
    Promise(
        "I5",
        "A configuration that is not safe does not start, and says in a sentence why.",
        ("bot",),
        kept=True,
    ),
    Promise("I6", "Requests that are large or slow cost little.", ("bot",), kept=True),
    Promise(
        "I7",
        "Nobody sees anything of another tenant.",
        ("core.storage",),
        later="one workspace is served so far; several come with their installations",
    ),
    Promise(
        "I8",
        "The return from a sign-in can be neither replayed nor swapped.",
        ("core.identity",),
        later="no accounts are linked yet",
    ),
)

PERMISSION = (
    Promise(
        "P1",
        "A click by somebody who may not decide changes nothing.",
        ("core.approvals", "core.policy"),
        later=APPROVALS,
    ),
    Promise(
        "P2",
        "Nor does one by a guest, another tenant's person, somebody who has left, or a bot.",
        ("core.approvals", "core.policy"),
        later=APPROVALS,
    ),
    Promise(
        "P3",
        "Edited arguments are checked again, and what runs is what was shown.",
        ("core.approvals",),
        later=APPROVALS,
    ),
    Promise(
        "P4",
        "Rights are asked for again at the moment of execution.",
        ("core.approvals",),
        later=APPROVALS,
    ),
    Promise(
        "P5", "A parked call that nobody decided expires.", ("core.approvals",), later=APPROVALS
    ),
    Promise(
        "P6",
        "The model sees the permitted set and can call nothing else.",
        ("core.policy", "core.capabilities"),
    ),
    Promise(
        "P7",
        "A tool that has changed is not the tool that was accepted.",
        ("core.capabilities", "core.policy"),
    ),
    Promise("P8", "No model stands in the way of a click.", ("core.approvals",), later=APPROVALS),
    Promise(
        "P9",
        "The card shows all that is going to happen.",
        ("core.approvals", "adapters.slack"),
        later=APPROVALS,
    ),
    Promise(
        "P10",
        "Each decision can be traced to a person, a moment and the rule that allowed it.",
        ("core.approvals", "core.ledger"),
        later=APPROVALS,
    ),
)

SECRETS = (
    Promise(
        "S1",
        "No secret stands in logs, prompts, checkpoints, the ledger, evidence or error texts.",
        ("core.telemetry",),
        kept=True,
        later="the whole bot under planted secrets, and traces, which do not exist yet",
    ),
    Promise(
        "S2",
        "Tokens are sealed where they lie, and their keys change without a pause.",
        ("core.identity",),
        later="no accounts are linked yet, so there are no tokens to seal",
    ),
    Promise(
        "S3",
        "A sealed row that was altered or moved is refused.",
        ("core.identity",),
        later="no accounts are linked yet, so there are no rows to swap",
    ),
    Promise("S4", "Credentials travel in headers and nowhere else.", ("core.capabilities",)),
    Promise(
        "S5",
        "A token reaches the server that it is meant for and no other.",
        ("core.capabilities",),
    ),
    Promise(
        "S6", "A checkpoint that we did not write is not loaded.", ("core.loop", "core.storage")
    ),
    Promise(
        "S7",
        "What was erased is gone everywhere.",
        ("core.storage",),
        later="there is no erase command yet",
    ),
    Promise(
        "S8",
        "Nothing is kept longer than its kind may be.",
        ("core.storage",),
        later="there is no sweep yet",
    ),
)

EGRESS = (
    Promise(
        "E1",
        "No live address leaves but those that evidence offered and a chip shows.",
        ("core.policy",),
        kept=True,
    ),
    Promise(
        "E2",
        "No platform fetches anything because of what we post.",
        ("adapters.slack",),
        later=TEAMS,
    ),
    Promise(
        "E3",
        "Text that somebody planted has no effect without a click.",
        ("core.turn",),
        later=APPROVALS,
    ),
    Promise(
        "E4",
        "Evidence stays with those who may see it.",
        ("core.turn",),
        later="who listens in a place is not known yet beyond the thread itself",
    ),
    Promise(
        "E5",
        "What a model writes can neither call out to people nor pass for somebody.",
        ("adapters.slack",),
        later=TEAMS,
    ),
    Promise(
        "E6",
        "No address that we are given makes us fetch from inside the house.",
        ("core.capabilities",),
        later="no address from a person or a document is fetched yet",
    ),
    Promise(
        "E7",
        "The specialists for SQL and DAX read and do nothing else.",
        ("core.specialists",),
        later="there are no such specialists yet",
    ),
    Promise(
        "E8",
        "An uploaded file cannot reach beyond itself.",
        ("core.specialists",),
        later="uploaded files are not read yet",
    ),
    Promise(
        "E9",
        "A model call that was blocked is billed once and not repeated.",
        ("core.llm",),
        kept=True,
    ),
)

LIMITS = (
    Promise(
        "L1",
        "A turn asks the model at most five times, the last time without tools.",
        ("core.loop",),
    ),
    Promise(
        "L2",
        "At most 8,000 characters of a result go into a prompt, and the whole text is kept.",
        ("core.capabilities",),
    ),
    Promise("L3", "A turn ends by its deadline and leaves no task behind.", ("core.turn",)),
    Promise(
        "L4",
        "Every use of a model has an entry with its units and its price.",
        ("core.llm", "core.ledger"),
        kept=True,
    ),
    Promise(
        "L5",
        "A limit refuses before the work begins, and a platform's “later” is obeyed.",
        ("core.ledger", "adapters.slack"),
        later="there are no budgets yet",
    ),
    Promise(
        "L6",
        "A question is accepted fast, also under load.",
        ("bot",),
        later="half a second at the 99th percentile needs ten minutes of load to show",
    ),
)

OPERATION = (
    Promise(
        "X1", "A request to stop drains what has begun and loses nothing.", ("bot", "core.turn")
    ),
    Promise(
        "X2",
        "Readiness tells the truth, and liveness is not readiness.",
        ("bot", "core.telemetry"),
        kept=True,
    ),
    Promise(
        "X3",
        "A full disk loses nothing that was recorded.",
        ("core.storage",),
        later="needs a disk of its own that can be filled",
    ),
    Promise(
        "X4",
        "One trace leads from the delivery to the last call, without any content.",
        ("core.telemetry",),
        later="there are no traces yet",
    ),
    Promise("X5", "The bot does not grow with its age.", ("bot",)),
    Promise("X6", "Two processes cannot share a database by accident.", ("core.storage",)),
)

PROMISES = (
    *DURABILITY,
    *ORDER,
    *IDENTITY,
    *PERMISSION,
    *SECRETS,
    *EGRESS,
    *LIMITS,
    *OPERATION,
)
