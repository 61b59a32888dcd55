"""The words of the demo model's answers."""

import re
from collections.abc import Sequence
from typing import Any, cast

from core.llm.demo import memory
from core.llm.demo.choice import properties
from core.llm.demo.conversation import Conversation
from core.llm.demo.memory import HONEST
from core.llm.demo.plan import Plan, is_small_talk
from core.llm.demo.results import Result, Table, parsed, prose, table
from core.llm.demo.words import first_sentence, stems, words
from core.records import ToolSchema

MOST_ROWS = 12
MOST_PROSE = 900
_MOST = frozenset("most highest best top largest biggest greatest maximum leading".split())
_LEAST = frozenset("least lowest worst smallest fewest minimum weakest".split())


def write(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    """The whole answer as Markdown; its first line says what speaks here."""
    return f"{HONEST}\n\n{_body(conversation, tools, plan)}"


def _body(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    question = conversation.question
    if conversation.results:
        return _from_results(conversation, plan)
    if is_small_talk(question):
        return f"Hello! {_abilities(tools)}"
    if memory.states_something(question):
        return f"Noted in this thread: “{question.strip()}” Ask me for it whenever you need it."
    if plan.missing:
        return _ask_back(plan)
    if remembered := memory.recall(conversation):
        return f"Earlier in this thread it was said: “{remembered}”"
    return f"I found nothing here that answers this. {_abilities(tools)}"


def _from_results(conversation: Conversation, plan: Plan) -> str:
    good = [r for r in conversation.results if not r.is_error]
    failed = [r for r in conversation.results if r.is_error]
    last = {r.call.name for r in good[-1:]}
    # What was only looked up on the way needs no telling when the goal was reached.
    steps = [r for r in good if r.call.name in last or not _fed(r, good)]
    parts = [_tell(r, conversation.question) for r in steps]
    parts += [_failure(r) for r in failed]
    if plan.missing and not good:
        parts.append(_ask_back(plan))
    return "\n\n".join(part for part in parts if part)


def _fed(result: Result, results: Sequence[Result]) -> bool:
    """Whether a later call used a value from this result."""
    later = results[list(results).index(result) + 1 :]
    used = {
        str(value)
        for r in later
        for value in r.call.arguments.values()
        if isinstance(value, (str, int)) and len(str(value)) > 1
    }
    asked = {str(value) for value in result.call.arguments.values()}
    return any(re.search(rf"(?<!\w){re.escape(v)}(?!\w)", result.text) for v in used - asked)


def _tell(result: Result, question: str) -> str:
    cite = f" [{result.number}]" if result.number else ""
    rows = table(result.text)
    told = prose(result.text)
    lead = _superlative(rows, question, cite) if rows else ""
    parts = [lead] if lead else []
    if rows is None:
        parts.append(_plain(result, told) + cite)
    else:
        intro = told.partition("\n\n")[0][:MOST_PROSE].rstrip(": ")
        if intro or not lead:
            intro = intro or f"{_spoken(result.call.name).capitalize()}"
            parts.append(f"{intro}{cite}" if intro[-1] in ".!?" else f"{intro}:{cite}")
        parts.append(_table(rows))
    if result.is_shortened:
        parts.append("The result is longer than what I was shown.")
    return "\n\n".join(parts)


def _plain(result: Result, told: str) -> str:
    value = parsed(result.text)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "\n".join(f"- {_spoken(str(k))}: {v}" for k, v in pairs)
    text = told or result.text or "The tool found nothing."
    return text if len(text) <= MOST_PROSE else text[:MOST_PROSE].rsplit(" ", 1)[0] + " …"


def _table(found: Table) -> str:
    lines = ["| " + " | ".join(found.head) + " |", "|" + " --- |" * len(found.head)]
    lines += ["| " + " | ".join(row) + " |" for row in found.rows[:MOST_ROWS]]
    left = len(found.rows) - MOST_ROWS
    return "\n".join(lines) + (f"\n\n… and {left} more rows." if left > 0 else "")


def _superlative(found: Table, question: str, cite: str) -> str:
    """“North is highest with 1,234” where the question asks for a first or a last."""
    asked = set(words(question))
    is_most, is_least = bool(asked & _MOST), bool(asked & _LEAST)
    column = _measure(found, question)
    if is_most == is_least or column is None:
        return ""
    body = [r for r in found.rows if r[0].strip("* ").casefold() not in {"total", "sum", "all"}]
    ranked = sorted(body, key=lambda row: _amount(row[column]) or 0.0, reverse=is_most)
    if len(ranked) < 2:
        return ""
    first = ranked[0]
    word = "highest" if is_most else "lowest"
    return f"**{first[0].strip('* ')}** is {word}: {found.head[column]} {first[column]}.{cite}"


def _measure(found: Table, question: str) -> int | None:
    """The column of numbers that the question speaks of, else the last one."""
    numeric = [
        i
        for i in range(1, len(found.head))
        if found.rows and all(i < len(r) and _amount(r[i]) is not None for r in found.rows)
    ]
    wanted = set(stems(question))
    spoken = [i for i in numeric if wanted & set(stems(found.head[i]))]
    return (spoken or numeric[-1:] or [None])[0]


def _amount(cell: str) -> float | None:
    bare = re.sub(r"[^\d.\-]", "", cell.replace(",", ""))
    try:
        return float(bare)
    except ValueError:
        return None


def _failure(result: Result) -> str:
    reason = first_sentence(result.text) or "no reason was given"
    cite = f" [{result.number}]" if result.number else ""
    return f"I could not use “{_spoken(result.call.name)}”: {reason}{cite}"


def _ask_back(plan: Plan) -> str:
    tool, parameter = plan.missing[0]
    remark = str(properties(tool).get(parameter, {}).get("description", "")).strip()
    wanted = f"**{_spoken(parameter)}**" + (f" ({first_sentence(remark)})" if remark else "")
    return f"“{_spoken(tool.name)}” could answer this. It needs a {wanted}. Which one do you mean?"


def _abilities(tools: Sequence[ToolSchema]) -> str:
    if not tools:
        return "No tools are open to me here."
    lines = [f"- **{_spoken(t.name)}**: {first_sentence(t.description)}" for t in tools]
    return "I can pick from these tools by the words of your question:\n" + "\n".join(lines)


def _spoken(name: str) -> str:
    return " ".join(words(name))
