"""What a person wants to have done: a mail, a post, an event, in their own words."""

import re
from dataclasses import dataclass, replace

from core.llm.demo import act_words as says
from core.llm.demo import hours
from core.llm.demo.words import SILENT, squeezed, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    kind: str
    """`mail`, `answer`, `forward`, `post`, `event`, `cancel`, or `free`: when people are."""
    text: str
    """The whole request."""
    people: tuple[str, ...] = ()
    """Addresses, and names as they were written."""
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    channel: str = ""
    content: str = ""
    """What it is to contain, to be looked up; as in “the Q3 summary”."""
    is_back: bool = False
    """Whether it is to contain what was answered last."""
    said: str = ""
    """What it is to say, word for word."""
    subject: str = ""


def read(text: str, asker: str = "") -> Act | None:
    """The act that a request asks for; None for a question, and for what is none of these."""
    first, body = _apart(says.POLITE.sub("", squeezed(text)).strip())
    kind = next((name for name, pattern in says.KINDS if pattern.match(body)), "")
    if not kind or re.match(r"(?i)send\s+(?:me|us)\b(?!.*\b(?:e-?mail|mail)\b)", body):
        return None
    verb = re.match(r"(?i)(?:set ?up|call off|write to|\w+(?:-mail)?)\b\s*", body)
    rest = body[verb.end() :] if verb else body
    act = Act(kind=kind, text=text)
    rest, act = _taken_out(rest, act)
    if kind in ("event", "cancel", "free"):
        return _event(act, rest, asker)
    act = _letter(act, rest, asker)
    return replace(act, content=first, is_back=False) if first and act.is_back else act


def _apart(body: str) -> tuple[str, str]:
    """“Show the sales” and “mail it to Priya”, where one sentence asks for both."""
    found = says.THEN.search(body)
    if found is None or says.SAID.search(body[: found.start()]):
        return "", body
    return body[: found.start()].strip(" ,"), body[found.end() :].strip()


def _taken_out(rest: str, act: Act) -> tuple[str, Act]:
    """What stands in a request with words of its own: copies, subject, literal text, channel."""
    quoted = says.QUOTED.search(rest)
    if quoted:
        act = replace(act, said=(quoted[1] or quoted[2]).strip())
        rest = f"{rest[: quoted.start()]} {rest[quoted.end() :]}"
    elif said := says.SAID.search(rest):
        act = replace(act, said=_sentence(said["text"]))
        rest = rest[: said.start()]
    while copied := says.COPY.search(rest):
        names = people(copied["names"])
        act = replace(act, bcc=names) if copied["kind"].lower() == "bcc" else replace(act, cc=names)
        rest = f"{rest[: copied.start()]} {rest[copied.end() :]}"
    if subject := says.SUBJECT.search(rest):
        act = replace(act, subject=subject["text"].strip(" .,"))
        rest = f"{rest[: subject.start()]} {rest[subject.end() :]}"
    pattern = says.CHANNEL if "#" in rest else says.NAMED_CHANNEL
    if act.kind == "post" and (channel := pattern.search(rest)):
        act = replace(act, channel=channel[1])
        rest = f"{rest[: channel.start()]} {rest[channel.end() :]}"
    return " ".join(rest.split()).rstrip(" .?!,"), act


def _letter(act: Act, rest: str, asker: str) -> Act:
    """Who is to get it and what it is to contain, from what is left of the request."""
    is_bare = bool(says.NOUN_FIRST.match(rest))
    rest = says.NOUN_FIRST.sub("", rest) if act.kind in ("mail", "post") else rest
    if act.kind == "answer":
        return replace(act, content=rest.removeprefix("to ").strip())
    named, rest = _addressed(rest) if not act.channel else ((), rest)
    if act.kind == "mail" and is_bare and not named:
        named, rest = people(rest) if not says.ABOUT.match(rest) else (), ""
    rest = says.NOUN_FIRST.sub("", rest) if act.kind in ("mail", "post") else rest
    about = says.ABOUT.search(rest)
    if about and act.kind == "mail" and not rest[: about.start()].strip():
        subject = act.subject or about["text"].strip(" .,")
        rest = about["text"]
        act = replace(act, subject=subject)
    content = says.NOUN_FIRST.sub("", rest).strip(" ,.")
    if not act.said and (told := re.match(r"that\s+(\w+\s.+)$", content, re.I | re.S)):
        act, content = replace(act, said=_sentence(told[1])), ""
    return replace(
        act,
        people=tuple(_myself(name, asker) for name in named),
        is_back=bool(says.BACK.match(content)),
        content="" if says.BACK.match(content) else content,
    )


def _addressed(rest: str) -> tuple[tuple[str, ...], str]:
    """Who stands behind “to”, or before what is sent (“mail Priya the sales”); what else is
    said."""
    spots = list(re.finditer(r"(?:^|\s)to\s+", rest, re.IGNORECASE))
    likely = [s for s in spots if re.match(r"[A-ZÀ-Þ@]|\S+@\S", rest[s.end() :])]
    if spot := (likely or spots[-1:] or [None])[0]:
        behind = rest[spot.end() :]
        run = says.STOP.sub("", behind)
        return people(run), f"{rest[: spot.start()]} {behind[len(run) :]}".strip(" ,")
    first = re.match(
        r"(?P<names>\S+(?:\s+\S+){0,6}?)\s+(?P<what>(?:the|our|my|an?|that|this|it|all|what|which"
        r"|about|how|re)\b.*)$",
        rest,
        re.IGNORECASE,
    )
    if first and first["names"].split()[0].lower() not in says.NOBODY:
        return people(first["names"]), first["what"]
    if alone := says.ADDRESS.findall(rest):
        return tuple(alone), says.ADDRESS.sub(" ", rest).strip()
    return (people(rest), "") if re.match(r"[A-ZÀ-Þ@]\S*(?:\s\S+){0,2}$", rest) else ((), rest)


def _event(act: Act, rest: str, asker: str) -> Act:
    rest = hours.without_times(rest)
    if act.kind == "free":
        rest = re.sub(
            r"(?i)^(?:is|are|do|does|can|when|a|time|slot|\s)+|\b(?:all\s+)?(?:both\s+)?(?:free|available)\b.*$",
            " ",
            rest,
        ).strip()
        found_here = [name for name in people(rest) if name.lower() not in ("i", "we")]
        own = [asker] if asker else []
        return replace(
            act, people=tuple(dict.fromkeys([*own, *(_myself(n, asker) for n in found_here)]))
        )
    named: tuple[str, ...] = ()
    if found := re.search(r"(?:^|\b(?:with|invite|for|to)\s+)((?:@?[A-ZÀ-Þ]|\S+@\S).*)$", rest):
        named = people(says.STOP.sub("", re.split(r"\s+to\s+", found[1])[0]))
    elif found := re.search(r"\bwith\s+(.+)$", rest):
        named = people(says.STOP.sub("", found[1]))
    about = says.ABOUT.search(rest)
    subject = act.subject or (about["text"].strip(" .,") if about else "")
    return replace(
        act,
        people=tuple(_myself(name, asker) for name in named),
        subject=subject,
        content=rest,
    )


def people(text: str) -> tuple[str, ...]:
    """The addresses and names in a list such as “Priya, Tomás and buyer@fjord.example”. Somebody
    who is not named (“a colleague”) is nobody."""
    found: list[str] = []
    for part in re.split(r"\s*(?:,|;|&|\band\b|\+)\s*", text, flags=re.IGNORECASE):
        if address := says.ADDRESS.search(part):
            found.append(address.group())
            continue
        name = re.sub(r"['’]s\b.*$", "", part.strip(' .,:;!?@()"“”')).strip()
        first = (words(name) or [""])[0]
        if name and first not in says.NOBODY and (first not in SILENT or first in says.ME):
            found.append(" ".join(name.split()[:4]))
    return tuple(dict.fromkeys(found))


def worded(act: Act, reply: str) -> Act:
    """The act with the text that a person gave when they were asked for it."""
    if says.BACK.match(reply):
        return replace(act, is_back=True, said="")
    if says.THING.match(reply):
        return replace(act, content=reply.strip(" ."))
    return replace(act, said=_sentence(reply.strip('“”"')))


def _myself(name: str, asker: str) -> str:
    return asker if asker and name.lower() in says.ME else name


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
