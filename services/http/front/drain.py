"""Draining and admission: whether the program still takes requests, who has a stream, and who was turned away.

Streams run out before anything else does, so they have an order. A seat's own come before those of people who watch:
when all are taken, a seat that comes takes a watcher's, who is told bye and may come again with the version last seen.
Among watchers, the network with the most gives way to one with fewer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final, Literal, Protocol
from uuid import UUID

from services.http.problems import HttpProblem

Seat = tuple[UUID, int]
"""A match and a seat in it."""
Reason = Literal[
    "sockets_of_network",
    "sockets",
    "streams_of_network",
    "streams",
    "gave_way",
    "requests",
    "head_too_large",
    "too_slow",
    "not_reading",
    "malformed",
    "unknown_method",
]
"""Why somebody was turned away, or asked to leave: bounds by their names."""

STREAMS_OF_SEAT: Final = 4
"""Streams in which a seat is a seat: a page, a phone, one being taken up again, and a program. Further ones watch."""
FOR_SEATS: Final = 4
"""One stream in so many is for seats alone."""


class DoorPlace:
    """A stream's place among all.

    Attributes:
        network: Where its reader is.
        seat: Whose it is, if it is a seat's.
        over: Done when the reader is asked to leave.
    """

    def __init__(self, doors: Drain, network: str, seat: Seat | None) -> None:
        """Be taken behind these doors."""
        self.network = network
        self.seat = seat
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._doors = doors

    def ask_to_leave(self) -> None:
        """Let the stream say its last word."""
        if not self.over.done():
            self.over.set_result(None)

    def leave(self) -> None:
        """Give the place up; once is enough, and more does no harm."""
        self._doors.strike_off(self)


class Guest(Protocol):
    """Whoever stays between requests, and is told when the program goes down."""

    def go_away(self) -> None:
        """End what is under way, and leave."""

    def hurry(self) -> None:
        """Leave now."""


class Drain:
    """The doors of one process: open from the start, closed once, for good.

    Attributes:
        turned_away: How many were turned away or asked to leave, by reason.
        sockets: How many connections are open.
        hurries: Whether whoever still waits for an answer is told that there will be none.
    """

    def __init__(self) -> None:
        """Open."""
        self.are_open = True
        self.turned_away: Counter[str] = Counter()
        self.sockets = 0
        self.hurries = False
        self._asking: set[asyncio.Task[Any]] = set()
        self._guests: dict[Guest, None] = {}
        self._places: dict[DoorPlace, None] = {}
        self._of_network: Counter[str] = Counter()
        self._of_seat: Counter[Seat] = Counter()
        self._watching: dict[str, dict[DoorPlace, None]] = {}

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return len(self._places)

    def close(self) -> None:
        """Let nobody in any more: not ready, and every stream says bye."""
        self.are_open = False
        for place in self._places:
            place.ask_to_leave()
        for guest in list(self._guests):
            guest.go_away()

    def hurry(self) -> None:
        """Break off every request that is not answered yet: the program ends now."""
        self.hurries = True
        for task in self._asking:
            task.cancel()
        for guest in list(self._guests):
            guest.hurry()

    def welcome(self, guest: Guest) -> None:
        """Note that somebody stays."""
        self._guests[guest] = None

    def farewell(self, guest: Guest) -> None:
        """Note that somebody has left; once is enough, and more does no harm."""
        self._guests.pop(guest, None)

    @property
    def guests(self) -> int:
        """How many stay between requests."""
        return len(self._guests)

    def begin(self, task: asyncio.Task[Any]) -> None:
        """Note that this task answers a request."""
        self._asking.add(task)

    def end(self, task: asyncio.Task[Any]) -> None:
        """Note that it has."""
        self._asking.discard(task)

    def enter(self, network: str, seat: Seat | None, streams_max: int, streams_of_network_max: int) -> DoorPlace:
        """Let one more stream in, at the cost of a watcher's if need be.

        Args:
            network: Where its reader is.
            seat: Whose dice it shows, None for people who watch.
            streams_max: Streams in all.
            streams_of_network_max: Streams to one network.

        Raises:
            HttpProblem: `too_many_streams` when nobody gives way, `closing` once the doors are closed.
        """
        if not self.are_open:
            raise HttpProblem("closing")
        seat = seat if seat is None or self._of_seat[seat] < STREAMS_OF_SEAT else None
        if self._of_network[network] >= streams_of_network_max and not (seat and self._one_gives_way(network)):
            self._refuse("streams_of_network", f"{streams_of_network_max} streams are open to your network already")
        if self._is_full(seat, streams_max) and not self._somebody_gives_way(network, seat):
            self._refuse("streams", "all streams are taken")
        return self._note_entry(DoorPlace(self, network, seat))

    def spare(self) -> bool:
        """Ask a watcher to leave, of the network that has the most; report whether there was one."""
        return bool(self._watching) and self._one_gives_way(self._most())

    def strike_off(self, place: DoorPlace) -> None:
        """Strike a place off."""
        if place not in self._places:
            return
        del self._places[place]
        _less(self._of_network, place.network)
        if place.seat is not None:
            _less(self._of_seat, place.seat)
            return
        del self._watching[place.network][place]
        if not self._watching[place.network]:
            del self._watching[place.network]

    def _is_full(self, seat: Seat | None, streams_max: int) -> bool:
        return self.streams >= (streams_max if seat is not None else streams_max - streams_max // FOR_SEATS)

    def _somebody_gives_way(self, network: str, seat: Seat | None) -> bool:
        if not self._watching:
            return False
        most = self._most()
        if seat is None and len(self._watching[most]) <= len(self._watching.get(network, ())) + 1:
            return False
        return self._one_gives_way(most)

    def _one_gives_way(self, network: str) -> bool:
        """Ask the last that came from this network to watch to leave; its place is free from now on."""
        watching = self._watching.get(network)
        if not watching:
            return False
        place = next(reversed(watching))
        self.strike_off(place)
        place.ask_to_leave()
        self.turned_away["gave_way"] += 1
        return True

    def _most(self) -> str:
        """Return the network with most watchers; costs a look at each network, and is asked only when all is full."""
        return max(self._watching, key=lambda network: len(self._watching[network]))

    def _note_entry(self, place: DoorPlace) -> DoorPlace:
        self._places[place] = None
        self._of_network[place.network] += 1
        if place.seat is not None:
            self._of_seat[place.seat] += 1
        else:
            self._watching.setdefault(place.network, {})[place] = None
        return place

    def _refuse(self, reason: Reason, why: str) -> None:
        self.turned_away[reason] += 1
        raise HttpProblem("too_many_streams", why)


def _less(counts: Counter[Any], key: object) -> None:
    """Count one less, and forget who has none: keys are the world's to choose."""
    counts[key] -= 1
    if counts[key] == 0:
        del counts[key]
