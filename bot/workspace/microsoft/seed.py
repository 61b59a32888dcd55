"""The people whom a fresh tenant starts with."""

from bot.workspace.microsoft.records import Account
from bot.workspace.slack.seed import PEOPLE as SLACK_PEOPLE

COMPANY = "Larkspur Cycles"
DOMAIN = "larkspur.example"

FROM_SLACK = tuple(
    Account(
        name=member.name,
        upn=member.email,
        display_name=member.real_name,
        job_title=member.title,
        time_zone=member.tz,
        is_admin=member.is_admin,
    )
    for member in SLACK_PEOPLE
    if not member.is_guest
)
"""The same people as in the Slack stand-in, joined by their addresses; a guest of the workspace
has no account in the tenant."""

COLLEAGUES = (
    Account(
        name="lena",
        upn=f"lena.hoffmann@{DOMAIN}",
        display_name="Lena Hoffmann",
        job_title="Marketing",
        department="Marketing",
    ),
    Account(
        name="lenah",
        upn=f"lena.haraldsen@{DOMAIN}",
        display_name="Lena Haraldsen",
        job_title="Area sales, Nordics",
        department="Sales",
    ),
    Account(
        name="dealers",
        upn=f"dealers@{DOMAIN}",
        display_name="Dealer Desk",
        job_title="Shared mailbox",
        is_shared_mailbox=True,
        delegates=("mara",),
    ),
)
"""Two Lenas, so that a first name alone does not say who is meant."""

ACCOUNTS = (*FROM_SLACK, *COLLEAGUES)
