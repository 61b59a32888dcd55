"""The numbers at which Slack refuses, as data.

Sources: docs.slack.dev block and method reference, the models of slack_sdk 3.48, and field
reports where Slack documents nothing (marked so). Texts are counted in characters.
"""

from typing import Final

MESSAGE_BLOCKS: Final = 50
VIEW_BLOCKS: Final = 100
ATTACHMENTS: Final = 100

SECTION_TEXT: Final = 3_000
SECTION_FIELDS: Final = 10
FIELD_TEXT: Final = 2_000
HEADER_TEXT: Final = 150
CONTEXT_ELEMENTS: Final = 10
ACTIONS_ELEMENTS: Final = 25
CONTEXT_ACTIONS_ELEMENTS: Final = 5
IDENTIFIER: Final = 255
"""`block_id`, `action_id`, `callback_id`."""

MARKDOWN_TEXT: Final = 12_000
"""One markdown block, and the sum of all in a message; also `markdown_text` of one call."""
MARKDOWN_ITEMS: Final = 50
"""Field report: Slack expands a markdown block into headings, rules, tables and text runs, and
refuses the message when there are more."""
ALL_BLOCK_TEXT: Final = 13_200
"""Field report: the sum of all text in the blocks of one message."""

BUTTON_TEXT: Final = 75
BUTTON_VALUE: Final = 2_000
BUTTON_PROMPT: Final = 4_000
URL: Final = 3_000
ALT_TEXT: Final = 2_000
IMAGE_TITLE: Final = 2_000
CONFIRM_TITLE: Final = 100
CONFIRM_TEXT: Final = 300
CONFIRM_BUTTON: Final = 30
OPTIONS: Final = 100
OPTION_TEXT: Final = 75
OPTION_VALUE: Final = 150
OVERFLOW_OPTIONS: Final = 5
BOX_OPTIONS: Final = 10
"""Checkboxes and radio buttons."""
PLACEHOLDER: Final = 150
INPUT_LABEL: Final = 2_000
INPUT_TEXT: Final = 3_000

TABLE_ROWS: Final = 100
TABLE_COLUMNS: Final = 20
TABLES_PER_MESSAGE: Final = 1
"""Slack makes table blocks of the tables in Markdown, so these are counted and measured too: the
stricter reading, Slack documents nothing."""
DATA_TABLE_ROWS: Final = 101
"""With the header. A newer list says 201; the stricter page is kept."""
DATA_TABLE_TEXT: Final = 10_000
DATA_TABLE_PAGE: Final = 100
CHARTS_PER_MESSAGE: Final = 2
CHART_TITLE: Final = 50
CHART_SERIES: Final = 6
"""Series or segments. Another page says 12; the stricter one is kept."""
CHART_POINTS: Final = 20
CHART_LABEL: Final = 20
CHART_AXIS: Final = 50

CARD_TITLE: Final = 150
CARD_BODY: Final = 200
CARD_ACTIONS: Final = 3
CAROUSEL_CARDS: Final = 10
CONTAINER_BLOCKS: Final = 10
ALERT_TEXT: Final = 200
PLAN_TASKS: Final = 50
PROVIDER_VALUE: Final = 150
PROVIDER_NAME: Final = 75
PROVIDER_DESCRIPTION: Final = 150

VIEW_TITLE: Final = 24
PRIVATE_METADATA: Final = 3_000
VIEW_BYTES: Final = 250_000
VIEW_STACK: Final = 3

POST_TEXT: Final = 40_000
"""chat.postMessage cuts a longer `text`."""
UPDATE_TEXT: Final = 4_000
"""chat.update refuses a longer `text`."""
METADATA_BYTES: Final = 16_384

STREAM_TEXT: Final = 11_600
"""Field report: the sum of all text of one streamed message."""
STREAM_SECONDS: Final = 300.0
"""Field report: a stream dies after about five minutes, even with traffic."""
STATUS_SECONDS: Final = 120.0
LOADING_MESSAGES: Final = 10
SUGGESTED_PROMPTS: Final = 4
SESSION_TITLE: Final = 200

TRIGGER_SECONDS: Final = 3.0
HOOK_USES: Final = 5
HOOK_SECONDS: Final = 1_800.0
DELIVERY_SECONDS: Final = 3.0
RETRY_PAUSES: Final = (0.0, 60.0, 300.0)
SOCKETS: Final = 10

PAGE_SIZE: Final = 1_000
DEFAULT_PAGE: Final = 100

TIER_1, TIER_2, TIER_3, TIER_4 = 1, 20, 50, 100
"""Calls per minute for a method, a workspace, an app."""
POST_BURST: Final = 4
"""chat.postMessage is one a second per channel; a short burst of this many is let through."""
TIERS: Final[dict[str, int]] = {
    "agents.sessions.setStatus": TIER_3,
    "agents.sessions.rename": TIER_3,
    "apps.connections.open": TIER_3,
    "assistant.threads.setSuggestedPrompts": TIER_4,
    "assistant.threads.setTitle": TIER_4,
    "chat.appendStream": TIER_4,
    "chat.delete": TIER_3,
    "chat.postEphemeral": TIER_4,
    "chat.startStream": TIER_2,
    "chat.stopStream": TIER_2,
    "chat.update": TIER_3,
    "conversations.history": TIER_3,
    "conversations.members": TIER_4,
    "conversations.open": TIER_3,
    "conversations.replies": TIER_3,
    "files.completeUploadExternal": TIER_4,
    "files.getUploadURLExternal": TIER_4,
    "files.info": TIER_4,
    "reactions.add": TIER_3,
    "users.conversations": TIER_3,
    "users.info": TIER_4,
    "usergroups.users.list": TIER_2,
    "users.list": TIER_2,
    "views.open": TIER_4,
    "views.publish": TIER_4,
    "views.update": TIER_4,
}
