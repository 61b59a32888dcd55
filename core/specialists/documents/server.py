"""The documents server: answers from the company's papers, as MCP tools."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field

from core.capabilities.content import UNOPENED
from core.context import prompts
from core.errors import ModelFailed, Unavailable
from core.records import Turn
from core.specialists.documents.answering import MARK, NOTHING, Answering, Grounded, numbered
from core.specialists.documents.private import Privately
from core.specialists.errand import Errand, errand
from core.specialists.server import tags
from core.storage import inbox
from core.storage.documents import Cited

NAME = "documents"
_READS = ToolAnnotations(read_only_hint=True)

Call = Context[Any, Any]
Question = Annotated[
    str, Field(min_length=2, max_length=2_000, description="The whole question, in its own words.")
]


def documents_server() -> MCPServer[Any]:
    """Without tools, until it is stocked."""
    return MCPServer(
        NAME,
        instructions="Answers from documents that the person who asks may read.",
        version="1",
        log_level="ERROR",
    )


def stock(
    server: MCPServer[Any], answering: Answering, privately: Privately, *, is_full: bool
) -> None:
    """Show the tools where there is something to be asked, or take them away where there is
    nothing: a tool that finds nothing costs a round of every turn that tries it."""
    tools = Tools(answering, privately)
    for tool in (tools.ask_documents, tools.find_passages):
        if is_full:
            server.add_tool(tool, annotations=_READS, meta=tags("connector:documents"))
        else:
            server.remove_tool(tool.__name__)


@dataclass(frozen=True, slots=True)
class Tools:
    answering: Answering
    privately: Privately

    async def ask_documents(self, call: Call, question: Question) -> CallToolResult:
        """Answer a question from the company's documents: policies, handbooks, contracts, manuals
        and files of this thread. The answer cites its passages, or says that it is not in the
        documents."""
        turn, work = await self._for(call)
        try:
            asked = await self.answering.rewritten(turn, question, work.billing)
            readable = await self.answering.library.readable(turn)
            scopes = [*readable.here, f"thread:{turn.question.thread}"]
            here = await self.answering.passages(turn, asked, scopes, work.billing)
            alone = await self.answering.passages(turn, asked, readable.alone, work.billing)
            told = await self.privately.tell(self.answering, turn, asked, here, alone, work.billing)
            await self.answering.library.used(turn, here)
            answer = await self.answering.answer(turn, asked, here, work.billing)
        except (ModelFailed, Unavailable) as failure:
            raise ToolError(f"The documents could not be asked: {failure}") from None
        return _answered(answer, told)

    async def find_passages(
        self,
        call: Call,
        words: Annotated[str, Field(min_length=2, max_length=400, description="What to look for.")],
    ) -> CallToolResult:
        """Find passages in the company's documents by what they are about, word for word, without
        an answer made of them."""
        turn, work = await self._for(call)
        try:
            readable = await self.answering.library.readable(turn)
            scopes = [*readable.here, f"thread:{turn.question.thread}"]
            found = await self.answering.passages(turn, words, scopes, work.billing)
            await self.answering.library.used(turn, found)
        except (ModelFailed, Unavailable) as failure:
            raise ToolError(f"The documents could not be searched: {failure}") from None
        return _passages(found)

    async def _for(self, call: Call) -> tuple[Turn, Errand]:
        """The turn in whose name the call is made: who asks, and where, is what the turn's own row
        says. Raises ToolError for a call of nobody's."""
        try:
            work = errand(call.headers)
        except ValueError:
            raise ToolError("The call does not say for whom it is.") from None
        entry = await inbox.read(self.answering.library.ingest.db, work.billing.turn)
        if entry is None or entry.turn.question.person.id != work.billing.person:
            raise ToolError("The call does not say for whom it is.")
        return entry.turn, work


def _answered(answer: Grounded, told: str) -> CallToolResult:
    parts = [told] if told else []
    if not answer.text:
        parts = parts or [NOTHING]
        return CallToolResult(content=[TextContent(text="\n\n".join(parts))])
    cited = _listed(answer.passages, {int(number) for number in MARK.findall(answer.text)})
    parts += [numbered(answer.text, "[source {}]"), prompts.PASSAGES, cited]
    return _with_links("\n\n".join(parts), answer.passages)


def _passages(found: Sequence[Cited]) -> CallToolResult:
    if not found:
        return CallToolResult(content=[TextContent(text=NOTHING)])
    return _with_links(f"{prompts.PASSAGES}\n\n{_listed(found)}", found)


def _with_links(text: str, passages: Sequence[Cited]) -> CallToolResult:
    links = [ResourceLink(name=one.label, uri=one.url or UNOPENED) for one in passages]
    return CallToolResult(content=[TextContent(text=text), *links])


def _listed(passages: Sequence[Cited], numbers: Collection[int] | None = None) -> str:
    return "\n\n".join(
        f"[source {number}] {one.label}\n{one.chunk.text}"
        for number, one in enumerate(passages, start=1)
        if numbers is None or number in numbers
    )
