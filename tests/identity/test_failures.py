"""What Microsoft's refusals mean for the person, and for what is kept."""

from typing import Any

import pytest

from core.identity.failures import SENTENCES, of_answer, of_browser

WANTED = ("Mail.Send",)


def grant(number: int, suberror: str = "", **more: Any) -> dict[str, Any]:
    return {"error": "invalid_grant", "error_codes": [number], "suberror": suberror, **more}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (grant(65001, "consent_required"), "consent_required"),
        ({"error": "consent_required"}, "consent_required"),
        (grant(50173, "bad_token"), "revoked"),
        (grant(700082, "token_expired"), "revoked"),
        (grant(50057), "revoked"),
        ({"error": "invalid_grant"}, "revoked"),
        (grant(50076, "basic_action"), "interaction_required"),
        (grant(50079), "interaction_required"),
        (grant(50055, "user_password_expired"), "interaction_required"),
        ({"error": "interaction_required", "error_codes": [50158]}, "interaction_required"),
        (grant(53003, "message_only"), "interaction_required"),
        (grant(123456), "interaction_required"),
        ({"error": "invalid_client", "error_codes": [7000215]}, "unavailable"),
        ({"error": "unauthorized_client", "error_codes": [700016]}, "unavailable"),
        ({"error": "temporarily_unavailable"}, "unavailable"),
        ({"error": "server_error", "error_codes": "x"}, "unavailable"),
        ({}, "unavailable"),
    ],
)
def test_a_refusal_has_one_meaning(answer: dict[str, Any], kind: str) -> None:
    assert of_answer(answer, WANTED).kind == kind


def test_a_reason_that_is_not_known_here_costs_no_token() -> None:
    """Only `revoked` erases, so a number that Microsoft invents tomorrow must not be that."""
    assert {of_answer(grant(number), WANTED).kind for number in range(8_000_000, 8_000_100)} == {
        "interaction_required"
    }


def test_a_new_sign_in_is_told_what_to_ask_for() -> None:
    need = of_answer(grant(50076, "basic_action", claims='{"x":1}'), WANTED)
    assert (need.scopes, need.claims) == (WANTED, '{"x":1}')
    assert of_answer(grant(50076, claims={"not": "text"}), WANTED).claims == ""


def test_no_text_of_the_answer_reaches_the_person() -> None:
    said = grant(50173, error_description="robin@larkspur.example from 10.0.0.1")
    assert str(of_answer(said, WANTED)) in SENTENCES.values()
    assert str(of_browser("<script>", WANTED)) in SENTENCES.values()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("access_denied", "consent_required"),
        ("login_required", "interaction_required"),
        ("server_error", "unavailable"),
        ("anything", "unavailable"),
        ("", "unavailable"),
    ],
)
def test_what_a_browser_brings_back_has_one_meaning(error: str, kind: str) -> None:
    assert of_browser(error, WANTED).kind == kind
