"""Order between a board and a match: every doubt stands before the line that closes its round, every die behind it.

The hashes prove it both ways. The line of the board names the last line of each match that it knows, in which the round
waits or the match is over; the match names that line before it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain import events
from domain.fairness.shared import SharedDeal
from domain.ids import RoundNumber
from domain.log import canonical
from domain.match.evolve import Match
from domain.table.phases import AWAITING_BOARD


class BoardOrder:
    """A match on its way through the referee, held against the rounds of its board.

    Attributes:
        shared: What the record of the board says.
    """

    def __init__(self, shared: SharedDeal, raw: Sequence[bytes]) -> None:
        """Begin before the second line of the match, whose lines these are."""
        self.shared = shared
        self._raw = raw
        self._waits_from: dict[RoundNumber, int] = {}

    def take(self, after: Match, seq: int) -> None:
        """Take in how the match stands after the line at this place."""
        state = after.table
        if state is not None and state.phase == AWAITING_BOARD:
            self._waits_from.setdefault(state.round_number, seq)

    def fault_at_release(self, match: Match, event: events.Released, seq: int) -> str:
        """Return what is wrong with a round that is judged in the line at this place; empty if nothing is."""
        number = 0 if match.table is None else match.table.round_number
        closed = self.shared.rounds.get(number)
        if closed is None or (closed.seq, closed.head) != (event.seq, event.head):
            return "the board has closed no such round in this line"
        return self._fault_of_line(match, number, seq - 1)

    def fault_at_end(self, match: Match) -> str:
        """Return what is wrong with what the board says of a match that is over; empty if nothing is."""
        faults = (self._fault_of_line(match, number, len(self._raw) - 1) for number in self.shared.rounds)
        return next(filter(None, faults), "") if match.ended else ""

    def _fault_of_line(self, match: Match, number: RoundNumber, latest: int) -> str:
        seq, head = self.shared.rounds[number].lines.get(str(match.id), (-1, ""))
        if not 0 <= seq <= latest or canonical.head(self._raw[seq]) != head:
            return "the board names another line of this match"
        # A match that was over before, or at which nobody ever waited, has no line that comes later.
        since = self._waits_from.get(number, len(self._raw) - 1)
        return "" if seq >= since else "the board closed the round before it was over here"
