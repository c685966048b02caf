"""Where spans go: OTLP over HTTP to the address of the settings, or nowhere.

One provider a process, made when the first run is traced. A run's trace has the run's own id, so
that it is found from the page of the run and goes on when another worker takes the run over.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from functools import lru_cache
from urllib.parse import unquote
from uuid import UUID

from django.conf import settings
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Span, Tracer

SEND_SECONDS = 10
_trace_of_run: ContextVar[UUID | None] = ContextVar("trace_of_run", default=None)
_lock = threading.Lock()


class RunIds(RandomIdGenerator):
    """Gives the first span of a run the run's id as its trace id."""

    def generate_trace_id(self) -> int:
        """Return the id of the run that is being begun; any other trace gets a random one."""
        run_id = _trace_of_run.get()
        return super().generate_trace_id() if run_id is None else run_id.int


def tracer() -> Tracer | None:
    """Return the tracer; None when no address is set."""
    if not settings.OTEL_ENDPOINT:
        return None
    with _lock:
        return provider().get_tracer("weknora.agents")


@lru_cache(maxsize=1)
def provider() -> TracerProvider:
    """Return the process's provider, which sends in a thread of its own."""
    exporter = OTLPSpanExporter(
        endpoint=f"{settings.OTEL_ENDPOINT.rstrip('/')}/v1/traces",
        headers=headers_of(settings.OTEL_HEADERS),
        timeout=SEND_SECONDS,
    )
    return make_provider(BatchSpanProcessor(exporter))


def make_provider(processor: SpanProcessor) -> TracerProvider:
    """Return a provider whose spans go through the processor."""
    resource = Resource.create({SERVICE_NAME: settings.OTEL_SERVICE_NAME})
    made = TracerProvider(resource=resource, id_generator=RunIds())
    made.add_span_processor(processor)
    return made


def begin_trace(tracer: Tracer, name: str, *, run_id: UUID, attributes: dict[str, str]) -> Span:
    """Begin the first span of a run, in the trace with the run's id."""
    token = _trace_of_run.set(run_id)
    try:
        return tracer.start_span(name, context=Context(), attributes=attributes)
    finally:
        _trace_of_run.reset(token)


def headers_of(text: str) -> dict[str, str]:
    """Read `name=value,name=value`, as the variable of the standard is written."""
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip().lower(): unquote(value.strip()) for name, _equals, value in pairs}
