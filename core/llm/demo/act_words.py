"""The ways in which people ask for a mail, a post or an event, as patterns."""

import re

ADDRESS = re.compile(r"[^@\s<>,;:\"()]+@[^@\s<>,;:\"()]+\.[^@\s<>,;:\"().!?]+")
POLITE = re.compile(
    r"^\W*(?:(?:please|kindly|ok(?:ay)?|hey|hi|and|then|now|also|(?:can|could|would|will) you"
    r"|i want(?: you)? to|i(?:['’]d| would) like(?: you)? to|i need(?: you)? to|let['’]?s|let us"
    r"|go ahead and)\b[\s,]*)+",
    re.IGNORECASE,
)
LETTER = r"(?:e-?mails?|mails?|messages?)"
MEETING = r"(?:meetings?|appointments?|events?|calls?|calendar|lunch|dinner|invitation|invite)"
KINDS = (
    ("answer", re.compile(r"^(?:reply|respond|answer)\b", re.I)),
    ("forward", re.compile(r"^forward\b", re.I)),
    (
        "free",
        re.compile(
            r"^(?:when|what time|at what time|find|is|are|show)\b(?=.*\b(?:free|available)\b)", re.I
        ),
    ),
    ("cancel", re.compile(rf"^(?:cancel|call off|delete)\b(?=.*\b{MEETING}\b)", re.I)),
    (
        "event",
        re.compile(
            r"^(?:set ?up|schedule|arrange|plan|organi[sz]e|book|create|make|add|put|send|new)\b"
            rf"(?=.*\b{MEETING}\b)(?!.*\be?-?mail)|^(?:meet|invite)\b",
            re.I,
        ),
    ),
    (
        "post",
        re.compile(
            r"^(?:post|announce|publish)\b|^tell\s+#\w"
            r"|^(?:send|write|say|share|put|tell|mail)\b(?=.*\b(?:to|in|into|on)\s+#\w)",
            re.I,
        ),
    ),
    (
        "mail",
        re.compile(
            rf"^(?:e-?mail|mail)\b|^(?:send|write|draft|compose|drop|shoot)\b(?=.*\b{LETTER}\b)"
            r"|^(?:send|write to)\b(?=.*(?:@|\bto\b))|^send\s+(?=[A-ZÀ-Þ])",
            re.I,
        ),
    ),
)
CHANNEL = re.compile(
    r"(?:\b(?:to|in|into|on)\s+(?:the\s+)?(?:channel\s+)?)?#([\w-]+)(?:\s+\([A-Z0-9]+\))?(?:\s+channel\b)?",
    re.I,
)
NAMED_CHANNEL = re.compile(r"\b(?:to|in|into)\s+(?:the\s+)?([\w-]+)\s+channel\b", re.I)
SAID = re.compile(
    r"(?:\b(?:saying|that says|which says|with the (?:text|words|message|body)"
    r"|(?:and )?tell(?:ing)? (?:him|her|them|everybody|everyone))(?:\s+that)?\b[\s:]*"
    r"|(?<!\d):\s+|:\s*\n)(?P<text>.+)$",
    re.I | re.S,
)
QUOTED = re.compile(
    r"[“\"„«](?P<in>[^“”\"„«»]{2,4000})[”\"“»]|(?:(?<=\s)|^)['‘](?P<inner>[^'‘’]{2,4000})['’](?=\s|$)"
)
ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|re|on the subject of)\b:?\s+(?P<text>.+)$", re.I | re.S
)
SUBJECT = re.compile(
    r"\b(?:with (?:the )?subject|subject(?: line)?|titled|called)\b\s*:?\s+(?P<text>.+?)"
    r"(?=,|\s+(?:to|with|saying)\b|$)",
    re.I,
)
BACK = re.compile(
    r"^\W*(?:it|that|this|them|those|these"
    r"|the (?:above|same|results?|answer|table|list|summary))\W*$",
    re.I,
)
COPY = re.compile(
    r",?\s*(?:\band\s+)?\b(?P<kind>bcc|cc|copy)\b:?\s+(?:to\s+)?(?P<names>.+?)"
    r"(?=,?\s+\b(?:about|saying|bcc|cc|to|with)\b|$)",
    re.I,
)
NOUN_FIRST = re.compile(
    r"^(?:(?:him|her|them)\b|(?:an?|the|another|new|quick|short|\d+[- ]?minute)\s+)*"
    rf"(?:{LETTER}|{MEETING}|note)\b\s*",
    re.I,
)
STOP = re.compile(
    r"\s+(?:about|regarding|concerning|saying|that|with|for|on|at|in|from|tomorrow|today|next|titled|subject|please|via|by|as|so)\b.*$"
    r"|[:?!;].*$|,\s*(?=(?:please|subject|saying|about)\b).*$",
    re.I | re.S,
)
THEN = re.compile(
    r"(?:,?\s+and(?:\s+then)?|[.?;!]|,\s*then|,)\s+"
    r"(?:(?:please|then|also|(?:can|could|would) you)\s+)*"
    r"(?=(?:e-?mail|mail|send|post|forward)\s+"
    r"(?:it|that|this|them|the (?:results?|table|list|answer))\b)",
    re.I,
)
NOBODY = frozenset("a an the some any my our your his her their this that it".split())
ME = frozenset(("me", "myself", "us"))
THING = re.compile(
    r"^(?!.*\b(?:is|are|was|were|will|has|have|had|can|should|must|do|does|did|be|been)\b)"
    r"(?:the|our|my)(?:\s+[^\s.!?]+){1,7}$",
    re.I,
)
"""A reply that names what is to be looked up: “the Q3 summary”."""
DROPPED = re.compile(r"^\W*(?:never ?mind|cancel|forget|stop|no|nothing)\b|\?\s*$", re.I)
"""A reply that completes nothing: it takes the act back, or asks something else."""
