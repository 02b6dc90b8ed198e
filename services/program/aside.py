"""Works beside those who play: what has ended is kept in less room, what was played is screened and analysed."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path

import msgspec

from domain.analysis.report import Analysis
from infra.store.postgres import PostgresStore
from projections.commentary.comments import CommentView
from services.analysis.desk import AnalysisDesk
from services.analysis.jobs import make_analysis, settle
from services.analysis.making import CannotAnalyse
from services.dealer.archivist import Archivist
from services.live.hint_desk import HintDesk
from services.live.worths import worths_beside
from services.local.child import die_with_parent
from services.matches.secrets.tokens import TokenIssuer
from services.relay.tail import LogTail
from services.tournaments.reads import TournamentQueries
from services.tournaments.screening.screener import Screener
from services.web.onefile.page import TooLarge, one_file
from services.words.catalogue import speaking
from services.work.failures import Stuck
from services.work.worker import Worker


def works_aside(
    store: PostgresStore, tail: LogTail, held: TournamentQueries, tokens: TokenIssuer, after_s: int, stuck: Stuck
) -> list[Coroutine[None, None, None]]:
    """Return those of a dealer that nobody waits for; a match is archived so many seconds after its end."""
    screener = Screener(tail, store, held, tokens, tail.bell(), Worker(die_with_parent), stuck)
    return [Archivist(store, after_s).run(), screener.run()]


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
        self._worker, self._live = Worker(begin), Worker(begin)
        self.desk = AnalysisDesk(self._worker, make_analysis, folder / "analyses")
        self.worths, self.hints = worths_beside(self._live), HintDesk(self._live)

    async def run(self) -> None:
        """Make them until cancelled."""
        try:
            await self.desk.run()
        finally:
            self._worker.close()
            self._live.close()


def page_of(record: bytes, analysis: bytes, comments: Sequence[CommentView], language: str) -> bytes:
    """Return a match as one page.

    Raises:
        CannotAnalyse: It would be too large.
    """
    with speaking(language):
        try:
            return one_file(record, msgspec.json.decode(analysis, type=Analysis), comments)
        except TooLarge as trouble:
            raise CannotAnalyse(str(trouble)) from trouble
