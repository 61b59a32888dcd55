"""Which permission each Web API method and each event needs, and why we ask for it."""

from typing import Final

READ_BACK: Final = ("channels:history", "groups:history", "im:history", "mpim:history")

METHODS: Final[dict[str, tuple[str, ...]]] = {
    "agents.sessions.setStatus": ("chat:write",),
    "assistant.threads.setStatus": ("chat:write",),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "auth.test": (),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.getPermalink": (),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": READ_BACK,
    "conversations.info": ("channels:read", "groups:read"),
    "conversations.members": ("channels:read", "groups:read"),
    "conversations.open": ("im:write",),
    "conversations.replies": READ_BACK,
    "files.completeUploadExternal": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "files.info": ("files:read",),
    "usergroups.users.list": ("usergroups:read",),
    "users.conversations": ("channels:read", "groups:read"),
    "users.info": ("users:read",),
    "views.open": (),
    "views.publish": (),
    "views.update": (),
}
"""Every method that the adapter calls. A method that is not here fails the manifest's check."""

EVENTS: Final[dict[str, tuple[str, ...]]] = {
    "app_context_changed": (),
    "agent_session_stopped": (),
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "app_uninstalled": (),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "tokens_revoked": (),
    "reaction_added": ("reactions:read",),
}
"""What the app subscribes to. A mention arrives as `app_mention`; the `message` events are there
for what becomes of it: that its person edits or deletes it. What people say to each other is left
alone without being kept."""

COMMANDS: Final = ("commands",)

REASONS: Final[dict[str, str]] = {
    "app_mentions:read": "hear when somebody mentions the bot",
    "assistant:write": "offer suggestions in a first direct message",
    "channels:history": "read the thread that it is mentioned in, hear when a question there is "
    "edited or deleted, and find its own posts, so that none is posted twice",
    "channels:read": "tell the operator when the bot is in no channel, and find one to post to",
    "chat:write": "answer, show cards and keep them true, and show that work goes on",
    "commands": "the slash commands",
    "files:read": "read a file that somebody attached to a question",
    "files:write": "put a file that was asked for into the thread",
    "groups:history": "the same in a private channel",
    "groups:read": "find a private channel to post to, and whether the person who asks is in it",
    "im:history": "read direct messages to the bot, find its own posts there",
    "im:write": "bring a card to the person who decides, and tell somebody directly when the "
    "channel cannot be written to",
    "mpim:history": "the same in a group conversation",
    "reactions:read": "stop when the one who asked puts a cross on the question or the answer",
    "usergroups:read": "read who is in a user group that the policy names",
    "users:read": "know a person's name and time zone, and that a guest decides nothing",
}
"""Every scope of the manifest; shown by `countersign doctor` where one is missing."""


def needed() -> tuple[str, ...]:
    """All bot scopes, sorted."""
    groups = (*METHODS.values(), *EVENTS.values(), COMMANDS)
    return tuple(sorted({scope for group in groups for scope in group}))
