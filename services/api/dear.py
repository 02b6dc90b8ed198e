"""Reads that cost the house something: replays, records, audits, odds, statistics. Few of one network run at once.

A handler says so of itself: `opt={"dear": True}`. The turn lasts until the answer is out, for some answers are made
while they are sent. Where how long that takes hangs on hidden dice (`"untold": True`) it lasts whole steps: others of
the network may stand at the same table, and wait for it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from services.http.bounds import Bounds
from services.http.front.addresses import network_of
from services.http.front.queues import Full, Queues, give_up
from services.http.front.rates import Rates
from services.live.untold import left_of_step

POLICY: Final = "dear_reads"


class Dear:
    """Lets a network's dear reads in one after the other."""

    def __init__(self, bounds: Bounds, turned_away: Counter[str]) -> None:
        """Keep to these bounds, and count here who comes too often or waits too long."""
        self._bounds = bounds
        self._turned_away = turned_away
        self._rates = Rates(turned_away)
        self._queues = Queues(bounds.dear_at_once, bounds.dear_waiting_max)

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        """Report whether it says so of itself."""
        return bool(handler.opt.get("dear"))

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on when it is its turn.

        Raises:
            HttpProblem: `too_many_requests`.
        """
        give_up(scope)  # while it waits for this turn, others of its network are served
        network = network_of(scope)
        self._rates.check(POLICY, self._bounds.dear, network)
        try:
            async with asyncio.timeout(self._bounds.dear_wait_s):
                turn = await self._queues.turn(network)
        except (Full, TimeoutError) as trouble:
            self._turned_away[POLICY] += 1
            raise Full from trouble
        loop = asyncio.get_running_loop()
        began, untold = loop.time(), scope["route_handler"].opt.get("untold")
        try:
            await next_app(scope, receive, send)
        finally:
            loop.call_later(left_of_step(loop.time() - began), turn.end) if untold else turn.end()
