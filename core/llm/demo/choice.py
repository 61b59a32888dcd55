"""Which of the bound tools a question is about."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.llm.demo.words import first_sentence, stem, stems, words
from core.records import Json, ToolSchema

ENOUGH = 1.2
"""A score from which a tool is worth a call: a word of its first sentence that few others have."""
WHOLE = 0.8
"""For a tool that knows every word of the question."""
GROUPS = frozenset("group by dimension breakdown per split column".split())
"""Words in the name of a parameter that says what a result is grouped by."""
SUPERLATIVES = frozenset(
    """most highest best top largest biggest greatest maximum leading least lowest worst smallest
    fewest minimum weakest cheapest""".split()
)
MAKING = frozenset(
    stem(w) for w in "write export create make draw send add update book set".split()
)
NAME, FIRST, REST, CHOICE, PROPERTY, REMARK = 3.0, 1.6, 0.7, 1.4, 1.2, 0.4


@dataclass(frozen=True, slots=True)
class Scored:
    tool: ToolSchema
    score: float
    matched: frozenset[str]
    """The stems of the question that the tool knows."""
    is_whole: bool = False
    """Whether it knows all of them."""

    @property
    def fits(self) -> bool:
        return self.score >= ENOUGH or (self.is_whole and self.score >= ENOUGH / 3)


def rank(weights: Mapping[str, float], tools: Sequence[ToolSchema]) -> list[Scored]:
    """The tools, best first. `weights` are the stems of the question, each with how much it
    counts (1 for what was just said)."""
    known = [vocabulary(tool) for tool in tools]
    is_superlative = bool({stem(w) for w in SUPERLATIVES} & weights.keys())
    scored: list[Scored] = []
    for tool, vocabulary_of_tool in zip(tools, known, strict=True):
        score = 0.0
        matched: set[str] = set()
        is_singled_out = False
        for word, weight in weights.items():
            if word not in vocabulary_of_tool:
                continue
            spread = sum(1 for other in known if other.get(word, 0) >= REST)
            rarity = math.log(1 + len(tools) / max(1, spread)) / math.log(1 + len(tools))
            score += weight * vocabulary_of_tool[word] * rarity
            matched.add(word)
            is_singled_out = is_singled_out or spread == 1
        if not is_singled_out and MAKING & set(stems(first_sentence(tool.description))[:1]):
            # A tool that makes something is not called for words that other tools have as well.
            score *= 0.3
        is_whole = 0 < len(weights) == len(matched)
        if is_superlative and _groups_by(tool, weights):
            # “Best product” asks for a ranking, which a tool that groups can give.
            score += FIRST
        scored.append(Scored(tool, score + is_whole * WHOLE, frozenset(matched), is_whole))
    return sorted(scored, key=lambda s: (-s.score, s.tool.name))


def _groups_by(tool: ToolSchema, weights: Mapping[str, float]) -> bool:
    return any(
        GROUPS & set(words(name)) and any(set(stems(str(c))) & weights.keys() for c in choices(s))
        for name, s in properties(tool).items()
    )


def vocabulary(tool: ToolSchema) -> dict[str, float]:
    """The stems that a tool is described with, each with the weight of its best place."""
    lead = first_sentence(tool.description)
    found: dict[str, float] = {}
    _add(found, tool.name, NAME)
    for place, word in enumerate(stems(lead)):
        # What a description begins with is what the tool is for: it decides between equals.
        weight = FIRST - 0.03 * min(place, 10)
        found[word] = max(weight, found.get(word, 0.0))
    _add(found, tool.description, REST)
    for name, schema in properties(tool).items():
        _add(found, name, PROPERTY)
        _add(found, str(schema.get("description", "")), REMARK)
        for value in choices(schema):
            _add(found, str(value), CHOICE)
    return found


def properties(tool: ToolSchema) -> dict[str, Json]:
    """The parameters by name, each with its schema where references are followed."""
    listed = tool.parameters.get("properties")
    if not isinstance(listed, dict):
        return {}
    found = cast("dict[str, Any]", listed)
    return {name: plain(cast(Json, s or {}), tool.parameters) for name, s in found.items()}


def required(tool: ToolSchema) -> list[str]:
    listed = tool.parameters.get("required")
    return [str(name) for name in cast("list[Any]", listed)] if isinstance(listed, list) else []


def plain(schema: Json, root: Json) -> Json:
    """The schema of a value without references and without the branch for null."""
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target = root
        for part in reference[2:].split("/"):
            inner = target.get(part)
            target = cast(Json, inner) if isinstance(inner, dict) else {}
        schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [b for b in cast("list[Json]", branches) if b.get("type") != "null"]
            rest = {k: v for k, v in schema.items() if k != key}
            if real:
                return {**plain(real[0], root), **rest}
    if isinstance(schema.get("type"), list):
        kinds = [k for k in cast("list[str]", schema["type"]) if k != "null"]
        schema = {**schema, "type": kinds[0] if kinds else "string"}
    return schema


def choices(schema: Json) -> list[Any]:
    """The values of which the argument is one, or of which it is a list."""
    if isinstance(schema.get("enum"), list):
        return [v for v in cast("list[Any]", schema["enum"]) if v is not None]
    if "const" in schema:
        return [schema["const"]]
    items = schema.get("items")
    return choices(cast(Json, items)) if isinstance(items, dict) else []


def _add(found: dict[str, float], text: str, weight: float) -> None:
    for word in stems(text):
        found[word] = max(weight, found.get(word, 0.0))
