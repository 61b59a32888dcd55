"""An answer rests on passages that it cites, quotes what they say, or says that there is none."""

import pytest

from core.policy.quotes import held
from core.records import Chunk
from core.specialists.documents.answering import QUOTES, grounded, quotes
from core.storage.documents import Cited

TEXT = "A hotel night in Paris may cost 180 euros, breakfast included. Meals cost extra."


def cited(text: str = TEXT, label: str = "policy.pdf, page 2") -> Cited:
    chunk = Chunk(id="c", scope="s", source="document:d", title=label, text=text)
    return Cited(chunk=chunk, label=label, url="http://x.example/d")


def test_an_answer_without_a_citation_is_none() -> None:
    assert grounded("It is 180 euros.", [cited()]).text == ""
    assert grounded("It is 180 euros [2].", [cited()]).text == ""
    assert grounded("NOT IN THE DOCUMENTS", [cited()]).text == ""
    assert grounded("It is 180 euros [1], or so [7].", [cited()]).text == (
        "It is 180 euros [1], or so ."
    )


def test_a_quotation_that_is_none_loses_its_marks() -> None:
    said = 'It says “a hotel night in Paris may cost 180 euros” and "meals are free of charge" [1].'
    assert grounded(said, [cited()]).text == (
        "It says “a hotel night in Paris may cost 180 euros” and meals are free of charge [1]."
    )


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("> A hotel night in Paris may cost 180 euros [1]\n", True),
        ("> A hotel night in Rome may cost 180 euros [1]\n", False),
        ("„A hotel night in Paris may cost 180 euros“", True),
        ("«A HOTEL night — in Paris may cost 180 euros»", True),
        ("“A hotel night … breakfast included”", True),
        ("“breakfast included … A hotel night”", False),
        ("“A hotel night in Paris must cost 180 euros”", False),
        ("a “hotel” word", True),
    ],
)
def test_quotations_are_held_to_their_words_alone(text: str, stands: bool) -> None:
    assert (held(text, [TEXT]) == text) is stands


def test_the_demo_quotes_sentences_that_fit_and_says_that_it_only_quotes() -> None:
    said = quotes("What may a hotel night cost?", [cited("Dogs sleep."), cited()])
    assert said.startswith(QUOTES)
    assert "> A hotel night in Paris may cost 180 euros, breakfast included. [2]" in said
    assert "Dogs" not in said
    assert quotes("Who won the cup?", [cited("Dogs sleep.")]) == ""
