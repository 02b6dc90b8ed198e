"""Traces: where the time of a request goes, over all processes it passes, for operators who ask for them.

Without a collector, as nearly always, a span is nothing: no package is loaded and nothing is kept. What traces goes
along in the context of whatever is done, from the start of the program on. The law of the file: a span has a name, how
long it took, and figures that tell nothing of a body, a token, a person or a die.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol

from infra.measures.watches import Watch

Figures = Mapping[str, str | int]


class Traces(Protocol):
    """Whatever keeps spans."""

    def span(self, name: str, figures: Figures) -> AbstractContextManager[object]:
        """Return a span around what is done with it held; spans within are its parts."""

    def continued(self, headers: Mapping[str, str]) -> AbstractContextManager[object]:
        """Return what lets spans be parts of the one that these headers were made in."""

    def headers(self) -> dict[str, str]:
        """Return headers of a message that name the span under way; none outside of any."""

    def past(self, name: str, figures: Figures, watch: Watch) -> None:
        """Keep a span that is just over, with its parts."""


_traces: Final[ContextVar[Traces | None]] = ContextVar("traces", default=None)
_NOTHING: Final = nullcontext()


@contextmanager
def tracing(traces: Traces | None) -> Iterator[None]:
    """Let all that is begun within be traced."""
    token = _traces.set(traces)
    try:
        yield
    finally:
        _traces.reset(token)


def span(name: str, **figures: str | int) -> AbstractContextManager[object]:
    """Return a span around what is done with it held. Cost: a look, where nobody traces."""
    traces = _traces.get()
    return _NOTHING if traces is None else traces.span(name, figures)


def continued(headers: Mapping[str, str] | None) -> AbstractContextManager[object]:
    """Return what lets spans go on with the one that a message was sent in."""
    traces = _traces.get()
    return _NOTHING if traces is None or not headers else traces.continued(headers)


def trace_headers() -> dict[str, str] | None:
    """Return headers that name the span under way; None where nobody traces."""
    traces = _traces.get()
    return None if traces is None else traces.headers()


def keep_past(name: str, watch: Watch, **figures: str | int) -> None:
    """Keep a span of what a stopwatch has timed and that is just over."""
    traces = _traces.get()
    if traces is not None:
        traces.past(name, figures, watch)
