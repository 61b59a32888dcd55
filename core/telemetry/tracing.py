"""Starts and stops tracing: the spans of this process go to one exporter.

The provider is ours alone and never OpenTelemetry's global one. Libraries that know OpenTelemetry
(MCP, Microsoft's) would otherwise send spans of their own, with addresses and texts in them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import Misconfigured
from core.telemetry import spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

MISSING = (
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, and the exporter is not installed: install the extra"
    " `telemetry` (opentelemetry-exporter-otlp-proto-http), or take the setting away."
)
SECONDS = 3.0
"""For one delivery to the collector: at the end of the process it is waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """What was started. One for the process."""

    provider: "TracerProvider"

    def stop(self) -> None:
        """Send what is still there, and trace nothing more. Blocks for a few seconds at most."""
        spans.install(None, str)
        self.provider.shutdown()


def to_collector(
    endpoint: str, headers: Mapping[str, str], *, service: str, clean: Callable[[str], str]
) -> Tracing:
    """Trace to the OTLP collector at this base address, over HTTP in batches, in a thread of the
    exporter's. Raises `Misconfigured` when the exporter is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise Misconfigured(MISSING) from None
    exporter = OTLPSpanExporter(
        endpoint=f"{endpoint.rstrip('/')}/v1/traces", headers=dict(headers), timeout=SECONDS
    )
    return start(exporter, service=service, clean=clean)


def start(
    exporter: "SpanExporter",
    *,
    service: str = "countersign",
    clean: Callable[[str], str] = str,
    at_once: bool = False,
) -> Tracing:
    """Trace to this exporter; `at_once`: each span when it ends instead of in batches."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    provider = TracerProvider(
        resource=Resource.create({"service.name": service}), shutdown_on_exit=False
    )
    processor = SimpleSpanProcessor if at_once else BatchSpanProcessor
    provider.add_span_processor(processor(exporter))
    spans.install(provider.get_tracer("countersign"), clean)
    return Tracing(provider=provider)
