"""Traces: one over all processes that a request passes, with nothing in it that only some may know."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from uuid import UUID

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from domain.errors import Refused
from infra.feed.memory import MemoryFeed
from infra.handoff.nats import NatsHandoff
from infra.measures.otel import OtelTraces, to_collector
from infra.measures.tracing import span, trace_headers, tracing
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.program.meters import traces
from services.program.meters.traces import traced
from services.relay.relay import Relay
from services.relay.tail import LogTail
from services.work.startup import CannotStart
from tests.relay.conftest import Bus, bus
from tests.relay.playing import eventually, running
from tests.relay.test_relay import caught_up

__all__ = ["bus"]

RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}
NAME = "Ada who is traced"
KEY = "the-key-of-her-request"


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    """Return where the spans of a test are."""
    exporter = InMemorySpanExporter()
    found = OtelTraces(SimpleSpanProcessor(exporter), "test", "1")
    with tracing(found):
        yield exporter
    found.close()


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {one.name: one for one in exporter.get_finished_spans()}


def parent_of(one: ReadableSpan) -> int | None:
    return None if one.parent is None else one.parent.span_id


def id_of(one: ReadableSpan) -> int:
    assert one.context is not None
    return one.context.span_id


async def join(store: MemoryStore) -> None:
    """Let somebody join a table, and be refused there."""
    matches = CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
    match_id = UUID((await matches.open(RULES, CommandMetadata("test", "open", b""))).match)
    with span("request", method="POST"):
        await matches.join(match_id, NAME, "server", CommandMetadata("test", KEY, b""))
        with pytest.raises(Refused):
            await matches.join(match_id, NAME, "server", CommandMetadata("test", "again", b""))


async def test_a_command_is_part_of_its_request_and_has_its_parts(kept: InMemorySpanExporter) -> None:
    await join(MemoryStore())
    spans = by_name(kept)
    assert {"request", "command", "turn", "read", "decide"} <= spans.keys()
    assert parent_of(spans["command"]) == id_of(spans["request"])
    for part in ("turn", "read", "decide"):
        commands = [id_of(one) for one in kept.get_finished_spans() if one.name == "command"]
        assert parent_of(spans[part]) in commands
        assert 0 < (spans[part].start_time or 0) <= (spans[part].end_time or 0)
    assert (spans["command"].attributes or {})["command"] == "Join"


async def test_nothing_of_a_body_or_a_key_stands_in_a_span(kept: InMemorySpanExporter) -> None:
    await join(MemoryStore())
    for one in kept.get_finished_spans():
        said = one.to_json()
        assert NAME not in said
        assert KEY not in said
        assert (one.attributes or {}).keys() <= {"method", "command", "stream", "fault"}
        assert not one.events


def test_a_fault_is_told_by_its_type(kept: InMemorySpanExporter) -> None:
    with pytest.raises(KeyError), span("request"):
        raise KeyError(NAME)
    (one,) = kept.get_finished_spans()
    assert dict(one.attributes or {}) == {"fault": "KeyError"}
    assert NAME not in one.to_json()


async def test_what_a_dealer_does_is_part_of_what_asked_for_it(bus: Bus, kept: InMemorySpanExporter) -> None:
    async def answers(question: bytes) -> bytes:
        with span("command"):
            return question[::-1]

    taking = await NatsHandoff((await bus.feed()).client).take(answers)
    with span("request"):
        assert await NatsHandoff((await bus.feed()).client).ask(b"abc") == b"cba"
    await taking.stop()
    spans = by_name(kept)
    for part, whole in (("handoff.ask", "request"), ("handoff.answer", "handoff.ask"), ("command", "handoff.answer")):
        assert parent_of(spans[part]) == id_of(spans[whole])
    assert len({one.context.trace_id for one in spans.values() if one.context is not None}) == 1


async def test_pages_of_the_relay_are_traced_with_what_they_publish(kept: InMemorySpanExporter) -> None:
    store, feed = MemoryStore(), MemoryFeed()
    await join(store)
    kept.clear()
    tail = LogTail(store, feed)
    async with running(tail.run(), Relay(store, feed, tail).run()):
        await eventually(lambda: caught_up(store, feed))
    spans = kept.get_finished_spans()
    pages = {id_of(one): one for one in spans if one.name == "relay.page"}
    (published, *_) = [one for one in spans if one.name == "relay.publish"]
    page = pages[parent_of(published) or 0]
    assert (page.attributes or {})["work"] == "frames"
    assert (published.attributes or {})["frames"] == (page.attributes or {})["lines"]


# ---- the collector ----------------------------------------------------------------------------


def test_spans_reach_a_collector_and_the_last_of_them_when_the_program_ends() -> None:
    bodies: list[bytes] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_told: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Collector) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        with traced(f"http://127.0.0.1:{server.server_port}/v1/traces", "api-1"), span("request"):
            assert trace_headers() is not None
        server.shutdown()
        serving.join()
    assert b"request" in b"".join(bodies)
    assert b"api-1" in b"".join(bodies)


def test_a_collector_that_is_not_there_holds_nothing_up() -> None:
    found = OtelTraces(to_collector("http://127.0.0.1:9/v1/traces"), "test", "1")
    with tracing(found), span("request"):
        pass
    found.close()


def test_what_is_logged_of_a_collector_that_is_not_there_has_no_token_of_its_address(
    caplog: pytest.LogCaptureFixture,
) -> None:
    token = "a-token-of-the-collector"
    found = OtelTraces(to_collector(f"http://operator:{token}@127.0.0.1:9/v1/{token}?key={token}"), "test", "1")
    with tracing(found), span("request"):
        pass
    found.close()
    assert "ConnectionError" in caplog.text
    assert token not in caplog.text


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "infra.measures.otel", None)
    with pytest.raises(CannotStart, match="tracing"), traces.traced("http://127.0.0.1:9", ""):
        pytest.fail("it is traced")


def test_nobody_who_does_not_trace_loads_anything() -> None:
    traced_from = "infra.handoff.nats, infra.measures.slow, services.program.meters.traces"
    story = f"import sys, {traced_from}; print([name for name in sys.modules if 'opentelemetry' in name])"
    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert trace_headers() is None
    with traced(None, ""), span("request"):
        pass
