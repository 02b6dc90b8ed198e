"""Attendance: which tables only bots play now, which wait for players, and how many more of both there may be.

Bots play on for nobody and never tire, so their tables are counted: for the house, by whoever follows the log, so that
a restart forgets none; and for the network that started them, as far as this process has seen it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

from cachetools import FIFOCache, LRUCache
from msgspec import Struct
from prometheus_client import CollectorRegistry, Gauge

from domain import commands
from domain.errors import Refused
from domain.ids import UnixMs
from domain.match.dues import unattended_end_at
from domain.match.evolve import Match, people_in, table_deals
from domain.match.settings import HOUSE_IDLE
from domain.seats import Player
from services.work.failures import Unreadable

STARTED_MAX: Final = 16_384
"""Matches whose network is remembered, the latest started: more than a house plays at a time."""

NETWORKS_MAX: Final = 16_384
"""Networks whose waiting tables are remembered; the one that has opened none for longest is forgotten."""
SCHEDULED_MAX: Final = 500
"""How many tables one network may have that were opened in bulk and whose time has not come."""
TABLES_EACH_MAX: Final = 100_000
"""How many tables one network may have that wait, where nothing is said."""
ASKED_ABOUT: Final = 4
"""Tables of which is asked at once whether they still wait."""


class BotBounds(Struct, frozen=True):
    """How many tables only bots may play at the same time.

    Attributes:
        house: In all. A bot acts about once a second, so 100 tables are 40 to 100 events a second.
        network: Started from one network where only bots sat: some to watch, for a household.
        left: Started from one network, with people or without. Whoever gives up and starts anew leaves tables to their
            bots: at ten times as many as without people, a school may do so, and nobody without end.
    """

    house: int = 100
    network: int = 5
    left: int = 50

    @classmethod
    def of(cls, house: int, network: int) -> BotBounds:
        """Return bounds with these settings."""
        return cls(house, network, 10 * network)


class BotTable(Struct, frozen=True):
    """A match that only bots play.

    Attributes:
        due_at: From when on the table may end it, in Unix milliseconds; None where its rules do not say so.
        unseen_s: For how many seconds nobody may have looked before it is ended.
        closable: Whether it is an older one, without the idle rule, and between two rounds: a session may be closed.
    """

    match: UUID
    due_at: UnixMs | None
    unseen_s: float
    closable: bool = False


class BotTables:
    """The live matches that only bots play, as far as the log has been followed."""

    def __init__(self, bounds: BotBounds | None = None) -> None:
        """Know of none."""
        self._bounds = bounds or BotBounds()
        self._alone: dict[UUID, BotTable | None] = {}
        self._started: FIFOCache[UUID, tuple[str, bool]] = FIFOCache(STARTED_MAX)

    def meter(self, registry: CollectorRegistry) -> None:
        """Show in this registry how many there are."""
        gauge = Gauge("truecup_bot_tables", "Tables that only bots play now.", registry=registry)
        gauge.set_function(lambda: len(self.tables()))

    def see(self, match: Match) -> None:
        """Take notice of a match as it stands now."""
        if is_left_to_bots(match):
            self._alone[match.id] = _bot_table(match)
        else:
            self._alone.pop(match.id, None)
        if match.ended:
            self._started.pop(match.id, None)

    def tables(self) -> list[BotTable]:
        """Return the matches that only bots play."""
        return [table for table in self._alone.values() if table is not None]

    @contextmanager
    def counting(self, match: Match, command: commands.MatchCommand, network: str | None) -> Iterator[None]:
        """Let a command be tried; a table of bots that it may make is counted from now on.

        Args:
            match: What the command is decided on.
            command: What is asked.
            network: Whence it is asked; None for the house itself.

        Raises:
            Refused: `too_many_bot_tables`: only bots sit there, or this network leaves too many tables to them.
        """
        alone = _are_bots_alone_after(match, command)
        if alone is None:
            yield
            return
        self._check_room(match.id, network, alone=alone)
        if network is not None:
            self._started[match.id] = (network, alone)
        if alone:
            self._alone.setdefault(match.id, None)
        try:
            yield
        except BaseException:
            if self._alone.get(match.id, self) is None:
                del self._alone[match.id]
            raise

    def _check_room(self, match_id: UUID, network: str | None, *, alone: bool) -> None:
        others = self._alone.keys() - {match_id}
        theirs = [bots for match, (whose, bots) in self._started.items() if whose == network and match in others]
        if len(theirs) >= self._bounds.left:
            raise Refused("too_many_bot_tables", started=len(theirs))
        if alone and sum(theirs) >= self._bounds.network:
            raise Refused("too_many_bot_tables", started=sum(theirs))
        if alone and network is not None and len(others) >= self._bounds.house:
            raise Refused("too_many_bot_tables", playing=len(others))


def _are_bots_alone_after(match: Match, command: commands.MatchCommand) -> bool | None:
    """Return whether bots alone play where this command starts a match with bots, or has one stand in.

    None where it does neither, or leaves people in play.
    """
    if match.ended:
        return None
    if match.table is not None:
        return _stands_in_for_the_last(match, command) or None
    comes = [Player(command.player)] if isinstance(command, commands.Join) else []
    sitting = [*match.seated.values(), *comes]
    fills = bool(comes) and match.settings.start == "full" and len(sitting) >= match.settings.seats
    if not (fills or isinstance(command, commands.Start)) or not any(who.is_bot for who in sitting):
        return None
    return all(who.is_bot for who in sitting)


def _stands_in_for_the_last(match: Match, command: commands.MatchCommand) -> bool:
    if not isinstance(command, commands.StandIn | commands.StandInFor):
        return False
    seat = command.seat if isinstance(command, commands.StandIn) else command.who
    return set(people_in(match)) <= {seat}


def is_endless(match: Match) -> bool:
    """Report whether bots would play a match for ever: only a host ends its game, and nobody has to."""
    return match.settings.idle is None and match.rules.match.open_ended


def _bot_table(match: Match) -> BotTable:
    idle = match.settings.idle
    if idle is None:
        return BotTable(match.id, None, HOUSE_IDLE.bots_ms / 1000, closable=table_deals(match))
    return BotTable(match.id, unattended_end_at(match), idle.bots_ms / 1000)


def is_left_to_bots(match: Match) -> bool:
    """Report whether a match is under way in which nobody but bots is still in."""
    return match.table is not None and not match.ended and not people_in(match)


class WaitingTables:
    """The tables that wait for players, by the network that opened them, as far as this process has opened them.

    Attributes:
        scheduled: Those that wait for a time, which are counted apart.
    """

    def __init__(self, each: int = TABLES_EACH_MAX, scheduled: int = SCHEDULED_MAX) -> None:
        """Let each network have so many, and so many that wait for a time, or as many where that is more."""
        self._each = each
        self.scheduled = ScheduledTables(max(each, scheduled))
        self._opened: LRUCache[str, dict[UUID, None]] = LRUCache(NETWORKS_MAX)

    def note(self, match_id: UUID, network: str | None) -> None:
        """Take notice of a table that was opened; the house itself may have any number."""
        if network is not None:
            self._opened.setdefault(network, {})[match_id] = None

    def is_full(self, network: str | None) -> bool:
        """Report whether a network has opened as many as may wait, some of which may wait no more."""
        return network is not None and len(self._opened.get(network, ())) >= self._each

    async def check_room(self, network: str | None, load: Callable[[UUID], Awaitable[Match]]) -> None:
        """Let a network open another table if it has not too many that wait.

        Whether they still do is asked of the log, of a few of them each time, those first that were asked about longest
        ago: so whoever is refused costs no more than a few queries.

        Raises:
            Refused: `too_many_tables`.
        """
        theirs = self._opened.get(network or "", {})
        for match_id in list(theirs)[:ASKED_ABOUT] if self.is_full(network) else ():
            theirs[match_id] = theirs.pop(match_id, None)
            # One that nobody can read here counts as it did, and keeps no other from being asked about.
            with suppress(Unreadable):
                match = await load(match_id)
                if match.table is not None or match.ended:
                    theirs.pop(match_id, None)
        if self.is_full(network):
            raise Refused("too_many_tables", waiting=len(theirs), most=self._each)


class ScheduledTables:
    """The tables that were opened in bulk and whose time has not come, by network, as far as this process opened them.

    They wait for a time and not for players: so none of them is asked after, and each counts until then.
    """

    def __init__(self, each: int = SCHEDULED_MAX) -> None:
        """Let each network have so many."""
        self._each = each
        self._until: LRUCache[str, dict[UUID, UnixMs]] = LRUCache(NETWORKS_MAX)
        self._turns = WeakValueDictionary[str, asyncio.Lock]()

    def turn(self, network: str | None) -> asyncio.Lock:
        """Return what a network holds from `check_room` to `note`: it opens one list after the other.

        So lists sent at once do not all find the same room, and of one sent twice the second finds what is opened.
        """
        return self._turns.setdefault(network or "", asyncio.Lock())

    def note(self, network: str | None, match_id: UUID, until: UnixMs) -> None:
        """Take notice of a table that was opened and counts until then."""
        if network is not None:
            self._until.setdefault(network, {})[match_id] = until

    def check_room(self, network: str | None, count: int, now: UnixMs) -> None:
        """Let a network open so many more at this time.

        Raises:
            Refused: `too_many_tables`.
        """
        if network is None:
            return
        theirs = {match: until for match, until in self._until.get(network, {}).items() if until > now}
        self._until[network] = theirs
        if len(theirs) + count > self._each:
            raise Refused("too_many_tables", waiting=len(theirs), most=self._each)
