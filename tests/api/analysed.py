"""Analyses of a house without dice: whatever a test says there is."""

from __future__ import annotations

from collections.abc import Sequence

from projections.commentary.comments import CommentView
from services.analysis.desk import Failed, Job, Underway
from services.analysis.making import CannotAnalyse

TOO_LARGE = b'"too large"'
"""The analysis whose page would be."""


class AnalysedRecords:
    """The port `AnalysisPort`."""

    def __init__(self) -> None:
        self.says: bytes | Failed | Underway | Exception = Underway(0, 0)
        self.jobs: dict[str, Job] = {}

    async def ask(self, job: Job, _network: str) -> bytes | Failed | Underway:
        """Return what there is of any analysis, or raise it."""
        if isinstance(self.says, Exception):
            raise self.says
        self.jobs[job.name] = job
        return self.says

    async def look(self, name: str) -> bytes | Failed | Underway | None:
        """Return the same of those that were asked for."""
        return await self.ask(self.jobs[name], "") if name in self.jobs else None


class AnalysedPages:
    """The port `PagePort`, of a release that may change."""

    def __init__(self) -> None:
        self.release = "first"

    async def edition(self) -> str:
        """Return the release."""
        return self.release

    async def page(self, record: bytes, analysis: bytes, comments: Sequence[CommentView], language: str) -> bytes:
        """Return what a page is made of, instead of one."""
        if analysis == TOO_LARGE:
            raise CannotAnalyse("the page would be too large")
        return b"\n".join((language.encode(), str(len(comments)).encode(), analysis, record))
