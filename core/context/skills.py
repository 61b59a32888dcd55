"""Skills: one extra system message at most, chosen by the words of the request, nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    name: str
    text: str
    """The system message."""
    when: tuple[str, ...]
    """Words or phrases; one of them in the request chooses the skill."""


def chosen(skills: Sequence[Skill], request: str) -> Skill | None:
    """The first skill that the request speaks of, or that it names as `skill:<name>`."""
    lowered = request.lower()
    for skill in skills:
        if f"skill:{skill.name.lower()}" in lowered:
            return skill
    for skill in skills:
        if any(re.search(rf"(?<!\w){re.escape(w.lower())}(?!\w)", lowered) for w in skill.when):
            return skill
    return None
