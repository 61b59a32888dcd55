"""The promises that Countersign makes, and where each of them is kept already.

A test shows a promise with `@pytest.mark.promise(id, room, …)`. tests/architecture/test_promises.py
holds this list and the tests to each other: a promise is `kept` when every one of its rooms has a
test, and no test may speak for a promise that is not.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    id: str
    rooms: tuple[str, ...]
    """Where it is kept; while it is not, where it is going to be."""
    sentence: str
    kept: bool
    missing: str
    """What is not there yet, in these rooms or in others."""


def kept(id: str, rooms: str, sentence: str, missing: str = "") -> Promise:
    return Promise(id, tuple(rooms.split()), sentence, True, missing)


def not_yet(id: str, rooms: str, sentence: str, missing: str) -> Promise:
    return Promise(id, tuple(rooms.split()), sentence, False, missing)


TEAMS = "in Microsoft Teams nobody has looked yet at what its clients fetch by themselves"

DURABILITY = (
    kept("D1", "core.approvals", "A click that was answered with “recorded” is never lost."),
    kept("D2", "core.approvals", "We carry no call out twice."),
    kept(
        "D3",
        "core.approvals core.connectors",
        "An effect that can be repeated or read back happens exactly once.",
    ),
    kept(
        "D4",
        "core.approvals",
        "An effect whose outcome cannot be known is shown as unknown and never repeated unasked.",
    ),
    kept(
        "D5",
        "core.approvals",
        "The tests of desk and executor fail when desk or executor is broken.",
    ),
    kept("D6", "core.storage", "A delivery that was answered with 200 has been committed."),
    kept(
        "D7",
        "core.storage core.approvals",
        "A decision that was recorded survives a loss of power.",
    ),
    kept(
        "D8",
        "core.storage core.turn",
        "A turn that a crash cut short ends where people see it, once.",
    ),
    kept("D9", "core.approvals", "A parked call makes legal moves only."),
    kept(
        "D10",
        "core.storage",
        "A backup holds all that was committed when it began, and what is restored goes on.",
    ),
)

ORDER = (
    kept(
        "O1",
        "core.storage core.turn adapters.slack adapters.teams",
        "A thread has one turn at a time, in the order in which its questions were accepted.",
    ),
    kept(
        "O2",
        "core.storage core.turn adapters.slack adapters.teams",
        "A delivery that comes again starts nothing.",
    ),
    kept(
        "O3",
        "adapters.slack adapters.teams",
        "The bot answers neither itself nor bots that nobody named, no joins, and no edit of an"
        " answered question.",
    ),
    kept(
        "O4",
        "core.turn adapters.slack adapters.teams",
        "A thread that hangs holds up no other.",
    ),
    kept(
        "O5",
        "core.policy adapters.slack adapters.teams",
        "A question that arrives too late to matter is not answered unasked.",
    ),
)

IDENTITY = (
    kept(
        "I1",
        "adapters.slack",
        "What Slack did not sign, just now and byte for byte, gets 401 and touches nothing.",
    ),
    kept(
        "I2",
        "adapters.slack adapters.teams",
        "A genuine delivery that is sent again changes nothing.",
    ),
    kept(
        "I3",
        "adapters.teams",
        "A Teams token that is not Microsoft's, ours and current is refused.",
    ),
    kept(
        "I4",
        "adapters.slack adapters.teams",
        "No delivery can aim our answers, and our token, at another host.",
    ),
    kept(
        "I5",
        "bot adapters.slack adapters.teams core.identity",
        "A configuration that is not safe does not start, and says in a sentence why.",
    ),
    kept("I6", "bot adapters.slack adapters.teams", "Requests that are large or slow cost little."),
    kept(
        "I7",
        "core.storage adapters.slack adapters.teams core.specialists",
        "Nobody sees anything of another tenant.",
    ),
    kept(
        "I8",
        "core.identity bot adapters.slack",
        "The return from a sign-in can be neither replayed nor swapped.",
    ),
)

PERMISSION = (
    kept(
        "P1",
        "core.approvals core.policy",
        "A click by somebody who may not decide changes nothing.",
    ),
    kept(
        "P2",
        "core.approvals core.policy adapters.teams",
        "Nor does one by a guest, another tenant's person, somebody who has left, or a bot.",
    ),
    kept(
        "P3",
        "core.approvals",
        "Edited arguments are checked again, and what runs is what was shown.",
    ),
    kept(
        "P4",
        "core.approvals adapters.slack adapters.teams",
        "Rights are asked for again at the moment of execution.",
    ),
    kept(
        "P5",
        "core.approvals adapters.slack adapters.teams",
        "A parked call that nobody decided expires.",
    ),
    kept(
        "P6",
        "core.policy core.capabilities adapters.slack adapters.teams",
        "The model sees the permitted set and can call nothing else.",
    ),
    kept(
        "P7",
        "core.capabilities core.policy adapters.slack adapters.teams",
        "A tool that has changed is not the tool that was accepted.",
    ),
    kept("P8", "core.approvals", "No model stands in the way of a click."),
    kept(
        "P9",
        "core.approvals adapters.slack adapters.teams",
        "The card shows all that is going to happen.",
    ),
    kept(
        "P10",
        "core.approvals",
        "Each decision can be traced to a person, a moment and the rule that allowed it.",
    ),
)

SECRETS = (
    kept(
        "S1",
        "core.telemetry core.loop core.storage core.approvals adapters.slack adapters.teams bot"
        " core.identity",
        "No secret stands in logs, prompts, checkpoints, the ledger, evidence, cards, backups or"
        " error texts.",
    ),
    kept(
        "S2",
        "core.identity core.storage",
        "Tokens are sealed where they lie, and their keys change without a pause.",
    ),
    kept(
        "S3",
        "core.identity core.storage",
        "A sealed row that was altered or moved is refused.",
    ),
    kept("S4", "core.capabilities", "Credentials travel in headers and nowhere else."),
    kept(
        "S5",
        "core.capabilities core.identity",
        "A token reaches the server that it is meant for and no other.",
    ),
    kept("S6", "core.loop core.storage", "A checkpoint that we did not write is not loaded."),
    kept(
        "S7",
        "core.storage",
        "What was erased is gone everywhere.",
        "copies that were made before have to be erased by whoever keeps them; on Postgres the"
        " server overwrites in its own time",
    ),
    kept("S8", "core.storage", "Nothing is kept longer than its kind may be."),
)

EGRESS = (
    kept(
        "E1",
        "core.policy core.turn adapters.slack core.specialists",
        "No live address leaves but those that evidence offered and a chip shows.",
    ),
    kept("E2", "adapters.slack", "No platform fetches anything because of what we post.", TEAMS),
    kept(
        "E3",
        "core.turn core.approvals core.specialists",
        "Text that somebody planted has no effect without a click.",
    ),
    kept(
        "E4",
        "core.turn core.specialists",
        "Evidence stays with those who may see it.",
        "for documents; other tools answer by the asker's rights alone",
    ),
    kept(
        "E5",
        "adapters.slack adapters.teams",
        "What a model writes can neither call out to people nor pass for somebody.",
    ),
    kept(
        "E6",
        "core.connectors",
        "No address that we are given makes us fetch from inside the house.",
        "no address from a person or a document is fetched yet",
    ),
    kept(
        "E7",
        "core.specialists",
        "The specialists for SQL and DAX read and do nothing else.",
    ),
    kept("E8", "core.specialists", "An uploaded file cannot reach beyond itself."),
    kept(
        "E9", "core.llm core.turn", "A model call that was blocked is billed once and not repeated."
    ),
)

LIMITS = (
    kept(
        "L1", "core.loop", "A turn asks the model at most five times, the last time without tools."
    ),
    kept(
        "L2",
        "core.capabilities core.loop",
        "At most 8,000 characters of a result go into a prompt, and the whole text is kept.",
    ),
    kept("L3", "core.turn", "A turn ends by its deadline and leaves no task behind."),
    kept(
        "L4",
        "core.llm core.ledger",
        "Every use of a model has an entry with its units and its price.",
    ),
    kept(
        "L5",
        "core.ledger adapters.slack adapters.teams",
        "A limit refuses before the work begins, and a platform's “later” is obeyed.",
    ),
    kept(
        "L6",
        "bot",
        "A question is accepted fast, also under load.",
        "half a second at the 99th percentile over ten minutes, which has to be run by hand",
    ),
)

OPERATION = (
    kept("X1", "bot core.turn", "A request to stop drains what has begun and loses nothing."),
    kept("X2", "bot core.telemetry", "Readiness tells the truth, and liveness is not readiness."),
    not_yet(
        "X3",
        "core.storage",
        "A full disk loses nothing that was recorded.",
        "needs a disk of its own that can be filled",
    ),
    kept(
        "X4",
        "core.telemetry",
        "One trace leads from the delivery to the last call, without any content.",
    ),
    kept("X5", "bot", "The bot does not grow with its age."),
    kept("X6", "core.storage", "Two processes cannot share a database by accident."),
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
