"""What a refusal of the Power BI service means, in words and for the next try."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from core.errors import CountersignError

Kind = Literal[
    "query", "sign_in", "permission", "switched_off", "throttled", "too_large", "timeout", "service"
]
USELESS = "Failed to execute the DAX query."
"""All that the service says of many faults. Source: reports of its users since 2021."""
_CODES: Mapping[str, str] = {
    "3239575574": "this function is not open to queries from outside",
    "3241803789": "a column does not exist or cannot be used here",
    "3241803829": "a name does not exist",
    "3241803860": "a function or a variable does not exist",
    "3241803862": "an expression does not fit where it stands",
    "3241803785": "a column stands where one value is needed: aggregate it",
}
"""`AnalysisServicesErrorCode` of the answers that carry one."""


class DaxFailed(CountersignError):
    """The service did not answer the query. `query` can be written better; `permission`,
    `switched_off` and `sign_in` are for a person to mend; the others pass."""

    def __init__(self, kind: Kind, sentence: str, *, retry_after: float = 0.0) -> None:
        super().__init__(sentence)
        self.kind: Kind = kind
        self.sentence = sentence
        self.retry_after = retry_after
        """Seconds that the service asked to be left alone; 0 where it said nothing."""


def failure(status: int, body: object, retry_after: str | None, title: str) -> DaxFailed:
    """Of an answer that is none. Error shapes: the service's REST reference, `Execute Queries`."""
    error = _mapping(_mapping(body).get("error"))
    code = str(error.get("code", ""))
    details = _details(error)
    said = details.get("DetailsMessage") or str(error.get("message", ""))
    if status == 401:
        return DaxFailed("sign_in", "Power BI did not take the sign-in: connect the account again.")
    if status == 429:
        wait = float(retry_after) if retry_after and retry_after.isdecimal() else 30.0
        sentence = f"Power BI asks for a pause of {wait:.0f} s: 120 queries a minute are let in."
        return DaxFailed("throttled", sentence, retry_after=wait)
    if "not enabled" in said.lower() or code in ("FeatureNotAvailableError", "TenantSwitchOff"):
        return DaxFailed("switched_off", SWITCHED_OFF)
    if code == "PowerBIEntityNotFound" or status in (403, 404):
        return DaxFailed("permission", permission(title))
    if status == 400:
        return DaxFailed("query", in_words(said, details.get("AnalysisServicesErrorCode", "")))
    if status == 413:
        return DaxFailed("too_large", "The result is larger than Power BI hands out.")
    return DaxFailed("service", f"Power BI could not answer (HTTP {status}). Try again later.")


SWITCHED_OFF = (
    "Queries from outside are switched off in this tenant: an administrator of Power BI has to"
    ' switch on "Dataset Execute Queries REST API" under Integration settings.'
)


def permission(title: str) -> str:
    return (
        f"Power BI does not let you query {title}: it needs the permissions Read and Build on the"
        " semantic model. Ask whoever owns it."
    )


def in_words(said: str, code: str) -> str:
    """What was wrong with a query. Of the useless text the code is more than nothing."""
    known = _CODES.get(code, "")
    plain = " ".join(said.split())[:600]
    if not plain or plain.startswith(USELESS):
        hint = known or "no reason was given: look at names, commas and where tables are needed"
        return f"Power BI refused the query: {hint}."
    return f"Power BI refused the query: {plain}" + (f" ({known}.)" if known else "")


def _details(error: Mapping[str, Any]) -> dict[str, str]:
    listed = _mapping(error.get("pbi.error")).get("details")
    found: dict[str, str] = {}
    for one in cast("Sequence[object]", listed) if isinstance(listed, list) else ():
        detail = _mapping(one)
        found[str(detail.get("code", ""))] = str(_mapping(detail.get("detail")).get("value", ""))
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
