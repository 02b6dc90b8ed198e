"""Shared memory of matches: what all parts of one program keep of their streams, made once where they are joined."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from domain.ids import UnixMs
from infra.clock import now_ms
from infra.store import EventStore
from services.live.worths import Worths, worths_here
from services.matches.reads.access_log import AccessLog
from services.matches.reads.cards import CardCache
from services.matches.reads.milestones import Milestones
from services.matches.reads.names import NameCache
from services.matches.watching.delays import Delays
from services.matches.watching.embargo import Embargo
from services.work.slices import Pace


class SharedReads(Struct, frozen=True):
    """What handlers, queries and followers of one program share.

    Attributes:
        milestones: Matches as of some of their versions, from which others are folded.
        access: The access streams, so that no part of the program finds one longer than another part knows it.
        names: What people call the players.
        cards: What people call the tables, and which of them are private.
        delays: How far those are shown whose spectators wait.
        embargo: How far those are shown whose dice other tables have as well.
        worths: What works out what a match is worth while it is played.
    """

    milestones: Milestones
    access: AccessLog
    names: NameCache
    cards: CardCache
    delays: Delays
    embargo: Embargo
    worths: Worths


def shared_reads(
    store: EventStore, pace: Pace | None = None, now: Callable[[], UnixMs] = now_ms, worths: Worths = worths_here
) -> SharedReads:
    """Return empty memory over a store.

    Args:
        store: The store.
        pace: At which long work is done.
        now: The clock that delays follow.
        worths: What works out what a match is worth while it is played.
    """
    milestones = Milestones(store, pace)
    embargo = Embargo(milestones, store)
    delays, names = Delays(milestones, now, embargo), NameCache(store, now)
    return SharedReads(milestones, AccessLog(store, milestones), names, CardCache(store), delays, embargo, worths)
