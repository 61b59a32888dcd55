"""The arguments of an act, composed of what was said and what was found."""

import re
from dataclasses import dataclass

from core.llm.demo import hours, letters, recipients
from core.llm.demo.act_words import ADDRESS
from core.llm.demo.acts import Act
from core.llm.demo.asks import ASKED, WAITS
from core.llm.demo.choice import properties, required
from core.llm.demo.conversation import Conversation
from core.llm.demo.deeds import BODIES, PEOPLE
from core.llm.demo.results import Result, harvest, holds_file, is_used_later
from core.llm.demo.words import words
from core.records import Json, ToolSchema

_LITERAL = re.compile(r"^(?!(?:the|our|my|an?|all|some|what|which|who|how)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    act: Act
    tool: ToolSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    calls: list[tuple[str, Json]]
    results: tuple[Result, ...] = ()
    """What the content was found in."""
    is_failed: bool = False
    ids: Json
    is_literal: bool = False
    """Whether no tool knows of the content: its words are the text."""


def arguments(
    wish: Wanted, named: recipients.Found, looked: Looked, conversation: Conversation
) -> Json:
    """The arguments of the act, as far as they are known."""
    act, tool = wish.act, wish.tool
    text, title = _text(act, named, looked, conversation)
    given: Json = {**looked.ids}
    for name in properties(tool):
        parts = set(words(name))
        value: object = ""
        if parts & PEOPLE:
            value = named.to or _sender(wish, conversation)
        elif parts & {"cc", "bcc"}:
            value = named.bcc if "bcc" in parts else named.cc
        elif parts & BODIES and (name in required(tool) or act.said):
            value = text
        elif parts & {"subject", "title"}:
            value = title if act.kind != "event" else _occasion(act)
        elif "channel" in parts:
            value = act.channel
        elif parts & {"start", "end"}:
            value = _moment(act, parts, conversation)
        elif "attachments" in parts:
            value = [str(r.number) for r in looked.results if holds_file(r.text) and r.number]
        if value and name not in given:
            given[name] = value
    return given


def _moment(act: Act, parts: set[str], conversation: Conversation) -> str:
    """When it begins or ends; empty where the hour that it takes was not said."""
    when = hours.span(act.text, conversation.now)
    if act.kind == "free" and conversation.now:
        when = when or hours.ahead(conversation.now)
    if when is None or not (when.has_hour or act.kind == "free"):
        return ""
    return hours.written(when.end if "end" in parts else when.start)


def _text(
    act: Act, named: recipients.Found, looked: Looked, conversation: Conversation
) -> tuple[str, str]:
    """The body and the subject."""

    def greet(text: str, name: str) -> str:
        return letters.greeted(text, name) if act.kind == "mail" else text

    if act.said:
        return greet(act.said, named.greeting), letters.subject(
            act.subject, act.content, "", act.said
        )
    if act.is_back and (answer := _last_answer(conversation)):
        text = letters.plain(answer)
        return greet(text, named.greeting), letters.subject(act.subject, "", text, "")
    if looked.results:
        title = letters.subject(act.subject, act.content, "", "")
        return greet(
            letters.body([r for r in looked.results if not is_used_later(r, looked.results)]),
            named.greeting,
        ), title
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
    bare = re.sub(r"(?i)^(?:.+?) to (?:an?|the) (.+)$", r"\1", bare)
    return letters.subject("", bare, "", "") or "Meeting"


def _sender(wish: Wanted, conversation: Conversation) -> list[str]:
    """Whoever wrote what is answered."""
    if wish.act.kind != "answer":
        return []
    for result in conversation.results:
        if (found := harvest("from", wish.act.content, [result])) and (
            address := ADDRESS.search(found)
        ):
            return [address.group()]
    return []


def _last_answer(conversation: Conversation) -> str:
    """The newest answer of the thread that told something."""
    for answer in reversed(conversation.answers):
        is_told = not any(asked in answer for asked in ASKED) and WAITS not in answer
        if is_told and "I found nothing here" not in answer:
            return answer
    return ""
