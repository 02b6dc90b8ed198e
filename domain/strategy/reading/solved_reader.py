"""The reader of a solved duel: its moves are taken for those of its table, without a doubt, until they cannot be.

As long as some hand of a seat makes all of its moves possible, hands that would not have made them are ruled out. From
its first move on that no hand of the table makes, the seat is read as level 1, and doubted like anybody.
"""

from __future__ import annotations

from msgspec.structs import replace

from domain import commands, events
from domain.events.base import BaseEvent
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.duels.duel import CHALLENGE
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.hands import Hand
from domain.strategy.reading.beliefs import ONE, belief_of
from domain.strategy.reading.reader import Beliefs
from domain.table.checks import seat_of
from domain.table.state import State


class SolvedBeliefs(Beliefs, frozen=True, kw_only=True):
    """What is believed of the hidden dice of a duel, as `Beliefs`.

    Attributes:
        table: How the duel is played.
        made: The claims so far, by their numbers.
        strayed: Who has done what no hand of the table does.
    """

    table: SolvedTable
    made: bytes = b""
    strayed: tuple[Seat, ...] = ()

    def after(self, state: State, event: BaseEvent) -> SolvedBeliefs:
        """Return what is believed after an event; `state` is the game before it."""
        found = super().after(state, event)
        assert isinstance(found, SolvedBeliefs), "it is replaced by itself with other members"
        if isinstance(event, events.RoundOpened):
            return replace(found, made=b"", strayed=())
        if isinstance(event, events.Bid):
            number = self.table.duel.number(Count(event.quantity, event.face))
            return replace(found, made=self.made + bytes([number]))
        return found

    def _after_acting(self, state: State, command: commands.Play) -> Beliefs:
        seat = seat_of(command)
        if seat == self.out_of_time or seat in self.strayed:
            return super()._after_acting(state, command)
        belief = self.beliefs[seat]
        left = [
            chance * self._likelihood(hand, command) if chance else 0
            for hand, chance in zip(belief.hands.hands, belief.chances, strict=True)
        ]
        if any(left):
            return replace(self, beliefs={**self.beliefs, seat: belief_of(belief.hands, left)})
        return replace(super()._after_acting(state, command), strayed=(*self.strayed, seat))

    def _likelihood(self, hand: Hand, command: commands.Play) -> int:
        """Return how likely a hand is to make a move, in 2^-48; 0 where the table says nothing of it."""
        moves = self.table.moves(hand, self.made) or ()
        number = CHALLENGE
        if isinstance(command, commands.Bid):
            number = self.table.duel.number(Count(command.quantity, command.face))
        weight = dict(moves).get(number, 0)
        return ONE * weight // sum([each for _, each in moves]) if weight else 0
