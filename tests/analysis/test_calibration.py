"""Calibration: what is read of claims beside odds alone, in self-play of populations that nothing was fitted to.

The log loss of a chance is minus the logarithm of what it gave to what was true: lower is better, and a reader that
knows less than the odds do is worse than none.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import log
from typing import Final

import pytest

from domain import commands, events
from domain.ids import Seat
from domain.match.decide import Decision
from domain.rules.claims import holds
from domain.rules.orders import Count
from domain.statistics.odds import chance_of_bid
from domain.strategy.chance import Words
from domain.strategy.level_one.thinking import weigh as weigh_by_odds
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.follower import BeliefKeeper
from domain.strategy.level_two.thinking import weigh as weigh_by_reading
from domain.strategy.level_zero import move_at_random
from domain.strategy.reading.learning import Learning
from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight
from domain.table.dealer import Dealer
from domain.table.decide import decide, evolve, next_deal
from domain.table.moves import moves
from domain.table.state import State
from tests.analysis.sights import hidden_faces, sight_of
from tests.bots.tables import BotTable
from tests.domain.seeded import Game
from tests.sizes import cases

SEATS: Final = 3
DICE: Final = 3
LEAST: Final = Fraction(1, 10**6)
"""Nothing is held to be surer than this."""
BINS: Final = 5
DISTRUST: Final = 0.05
"""What it may cost to learn that somebody plays by chance."""
TURNS_MAX: Final = 400
Play = Callable[[Sight, BeliefKeeper, Words], commands.Play]


def by_odds(power: int) -> Play:
    params = LEVEL_ONE.with_power(power)
    return lambda sight, _keeper, words: weigh_by_odds(sight, params).draw(words.word()).command


def reading(sight: Sight, keeper: BeliefKeeper, words: Words) -> commands.Play:
    return weigh_by_reading(keeper.outlook(sight, words)).draw(words.word()).command


def at_random(sight: Sight, _keeper: BeliefKeeper, words: Words) -> commands.Play:
    command = move_at_random(sight, (words.word(), words.word()))
    assert command is not None
    return command


POPULATIONS: Final[dict[str, tuple[Play, ...]]] = {
    "level 0": (at_random,) * SEATS,
    "level 1": (by_odds(8),) * SEATS,
    "level 1, bold": (by_odds(4),) * SEATS,
    "level 1, cautious": (by_odds(16),) * SEATS,
    "level 2": (reading,) * SEATS,
    "of each one": (at_random, by_odds(8), reading),
}


class Said:
    """What was said of each claim of a match before it was tested: by reading, by odds alone, and whether it held."""

    def __init__(self) -> None:
        self.learning, self.beliefs = Learning(LEVEL_ONE), Beliefs(LEVEL_ONE, {})
        self.read: list[tuple[Fraction, Fraction, bool]] = []

    def take(self, before: State, event: events.Event, after: State, dealer: Dealer | None) -> None:
        if isinstance(event, events.RoundOpened):
            self.beliefs = Beliefs(LEVEL_ONE, {seat: self.learning.doubt(seat) for seat in after.seats})
        self.beliefs, self.learning = self.beliefs.after(before, event), self.learning.after(before, event)
        if isinstance(event, events.Bid):
            assert dealer is not None, "claims are made about dice"
            self.measure(Count(event.quantity, event.face), after, dealer)

    def measure(self, claim: Count, state: State, dealer: Dealer) -> None:
        faces = [face for place in state.places.values() for face in hidden_faces(state, place, dealer)]
        odds = chance_of_bid(claim, (), state.dice_in_play, wild=state.wild)
        self.read.append((self.beliefs.chance_of(state, claim), odds, holds(state.auction, claim, faces)))


class Measured:
    """A match of a population, and what was said of each claim in it before it was tested."""

    def __init__(self, population: str, number: int) -> None:
        self.said = Said()
        self.game = Game({"dice_per_player": DICE}, SEATS, f"{population} {number}")
        self.words = Words(f"{population} {number}".encode())
        rules, order = self.game.state.rules, self.game.state.seats
        self.plays = dict(zip(order, POPULATIONS[population], strict=True))
        self.keepers = {seat: BeliefKeeper(rules, order, seat, LEVEL_ONE) for seat in order}

    def play(self) -> None:
        while self.game.state.phase != "finished":
            state = self.game.state
            if not moves(state):
                self.do(next_deal(state))
                continue
            assert state.turn is not None
            self.do(self.plays[state.turn](self.sight(state.turn), self.keepers[state.turn], self.words))

    def sight(self, seat: Seat) -> Sight:
        return sight_of(self.game.state, seat, self.game.dealer)

    def do(self, command: commands.TableCommand) -> None:
        for event in decide(self.game.state, command, self.game.dealer):
            before, after = self.game.state, evolve(self.game.state, event)
            self.said.take(before, event, after, self.game.dealer)
            self.game.state = after
            for keeper in self.keepers.values():
                keeper.take(before, event, after, {})


class MeasuredAnalysts(BotTable):
    """A match of bots of level 3, and the same of it: what they weigh takes a match and not a table alone."""

    def __init__(self, number: int) -> None:
        self.said = Said()
        super().__init__({"dice_per_player": DICE}, SEATS, number, level="L3.steady")

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        first, dealt = len(self.events), self.keeper
        made = super().do(command, after_ms)
        ceremony = self.match.ceremony
        dealer = None if dealt is None or ceremony is None or ceremony.mix is None else dealt.open_deal(ceremony.mix)
        for number in range(first, len(self.events)):
            before, after = self.steps[number - 1].table, self.steps[number].table
            if before is not None and after is not None:
                self.said.take(before, self.events[number], after, dealer)
        return made


def loss(chance: Fraction, *, true: bool) -> float:
    bounded = min(max(chance, LEAST), 1 - LEAST)
    return -log(bounded if true else 1 - bounded)


def reliability(said: list[tuple[Fraction, bool]]) -> str:
    """Return by step of what was said how often it was so."""
    steps: dict[int, list[tuple[Fraction, bool]]] = defaultdict(list)
    for chance, true in said:
        steps[min(int(chance * BINS), BINS - 1)].append((chance, true))
    rows = [
        f"{float(sum(chance for chance, _ in some)) / len(some):.2f} -> {sum(true for _, true in some) / len(some):.2f}"
        f" of {len(some)}"
        for _, some in sorted(steps.items())
    ]
    return ", ".join(rows)


def losses(population: str) -> tuple[float, float]:
    """Return what is lost a claim by reading, and by odds alone."""
    read: list[tuple[Fraction, Fraction, bool]] = []
    for number in range(cases(12, 200)):
        measured = Measured(population, number)
        measured.play()
        read += measured.said.read
    return told(population, read)


def told(population: str, read: list[tuple[Fraction, Fraction, bool]]) -> tuple[float, float]:
    by_reading = sum(loss(chance, true=true) for chance, _, true in read) / len(read)
    by_odds = sum(loss(chance, true=true) for _, chance, true in read) / len(read)
    steps = reliability([(chance, true) for chance, _, true in read])
    # Seen with `-s`: what was said, and how often it was so.
    sys.stdout.write(f"{population}: {len(read)} claims, {by_reading:.3f} by reading, {by_odds:.3f} by odds\n{steps}\n")
    return by_reading, by_odds


@pytest.mark.parametrize("population", [name for name in POPULATIONS if name != "level 0"])
def test_what_is_read_of_a_claim_is_nearer_to_the_truth_than_odds_alone(population: str) -> None:
    by_reading, by_odds = losses(population)
    assert by_reading < by_odds


def test_what_is_read_of_a_claim_of_an_analyst_is_nearer_as_well() -> None:
    read: list[tuple[Fraction, Fraction, bool]] = []
    for number in range(cases(4, 200)):
        table = MeasuredAnalysts(number)
        for _ in table.turns(TURNS_MAX):
            continue
        assert table.match.ended
        read += table.said.read
    by_reading, by_odds = told("level 3", read)
    assert by_reading < by_odds


def test_where_moves_say_nothing_of_dice_reading_costs_little() -> None:
    # Odds are the truth about claims that are made by chance, so that nothing can be nearer to it on average.
    by_reading, by_odds = losses("level 0")
    assert by_reading < by_odds + DISTRUST
