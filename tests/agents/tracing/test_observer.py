"""Spans of runs: their tree, their attributes, what they keep to themselves."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import uuid4

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from pytest_django import Settings

from agents.engine.events import AgentEvent, ToolCallFinished, ToolCallStarted
from agents.engine.testing import ScriptedModel, call, calls, end, say
from agents.tracing import telemetry
from agents.tracing.observer import RunObserver
from agents.tracing.telemetry import headers_of, make_provider
from agents.tracing.watching import RunFacts, traced
from providers.contracts.chat import Usage
from providers.contracts.errors import ModelError
from tests.agents.runs.conftest import Script, carry_out, put
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
FACTS = RunFacts(
    run_id=uuid4(),
    conversation_id=uuid4(),
    space_id=1,
    user_id=2,
    agent_id=uuid4(),
    agent_name="Reasoner",
    model="M",
)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> InMemorySpanExporter:
    """Everything that is traced in this test."""
    settings.OTEL_ENDPOINT = "http://nowhere.invalid"
    exporter = InMemorySpanExporter()
    provider = make_provider(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry, "tracer", lambda: provider.get_tracer("test"))
    return exporter


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def looked_up() -> Script:
    search = calls(call("get_document_info", document_ids=["d1"]))
    usage = end("tool_calls", usage=Usage(input_tokens=100, output_tokens=20, cached_tokens=60))
    return [[*search[:-1], *usage], say("Ice.")]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_run_is_a_tree_of_rounds_calls_and_tools(
    asker: Persona, script: Play, spans: InMemorySpanExporter
) -> None:
    script(looked_up())
    run = put(asker, "Why do flaps stick?")
    carry_out()
    found = by_name(spans)
    names = {"agent.execute", "agent.round.1", "agent.round.2", "agent.tool.get_document_info"}
    assert names <= set(found)
    root, first = found["agent.execute"], found["agent.round.1"]
    tool = found["agent.tool.get_document_info"]
    assert first.parent is not None
    assert tool.parent is not None
    assert root.parent is None
    assert first.parent.span_id == root.context.span_id
    assert tool.parent.span_id == first.context.span_id
    assert {span.context.trace_id for span in found.values()} == {run.pk.int}
    assert attributes(root)["gen_ai.conversation.id"] == str(run.conversation_id)
    assert attributes(root)["weknora.run.outcome"] == "answered"


def test_calls_of_the_model_say_what_they_took(
    asker: Persona, script: Play, spans: InMemorySpanExporter
) -> None:
    script(looked_up())
    put(asker, "Why?")
    carry_out()
    chats = [span for span in spans.get_finished_spans() if span.name.startswith("chat ")]
    told = attributes(chats[0])
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.usage.input_tokens"] == 100
    assert told["gen_ai.usage.output_tokens"] == 20
    assert told["gen_ai.usage.cache_read.input_tokens"] == 60
    assert chats[0].start_time is not None
    assert chats[0].end_time is not None
    assert chats[0].start_time <= chats[0].end_time


def test_failures_are_errors(asker: Persona, script: Play, spans: InMemorySpanExporter) -> None:
    script([[ModelError("auth", "The key sk-abcdefghijklmnop1234 was refused.")]])
    put(asker, "Why?")
    carry_out()
    root = by_name(spans)["agent.execute"]
    assert root.status.status_code == StatusCode.ERROR
    assert "sk-abc" not in str(root.status.description)
    assert attributes(root)["error.type"] == "model_failed"


def test_texts_stay_here_unless_the_setting_says_so(
    asker: Persona, script: Play, spans: InMemorySpanExporter, settings: Settings
) -> None:
    script([say("Because of frost.")])
    put(asker, "Why do flaps stick?")
    carry_out()
    assert "flaps" not in everything(spans)
    assert "frost" not in everything(spans)
    settings.TRACE_CONTENT = True
    script([say("Because of frost. " * 1000)])
    put(asker, "Why do flaps stick?")
    carry_out()
    root = attributes(spans.get_finished_spans()[-1])
    asked = json.loads(root["gen_ai.input.messages"])
    assert asked == [
        {"role": "user", "parts": [{"type": "text", "content": "Why do flaps stick?"}]}
    ]
    answered = json.loads(root["gen_ai.output.messages"])
    assert len(answered[0]["parts"][0]["content"]) == 4000


def everything(exporter: InMemorySpanExporter) -> str:
    return " ".join(span.to_json() for span in exporter.get_finished_spans())


def test_arguments_go_without_secrets_and_sql(
    spans: InMemorySpanExporter, settings: Settings
) -> None:
    settings.TRACE_CONTENT = True
    tracer = telemetry.tracer()
    assert tracer is not None
    watching = RunObserver(tracer, FACTS)
    arguments = {"sql": "SELECT secret_name FROM people", "api_key": "hunter22", "limit": 3}
    watching.see(
        ToolCallStarted(
            round=1, call_id="a", name="data_analysis", arguments=arguments, title="Asking a table"
        )
    )
    watching.close()
    told = attributes(by_name(spans)["agent.tool.data_analysis"])
    assert json.loads(told["gen_ai.tool.call.arguments"]) == {
        "sql": "•••",
        "api_key": "•••",
        "limit": 3,
    }


async def test_a_trace_that_fails_does_not_fail_the_run(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.OTEL_ENDPOINT = "http://nowhere.invalid"

    class Broken:
        def start_span(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("no spans today")

    event = ToolCallFinished(
        round=1, call_id="a", name="x", ok=True, output="", summary="", duration_ms=1
    )

    async def events() -> Any:
        yield event

    monkeypatch.setattr(telemetry, "tracer", lambda: Broken())
    seen: list[AgentEvent] = [each async for each in traced(FACTS, events())]
    assert seen == [event]


def test_nothing_is_traced_without_an_address(settings: Settings) -> None:
    settings.OTEL_ENDPOINT = ""
    assert telemetry.tracer() is None


def test_headers_are_read_as_the_standard_writes_them() -> None:
    text = "Authorization=Basic%20cGs6c2s=, x-team = blue"
    assert headers_of(text) == {"authorization": "Basic cGs6c2s=", "x-team": "blue"}
    assert headers_of("") == {}


class Receiver:
    """A tiny OTLP receiver: it keeps what was posted."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, ExportTraceServiceRequest]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = ExportTraceServiceRequest.FromString(body)
                key = self.headers.get("Authorization", "")
                receiver.requests.append((self.path, key, request))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> Receiver:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    """A receiver that the settings name."""
    with Receiver() as found:
        settings.OTEL_ENDPOINT = f"http://127.0.0.1:{found.server.server_port}/api/public/otel"
        settings.OTEL_HEADERS = "Authorization=Basic cGs6c2s="
        telemetry.provider.cache_clear()
        yield found
        telemetry.provider().shutdown()
        telemetry.provider.cache_clear()


def test_spans_arrive_at_an_otlp_receiver(asker: Persona, script: Play, receiver: Receiver) -> None:
    script(looked_up())
    run = put(asker, "Why?")
    carry_out()
    assert telemetry.provider().force_flush()
    path, key, request = receiver.requests[0]
    assert (path, key) == ("/api/public/otel/v1/traces", "Basic cGs6c2s=")
    (resource,) = request.resource_spans
    assert "weknora" in str(resource.resource)
    sent = {span.name: span for scope in resource.scope_spans for span in scope.spans}
    assert {"agent.execute", "agent.round.1", "agent.tool.get_document_info"} <= set(sent)
    assert sent["agent.execute"].trace_id == run.pk.bytes
