"""What Entra answers when it refuses: OAuth errors with AADSTS numbers.

Numbers and texts follow Microsoft's "Microsoft Entra authentication and authorization error
codes" page.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.workspace.microsoft.records import Fault, Json
from bot.workspace.microsoft.tenant import new_guid

ERROR_PAGE = "https://login.microsoftonline.com/error?code="


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    number: int
    error: str
    text: str
    status: int = 400
    suberror: str = ""
    claims: str = ""
    retry_after: int | None = None


class Refused(Exception):
    """Entra says no."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def _grant(number: int, text: str, suberror: str = "") -> Failure:
    return Failure(number=number, error="invalid_grant", text=text, suberror=suberror)


UNKNOWN_APP = Failure(
    number=700016,
    error="unauthorized_client",
    text="Application with identifier '{client}' was not found in the directory '{tenant}'.",
)
UNKNOWN_TENANT = Failure(number=90002, error="invalid_tenant", text="Tenant '{tenant}' not found.")
BAD_SECRET = Failure(
    number=7000215,
    error="invalid_client",
    text="Invalid client secret provided.",
    status=401,
)
BAD_CERTIFICATE = Failure(
    number=700027,
    error="invalid_client",
    text="The certificate with identifier used to sign the client assertion is not registered on "
    "application.",
    status=401,
)
OLD_CERTIFICATE = Failure(
    number=700024,
    error="invalid_client",
    text="Client assertion is not within its valid time range.",
    status=401,
)
NO_CREDENTIAL = Failure(
    number=7000218,
    error="invalid_client",
    text="The request body must contain the following parameter: 'client_assertion' or "
    "'client_secret'.",
    status=401,
)
BAD_REDIRECT = Failure(
    number=50011,
    error="invalid_request",
    text="The redirect URI '{redirect}' specified in the request does not match the redirect "
    "URIs configured for the application '{client}'.",
)
MISSING = Failure(
    number=900144,
    error="invalid_request",
    text="The request body must contain the following parameter: '{name}'.",
)
BAD_GRANT_TYPE = Failure(
    number=70003,
    error="unsupported_grant_type",
    text="The app returned an unsupported grant type '{name}'.",
)
BAD_RESPONSE_TYPE = Failure(
    number=700054,
    error="unsupported_response_type",
    text="response_type '{name}' is not enabled for the application.",
)
BAD_RESPONSE_MODE = Failure(
    number=90015, error="invalid_request", text="The response_mode '{name}' is not supported."
)
BAD_CHALLENGE = Failure(
    number=501491,
    error="invalid_request",
    text="Invalid code_challenge_method '{name}' or code_challenge.",
)
BAD_SCOPE = Failure(
    number=70011,
    error="invalid_scope",
    text="The provided value for the input parameter 'scope' is not valid: '{name}'.",
)
TWO_RESOURCES = Failure(
    number=28000,
    error="invalid_request",
    text="Provided value for the input parameter scope is not valid because it contains more "
    "than one resource. Scope {name} is not valid.",
)
USED_CODE = _grant(
    54005,
    "OAuth2 Authorization code was already redeemed, please retry with a new valid code or use "
    "an existing refresh token.",
)
OLD_CODE = _grant(70008, "The provided authorization code or refresh token has expired.")
UNKNOWN_CODE = _grant(9002313, "Invalid request. Request is malformed or invalid.")
BAD_VERIFIER = _grant(
    501481,
    "The Code_Verifier does not match the code_challenge supplied in the authorization request.",
)
WRONG_REDIRECT = _grant(
    500112,
    "The reply address '{redirect}' does not match the reply address provided when requesting "
    "the authorization code.",
)
BAD_TOKEN = _grant(
    50173,
    "The provided grant has expired due to it being revoked, a fresh auth token is needed. The "
    "user might have changed or reset their password.",
    "bad_token",
)
UNKNOWN_TOKEN = _grant(9002313, "Invalid request. Request is malformed or invalid.", "bad_token")
IDLE_TOKEN = _grant(700082, "The refresh token has expired due to inactivity.", "token_expired")
BAD_ASSERTION = _grant(50013, "Assertion failed signature validation.")
WRONG_ASSERTION = _grant(
    500131, "Assertion audience does not match the Client app presenting the assertion."
)
OLD_ASSERTION = _grant(500133, "Assertion is not within its valid time range.")
DISABLED = _grant(50057, "The user account is disabled.")
CONSENT = _grant(
    65001,
    "The user or administrator has not consented to use the application with ID '{client}' named "
    "'{app}'. Send an interactive authorization request for this user and resource.",
    "consent_required",
)
MFA = Failure(
    number=50076,
    error="interaction_required",
    text="Due to a configuration change made by your administrator, or because you moved to a "
    "new location, you must use multi-factor authentication to access "
    "'00000003-0000-0000-c000-000000000000'.",
    suberror="basic_action",
    claims='{"access_token":{"capolids":{"essential":true,'
    '"values":["a1c4d0a2-5d0e-4f5e-9a53-2c0f7b1d9e11"]}}}',
)
"""A condition that the person meets by signing in again."""
BLOCKED = Failure(
    number=53003,
    error="interaction_required",
    text="Access has been blocked by Conditional Access policies. The access policy does not "
    "allow token issuance.",
    suberror="message_only",
)
"""A condition that nobody can meet by signing in."""
DEVICE = Failure(
    number=53000,
    error="interaction_required",
    text="Device is not in required device state: compliant. Conditional Access policy requires a "
    "compliant device, and the device is not compliant.",
    suberror="message_only",
)
DECLINED = Failure(
    number=65004, error="access_denied", text="User declined to consent to access the app."
)
NEEDS_ADMIN = Failure(
    number=90094,
    error="access_denied",
    text="An administrator of {tenant} has set a policy that prevents you from granting {app} the "
    "permissions it is requesting.",
)
NO_SESSION = Failure(
    number=50058,
    error="login_required",
    text="Session information is not sufficient for single-sign-on.",
)
STRANGER = Failure(
    number=50020,
    error="access_denied",
    text="User account '{name}' from identity provider 'live.com' does not exist in tenant "
    "'{tenant}' and cannot access the application '{client}'.",
)
BUSY = Failure(
    number=90033,
    error="temporarily_unavailable",
    text="A transient error has occurred. Please try again.",
    status=503,
    retry_after=2,
)


def said(failure: Failure, **words: str) -> Refused:
    """The refusal with its blanks filled."""
    return Refused(replace(failure, text=failure.text.format(**words)))


def of_fault(fault: Fault) -> Failure:
    """A scripted failure in Entra's words."""
    return Failure(
        number=fault.number or BUSY.number,
        error=fault.code or ("temporarily_unavailable" if fault.status >= 500 else "invalid_grant"),
        text=fault.message or BUSY.text,
        status=fault.status,
        suberror=fault.suberror,
        claims=fault.claims,
        retry_after=fault.retry_after,
    )


def body(failure: Failure, correlation_id: str, now: float) -> Json:
    """The JSON that the token endpoint answers with."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    trace = new_guid()
    answer: Json = {
        "error": failure.error,
        "error_description": description(failure, trace, correlation_id, stamp),
        "error_codes": [failure.number],
        "timestamp": stamp,
        "trace_id": trace,
        "correlation_id": correlation_id,
        "error_uri": f"{ERROR_PAGE}{failure.number}",
    }
    if failure.suberror:
        answer["suberror"] = failure.suberror
    if failure.claims:
        answer["claims"] = failure.claims
    return answer


def description(failure: Failure, trace: str, correlation_id: str, stamp: str) -> str:
    return (
        f"AADSTS{failure.number}: {failure.text} Trace ID: {trace} "
        f"Correlation ID: {correlation_id} Timestamp: {stamp}"
    )
