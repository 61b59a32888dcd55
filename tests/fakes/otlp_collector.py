"""An OTLP collector: takes traces over HTTP as protobuf, and keeps the spans."""

import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A span as it arrived."""

    name: str
    trace: str
    id: str
    parent: str
    """Empty for the first of its trace."""
    attributes: Mapping[str, Any]
    is_error: bool
    raw: str
    """All of it as text, to be searched."""


@dataclass(kw_only=True)
class Collector:
    url: str = ""
    spans: list[Heard] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def named(self, beginning: str) -> list[Heard]:
        return [span for span in self.spans if span.name.startswith(beginning)]

    async def take(self, request: web.Request) -> web.Response:
        # The server has undone the compression where it could; the exporter's own is gzip.
        body = await request.read()
        if body.startswith(b"\x1f\x8b"):
            body = gzip.decompress(body)
        self.headers.append(dict(request.headers))
        told = ExportTraceServiceRequest.FromString(body)
        for resource in told.resource_spans:
            for scope in resource.scope_spans:
                self.spans += [_heard(span) for span in scope.spans]
        return web.Response(body=b"", content_type="application/x-protobuf")


def _heard(span: Any) -> Heard:
    return Heard(
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        attributes={a.key: _value(a.value) for a in span.attributes},
        is_error=span.status.code == 2,
        raw=str(span),
    )


def _value(value: Any) -> Any:
    return getattr(value, value.WhichOneof("value"))


@asynccontextmanager
async def collecting() -> AsyncIterator[Collector]:
    collector = Collector()
    site = web.Application()
    site.router.add_post("/v1/traces", collector.take)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield collector
    finally:
        await runner.cleanup()
