"""The tools that write: their names and arguments alone, for whoever is to be asked first.

What is behind them is in core.connectors, and only an approved call gets there. Called here, each
of them refuses.
"""

from typing import Annotated, Literal, NoReturn

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

Recipients = Annotated[
    list[str],
    Field(min_length=1, max_length=100, description="Mail addresses, or full names of colleagues."),
]
More = Annotated[
    list[str] | None,
    Field(max_length=100, description="Mail addresses, or full names of colleagues."),
]
Files = Annotated[
    list[str] | None,
    Field(
        max_length=10,
        description="Files that go along: the name of a file made in this thread, the number of a"
        " result (its file, or its text as one), or onedrive:<item id>.",
    ),
]
Message = Annotated[str, Field(min_length=1, description="The message id that search_mail gives.")]
Item = Annotated[str, Field(min_length=1, description="The item id that search_files gives.")]
Event = Annotated[str, Field(min_length=1, description="The event id that list_events gives.")]
Time = Annotated[str, Field(description="Like 2026-10-06T14:30, in the asking person's time.")]
MaybeTime = Annotated[str | None, Field(description="Like 2026-10-06T14:30, if it changes.")]
Text = Annotated[str, Field(min_length=1, description="Plain text.")]
Right = Annotated[Literal["read", "edit"], Field(description="What they may do with it.")]


def _refuse() -> NoReturn:
    raise ToolError("This is carried out after a person has approved it, and in no other way.")


def send_mail(
    to: Recipients,
    subject: Annotated[str, Field(min_length=1, max_length=250)],
    body: Text,
    cc: More = None,
    bcc: More = None,
    attachments: Files = None,
) -> None:
    """Send a mail in the asking person's name. Write the whole text as it is to be read; a
    signature is added."""
    _refuse()


def reply_to_mail(
    message_id: Message,
    to: Recipients,
    body: Text,
    cc: More = None,
    bcc: More = None,
    attachments: Files = None,
) -> None:
    """Answer a mail in its conversation. Name everybody who is to get the answer: the sender of
    the mail, and for an answer to all its other recipients, too."""
    _refuse()


def forward_mail(
    message_id: Message,
    to: Recipients,
    body: Annotated[str, Field(description="What stands above the forwarded mail.")] = "",
    cc: More = None,
    bcc: More = None,
) -> None:
    """Forward a mail with its attachments to somebody else."""
    _refuse()


def create_event(
    subject: Annotated[str, Field(min_length=1, max_length=250)],
    start: Time,
    end: Time,
    attendees: More = None,
    location: str | None = None,
    body: Annotated[str | None, Field(description="What the invitation says.")] = None,
    online: Annotated[bool | None, Field(description="Whether it is a Teams meeting.")] = None,
) -> None:
    """Put an event into the asking person's calendar; whoever is named is invited."""
    _refuse()


def update_event(
    event_id: Event,
    subject: Annotated[str | None, Field(max_length=250)] = None,
    start: MaybeTime = None,
    end: MaybeTime = None,
    attendees: Annotated[
        list[str] | None, Field(description="All attendees from now on, if they change.")
    ] = None,
    location: str | None = None,
    body: str | None = None,
    online: bool | None = None,
) -> None:
    """Change an event of the asking person's calendar that they organise. Give only what is to be
    different."""
    _refuse()


def cancel_event(
    event_id: Event,
    comment: Annotated[str, Field(description="What the attendees are told.")] = "",
) -> None:
    """Cancel an event that the asking person organises; its attendees are told."""
    _refuse()


def upload_file(
    path: Annotated[str, Field(min_length=1, description="Like Reports/Q3 summary.md.")],
    file: Annotated[
        str,
        Field(
            min_length=1,
            description="The name of a file made in this thread, or the number of a result.",
        ),
    ],
    replace: Annotated[bool, Field(description="Write over the file that is there.")] = False,
) -> None:
    """Write a file of this thread into the asking person's OneDrive."""
    _refuse()


def share_file_link(item_id: Item, right: Right = "read") -> None:
    """Make a link to a file in OneDrive that works for everybody in the organisation."""
    _refuse()


def share_file_with(
    item_id: Item,
    people: Recipients,
    right: Right = "read",
    message: Annotated[str, Field(description="What the invitation says.")] = "",
) -> None:
    """Share a file in OneDrive with people by name; each of them gets a mail."""
    _refuse()


def post_to_teams_chat(
    chat_id: Annotated[str, Field(min_length=1, description="As list_chats gives it.")],
    text: Text,
) -> None:
    """Post to a Teams chat in the asking person's name."""
    _refuse()


def post_to_teams_channel(
    team_id: Annotated[str, Field(min_length=1, description="As list_channels gives it.")],
    channel_id: Annotated[str, Field(min_length=1, description="As list_channels gives it.")],
    text: Text,
) -> None:
    """Post to a Teams channel in the asking person's name."""
    _refuse()


def post_to_slack(
    channel: Annotated[str, Field(min_length=1, description="The channel's name, like sales.")],
    text: Annotated[str, Field(min_length=1, max_length=12_000, description="Markdown.")],
) -> None:
    """Post to a Slack channel as the bot."""
    _refuse()


TOOLS = (
    send_mail,
    reply_to_mail,
    forward_mail,
    create_event,
    update_event,
    cancel_event,
    upload_file,
    share_file_link,
    share_file_with,
    post_to_teams_chat,
    post_to_teams_channel,
    post_to_slack,
)
