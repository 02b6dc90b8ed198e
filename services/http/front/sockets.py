"""Sockets: how many may be open, from one network and in all, and who gives way when they run out.

The order is that of what is lost. A connection that rests between two requests gives way first, since browsers expect
that; then one from which no whole request has come; then somebody who only watches is asked to leave. A request under
way and a seat's stream are never cut off. What makes room takes a moment, so a few more than the bound are let in
meanwhile; beyond those, whoever comes is refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Protocol

from infra.files.limit import sockets_within
from services.http.front.drain import Drain, Reason
from services.http.front.rates import Rate

MEANWHILE: Final = 8
"""One more socket in so many may be open while others are closing."""


OF_NETWORK: Final = 4
"""Where files are few, one network may hold one socket in so many."""
REQUESTS: Final = Rate(5_000, 10)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a client is held to.

    Attributes:
        head_bytes_max: Request line and headers together; nginx takes 8 KiB and more, h11 16 KiB.
        head_s: From the connection, or a request's first byte, to the end of its headers.
        body_s: From there to the end of the body; 16 KiB in 30 s is 0.5 kB a second.
        rest_s: How long a connection may rest between requests; a page asks again within a minute.
        write_s: Within this time a reader that lags has to take something.
        linger_s: How long what a client still sends is thrown away after a last word, so that it can read that word.
        requests: Of one network, whatever they are. A page loads some 45 files: a hall of a hundred people may open one
            in the same breath, and go on with 500 requests a second, a third to a half of what one core answers.
        reads_at_once: Of one network, until their answers begin. Most take a millisecond: so long others wait for each,
            however many there are.
        reads_waiting_max: Of one network; more than it has sockets, for a proxy may speak for it.
        sockets_max: In all; a resting one takes some 5 kB, one with a full head and an unread answer some 100 kB.
        sockets_of_network_max: Of one network: a hall of 150 browsers with six each, and few of those not at rest.
    """

    head_bytes_max: int = 16 * 1_024
    head_s: float = 10.0
    body_s: float = 30.0
    rest_s: float = 75.0
    write_s: float = 30.0
    linger_s: float = 1.0
    requests: Rate = REQUESTS
    reads_at_once: int = 8
    reads_waiting_max: int = 2_048
    sockets_max: int = 10_240
    sockets_of_network_max: int = 1_024


def terms_within(files: int) -> Terms:
    """Return the usual terms as far as so many open files allow, those meanwhile open among them."""
    usual = Terms()
    most = min(usual.sockets_max, sockets_within(files) * MEANWHILE // (MEANWHILE + 1))
    of_network = min(usual.sockets_of_network_max, max(1, most // OF_NETWORK))
    return replace(usual, sockets_max=most, sockets_of_network_max=of_network)


class Socket(Protocol):
    """An open connection."""

    @property
    def network(self) -> str | None:
        """Where its peer is; None for a named proxy, which speaks for many."""

    def hang_up(self) -> None:
        """Close."""

    def look(self, now: float) -> None:
        """Close if a deadline has passed."""


class Sockets:
    """Every open socket of a server."""

    def __init__(self, doors: Drain, terms: Terms) -> None:
        """Count them at these doors."""
        self.terms = terms
        self._doors = doors
        self._open: dict[Socket, None] = {}
        self._of_network: Counter[str] = Counter()
        self._resting: dict[str | None, dict[Socket, None]] = {}
        self._rest: dict[Socket, None] = {}
        self._unheard: dict[Socket, None] = {}

    @property
    def are_last(self) -> bool:
        """Report whether the doors are closed: the next answer of each is its last, and says so."""
        return not self._doors.are_open

    def admit(self, socket: Socket) -> Reason | None:
        """Let a socket in, and return None, or why not."""
        network = socket.network
        if network is not None and self._of_network[network] >= self.terms.sockets_of_network_max:
            if not self._first_gives_way(self._resting.get(network, {})):
                return self.count_refusal("sockets_of_network")
        elif len(self._open) >= self.terms.sockets_max and not self._makes_room():
            return self.count_refusal("sockets")
        self._open[socket] = None
        if network is not None:
            self._of_network[network] += 1
        self._unheard[socket] = None
        self._doors.sockets = len(self._open)
        return None

    def leave(self, socket: Socket) -> None:
        """Strike a socket off; once is enough, and more does no harm."""
        if socket not in self._open:
            return
        del self._open[socket]
        self.busy(socket)
        if socket.network is not None:
            self._of_network[socket.network] -= 1
            if self._of_network[socket.network] == 0:
                del self._of_network[socket.network]
        self._doors.sockets = len(self._open)

    def busy(self, socket: Socket) -> None:
        """Note that a request of this socket is under way."""
        self._unheard.pop(socket, None)
        if socket in self._rest:
            del self._rest[socket]
            resting = self._resting[socket.network]
            del resting[socket]
            if not resting:
                del self._resting[socket.network]

    def rests(self, socket: Socket) -> None:
        """Note that this socket is between two requests."""
        if socket in self._open:
            self._rest[socket] = None
            self._resting.setdefault(socket.network, {})[socket] = None

    def unheard(self, socket: Socket) -> None:
        """Note that a request has begun on this socket, and is not whole."""
        if socket in self._open:
            self.busy(socket)
            self._unheard[socket] = None

    def look(self, now: float) -> None:
        """Close what is over its time; costs a look at each socket, some 0.3 us."""
        for socket in list(self._open):
            socket.look(now)

    def count_refusal(self, reason: Reason) -> Reason:
        """Count somebody as turned away."""
        self._doors.turned_away[reason] += 1
        return reason

    def _makes_room(self) -> bool:
        """Report whether somebody closes, or leaves in a moment and there is room for both meanwhile."""
        if self._first_gives_way(self._rest) or self._first_gives_way(self._unheard):
            return True
        bound = self.terms.sockets_max
        return len(self._open) < bound + bound // MEANWHILE and self._doors.spare()

    def _first_gives_way(self, sockets: dict[Socket, None]) -> bool:
        first = next(iter(sockets), None)
        if first is None:
            return False
        self.leave(first)
        first.hang_up()
        self.count_refusal("gave_way")
        return True
