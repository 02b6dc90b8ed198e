"""Games that every seat reads as it goes, and in which some of them play level 2."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from domain import commands
from domain.ids import CupId, Face, Seat
from domain.rules.rules import Rules
from domain.strategy.chance import Words
from domain.strategy.hands import Hands
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.outlook import DOUBT, Outlook, outlook_of
from domain.strategy.level_two.thinking import weigh
from domain.strategy.reading.beliefs import belief_of
from domain.strategy.reading.cup_reader import CupReader
from domain.strategy.reading.reader import Beliefs
from domain.strategy.weighing import Weighing
from domain.table.decide import decide, evolve, initial_state, next_deal
from domain.table.moves import moves
from tests.analysis.sights import hidden_faces, sight_of, word_of
from tests.domain.seeded import Game


class ReadGame(Game):
    """A game with a reader beside it."""

    def __init__(self, options: dict[str, Any], seats: int, seed: str, game: str, rules: Rules | None = None) -> None:
        super().__init__(options, seats, seed, game=game)
        if rules is not None:
            self.state = initial_state(rules, self.state.seats, 1)
        self.reader = CupReader(self.state.seats, LEVEL_ONE, lambda _: DOUBT, self.sees)

    def sees(self, _seat: Seat, cup: CupId) -> Iterable[Face]:
        return hidden_faces(self.state, self.state.places[cup], self.dealer)

    def do(self, command: commands.TableCommand) -> Any:
        happened = decide(self.state, command, self.dealer)
        for event in happened:
            before, self.state = self.state, evolve(self.state, event)
            self.reader.take(before, event, self.state)
            self.events.append(event)
        return happened

    def outlook(self, seat: Seat) -> Outlook:
        sight = sight_of(self.state, seat, self.dealer)
        found = {cup: self.reader.hands(cup, seat) for cup in self.reader.beliefs}
        beliefs = {cup: belief_of(Hands([*hands], [1] * len(hands)), [*hands.values()]) for cup, hands in found.items()}
        return outlook_of(sight, Beliefs(LEVEL_ONE, {}, beliefs), Words(f"{self.dealer.seed} {seat}".encode()))

    def weigh(self, seat: Seat) -> Weighing:
        return weigh(self.outlook(seat))

    def worths(self, seat: Seat) -> dict[commands.Play, Fraction]:
        return {option.command: option.worth for option in self.weigh(seat).options}

    def play(self, number: int, at_level_two: Iterable[Seat]) -> None:
        """Make a move of whoever is in turn first."""
        word, command = word_of(self.dealer.seed, number), None
        for seat in sorted(moves(self.state), key=lambda seat: (seat != self.state.turn, seat)):
            if seat in at_level_two:
                weighing = self.weigh(seat)
                command = weighing.draw(word).command if weighing.options else None
            else:
                command = drawn(sight_of(self.state, seat, self.dealer), LEVEL_ONE, word)
            if command is not None:
                break
        self.do(command or next_deal(self.state))
