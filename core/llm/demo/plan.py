"""Which calls the demo model makes next."""

from collections.abc import Sequence

from core.llm.demo import doing, memory
from core.llm.demo.calls import Plan
from core.llm.demo.conversation import Conversation
from core.llm.demo.deeds import acts_for_others
from core.llm.demo.quoting import quoted
from core.llm.demo.reading import look_up
from core.llm.demo.small_talk import is_small_talk
from core.records import ToolSchema


def plan(conversation: Conversation, tools: Sequence[ToolSchema]) -> Plan:
    """The calls that can be made now, all side by side. Nothing when the results are in, or when
    no tool fits."""
    question = conversation.question
    if (wanted := doing.wanted(conversation, tools)) is not None:
        return doing.steps(wanted, conversation, tools)
    if (
        is_small_talk(question)
        or memory.states_something(question)
        or memory.asks_what_came(conversation)
        or quoted(question, conversation.papers)
        or (conversation.unread and not conversation.papers)
    ):
        return Plan()
    return look_up(conversation, [tool for tool in tools if not acts_for_others(tool)])
