"""Shared memory of matches: what all parts of one program keep of their streams, made once where they are joined."""

from __future__ import annotations

from msgspec import Struct

from infra.store import EventStore
from services.matches.reads.access_log import AccessLog
from services.matches.reads.cards import CardCache
from services.matches.reads.milestones import Milestones
from services.matches.reads.names import NameCache
from services.work.slices import Pace


class SharedReads(Struct, frozen=True):
    """What handlers, queries and followers of one program share.

    Attributes:
        milestones: Matches as of some of their versions, from which others are folded.
        access: The access streams, so that no part of the program finds one longer than another part knows it.
        names: What people call the players.
        cards: What people call the tables, and which of them are private.
    """

    milestones: Milestones
    access: AccessLog
    names: NameCache
    cards: CardCache


def shared_reads(store: EventStore, pace: Pace | None = None) -> SharedReads:
    """Return empty memory over a store; long work is done at this pace."""
    milestones = Milestones(store, pace)
    return SharedReads(milestones, AccessLog(store, milestones), NameCache(store), CardCache(store))
