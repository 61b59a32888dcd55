"""Nothing that goes out pings anybody, and no label of a source lies about where it leads."""

import html
import itertools
import json
import re

import pytest

from adapters.slack.render import blocks, escape
from core.records import Answer, Chip, Cost

SPECIAL = ["<!channel>", "<!here>", "<!everyone>", "<!group>", "<!subteam^S012|@all>", "<#C0SALES>"]
SPECIAL += ["<@U0MARA>", "<@W0MARA|mara>", "<@U0COUNTER>", "<!date^1^{date}^https://x.example|d>"]
PLAIN = ["@channel", "@here", "@everyone", "@group", "@Channel", "@EVERYONE"]
FRAMES = [
    "{}",
    "hello {} all",
    "**{}**",
    "_{}_",
    "`{}`",
    "```\n{}\n```",
    "> {}",
    "- {}",
    "| a | {} |\n|---|---|\n| {} | b |",
    "# {}",
    "[x]({})",
    "({})",
]
TRICKS = [
    "&lt;!channel&gt;",
    "&#60;!channel&#62;",
    "&#x3c;!channel>",
    "&#x3C;@U0MARA>",
    "&lt;&#33;channel&gt;",
    "&LT;!here&GT;",
    "<\\!channel>",
    "\\<!channel>",
    "< !channel>",
    "<\u200b!channel>",
    "<\u200d!channel>",
    "<\\@U0MARA>",
    "<&#64;U0MARA>",
    "<&commat;U0MARA>",
    "&#64;channel",
    "&commat;here",
    "\\@everyone",
    "@\\channel",
    "@\u200bchannel",
    "&#x40;here",
    "@ch&#97;nnel",
    "<!ch&#97;nnel>",
    "<!&#99;hannel>",
    "<@&#85;0MARA>",
    "@&#104;ere",
    "@&#x68;ere",
    "<<!channel>>",
    "<!<!channel>>",
    "<!channel><!channel>",
    "<!CHANNEL>",
    "<!channel|here>",
    "&amp;lt;!channel&gt;",
    "<\n!channel>",
    "<\t@U0MARA>",
    "&#0060;!channel>",
    "&ltxx <!here>",
]
VECTORS = [
    *(frame.replace("{}", word) for frame, word in itertools.product(FRAMES, SPECIAL + PLAIN)),
    *TRICKS,
]
LIVE = re.compile(
    r"<[\s\\]*[!@#][\s\\]*\w|(?<![^\W_])@\\?(?:channel|here|everyone|group)(?![^\W_])",
    re.IGNORECASE,
)


def read_by_slack(text: str) -> list[str]:
    """The text as the most generous reader could take it: entities and escapes undone, invisible
    characters other than ours dropped."""
    unescaped = html.unescape(text)
    dropped = re.sub(r"[\u200b-\u200f\ufeff]", "", unescaped)
    return [text, unescaped, dropped, re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", dropped)]


def texts(block) -> list[str]:
    if block["type"] == "markdown":
        return [block["text"]]
    return [element["text"] for element in block["elements"]]


def live(text: str) -> bool:
    return any(LIVE.search(reading) for reading in read_by_slack(text))


@pytest.mark.promise("E5", "adapters.slack")
@pytest.mark.parametrize("vector", VECTORS)
def test_case_19_no_text_pings_anybody_in_any_block(vector):
    answer = Answer(
        text=vector,
        chips=(Chip(number=1, label=vector, url="https://docs.example/a"),),
        cost=Cost(models=(vector,), calls=1, tokens=10, price="0"),
    )
    for message in blocks.render(answer).messages:
        shown = [text for block in message.blocks for text in texts(block)]
        for text in [*shown, message.text, *blocks.plain_pieces(message)]:
            assert not live(text.replace("<https://docs.example/a|", ""))


def test_there_are_two_hundred_vectors_and_each_would_ping_as_it_is():
    assert len(VECTORS) >= 200
    assert all(live(vector) or live(html.unescape(vector)) for vector in VECTORS)


def test_inert_text_stays_as_it_is():
    for vector in VECTORS:
        once = escape.inert(vector)
        assert escape.inert(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "mail mara@here.example or a@channel.example",
        "SELECT * FROM t WHERE a < 5 AND b <> 3 -- x",
        "`if (a <b && c> d) { return !x; }`",
        "R&D at 5 < 6 & 7 > 2; &lt;b&gt; <b>bold</b> <!-- note -->",
        "ranges: '[1,2]' <@ '[0,9]' and arr @> '{1}'",
        "the channel is here, everyone",
        "Grüße, 数据, 👩🏽‍💻",
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert escape.inert(text) == text


def test_text_that_would_fail_a_call_is_repaired():
    assert escape.inert("a\ud800b\x00c\nd\te") == "a\ufffdb\ufffdc\nd\te"
    json.dumps(escape.inert("\udfff")).encode()


@pytest.mark.promise("E1", "adapters.slack")
@pytest.mark.parametrize(
    ("label", "url"),
    [
        ("Q3", "https://a.example/?x=1|https://bank.example"),
        ("Q3> <https://bank.example|click", "https://a.example/"),
        ("Q3|https://bank.example", "https://a.example/"),
        ("Q3", "https://a.example/>https://bank.example"),
        ("Q3\n<!channel>", "https://a.example/"),
        ("`Q3`", "https://a.example/?a=1&b=2"),
        ("[Q3](https://bank.example)", "https://a.example/"),
    ],
)
def test_case_16_a_source_leads_to_its_own_address_alone(label, url):
    block = blocks.sources([Chip(number=1, label=label, url=url)])[0]
    shown = block["elements"][0]["text"]
    links = re.findall(r"<([^|>]*)\|([^>]*)>", shown)
    assert len(links) == 1 and shown.count("<") == shown.count(">") == 1
    target = html.unescape(links[0][0])
    assert target.replace("%7C", "|").replace("%3E", ">") == url
    assert target.startswith("https://a.example/")


@pytest.mark.promise("E1", "adapters.slack")
@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "slack://x", "data:text/html,x", "https://", "https://a b", "x"]
)
def test_an_address_that_is_none_is_shown_as_a_name_without_a_link(url):
    shown = blocks.sources([Chip(number=3, label="Plan", url=url)])[0]["elements"][0]["text"]
    assert shown == "[3] Plan"


@pytest.mark.promise("E1", "adapters.slack")
def test_a_source_without_an_address_has_no_link():
    shown = blocks.sources([Chip(number=1, label="orders.csv")])[0]["elements"][0]["text"]
    assert shown == "[1] orders.csv"
