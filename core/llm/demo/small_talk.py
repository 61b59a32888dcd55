"""Whether a text only keeps up the conversation."""

import re

from core.llm.demo.words import words

_GREETINGS = frozenset(
    """hi hello hey good morning afternoon evening thanks thank you ok okay cheers help so very much
    please there great nice bye""".split()
)
_ABOUT_ITSELF = re.compile(
    r"^\W*(?:(?:who|what|how) are you|what can (?:you|i) (?:do|ask)|are you an?\b)", re.IGNORECASE
)
_THANKS = re.compile(r"^\W*(?:many |great )?(?:thanks|thank you|cheers)\b", re.IGNORECASE)
_BACK = re.compile(
    r"^\W*(?:(?:oh |no,? )?never ?mind|forget (?:it|that|about it)|no,? thanks?"
    r"|cancel (?:it|that))\W*$",
    re.IGNORECASE,
)
_LONGEST_TALK = 8
"""Words."""


def is_small_talk(text: str) -> bool:
    """A greeting, a thank you, a question about the bot itself."""
    said = words(text)
    is_about_itself = bool(_ABOUT_ITSELF.match(text)) and len(said) <= _LONGEST_TALK
    is_thanks = bool(_THANKS.match(text)) and len(said) <= _LONGEST_TALK // 2
    return is_about_itself or is_thanks or takes_back(text) or _GREETINGS.issuperset(said)


def takes_back(text: str) -> bool:
    """Whether nothing is wanted any more."""
    return bool(_BACK.match(text))
