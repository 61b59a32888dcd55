"""From what a person wants to have done to the one call that does it, which a person decides on.

What it is to contain is found out first, names become addresses, and whatever is missing or may
mean two things is asked back.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.llm.demo import acts, asks, recipients
from core.llm.demo.act_words import DROPPED
from core.llm.demo.acts import Act
from core.llm.demo.arguments import fill
from core.llm.demo.calls import Plan, numbered
from core.llm.demo.choice import required
from core.llm.demo.composing import Looked, Wanted, arguments
from core.llm.demo.conversation import Conversation
from core.llm.demo.deeds import acts_for_others, ids, source_of, takes_people, tool_for
from core.llm.demo.feeding import was_called
from core.llm.demo.ranking import said_of
from core.llm.demo.reading import look_up
from core.llm.demo.results import harvest
from core.records import Json, ToolSchema


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
    given = arguments(wish, named, looked, conversation)
    missing = [name for name in required(tool) if not given.get(name)]
    if missing:
        return Plan(ask=asks.question(missing[0]), missing=((tool, missing[0]),))
    return Plan(calls=numbered([(tool.name, given)], conversation))


def _looked_up(wish: Wanted, conversation: Conversation, tools: Sequence[ToolSchema]) -> Looked:
    """What has to be read before: the content, and the ids of what the act is done to."""
    act, readers = wish.act, [tool for tool in tools if not acts_for_others(tool)]
    if needs := ids(wish.tool):
        return _with_ids(wish, needs, conversation, tools)
    if not act.content or act.said or act.kind in ("event", "free"):
        return Looked(calls=[], ids={})
    asked = replace(conversation, question=act.content, earlier=(), answers=(), past=())
    known = recipients.lookups(act, conversation, tools)
    own = tuple(r for r in conversation.results if r not in known)
    asked = replace(asked, results=own, made=tuple(r.call for r in own))
    calls = [(call.name, call.arguments) for call in look_up(asked, readers).calls]
    good = tuple(r for r in own if not r.is_error)
    return Looked(
        calls=calls,
        results=good,
        is_failed=not calls and bool(own) and not good,
        ids={},
        is_literal=not calls and not own,
    )


def _with_ids(
    wish: Wanted, needs: Sequence[str], conversation: Conversation, tools: Sequence[ToolSchema]
) -> Looked:
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
                return Looked(calls=[(source.name, filled.variants[0])], ids={})
            continue
        text = f"{act.channel} {act.content} {act.text}"
        known[name] = harvest(name, text, mine) or ""
        if not known[name]:
            return Looked(calls=[], ids={}, is_failed=True)
    return Looked(calls=[], ids=known)


def _act(conversation: Conversation) -> Act | None:
    """What the question asks to be done; or what was asked before, completed by the replies."""
    if act := acts.read(conversation.question, conversation.asker):
        return act
    said = [*conversation.earlier, conversation.question]
    replies: list[tuple[str, str]] = []
    if DROPPED.search(conversation.question):
        return None
    for question, answer in zip(reversed(said[:-1]), reversed(conversation.answers), strict=False):
        kind = next((kind for asked, kind in asks.ASKED.items() if asked in answer), "")
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
