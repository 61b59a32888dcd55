"""The fake model server's Responses dialect of OpenAI, streamed alone."""

import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_script import Asked, Counted, Json, Step, pieces

REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}


def events(asked: Asked, step: Step, counted: Counted) -> Iterator[str]:
    """The events of the answer's stream up to where it breaks off, or to its end."""
    yield _event("response.created", response=_response(asked, step, "in_progress", [], None))
    output: list[Json] = []
    if step.text:
        item: Json = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
        yield _event("response.output_item.added", output_index=0, item={**item, "content": []})
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        for part in pieces(step.text):
            yield _event("response.output_text.delta", **place, delta=part, logprobs=[])
        if step.is_cut or step.stalls:
            return
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        output.append({**item, "content": content})
    for name, raw in step.calls:
        index = len(output)
        call: Json = {
            "id": f"fc_{index}",
            "type": "function_call",
            "call_id": f"call_{name}_{index}",
            "name": name,
            "arguments": "",
        }
        yield _event("response.output_item.added", output_index=index, item=call)
        for part in pieces(raw):
            yield _event(
                "response.function_call_arguments.delta",
                item_id=call["id"],
                output_index=index,
                delta=part,
            )
        output.append({**call, "arguments": raw})
    status = "incomplete" if step.finish in REASONS else "completed"
    body = _response(asked, step, status, output, counted)
    yield _event(f"response.{status}", response=body)


def _response(
    asked: Asked, step: Step, status: str, output: list[Json], counted: Counted | None
) -> Json:
    usage = counted and {
        "input_tokens": counted.input,
        "input_tokens_details": {
            "cached_tokens": counted.cached,
            "cache_write_tokens": counted.cache_write,
        },
        "output_tokens": counted.output,
        "output_tokens_details": {"reasoning_tokens": counted.reasoning},
        "total_tokens": counted.input + counted.output,
    }
    reason = REASONS.get(step.finish) if status == "incomplete" else None
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": step.model or asked.model,
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "usage": usage,
        "error": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "instructions": None,
        "temperature": 1.0,
        "top_p": 1.0,
    }


def _event(kind: str, **fields: Any) -> str:
    body = {"type": kind, "sequence_number": 0, **fields}
    return f"event: {kind}\ndata: {json.dumps(body)}\n\n"
