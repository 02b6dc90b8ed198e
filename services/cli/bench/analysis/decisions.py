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
from domain.analysis.worths.equity import Sampling, Scene, decide, ways_of
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.chance import Words
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_one.count_table import Answer, table_of
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
from services.cli.bench.figures import Figure, figure
from services.cli.bench.sheets import Samples
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

Rows = tuple[Sequence[int], Sequence[int]]
"""By hand, the weight of one move and of all."""


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
    rows, folding = [*_read_rows(turn), *_answer_rows(turn, state)], _folding(turn, state)
    return {
        "L1": lambda: (moves_of(state, turn.seat), view_of(turn.written, turn.seat, turn.keeper, {})),
        "L2": lambda: [[weight * ONE // total for weight, total in zip(*each, strict=True)] for each in rows],
        "L3": folding.ask_again,
    }


# ---- look-ups -------------------------------------------------------------------------------------


def _read_rows(turn: TurnAhead) -> Iterator[Rows]:
    """Yield what a bid of another seat says of each of its hands."""
    for step in turn.new:
        event, state = step.event, step.before.state
        if isinstance(event, events.Bid) and event.seat != turn.seat:
            hands = all_hands(len(state.places[event.seat].inside), state.rules.tokens.faces)
            yield _rows(state, event.seat, Count(event.quantity, event.face), hands)


def _answer_rows(turn: TurnAhead, state: State) -> Iterator[Rows]:
    """Yield how each hand of the next seat answers each bid that is thought of."""
    sight, ahead = turn.seen.sight, next_seat(state, turn.seat)
    assert sight is not None, "it is played"
    hands, _ = outlook_of(sight, turn.seen.beliefs(), Words(turn.chance)).hands_of(ahead)
    for answer in table_of(position_of(sight), LEVEL_ONE).columns:
        if isinstance(answer, Count):
            bid = events.Bid(turn.seat, answer.quantity, answer.face)
            yield _rows(replace(evolve(state, bid), turn=ahead), ahead, "challenge", hands)


def _rows(state: State, seat: Seat, answer: Answer, hands: Hands) -> Rows:
    table = table_of(position_of(Sight(state, seat, {seat: hands.hands[0]})), LEVEL_ONE)
    return table.weights(answer, hands), table.totals(hands)


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
