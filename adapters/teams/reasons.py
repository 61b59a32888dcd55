"""The words for what the connector did not do, where they decide what happens next."""

NO_ANSWER = "no_answer"
"""Ours, for a call whose outcome is not known: it may have happened."""
STREAM_OVER = "ContentStreamNotAllowed"
STOPPED_BY_PERSON = "stream_stopped"
"""Ours, for a stream that the person has ended: Teams has one code for all that ends one, and says
this in words alone."""
GONE = frozenset({"ActivityNotFoundInConversation", "ActivityNotFound", "http_404"})
UNREACHABLE = frozenset(
    {"BotNotInConversationRoster", "ConversationNotFound", "MessageWritesBlocked"}
)
"""The bot was taken out, or the person blocked it."""
