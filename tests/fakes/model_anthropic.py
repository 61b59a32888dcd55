"""The fake model server's Anthropic dialect: messages, streamed or not."""

import json
from collections.abc import Iterator

from tests.fakes.model_script import Asked, Counted, Json, Step, pieces

FINISH = {
    "stop": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
MESSAGES = {
    "context_length_exceeded": "prompt is too long: 250000 tokens > 200000 maximum",
    "content_filter": "Output blocked by content filtering policy",
}


def error_body(step: Step) -> Json:
    message = MESSAGES.get(step.error["code"], step.error["message"])
    kind = ERRORS.get(step.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def refusal(body: Json) -> str:
    """Why Anthropic would not take the request; empty when it would."""
    blocks = [
        block["type"]
        for message in body.get("messages", [])
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    if not body.get("tools") and {"tool_use", "tool_result"} & set(blocks):
        return "Requests which include `tool_use` or `tool_result` blocks must define tools."
    return ""


def whole(asked: Asked, step: Step, counted: Counted) -> Json:
    """The answer to a request without `stream`."""
    content: list[Json] = [{"type": "text", "text": step.text}] if step.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": json.loads(raw)}
        for i, (name, raw) in enumerate(step.calls)
    ]
    return {**_message(asked, step), "content": content, "stop_reason": _finish(step)} | {
        "usage": usage_body(counted)
    }


def events(asked: Asked, step: Step, counted: Counted) -> Iterator[str]:
    """The events of the answer's stream up to where it breaks off, or to its end."""
    opening = {**usage_body(counted), "output_tokens": 1}
    yield _event("message_start", message={**_message(asked, step), "usage": opening})
    yield _event("ping")
    index = 0
    if step.text:
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for part in pieces(step.text):
            delta = {"type": "text_delta", "text": part}
            yield _event("content_block_delta", index=0, delta=delta)
        if step.is_cut or step.stalls:
            return
        yield _event("content_block_stop", index=0)
        index = 1
    for number, (name, raw) in enumerate(step.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        yield _event("content_block_start", index=index + number, content_block=block)
        for part in pieces(raw):
            delta = {"type": "input_json_delta", "partial_json": part}
            yield _event("content_block_delta", index=index + number, delta=delta)
        yield _event("content_block_stop", index=index + number)
    if step.stream_error:
        yield _event("error", error=step.stream_error)
        return
    delta = {"stop_reason": _finish(step), "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=usage_body(counted))
    yield _event("message_stop")


def usage_body(counted: Counted) -> Json:
    fresh = counted.input - counted.cached - counted.cache_write
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": counted.cached,
        "cache_creation_input_tokens": counted.cache_write,
        "output_tokens": counted.output,
    }


def _finish(step: Step) -> str:
    finish = step.finish or ("tools" if step.calls else "stop")
    return FINISH.get(finish, finish)


def _message(asked: Asked, step: Step) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": step.model or asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _event(kind: str, **fields: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
