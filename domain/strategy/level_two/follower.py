"""The follower: whoever plays by level 2 keeps what it believes from event to event, and reads only what is new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

from domain import events
from domain.ids import CupId, Face, Seat
from domain.rules.rules import Faces, Rules
from domain.strategy.chance import Words
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_params import LevelParams
from domain.strategy.level_two.outlook import DOUBT, Outlook, outlook_of
from domain.strategy.reading.beliefs import Belief, belief_of
from domain.strategy.reading.cup_reader import CupReader
from domain.strategy.reading.reader import Beliefs, is_read_by_face
from domain.strategy.reading.serials import hands_or_some
from domain.strategy.sight import Sight
from domain.table.state import State

FORMAT: Final = "truecup-level-2/1"
"""What the words begin with by which hands of many tokens are drawn: the same for whoever saw the same."""


class BeliefKeeper:
    """What one seat believes of the others, event by event of a match.

    Attributes:
        reader: The reader of dice that are handled or passed on; None where there are none.
    """

    def __init__(self, rules: Rules, seats: Iterable[Seat], seat: Seat, params: LevelParams) -> None:
        """Begin before the first round; `params` is the policy by which the others are read."""
        self._seat = seat
        self._seats = tuple(seats)
        self._params = params
        self._faces = rules.tokens.faces
        self._dice: Mapping[CupId, tuple[Face, ...]] = {}
        self._round = 0
        self._beliefs = self._none()
        self.reader = None if is_read_by_face(rules) else self._cup_reader()

    def _cup_reader(self) -> CupReader:
        return CupReader((self._seat,), self._params, lambda _: DOUBT, self._sees, rolls_apart=False)

    def take(self, before: State, event: events.Event, after: State, dice: Mapping[CupId, tuple[Face, ...]]) -> None:
        """Read an event.

        Args:
            before: The game before it.
            event: What happened.
            after: The game after it.
            dice: The hidden dice the seat knows then, as in its sight.
        """
        self._dice = dice
        if isinstance(event, events.RoundOpened):
            self._round = event.round
            self._beliefs = self._none()
        if self.reader is None:
            self._beliefs = self._beliefs.after(before, event)
        else:
            self.reader.take(before, event, after)

    def outlook(self, sight: Sight, words: Words) -> Outlook:
        """Return what a turn is thought over with; `words` are the chance given with it."""
        return outlook_of(sight, self.beliefs(sight.state), words)

    def beliefs(self, state: State) -> Beliefs:
        """Return what is believed of everybody's cup, hand by hand."""
        if self.reader is None:
            return self._beliefs
        known = {cup: self._belief_of(self.reader, cup) for cup in state.places if cup in self.reader.beliefs}
        return Beliefs(self._params, self._beliefs.doubts, known)

    def _belief_of(self, reader: CupReader, cup: CupId) -> Belief:
        found = reader.hands(cup, self._seat)
        every = all_hands(len(next(iter(found))), self._faces)
        return belief_of(every.some([every.places[hand] for hand in found]), [*found.values()])

    def _none(self) -> Beliefs:
        return Beliefs(self._params, dict.fromkeys(self._seats, DOUBT), hands_of=self._hands_of)

    def _hands_of(self, cup: CupId, dice: int, faces: Faces) -> Hands:
        seed = f"{FORMAT}\n{self._round}\n{cup}"
        return hands_or_some(dice, faces, Words(hashlib.sha256(seed.encode()).digest()))

    def _sees(self, _seat: Seat, cup: CupId) -> tuple[Face, ...] | None:
        return self._dice.get(cup)
