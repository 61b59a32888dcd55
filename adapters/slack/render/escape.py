"""Makes text harmless before Slack reads it: no mention that pings, no label that lies.

A word joiner (U+2060, invisible) is put where Slack would begin to read a mention, so that the
text looks as it was written, in code as well.
"""

import re
from urllib.parse import urlsplit

JOINER = "\u2060"

_LESS = r"(?:<|&lt;?|&#0*60;?|&#x0*3c;?)"
_AT = r"(?:@|&commat;|&#0*64;?|&#x0*40;?)"
_MARK = rf"(?:!|#|&excl;|&num;|&#0*3[35];?|&#x0*2[13];?|{_AT})"
_BLANK = r"[\s\\\u200b-\u200f\u2060-\u2064\ufeff]*"
_ANGLED = re.compile(rf"({_LESS})(?!{JOINER})(?={_BLANK}{_MARK}{_BLANK}[\w&])", re.IGNORECASE)
_MASS = re.compile(
    rf"(?<![^\W_])({_AT})(?!{JOINER})(?={_BLANK}(?:channel|here|everyone|group)(?![^\W_]))",
    re.IGNORECASE,
)
_HIDDEN_LETTER = re.compile(r"&(?=#0*(?:4[89]|5[0-7]|6[5-9]|[789]\d|1[01]\d|12[0-2]);?)")
_HIDDEN_LETTER_HEX = re.compile(r"&(?=#x0*(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da]);?)", re.I)
_BROKEN = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def inert(text: str) -> str:
    """For every text that goes out, whatever the block: nobody is pinged by it.

    `<!channel>`, `<@U…>`, `<!subteam^…>`, `<#C…>` and `@channel`, `@here`, `@everyone` lose their
    effect, also where a letter or a bracket is written as an HTML entity. Lone surrogates and
    control characters, which would make the whole call fail, become U+FFFD. A text that is inert
    already stays as it is.
    """
    sound = _BROKEN.sub("\ufffd", text)
    for hidden in (_HIDDEN_LETTER, _HIDDEN_LETTER_HEX):
        sound = hidden.sub("&" + JOINER, sound)
    sound = _ANGLED.sub(rf"\1{JOINER}", sound)
    return _MASS.sub(rf"\1{JOINER}", sound)


def mrkdwn(text: str) -> str:
    """For `text` and for mrkdwn elements: inert, with `&`, `<`, `>` as Slack wants them."""
    return inert(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def label(text: str, limit: int) -> str:
    """What a source is called: one line that cannot end its link or begin another."""
    flat = " ".join(text.split()).replace("|", "\uff5c").replace("`", "'")
    shown = flat if len(flat) <= limit else flat[: limit - 1] + "…"
    return mrkdwn(shown)


def address(url: str, limit: int) -> str:
    """The target of a link, an empty string where it cannot be shown as one.

    A `|` in an address would end it and begin an attacker's label.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > limit:
        return ""
    if re.search(r"[\s\x00-\x1f]", url):
        return ""
    coded = url.replace("|", "%7C").replace("<", "%3C").replace(">", "%3E")
    return coded.replace("&", "&amp;")
