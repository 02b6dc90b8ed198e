"""Tracing of a process, if its settings name a collector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from infra.measures.tracing import tracing
from services.work.startup import CannotStart, program_version


@contextmanager
def traced(url: str | None, process: str) -> Iterator[None]:
    """Trace what is begun within, for the collector at this address; nothing without one.

    Raises:
        CannotStart: The extra is not installed.
    """
    if url is None:
        yield
        return
    try:
        from infra.measures.otel import OtelTraces, to_collector  # noqa: PLC0415 - an extra, loaded where it is asked for
    except ImportError as trouble:
        raise CannotStart("TRUECUP_TRACES_URL needs an extra: .venv/bin/pip install '.[tracing]'") from trouble
    traces = OtelTraces(to_collector(url), process or "alone", program_version())
    try:
        with tracing(traces):
            yield
    finally:
        traces.close()
