"""Reads what the Teams adapter has to be told."""

from adapters.teams import settings as teams
from adapters.teams.origins import MICROSOFT
from adapters.teams.settings import TeamsSettings
from bot.given import Given
from core.errors import Misconfigured


def read(given: Given, *, is_workspace: bool) -> TeamsSettings | None:
    """None where Teams is not connected. In the local workspace only a test client that signs
    nothing is served from the settings."""
    is_unverified = given.text("TEAMS_AUTHENTICATION") == "off"
    app = given.text("TEAMS_APP_ID").lower()
    if not app or (is_workspace and not is_unverified):
        return None
    try:
        return TeamsSettings(
            app_id=app,
            tenant_id=given.text("TEAMS_TENANT_ID").lower(),
            also_tenants=given.words("TEAMS_ALSO_TENANTS"),
            password=given.text("TEAMS_APP_PASSWORD", is_secret=True),
            certificate=given.text("TEAMS_APP_CERTIFICATE", is_secret=True),
            is_managed_identity=given.text("TEAMS_MANAGED_IDENTITY").lower() in ("true", "1"),
            identity_endpoint=given.text("IDENTITY_ENDPOINT"),
            identity_secret=given.text("IDENTITY_HEADER", is_secret=True),
            openid_url=given.text("TEAMS_OPENID_URL", teams.OPENID),
            login_url=given.text("TEAMS_LOGIN_URL", teams.LOGIN),
            service_origins=given.words("TEAMS_SERVICE_ORIGINS") or MICROSOFT,
            sso_resource=given.text("TEAMS_SSO_RESOURCE").lower(),
            is_targeting=given.text("TEAMS_TARGETED_MESSAGES").lower() == "on",
            sensitivity=given.text("TEAMS_SENSITIVITY"),
            is_unverified=is_unverified,
            is_workspace=is_workspace,
            host=given.text("COUNTERSIGN_HOST", "127.0.0.1"),
        )
    except Misconfigured as faults:
        given.problems += str(faults).splitlines()
        return None
