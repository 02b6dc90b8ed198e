"""A move of each level beside what it cannot do without: offers and view, look-ups in tables, deals folded back.

Every level is asked about the same turns, each by what its seat has seen; what is new since its last turn is read by
whoever reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec.structs import replace

from domain import events
from domain.analysis.worths.equity import decide, ways_of
from domain.analysis.worths.scenes import Sampling, Scene
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.chance import Words
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_one.count_table import Answer, CountTable, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.reading.beliefs import ONE
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from domain.table.moves import moves_of
from domain.table.state import State, next_seat
from infra.clock import cpu_s
from projections.view import view_of
from services.cli.bench.analysis.asked import KeptQuestions
from services.cli.bench.analysis.played import LevelMatch, TurnAhead
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.sheets import Samples
from services.engines.analyst import ROUNDS
from services.engines.levels import player_of

PROFILES: Final = 64
"""Deals that level 3 draws where there are more than it goes through."""
ENUMERATED: Final = 256
"""Deals that it goes through."""
REACHES: Final = {"L1": "<= 3", "L2": "<= 2", "L3": "<= 1.5"}
BESIDE: Final = {
    "L1": "the offers and the seat's view",
    "L2": "its look-ups in tables",
    "L3": "its deals folded back",
}

LookUp = tuple[CountTable, Answer, Hands]
"""A move that is looked up in the table of its position, for some hands."""


def measure_moves(seats: int, dice: int, number: int, most: int, samples: Samples) -> None:
    """Measure the first turns of a match, `most` of them, by every level."""
    ours: dict[str, list[float]] = {level: [] for level in REACHES}
    floors: dict[str, list[float]] = {level: [] for level in REACHES}
    for turn in islice(LevelMatch(seats, dice, number).turns(), most):
        for level in REACHES:
            ours[level].append(_took(lambda level=level, turn=turn: player_of(level).choose(turn.seen, turn.chance)))  # type: ignore[misc]
        for level, bare in _floors(turn).items():
            floors[level].append(_took(bare))
    for level, reach in REACHES.items():
        what, beside = f"{level} move of {seats} x {dice}", f"{BESIDE[level]}, {seats} x {dice}"
        samples.add_waits(what, _figure(ours[level]), beside, _figure(floors[level]), reach)


def _took(work: Callable[[], object]) -> float:
    begun = cpu_s()
    work()
    return cpu_s() - begun


def _figure(took: Sequence[float]) -> Figure:
    return figure(took, sum(took))


def _floors(turn: TurnAhead) -> dict[str, Callable[[], object]]:
    """Return by level what a move cannot do without, with all at hand that it is made of."""
    state = turn.seen.state
    assert state is not None, "it is played"
    asked, folding = [*_moves_read(turn), *_answers(turn, state)], _folding(turn, state)
    return {
        "L1": lambda: (moves_of(state, turn.seat), view_of(turn.written, turn.seat, turn.keeper, {})),
        "L2": lambda: list(map(_looked_up, asked)),
        "L3": folding.ask_again,
    }


# ---- look-ups -------------------------------------------------------------------------------------


def _moves_read(turn: TurnAhead) -> Iterator[LookUp]:
    """Yield what a bid of another seat says of each of its hands."""
    for step in turn.new:
        event, state = step.event, step.before.state
        if isinstance(event, events.Bid) and event.seat != turn.seat:
            hands = all_hands(len(state.places[event.seat].inside), state.rules.tokens.faces)
            yield _look_up(state, event.seat, Count(event.quantity, event.face), hands)


def _answers(turn: TurnAhead, state: State) -> Iterator[LookUp]:
    """Yield how each hand of the next seat answers each bid that is thought of."""
    sight, ahead = turn.seen.sight, next_seat(state, turn.seat)
    assert sight is not None, "it is played"
    hands, _ = outlook_of(sight, turn.seen.beliefs(), Words(turn.chance)).hands_of(ahead)
    for answer in table_of(position_of(sight), LEVEL_ONE).columns:
        if isinstance(answer, Count):
            bid = events.Bid(turn.seat, answer.quantity, answer.face)
            yield _look_up(replace(evolve(state, bid), turn=ahead), ahead, "challenge", hands)


def _look_up(state: State, seat: Seat, answer: Answer, hands: Hands) -> LookUp:
    return table_of(position_of(Sight(state, seat, {seat: hands.hands[0]})), LEVEL_ONE), answer, hands


def _looked_up(asked: LookUp) -> list[int]:
    """Return how likely each hand is to make a move, given the table of the position: an entry a face and hand."""
    table, answer, hands = asked
    pairs = zip(table.weights(answer, hands), table.totals(hands), strict=True)
    return [weight * ONE // total for weight, total in pairs]


# ---- deals folded back ----------------------------------------------------------------------------


def _folding(turn: TurnAhead, state: State) -> KeptQuestions:
    """Return what is asked about the deals of a turn."""
    kept = KeptQuestions()
    opened = next((step.before.state for step in turn.seen.course if isinstance(step.event, events.Bid)), state)
    stakes = ROUNDS.at_stake(opened)
    sampling = Sampling(turn.chance.hex(), "L3", PROFILES, ENUMERATED)
    scene = Scene(stakes, state, turn.seen.beliefs().beliefs, turn.seen.version, sampling, kept)
    sight, place = turn.seen.sight, stakes.bidding.seats.index(turn.seat)
    assert sight is not None, "it is played"
    own = sight.dice[turn.seat]
    answer = ways_of(scene, place, own, "challenge")[0].answer
    assert answer is not None, "it is in turn"
    decide(scene, turn.seat, own, answer)
    return kept
