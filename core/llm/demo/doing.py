"""From what a person wants to have done to the one call that does it, which a person decides on.

What it is to contain is found out first, names become addresses, and whatever is missing or may
mean two things is asked back.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.llm.demo import acts, hours, letters, recipients
from core.llm.demo.acts import Act
from core.llm.demo.arguments import fill
from core.llm.demo.calls import Plan, numbered
from core.llm.demo.choice import properties, required
from core.llm.demo.conversation import Conversation
from core.llm.demo.deeds import (
    BODIES,
    PEOPLE,
    acts_for_others,
    ids,
    source_of,
    takes_people,
    tool_for,
)
from core.llm.demo.feeding import was_called
from core.llm.demo.ranking import said_of
from core.llm.demo.reading import look_up
from core.llm.demo.results import Result, harvest, holds_file
from core.llm.demo.words import words
from core.records import Json, ToolSchema

WHOM = "Who should get it? A name or a mail address will do."
WHAT = "What should it say?"
WHEN = "When should it be? A day and an hour will do."
WHERE = "In which channel?"
WAITS = "waits for a decision on its card"
_ASKED = {WHOM: "people", recipients.WHICH: "which", WHAT: "said", WHEN: "when", WHERE: "channel"}
_LITERAL = re.compile(r"^(?!(?:the|our|my|an?|all|some|what|which|who|how)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    act: Act
    tool: ToolSchema


def wanted(conversation: Conversation, tools: Sequence[ToolSchema]) -> Wanted | None:
    """The act that the question asks for, or completes; None where it asks for none, and where no
    tool does it."""
    act = _act(conversation)
    tool = tool_for(act, tools) if act else None
    if act and tool and not takes_people(tool):
        act = replace(act, people=(), cc=(), bcc=())
    return Wanted(act, tool) if act and tool else None


def steps(wish: Wanted, conversation: Conversation, tools: Sequence[ToolSchema]) -> Plan:
    """The calls that are to be made now: what has to be found out, then the act itself."""
    act, tool = wish.act, wish.tool
    if was_called(tool, conversation):
        return Plan()
    named = recipients.found(act, conversation, tools)
    looked = _looked_up(wish, conversation, tools)
    if calls := [*named.calls, *looked.calls]:
        return Plan(calls=numbered(calls, conversation))
    if named.ask or looked.is_failed:
        return Plan(ask=named.ask or recipients.NOTHING)
    given = _arguments(wish, named, looked, conversation)
    missing = [name for name in required(tool) if not given.get(name)]
    if missing:
        return Plan(ask=_question(missing[0], tool), missing=((tool, missing[0]),))
    return Plan(calls=numbered([(tool.name, given)], conversation))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    calls: list[tuple[str, Json]]
    results: tuple[Result, ...] = ()
    """What the content was found in."""
    is_failed: bool = False
    ids: Json
    is_literal: bool = False
    """Whether no tool knows of the content: its words are the text."""


def _looked_up(wish: Wanted, conversation: Conversation, tools: Sequence[ToolSchema]) -> _Looked:
    """What has to be read before: the content, and the ids of what the act is done to."""
    act, readers = wish.act, [tool for tool in tools if not acts_for_others(tool)]
    if needs := ids(wish.tool):
        return _with_ids(wish, needs, conversation, tools)
    if not act.content or act.said or act.kind in ("event", "free"):
        return _Looked(calls=[], ids={})
    asked = replace(conversation, question=act.content, earlier=(), answers=(), past=())
    known = recipients.lookups(act, conversation, tools)
    own = tuple(r for r in conversation.results if r not in known)
    asked = replace(asked, results=own, made=tuple(r.call for r in own))
    calls = [(call.name, call.arguments) for call in look_up(asked, readers).calls]
    good = tuple(r for r in own if not r.is_error)
    return _Looked(
        calls=calls,
        results=good,
        is_failed=not calls and bool(own) and not good,
        ids={},
        is_literal=not calls and not own,
    )


def _with_ids(
    wish: Wanted, needs: Sequence[str], conversation: Conversation, tools: Sequence[ToolSchema]
) -> _Looked:
    act = wish.act
    asked = replace(conversation, question=act.content, earlier=())
    known: Json = {}
    for name in needs:
        source = source_of(name, wish.tool, tools)
        if source is None:
            continue
        mine = [r for r in conversation.results if r.call.name == source.name]
        if not mine:
            clause = act.text if act.kind == "cancel" else act.content or act.text
            filled = fill(source, said_of(clause, asked, tools))
            if not filled.missing:
                return _Looked(calls=[(source.name, filled.variants[0])], ids={})
            continue
        text = f"{act.channel} {act.content} {act.text}"
        known[name] = harvest(name, text, mine) or ""
        if not known[name]:
            return _Looked(calls=[], ids={}, is_failed=True)
    return _Looked(calls=[], ids=known)


def _arguments(
    wish: Wanted, named: recipients.Found, looked: _Looked, conversation: Conversation
) -> Json:
    """The arguments of the act, as far as they are known."""
    act, tool = wish.act, wish.tool
    text, title = _text(act, named, looked, conversation)
    when = hours.span(act.text, conversation.now)
    if when is None and act.kind == "free" and conversation.now:
        when = hours.ahead(conversation.now)
    given: Json = {**looked.ids}
    for name, schema in properties(tool).items():
        parts = set(words(name))
        if name in given:
            continue
        if parts & {"cc", "bcc"}:
            value: object = named.bcc if "bcc" in parts else named.cc
        elif parts & PEOPLE and schema.get("type") == "array":
            value = named.to or _sender(wish, conversation)
        elif parts & BODIES and (name in required(tool) or act.said):
            value = text
        elif parts & {"subject", "title"}:
            value = title if act.kind != "event" else _occasion(act)
        elif parts & {"channel"}:
            value = act.channel
        elif parts & {"start", "end"}:
            moment = (when.end if "end" in parts else when.start) if when else None
            is_clear = when is not None and (when.has_hour or act.kind == "free")
            value = hours.written(moment) if moment and is_clear else ""
        elif "attachments" in parts:
            value = [str(r.number) for r in looked.results if holds_file(r.text) and r.number]
        else:
            value = ""
        if value:
            given[name] = value
    return given


def _text(
    act: Act, named: recipients.Found, looked: _Looked, conversation: Conversation
) -> tuple[str, str]:
    """The body and the subject."""
    greet = letters.greeted if act.kind == "mail" else lambda text, _name: text
    if act.said:
        return greet(act.said, named.greeting), letters.subject(
            act.subject, act.content, "", act.said
        )
    if act.is_back and (answer := _last_answer(conversation)):
        text = letters.plain(answer)
        return greet(text, named.greeting), letters.subject(act.subject, "", text, "")
    if looked.results:
        title = letters.subject(act.subject, act.content, "", "")
        if act.kind == "mail":
            return letters.body(looked.results, named.greeting), title
        return "\n\n".join(letters.plain(r.text) for r in looked.results), title
    is_word = act.kind == "post" or (bool(_LITERAL.match(act.content)) and not act.subject)
    if looked.is_literal and act.content and is_word:
        said = act.content[:1].upper() + act.content[1:]
        return greet(said, named.greeting), letters.subject(act.subject, "", "", said)
    return "", letters.subject(act.subject, act.content, "", "")


def _occasion(act: Act) -> str:
    """What an event is called: what it is about, else who it is with."""
    if act.subject:
        return letters.subject(act.subject, "", "", "")
    bare = re.sub(
        r"(?i)\s*\b(?:in|into|to|on) (?:my|the) calendar\b|\bon$", "", act.content
    ).strip()
    bare = re.sub(r"(?i)^with\b", "Meeting with", bare)
    bare = re.sub(r"(?i)^(.+?) to (?:an?|the) (meeting|call|lunch)\b.*", r"\2 with \1", bare)
    return letters.subject("", bare, "", "") or "Meeting"


def _sender(wish: Wanted, conversation: Conversation) -> list[str]:
    """Whoever wrote what is answered."""
    if wish.act.kind != "answer":
        return []
    for result in conversation.results:
        if (found := harvest("from", wish.act.content, [result])) and (
            address := acts.ADDRESS.search(found)
        ):
            return [address.group()]
    return []


def _last_answer(conversation: Conversation) -> str:
    """The newest answer of the thread that told something."""
    for answer in reversed(conversation.answers):
        is_told = not any(asked in answer for asked in _ASKED) and WAITS not in answer
        if is_told and "I found nothing here" not in answer:
            return answer
    return ""


def _question(parameter: str, tool: ToolSchema) -> str:
    parts = set(words(parameter))
    if parts & PEOPLE:
        return WHOM
    if parts & (BODIES | {"subject", "title"}):
        return WHAT
    if parts & {"start", "end"}:
        return WHEN
    return WHERE if "channel" in parts else ""


def _act(conversation: Conversation) -> Act | None:
    """What the question asks to be done; or what was asked before, completed by the replies."""
    if act := acts.read(conversation.question, conversation.asker):
        return act
    said = [*conversation.earlier, conversation.question]
    replies: list[tuple[str, str]] = []
    for question, answer in zip(reversed(said[:-1]), reversed(conversation.answers), strict=False):
        kind = next((kind for asked, kind in _ASKED.items() if asked in answer), "")
        if not kind:
            return None
        replies.append((said[len(said) - 1 - len(replies)], f"{kind}\n{answer}"))
        if act := acts.read(question, conversation.asker):
            for reply, asked in reversed(replies):
                act = _completed(act, asked, reply)
            return act
    return None


def _completed(act: Act, asked: str, reply: str) -> Act:
    kind, _, answer = asked.partition("\n")
    match kind:
        case "people":
            return replace(act, people=acts.people(recipients.bare(reply)))
        case "which":
            return recipients.chosen(act, answer, reply)
        case "said":
            return acts.worded(act, reply)
        case "channel":
            return replace(act, channel=reply.strip(" .!#").removeprefix("in "))
        case _:
            return replace(act, text=f"{act.text} {reply}")
