"""Access streams of long matches: read in pieces, and made from the lines of the match a page at a time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from domain.audit import access
from domain.match.record import fold
from services.matches.reads.access_log import PIECE, Ledger
from services.matches.reads.milestones import SPACING, Milestones
from services.work.slices import Pace
from tests.reads.counting import CountingStore, long_match


async def test_an_access_stream_that_was_never_written_is_made_in_pages_and_read_in_pieces() -> None:
    match = await long_match(CountingStore())
    course = list(fold(await match.store.read(match.stream)))
    lines, book = access.new_access_stream(match.id, course[0][0].match.at)
    for (before, _), (after, event) in pairwise(course):
        more, book = access.lines_of_events(book, before.match, [event], after.match.at)
        lines += more
    passes = 0

    async def beside() -> None:
        nonlocal passes
        while True:
            await asyncio.sleep(0)
            passes += 1

    running = asyncio.ensure_future(beside())
    made = await Ledger(match.store, Milestones(match.store, Pace(slice_s=0))).book(match.id)
    running.cancel()
    assert passes >= 2 * (len(course) - SPACING), "a pass between any two steps, of the fold and of the book"
    assert await match.store.read_access(access.stream_of(match.id)) == list(lines)
    assert made == book == await Ledger(match.store).book(match.id)
    assert len(lines) > 2 * PIECE
