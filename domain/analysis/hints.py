"""Hints: what an analysis would say of a decision that a seat has still to make, by what that seat knows.

The law of the file: a hint is made of what its seat was shown, and of nothing else, and by the very functions that
judge the same decision once the match is over. Other dice under other cups give the same hint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from domain.analysis.claims import Said
from domain.analysis.figures import MILLION, Figure, divide, exact, model
from domain.analysis.joining import stands_under
from domain.analysis.judges.blind_cups import CupJudge, Stand
from domain.analysis.judges.cup_decisions import CupOption
from domain.analysis.judges.telling import stake_figure
from domain.analysis.judges.ways import Way, way_answered, way_of
from domain.analysis.odds.chances import chance_of_claim
from domain.analysis.readings import CountReading, Reading
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.report import OPTIONS_MAX, Stands
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.blind import cup_stakes
from domain.analysis.worths.equity import decide, stake_of, ways_of
from domain.analysis.worths.scenes import Scene
from domain.ids import CupId, Face, RoundNumber, Seat, Version
from domain.match.evolve import Match
from domain.rules.rules import SharedCup
from domain.strategy.folding.bidding import folds, folds_in_a_moment
from domain.strategy.folding.cup_dice import cup_folds
from domain.strategy.knowledge import Knowledge
from domain.strategy.level_one.count_table import Answer
from domain.strategy.level_one.thinking import weigh
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing
from domain.table.checks import is_to_be_tested
from domain.table.places import Place
from domain.table.state import PASSED_CUP, State

By = Literal["worth", "level2", "level1"]
"""What puts the moves in their order: what each is worth, or what a level makes of them."""
CHALLENGE: Final[Answer] = "challenge"


class HintedMove(Struct, frozen=True, omit_defaults=True):
    """A move that the seat may make.

    Attributes:
        move: As a command has it, without the seat.
        weight: How likely the policy makes it.
        q: What it is worth to the seat; left out where moves are not weighed by that.
        chance: Of a claim: that it holds, by odds alone.
    """

    move: dict[str, Any]
    weight: Figure
    q: Figure | UnsetType = UNSET
    chance: Figure | UnsetType = UNSET


class StandingHint(Struct, frozen=True, omit_defaults=True):
    """The claim to beat.

    Attributes:
        odds: That it holds, by odds alone.
        read: The same by what everybody's moves say; left out where reading them takes too long.
    """

    seat: Seat
    claim: dict[str, Any]
    odds: Figure
    read: Figure | UnsetType = UNSET


class Hint(Struct, frozen=True, omit_defaults=True):
    """What an analysis would say of a decision that is to be made.

    Attributes:
        version: The version of the match that it is about.
        by: What puts the moves in their order.
        policy: Who everybody is taken to play like.
        worth: What worths are counted in.
        deals: How many deals they were worked out from.
        stake: What the round can bring or cost the seat.
        options: The moves thought of, best first.
        standing: The claim to beat; left out where none stands.
    """

    version: Version
    round: RoundNumber
    seat: Seat
    by: By
    policy: str
    worth: Stands
    options: tuple[HintedMove, ...]
    deals: int = 0
    stake: Figure | UnsetType = UNSET
    standing: StandingHint | UnsetType = UNSET


class DiceShown:
    """The dice that a seat has been shown, where an analysis would ask a record.

    Attributes:
        dice: The faces of hidden dice it knows now, by cup.
    """

    def __init__(self) -> None:
        """Know none yet."""
        self.dice: Mapping[CupId, tuple[Face, ...]] = {}

    def hidden(self, _match: Match, place: Place) -> tuple[Face, ...] | None:
        """Return the faces of the hidden dice of a place; None where the seat does not know them."""
        return self.dice.get(place.cup)


class OpenDecision(Struct, frozen=True):
    """A decision that is to be made.

    Attributes:
        played: The round as far as it has been played, as its seat knows it.
        sight: What the seat sees.
        setting: What the round is judged by.
        thought: Asks what a level makes of it where a round does not fold, and which; None where it thinks nothing.
        reads: Whether what everybody's moves say is read.
    """

    played: FollowedRound
    sight: Sight
    setting: RoundSetting
    thought: Callable[[], tuple[By, Weighing] | None]
    reads: bool = True

    @property
    def state(self) -> State:
        """The game."""
        return self.sight.state

    @property
    def last(self) -> Step:
        """The last event before it."""
        return self.played.steps[-1]


def hint_of(decision: OpenDecision) -> Hint | None:
    """Return what an analysis would say of a decision; None where its seat is to decide nothing.

    Cost: where the round folds, its positions and its deals folded back, once for all rounds of a passed cup; else what
    the level took. Where dice are handled in secret, a second or more to read who kept which.
    """
    played, sight, setting, state = decision.played, decision.sight, decision.setting, decision.state
    known = decision.last.views.of(sight.seat, frozenset(state.places))
    if state.turn != sight.seat or is_to_be_tested(state) or played.dealt is None or known is None:
        return None
    if not isinstance(state.rules.tokens, SharedCup) and not all(place.dice for place in state.places.values()):
        # Some cups are still to be rolled.
        return None
    reading = _reading(decision)
    by, options, deals, stake = _weighed(decision, reading, known) or _thought(decision, known)
    return Hint(
        version=decision.last.version,
        round=played.number,
        seat=sight.seat,
        by=by,
        policy=setting.means.play.id,
        worth=stands_under(state.rules),
        options=options[:OPTIONS_MAX],
        deals=deals,
        stake=stake,
        standing=_standing(decision, reading, known),
    )


def _reading(decision: OpenDecision) -> Reading | None:
    if not decision.reads:
        return None
    reading = decision.setting.reading(decision.state.rules)
    for step in decision.played.steps:
        reading.take(step)
    return reading


Found = tuple[By, tuple[HintedMove, ...], int, Figure | UnsetType]
"""What puts moves in their order, the moves, how many deals they were weighed over, and what is at stake."""


def _weighed(decision: OpenDecision, reading: Reading | None, known: Knowledge) -> Found | None:
    """Return the moves by what each is worth; None where a round is played on for that, or nothing is at stake."""
    ways = (_cupped, _passed_on, _folded)
    return next(filter(None, (found(decision, reading, known) for found in ways)), None)


def _cupped(decision: OpenDecision, reading: Reading | None, known: Knowledge) -> Found | None:
    """Return the moves at a blind cup whose tablebase is known; None elsewhere."""
    played, cup, seat = decision.played, decision.setting.cup, decision.sight.seat
    if cup is None or reading is None or played.dealt is None:
        return None
    judge = CupJudge(played, cup, cup_stakes(played.dealt.new, cup, decision.setting.table(played)))
    stand = Stand(decision.state, judge.claims(decision.last.version), decision.sight.dice.get(PASSED_CUP))
    return _ordered(decision, judge.options(stand, seat, reading), judge.stake_of(seat), known)


def _passed_on(decision: OpenDecision, reading: Reading | None, known: Knowledge) -> Found | None:
    """Return the moves at a passed cup that folds; None elsewhere, or where nothing is at stake."""
    played, state, seat = decision.played, decision.state, decision.sight.seat
    if reading is None or not cup_folds(state.rules) or decision.setting.cup is not None:
        return None
    judge = decision.setting.judge_passing(played)
    likely, stake = judge.likely(state, seat, decision.last.views, reading), judge.stake_of(seat)
    assert likely is not None, "a seat is shown what it knows"
    return _ordered(decision, judge.options(state, seat, likely), stake, known) if stake else None


def _ordered(decision: OpenDecision, options: Sequence[CupOption], stake: Fraction, known: Knowledge) -> Found:
    """Return moves that were weighed over all throws, the best first."""
    found = sorted(options, key=lambda option: -option[2].value)
    moves = _options(decision, [way_of(move, weight) for move, weight, _ in found], known)
    told = [replace(move, q=worth.figure) for move, (_, _, worth) in zip(moves, found, strict=True)]
    return "worth", tuple(told), 0, stake_figure(stake)


def _folded(decision: OpenDecision, reading: Reading | None, known: Knowledge) -> Found | None:
    """Return the moves by what each is worth; None where the round does not fold, or nothing is at stake."""
    scene, seat = _scene(decision, reading), decision.sight.seat
    own = decision.sight.dice.get(seat)
    stake = Fraction(0) if scene is None else stake_of(scene.stakes, seat)
    if scene is None or own is None or not stake:
        return None
    ways = ways_of(scene, scene.bidding.seats.index(seat), own, CHALLENGE)
    first = ways[0].answer
    assert first is not None, "the seat is in turn"
    worths = decide(scene, seat, own, first).worths
    order = sorted(range(len(ways)), key=lambda way: (-worths[way].value, way))
    moves = _options(decision, [way_answered(way) for way in ways], known)
    options = tuple([replace(moves[way], q=worths[way].figure) for way in order])
    return "worth", options, len(scene.deals({seat: own}, f"seat.{seat}").deals), stake_figure(stake)


def _scene(decision: OpenDecision, reading: Reading | None) -> Scene | None:
    played, state = decision.played, decision.state
    dealt = played.dealt
    if (
        not isinstance(reading, CountReading)
        or dealt is None
        or not (folds_in_a_moment(dealt.new) and folds(state))
        or dealt.new.remaining != state.remaining
    ):
        return None
    return decision.setting.judge_folding(played).scene(state, reading, decision.last.version)


def _thought(decision: OpenDecision, known: Knowledge) -> Found:
    """Return the moves a level thinks of, the best first."""
    by, weighing = decision.thought() or ("level1", weigh(decision.sight, decision.setting.params))
    order = sorted(weighing.options, key=lambda option: (-option.weight, -option.worth))
    moves = _options(decision, [way_of(option.command, option.weight) for option in order], known)
    return by, tuple(moves), 0, UNSET


def _options(decision: OpenDecision, ways: Sequence[Way], known: Knowledge) -> list[HintedMove]:
    """Return moves with how likely the policy makes each, and how likely each claim is by odds alone."""
    state, seat, total = decision.state, decision.sight.seat, sum([way.weight for way in ways])

    def hinted(way: Way) -> HintedMove:
        chance = UNSET if way.claim is None else exact(chance_of_claim(state, way.claim, seat, known))
        return HintedMove(way.move, model(divide(way.weight * MILLION, total)), chance=chance)

    return list(map(hinted, ways))


def _standing(decision: OpenDecision, reading: Reading | None, known: Knowledge) -> StandingHint | UnsetType:
    now, views = decision.state.round, decision.last.views
    if now.standing is None or now.claimant is None or now.passer is not None:
        return UNSET
    said = Said(decision.state, now.claimant, now.standing)
    read = UNSET if reading is None else reading.chance(said, decision.sight.seat, views).figure
    return StandingHint(now.claimant, to_builtins(now.standing), exact(said.chance(known)), read)
