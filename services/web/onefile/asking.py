"""A page that is asked for: made within bounds, by a process that is there for it."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from domain.analysis.report import Analysis
from projections.commentary.comments import CommentView
from services.analysis.making import CannotAnalyse
from services.web.onefile.page import TooLarge, one_file
from services.words.catalogue import speaking
from services.work.settling import TakesTooLong, within

PAGE_CPU_S: Final = 20
"""Seconds of a core that a page may take: one of 1.5 MB takes three."""


class OnePageAsked(Struct, frozen=True):
    """What a page is made of."""

    record: bytes
    analysis: bytes
    comments: tuple[CommentView, ...]
    language: str


def page_of(asked: OnePageAsked) -> bytes:
    """Return a match as one page.

    Raises:
        CannotAnalyse: It would be too large, or takes too long.
    """
    try:
        with within(PAGE_CPU_S), speaking(asked.language):
            return one_file(asked.record, msgspec.json.decode(asked.analysis, type=Analysis), asked.comments)
    except TooLarge as trouble:
        raise CannotAnalyse(str(trouble)) from trouble
    except TakesTooLong as trouble:
        raise CannotAnalyse("the page would take too long to make") from trouble
