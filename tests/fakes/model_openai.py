"""The fake model server's OpenAI and Azure OpenAI dialect: chat completions, streamed or not."""

import json
from collections.abc import Iterator
from typing import Any

from tests.fakes.model_script import Asked, Counted, Json, Step, pieces

FINISH = {"tools": "tool_calls", "refusal": "content_filter"}


def error_body(step: Step) -> Json:
    code = step.error["code"]
    kind = "invalid_request_error" if step.status < 429 else "server_error"
    return {"error": {"message": step.error["message"], "type": kind, "code": code, "param": None}}


def whole(asked: Asked, step: Step, counted: Counted) -> Json:
    """The answer to a request without `stream`."""
    message: Json = {"role": "assistant", "content": step.text or None}
    if step.calls:
        message["tool_calls"] = [_call(i, c) for i, c in enumerate(step.calls)]
    choice = {"index": 0, "message": message, "finish_reason": _finish(step)}
    return {
        **_frame(asked, step, "chat.completion"),
        "choices": [choice],
        "usage": usage_body(counted),
    }


def events(asked: Asked, step: Step, counted: Counted) -> Iterator[str]:
    """The lines of the answer's stream up to where it breaks off, or to its end."""
    yield _chunk(asked, step, {"role": "assistant", "content": ""})
    for part in pieces(step.text):
        yield _chunk(asked, step, {"content": part})
    for index, (name, raw) in enumerate(step.calls):
        opened = {**_call(index, (name, "")), "index": index}
        yield _chunk(asked, step, {"tool_calls": [opened]})
        for part in pieces(raw):
            delta = {"index": index, "function": {"arguments": part}}
            yield _chunk(asked, step, {"tool_calls": [delta]})
    if step.stream_error:
        yield _line({"error": step.stream_error})
        return
    if step.is_cut or step.stalls:
        return
    yield _chunk(asked, step, {}, finish=_finish(step))
    if step.repeats_usage:
        last = json.loads(_chunk(asked, step, {}, finish=_finish(step)).removeprefix("data: "))
        yield _line({**last, "usage": usage_body(counted)})
    if step.has_usage and (asked.body.get("stream_options") or {}).get("include_usage"):
        frame = _frame(asked, step, "chat.completion.chunk")
        yield _line({**frame, "choices": [], "usage": usage_body(counted)})
    yield "data: [DONE]\n\n"


def usage_body(counted: Counted) -> Json:
    return {
        "prompt_tokens": counted.input,
        "completion_tokens": counted.output,
        "total_tokens": counted.input + counted.output,
        "prompt_tokens_details": {
            "cached_tokens": counted.cached,
            "cache_write_tokens": counted.cache_write,
        },
        "completion_tokens_details": {"reasoning_tokens": counted.reasoning},
    }


def _finish(step: Step) -> str:
    finish = step.finish or ("tools" if step.calls else "stop")
    return FINISH.get(finish, finish)


def _call(index: int, call: tuple[str, str]) -> Json:
    name, raw = call
    function = {"name": name, "arguments": raw}
    return {"id": f"call_{name}_{index}", "type": "function", "function": function}


def _frame(asked: Asked, step: Step, kind: str) -> Json:
    model = step.model or asked.model or "unnamed"
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _chunk(asked: Asked, step: Step, delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _line({**_frame(asked, step, "chat.completion.chunk"), "choices": [choice]})


def _line(body: Json) -> str:
    return f"data: {json.dumps(body)}\n\n"
