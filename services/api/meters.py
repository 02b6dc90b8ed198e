"""Metrics and logs of requests, and of commands on sockets: path, status and time; never a body, a token or a query.

Counters are grouped by the pattern of the path, so that no match id becomes a label. Where the time hangs on hidden
dice it is written down in whole steps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final
from uuid import UUID

import structlog
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send
from prometheus_client import Counter, Gauge, Histogram, Metric
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from infra.clock import ticks_s
from infra.measures.buckets import SECONDS
from infra.measures.lines import LinesEachSecond
from infra.measures.tracing import span
from services.api.dependencies import Dependencies
from services.http.front.drain import Drain
from services.http.heads import method_of
from services.http.layers.layered import status_of
from services.http.problems import PROBLEMS, HttpProblem
from services.live.untold import left_of_step

log = structlog.get_logger(__name__)

_QUIET: Final = frozenset({"/health/live", "/health/ready", "/metrics"})
"""Asked every few seconds by machines; counted, not logged."""
LINES_PER_S: Final = 100
"""Requests of a second that get a line in the log; the next line says how many did not. Faults of ours always do."""
SOCKET: Final = "SOCKET"
"""Stands in log lines where a request has its method."""


class RequestLines:
    """The lines of the log about what was asked, over HTTP and on sockets together."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lines = LinesEachSecond()

    def write(self, method: str, path: str, status: int, seconds: float) -> None:
        """Write a line about a request; about some of them where there are many, with how many it leaves out."""
        now_s, is_ours = asyncio.get_running_loop().time(), status >= HTTPStatus.INTERNAL_SERVER_ERROR
        also = self._lines.take(now_s, LINES_PER_S, always=is_ours)
        if also is not None:
            log.info("api.request", method=method, path=path, status=status, ms=round(seconds * 1000, 2), **also)


class Meter:
    """Counts and logs every request that has an address."""

    def __init__(self, parts: Dependencies, lines: RequestLines) -> None:
        """Put the meters into the registry of these parts, and write such lines."""
        labels = ("method", "path", "status")
        self._requests = Counter("truecup_requests", "Requests answered.", labels, registry=parts.registry)
        self._seconds = Histogram(
            "truecup_request_seconds",
            "Time from the request to the end of its response, streams left out.",
            ("method", "path"),
            buckets=SECONDS,
            registry=parts.registry,
        )
        streams = Gauge("truecup_streams", "Streams open now.", registry=parts.registry)
        streams.set_function(lambda: parts.doors.streams)
        sockets = Gauge("truecup_sockets", "Connections open now.", registry=parts.registry)
        sockets.set_function(lambda: parts.doors.sockets)
        parts.registry.register(_TurnedAway(parts.doors))
        self._meters: dict[tuple[str, str, int], tuple[Counter, Histogram | None]] = {}
        self._lines = lines

    def concerns(self, handler: HTTPRouteHandler) -> bool:  # noqa: ARG002 - of every handler
        """Report that every request is counted."""
        return True

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on and write down how it went; one that is cancelled is written down as status 0.

        What a layer refuses is answered further out, when it is written down already.
        """
        assert scope["type"] == ScopeType.HTTP
        # Not the event loop's time: uvloop counts whole milliseconds, and many a request takes less than one.
        began, refused = ticks_s(), 0
        try:
            if scope["path_template"] in _QUIET:
                await next_app(scope, receive, send)
            else:
                with span("request", method=method_of(scope), path=scope["path_template"]):
                    await next_app(scope, receive, send)
        except HttpProblem as trouble:
            refused = PROBLEMS[trouble.code].status
            raise
        finally:
            gone, untold = ticks_s() - began, scope["route_handler"].opt.get("untold")
            self._note(scope, status_of(scope) or refused, gone + left_of_step(gone) if untold else gone)

    def _note(self, scope: HTTPScope, status: int, seconds: float) -> None:
        kind = (method_of(scope), scope["path_template"], status)
        counter, histogram = self._meters.get(kind) or self._meters_of(*kind)
        counter.inc()
        if histogram is not None:
            histogram.observe(seconds)
        if scope["path_template"] not in _QUIET:
            self._lines.write(method_of(scope), scope["path"], status, seconds)

    def _meters_of(self, method: str, pattern: str, status: int) -> tuple[Counter, Histogram | None]:
        """Return the counter and the histogram of a kind of request, found by their labels once."""
        seconds = None if pattern.endswith("/stream") else self._seconds.labels(method, pattern)
        found = self._meters[method, pattern, status] = (self._requests.labels(method, pattern, str(status)), seconds)
        return found


class SocketMeter:
    """Counts and logs the commands that are answered on sockets."""

    def __init__(self, parts: Dependencies, lines: RequestLines) -> None:
        """Put the meters into the registry of these parts, and write such lines."""
        self._commands = Counter(
            "truecup_socket_commands", "Commands answered on WebSockets.", ("status",), registry=parts.registry
        )
        self._seconds = Histogram(
            "truecup_socket_command_seconds",
            "Time from a command's message to its answer, behind those before it on the same match.",
            buckets=SECONDS,
            registry=parts.registry,
        )
        sockets = Gauge("truecup_websockets", "WebSockets open now.", registry=parts.registry)
        sockets.set_function(lambda: parts.doors.guests)
        self._counters: dict[int, Counter] = {}
        self._lines = lines

    def note(self, match: UUID, status: int, seconds: float) -> None:
        """Write down how a command went, by the status of its answer."""
        counter = self._counters.get(status)
        if counter is None:
            counter = self._counters[status] = self._commands.labels(str(status))
        counter.inc()
        self._seconds.observe(seconds)
        self._lines.write(SOCKET, f"/api/v1/matches/{match}/commands", status, seconds)


class _TurnedAway(Collector):
    """Whom the doors turned away or asked to leave, by reason; those are counted where no request is, too."""

    def __init__(self, doors: Drain) -> None:
        self._doors = doors

    def collect(self) -> Iterator[Metric]:
        """Yield the one counter."""
        counter = CounterMetricFamily(
            "truecup_turned_away", "Connections, requests and streams refused or ended for a bound.", labels=["reason"]
        )
        for reason, count in self._doors.turned_away.items():
            counter.add_metric([reason], count)
        yield counter
