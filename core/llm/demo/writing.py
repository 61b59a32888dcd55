"""The words of the demo model's answers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from core.context.prompts import PASSAGES
from core.llm.demo import memory, recipients, tables
from core.llm.demo.asks import WAITS
from core.llm.demo.calls import Plan
from core.llm.demo.choice import properties, vocabulary
from core.llm.demo.conversation import Conversation
from core.llm.demo.doing import wanted
from core.llm.demo.memory import HONEST
from core.llm.demo.quoting import quoted
from core.llm.demo.ranking import reads_handles
from core.llm.demo.results import Result, Table, holds_file, is_used_later, parsed, prose, table
from core.llm.demo.small_talk import is_small_talk, takes_back
from core.llm.demo.tables import spoken
from core.llm.demo.values import IDS
from core.llm.demo.words import first_sentence, sentences, words
from core.records import ToolSchema

MOST_ROWS = 12
MOST_PROSE = 900
_TELL = "Tell them to "
_PREFIX = re.compile(r"^(?:error executing tool [\w-]+|error|failed)\s*:\s*", re.IGNORECASE)
_PARKED = re.compile(r"Parked as #(\d+):")
"""How the host begins what it says of a call that waits for a person."""
_EMPTY = re.compile(r"0 \w")
_THANKS = re.compile(r"\b(?:thanks?|thank you|cheers|ok(?:ay)?)\b", re.IGNORECASE)


def write(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    """The whole answer as Markdown; its first line says what speaks here."""
    return f"{HONEST}\n\n{_body(conversation, tools, plan)}"


def _body(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    question = conversation.question
    if plan.ask and not conversation.results:
        return plan.ask
    if conversation.results:
        return _from_results(conversation, tools, plan)
    if is_small_talk(question):
        return _chat(question, tools)
    if waited := memory.what_came(conversation):
        return waited
    if memory.states_something(question):
        return f"{memory.NOTED} “{question.strip()}” Ask me for it whenever you need it."
    if memory.asks_for_summary(question):
        return _summary(conversation)
    return _from_documents(conversation) or _from_nothing(conversation, tools, plan)


def _from_documents(conversation: Conversation) -> str:
    """Quotations; else why a file of the thread could not be read."""
    said = quoted(conversation.question, conversation.papers)
    return said or "\n\n".join(conversation.unread)


def _from_nothing(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    if plan.missing:
        return _ask_back(plan, tools)
    if remembered := memory.recall(conversation):
        return f"Earlier in this thread it was said: “{remembered}”"
    return f"I found nothing here that answers this. {_abilities(tools)}"


def _chat(question: str, tools: Sequence[ToolSchema]) -> str:
    if takes_back(question):
        return "All right. Nothing new is prepared; a card that waits can be cancelled on itself."
    if _THANKS.search(question):
        return "You are welcome. Ask on whenever you like."
    return f"Hello! {_abilities(tools)}"


def _from_results(conversation: Conversation, tools: Sequence[ToolSchema], plan: Plan) -> str:
    good = [r for r in conversation.results if not r.is_error]
    failed = [r for r in conversation.results if r.is_error]
    if failed and wanted(conversation, tools):
        return _of_act((), failed, tools, replace(plan, ask=recipients.NOTHING))
    if plan.ask or any(_PARKED.match(r.text) for r in good):
        return _of_act(good, failed, tools, plan)
    known = frozenset(s for tool in tools for s in vocabulary(tool))
    # What was only looked up on the way needs no telling when the goal was reached.
    steps = [r for r in good if not is_used_later(r, good)]
    told = [r for r in steps if not _EMPTY.match(r.text)] or steps
    parts = [_tell(r, conversation, known) for r in told]
    parts += [_failure(r, tools) for r in failed]
    if plan.missing and not good:
        parts.append(_ask_back(plan, tools))
    return "\n\n".join(part for part in parts if part)


def _of_act(
    good: Sequence[Result], failed: Sequence[Result], tools: Sequence[ToolSchema], plan: Plan
) -> str:
    """What has become of an act: what it is made of, where it waits, what it still needs."""
    waits = [found[1] for r in good if (found := _PARKED.match(r.text))]
    parts = [_failure(r, tools) for r in failed]
    parts += [plan.ask] if plan.ask else []
    cited = " ".join(f"[{r.number}]" for r in good if r.number and not _PARKED.match(r.text))
    told = " ".join(f"#{n} {WAITS}. It has not happened yet." for n in waits)
    parts.append(f"It is prepared from {cited}. {told}" if told and cited else told)
    return "\n\n".join(part for part in parts if part)


def _tell(result: Result, conversation: Conversation, known: frozenset[str]) -> str:
    answer, has_passages, _ = result.text.partition(PASSAGES)
    if has_passages:
        return answer.strip() or _plain(result)
    cite = f" [{result.number}]" if result.number else ""
    rows = table(result.text)
    if rows is None:
        parts = [_plain(result) + cite]
    else:
        parts = _tell_table(result, rows, conversation, known, cite)
    if holds_file(result.text):
        parts.append("The file is in this thread.")
    if result.is_shortened:
        parts.append("The result is longer than what I was shown.")
    return "\n\n".join(parts)


def _tell_table(
    result: Result, rows: Table, conversation: Conversation, known: frozenset[str], cite: str
) -> list[str]:
    question = conversation.question
    leans = conversation.points_back or conversation.is_short
    topic = " ".join(conversation.topic) if leans else ""
    lead = tables.headline(rows, question, topic)
    shown = tables.narrowed(rows, question, topic, known)
    intro = prose(result.text).partition("\n\n")[0][:MOST_PROSE].rstrip(": ")
    if not intro:
        intro = f"Result of “{spoken(result.call.name)}”"
    intro += "" if intro[-1] in ".!?" else "."
    if len(shown.rows) < len(rows.rows):
        intro += f" {len(shown.rows)} of {len(rows.rows)} rows fit the question."
    return [*([lead + cite] if lead else []), intro + cite, _table(shown)]


def _plain(result: Result) -> str:
    value = parsed(result.text)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "\n".join(f"- {spoken(str(k))}: {v}" for k, v in pairs)
    text = prose(result.text) or result.text or "The tool found nothing."
    return text if len(text) <= MOST_PROSE else text[:MOST_PROSE].rsplit(" ", 1)[0] + " …"


def _table(found: Table) -> str:
    found = tables.readable(found)
    head = [tables.heading(name) for name in found.head]
    numeric = tables.numeric_columns(found)
    sides = ["---:" if i in numeric else "---" for i in range(len(head))]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(sides) + " |"]
    lines += ["| " + " | ".join(row) + " |" for row in found.rows[:MOST_ROWS]]
    left = len(found.rows) - MOST_ROWS
    return "\n".join(lines) + (f"\n\n… and {left} more rows." if left > 0 else "")


def _failure(result: Result, tools: Sequence[ToolSchema]) -> str:
    said = sentences(_PREFIX.sub("", result.text)) or ["no reason was given"]
    # What a model is to tell the person is told; of the rest, what stands in code marks can be
    # written to go on.
    advice = [
        f"Please {one.removeprefix(_TELL).replace(' to you', ' to me')}"
        if one.startswith(_TELL)
        else one
        for one in said[1:]
        if "`" in one or one.startswith(_TELL)
    ]
    reason = " ".join([first_sentence(said[0]), *advice])
    cite = f" [{result.number}]" if result.number else ""
    return f"I could not use “{_title(result.call.name, tools)}”: {reason}{cite}"


def _ask_back(plan: Plan, tools: Sequence[ToolSchema]) -> str:
    tool, parameter = plan.missing[0]
    remark = str(properties(tool).get(parameter, {}).get("description", "")).strip()
    wanted = " ".join(w for w in words(parameter) if w not in IDS) or spoken(parameter)
    # What is said about an id is meant for a model, not for a person.
    is_id = bool(IDS & set(words(parameter)))
    hint = f" ({first_sentence(remark).rstrip('.')})" if remark and not is_id else ""
    return f"“{_title(tool.name, tools)}” could answer this. Which **{wanted}** do you mean?{hint}"


def _summary(conversation: Conversation) -> str:
    if not conversation.earlier:
        return "Nothing was asked in this thread before."
    return "Asked so far in this thread:\n" + "\n".join(
        f"- {first_sentence(text)}" for text in conversation.earlier
    )


def _abilities(tools: Sequence[ToolSchema]) -> str:
    shown = [t for t in tools if not reads_handles(t)]
    if not shown:
        return "No tools are open to me here."
    lines = [f"- **{_title(t.name, shown)}**: {first_sentence(t.description)}" for t in shown]
    return "I pick from these tools by the words of your question:\n" + "\n".join(lines)


def _title(name: str, tools: Sequence[ToolSchema]) -> str:
    """A tool's name in words, without the server's name, which several tools share."""
    firsts = [words(t.name)[0] for t in tools if not reads_handles(t) and words(t.name)]
    parts = words(name)
    is_alone = len(set(firsts)) == 1 and len(tools) > 1
    is_shared = len(parts) > 1 and (firsts.count(parts[0]) > 2 or (is_alone and parts[0] in firsts))
    return " ".join(parts[1:] if is_shared else parts)
