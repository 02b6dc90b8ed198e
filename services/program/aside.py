"""Works beside play: what has ended is kept in less room, what was played is screened and analysed, bots look ahead."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path

from prometheus_client import CollectorRegistry

from infra.handoff.shares import Shares, late_ms
from infra.store import EventStore
from projections.commentary.comments import CommentView
from services.analysis.desk import AnalysisDesk
from services.analysis.jobs import make_analysis
from services.analysis.making import CannotAnalyse
from services.bots.ahead import begin_to_think
from services.bots.player import Bots
from services.bots.thinkers import Thinkers
from services.live.hint_desk import HintDesk
from services.live.worths import worths_beside
from services.local.child import die_with_parent
from services.matches.handler import CommandHandler
from services.matches.secrets.tokens import TokenIssuer
from services.relay.tail import LogTail
from services.tournaments.reads import TournamentQueries
from services.tournaments.screening.screener import Screener
from services.web.onefile.asking import OnePageAsked, page_of
from services.web.onefile.edition import page_edition
from services.work.failures import Stuck
from services.work.settling import settle
from services.work.wakeups import Waker
from services.work.worker import Worker


def screening_aside(
    store: EventStore, tail: LogTail, held: TournamentQueries, tokens: TokenIssuer, stuck: Stuck
) -> Coroutine[None, None, None]:
    """Return a work of a dealer that nobody waits for."""
    return Screener(tail, store, held, tokens, tail.bell(), Worker(die_with_parent), stuck).run()


def bots_aside(
    tail: LogTail,
    matches: CommandHandler,
    waker: Waker,
    pause_ms: int,
    stuck: Stuck,
    registry: CollectorRegistry,
    shares: Shares,
) -> Bots:
    """Return the bots of a dealer; up to two processes beside it leave a core to whoever plays."""
    begin = partial(begin_to_think, die_with_parent)
    workers = [Worker(begin) for _ in range(min(2, max(1, (os.cpu_count() or 1) - 1)))]
    thinkers = Thinkers(workers, stuck, registry)
    return Bots(tail, matches, waker, pause_ms, stuck=stuck, thinkers=thinkers, late_ms=partial(late_ms, shares))


class AnalysesAside:
    """Analyses that are made beside a program that answers for matches, and what of them is said while one is played.

    Attributes:
        desk: Where they are asked for.
        worths: What works out what a match is worth; whoever follows it does not wait for analyses.
        hints: Where seats of practice tables ask what they might do; nor do they.
    """

    def __init__(self, folder: Path) -> None:
        """Keep them below the data folder, from which they may be deleted at any time."""
        begin = partial(settle, die_with_parent)
        self._worker, self._live, self._hints, self._pages = (Worker(begin) for _ in range(4))
        self.desk = AnalysisDesk(self._worker, make_analysis, folder / "analyses")
        self.worths, self.hints = worths_beside(self._live), HintDesk(self._hints)

    async def run(self) -> None:
        """Make them until cancelled."""
        try:
            await self.desk.run()
        finally:
            for worker in (self._worker, self._live, self._hints, self._pages):
                worker.close()

    async def edition(self) -> str:
        """Return what tells pages of this release from those of another."""
        return await asyncio.to_thread(page_edition)

    async def page(self, record: bytes, analysis: bytes, comments: Sequence[CommentView], language: str) -> bytes:
        """Return a match as one page, made in a process of its own.

        Raises:
            CannotAnalyse: It would be too large, or takes too long.
            Unavailable: The process has ended.
        """
        try:
            return await self._pages.do(page_of, OnePageAsked(record, analysis, tuple(comments), language))
        except MemoryError as trouble:
            raise CannotAnalyse("the page would take too much room to make") from trouble
