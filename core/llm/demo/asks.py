"""What is asked back before an act can be prepared, and what is said once it waits."""

from core.llm.demo.deeds import BODIES, PEOPLE
from core.llm.demo.words import words

WHOM = "Who should get it? A name or a mail address will do."
WHICH = "Which one do you mean?"
WHAT = "What should it say?"
WHEN = "When should it be? A day and an hour will do."
WHERE = "In which channel?"
WAITS = "waits for a decision on its card"
ASKED = {WHOM: "people", WHICH: "which", WHAT: "said", WHEN: "when", WHERE: "channel"}
"""Per question, what the reply to it is."""


def question(parameter: str) -> str:
    """What a person is asked when this parameter is missing."""
    parts = set(words(parameter))
    if parts & PEOPLE:
        return WHOM
    if parts & (BODIES | {"subject", "title"}):
        return WHAT
    if parts & {"start", "end"}:
        return WHEN
    return WHERE if "channel" in parts else ""
