"""Traces for a collector that speaks OTLP over HTTP; needs the extra `tracing`.

What the SDK reads from its own variables (`OTEL_TRACES_SAMPLER`, `OTEL_BSP_SCHEDULE_DELAY`, headers of the exporter and
so on) holds. Faults are told by type: the message of one may quote what it failed on, and that of the exporter's own
quotes the address of the collector, which may have a token in it.

Source: W3C Trace Context, OpenTelemetry specification 1.x.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import LogRecord, getLogger
from threading import Thread
from typing import Final

from opentelemetry import context
from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from infra.clock import now_ms, ticks_s
from infra.measures.tracing import Figures
from infra.measures.watches import Watch

END_S: Final = 0.5
"""How long what is not sent yet may take when the program ends."""
TIMEOUT_S: Final = 5.0


def to_collector(url: str) -> SpanProcessor:
    """Return what sends spans to a collector at this address, in a thread and some at a time."""
    getLogger(trace_exporter.__name__).addFilter(_by_type)
    return BatchSpanProcessor(trace_exporter.OTLPSpanExporter(endpoint=url, timeout=TIMEOUT_S))


def _by_type(record: LogRecord) -> bool:
    """Let a line of the exporter tell a fault by its type."""
    given = record.args if isinstance(record.args, tuple) else ()
    record.args = tuple(type(one).__name__ if isinstance(one, BaseException) else one for one in given)
    return True


class OtelTraces:
    """Spans of OpenTelemetry."""

    def __init__(self, processor: SpanProcessor, process: str, release: str) -> None:
        """Hand spans of this process and release to a processor."""
        about = {"service.name": "truecup", "service.version": release, "service.instance.id": process}
        self._provider = TracerProvider(resource=Resource(about), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("truecup")
        self._carriers = TraceContextTextMapPropagator()

    @contextmanager
    def span(self, name: str, figures: Figures) -> Iterator[None]:
        """Trace what is done with it held."""
        with self._tracer.start_as_current_span(
            name, attributes=figures, record_exception=False, set_status_on_exception=False
        ) as one:
            try:
                yield
            except BaseException as fault:
                one.set_attribute("fault", type(fault).__name__)
                raise

    @contextmanager
    def continued(self, headers: Mapping[str, str]) -> Iterator[None]:
        """Go on with the span of another process."""
        token = context.attach(self._carriers.extract(headers))
        try:
            yield
        finally:
            context.detach(token)

    def headers(self) -> dict[str, str]:
        """Return headers that name the span under way."""
        made: dict[str, str] = {}
        self._carriers.inject(made)
        return made

    def past(self, name: str, figures: Figures, watch: Watch) -> None:
        """Keep a span of what has just been timed, with its parts, each where it lay in it."""
        offset = now_ms() / 1_000 - ticks_s()
        whole = self._tracer.start_span(name, attributes=figures, start_time=_ns(offset + watch.began))
        within = set_span_in_context(whole)
        for part, began, ended in watch.steps:
            self._tracer.start_span(part, within, start_time=_ns(offset + began)).end(_ns(offset + ended))
        whole.end(_ns(offset + watch.ended))

    def close(self) -> None:
        """Send what is left, for a moment."""
        sending = Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(END_S)


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
