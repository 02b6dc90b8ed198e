"""Worths by rollouts: a moment of any round, and its moves, played on to the verdict over deals that are drawn.

Every figure is an estimate and says so. All moves of a decision are played on over the same deals with the same chance,
so that what they differ by is surer than what each of them is worth. Source: section 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.analysis.figures import divide
from domain.analysis.worths.equity import MomentWorth, Sampling
from domain.analysis.worths.estimates import Estimate, Valued, sum_of
from domain.ids import CupId, Face, Seat, Version
from domain.rules.orders import Count
from domain.rules.rules import Counting, Serials
from domain.strategy.chance import Words, words_for
from domain.strategy.rollouts import Policy, Profile, Worths, profiles, rolled_out
from domain.strategy.tables import MatchTable
from domain.table import judging
from domain.table.places import Die
from domain.table.state import State, next_seat

SAMPLES_A_ROLLOUT: Final = 48
"""So many deals are folded back elsewhere for each that is played on: that takes a thousand times as long."""
ROLLOUTS_MIN: Final = 4
MEASURED: Final = 3
"""So many times as many rollouts measure what a move lost as choose the best beside it."""
SHARE_BITS: Final = 32
"""Worths are added up in parts of 2^-32."""
Hands = Callable[[CupId, Seat | None], Mapping[tuple[Face, ...], int]]
"""What tells how likely each hand of a cup is to a seat, or to everybody where there is none."""
Faces = tuple[Face, ...]


def rollouts_of(samples: int) -> int:
    """Return how often a moment is played on for a viewpoint, and each move of a decision."""
    return max(ROLLOUTS_MIN, samples // SAMPLES_A_ROLLOUT)


class Played(Struct, frozen=True):
    """What rounds are played on by.

    Attributes:
        policy: Every seat's.
        table: What the state that a verdict leads to is worth.
        sampling: How deals are drawn.
    """

    policy: Policy
    table: MatchTable
    sampling: Sampling


class RolledScene(Struct, frozen=True):
    """A moment of a round.

    Attributes:
        state: The game, as everybody may know it.
        version: The last event that has been read.
        seats: Who plays the round.
        dice: The faces of hidden dice that the record opens, by cup, in the holder's numbering.
        untold: The cups each seat has known dice of that the record does not open.
        hands: What is believed of a cup.
        by: What it is played on by.
    """

    state: State
    version: Version
    seats: tuple[Seat, ...]
    dice: Mapping[CupId, Faces]
    untold: Mapping[Seat, frozenset[CupId]]
    hands: Hands
    by: Played

    def seen_by(self, seat: Seat) -> Profile | None:
        """Return the hidden dice that a seat may look at; None where the record does not open what it knew."""
        if self.untold.get(seat, frozenset()) & self.state.places.keys():
            return None
        return {
            cup: self.dice[cup] for cup, place in self.state.places.items() if place.inside and seat in place.knowers
        }

    @property
    def lifted(self) -> Profile | None:
        """All hidden dice; None where the record does not open some of them."""
        cups = [cup for cup, place in self.state.places.items() if place.inside]
        return {cup: self.dice[cup] for cup in cups} if all(cup in self.dice for cup in cups) else None

    def believes(self, seat: Seat | None) -> list[Mapping[Faces, int]]:
        """Return what a seat believes of all hidden dice, or everybody."""
        return [self.hands(cup, seat) for cup, place in self.state.places.items() if place.inside]

    def words(self, viewpoint: str, purpose: str = "rollouts") -> Words:
        """Return the chance of what is estimated for a viewpoint."""
        sampling = self.by.sampling
        return words_for(sampling.head, sampling.policy, self.version, viewpoint, purpose)

    def ends(
        self,
        known: Profile,
        seat: Seat | None,
        words: Words,
        firsts: Sequence[commands.Play | None] = (None,),
        times: int = 1,
    ) -> list[list[Worths]]:
        """Return what each first move comes to with each deal drawn for who knows some dice, one per seat of the match.

        Args:
            known: The dice that are known.
            seat: Whose beliefs of the others the deals are drawn from; None for everybody's.
            words: What they are drawn by.
            firsts: The first moves; None where the policy makes that one too.
            times: How many times as many deals are drawn as for a moment.

        Raises:
            Refused: A first move is none by these dice.
        """
        lists: dict[CupId, Mapping[Faces, int]] = {}
        for cup, place in self.state.places.items():
            if place.inside:
                lists[cup] = {known[cup]: 1} if cup in known else self.hands(cup, seat)
        drawn = profiles(lists, words, rollouts_of(self.by.sampling.samples) * times)
        return rolled_out(self.state, drawn, firsts, self.by.policy, self.by.table.worths, words)

    def estimates(self, ends: Sequence[Worths]) -> dict[Seat, Estimate]:
        """Return the mean of ends for each seat of the round."""
        return {seat: mean_of(valued(ends, self.state.seats.index(seat))) for seat in self.seats}


def valued(ends: Sequence[Worths], place: int) -> Valued:
    """Return what ends are worth to a seat, in parts of 2^-32."""
    return Valued([round(worths[place] * (1 << SHARE_BITS)) for worths in ends])


def mean_of(parts: Valued) -> Estimate:
    """Return the mean of parts of 2^-32 as a worth."""
    mean, scale = parts.mean(), Fraction(1, 1 << SHARE_BITS)
    return Estimate(mean.value * scale, None if mean.half is None else mean.half * scale)


class RolledMoment(Struct, frozen=True):
    """A moment, played on.

    Attributes:
        worth: What it is worth by every viewpoint.
        public: What the verdicts brought that were come to by what everybody knows, one per seat of the match.
        lifted: What those brought that were come to by what some know.
    """

    worth: MomentWorth
    public: tuple[Worths, ...]
    lifted: tuple[Worths, ...]


def rolled_moment(scene: RolledScene) -> RolledMoment:
    """Return what a moment is worth by every viewpoint. Cost: so many rollouts for each seat, and twice as many."""
    public = scene.ends({}, None, scene.words("public"))[0]
    seats: dict[Seat, Estimate] = {}
    found: list[Worths] = []
    for seat in scene.seats:
        own = scene.seen_by(seat)
        if own is not None:
            # Who knows no more than everybody is not asked again.
            knows = bool(own) or scene.believes(seat) != scene.believes(None)
            ends = scene.ends(own, seat, scene.words(f"seat.{seat}"))[0] if knows else public
            seats[seat] = scene.estimates(ends)[seat]
            found += ends if knows else []
    lifted = scene.lifted
    everything = None if lifted is None else scene.ends(lifted, None, scene.words("all"))[0]
    found += everything or []
    worth = MomentWorth(scene.estimates(public), seats, None if everything is None else scene.estimates(everything))
    return RolledMoment(worth, tuple(public), tuple(found))


def tested(state: State, table: MatchTable) -> list[Worths]:
    """Return what it brings if the lowest claim of each seat is tested and holds, or does not, one per seat.

    Args:
        state: A round that was dealt.
        table: What states between rounds are worth.
    """
    counts = isinstance(state.rules.claims, Counting)
    lowest = Count(1, state.rules.tokens.faces.first) if counts else state.ladder.hands[0]
    found = []
    state = _lying_open(state)
    for claimant in state.remaining:
        everybody = tuple([seat for seat in state.remaining if seat != claimant])
        doubters = everybody if state.rules.doubt.who == "all" else (next_seat(state, claimant),)
        for holds in (True, False):
            sides = ((claimant,), doubters) if holds else (doubters, (claimant,))
            verdict = replace(
                judging.new_verdict("challenge", claimant, lowest),
                doubters=doubters,
                holds=holds,
                count=int(holds) if counts else None,
                winners=sides[0],
                losers=sides[1],
            )
            found.append(table.worths(judging.settled(state, verdict)))
    return found


def challenged(state: State, seat: Seat, table: MatchTable) -> tuple[Fraction, Fraction] | None:
    """Return what challenging brings a seat if the standing claim holds, and if it falls, all doubting who must.

    None where nothing stands that it may challenge, or what is won hangs on more than that.
    """
    standing, claimant, everybody = state.round.standing, state.round.claimant, state.rules.doubt.who == "all"
    if standing is None or claimant in {None, seat} or (everybody and isinstance(state.rules.tokens, Serials)):
        return None
    state = _lying_open(state)
    doubters = tuple([each for each in state.remaining if each != claimant]) if everybody else (seat,)
    found = []
    for holds in (True, False):
        count = standing.quantity - (not holds) if isinstance(standing, Count) else None
        verdict = judging.test_verdict(state, doubters, "challenge", holds=holds, count=count)
        found.append(table.worths(judging.settled(state, verdict))[state.seats.index(seat)])
    return found[0], found[1]


def _lying_open(state: State) -> State:
    """Return a round with any dice lying open, as some settlers look at what lies there."""
    places = {
        cup: replace(place, inside=(), outside=tuple([Die(die.at, 0) for die in place.dice]))
        for cup, place in state.places.items()
    }
    return replace(state, places=places)


class RolledDecision(Struct, frozen=True, dict=True):
    """A decision, played on.

    The best of several estimates is too good by chance. So the best move is chosen by some deals, and how far the move
    that was made is behind it is measured by others, which no move was chosen by.

    Attributes:
        parts: What each move is worth, by the deals that choose the best.
        played: The index of the move that was made.
        mean: What the policy's move is worth on average, by the same deals.
        measured: What the chosen move and the one that was made are worth, by deals of their own; None where the move
            that was made is chosen.
    """

    parts: tuple[Valued, ...]
    played: int
    mean: Valued
    measured: tuple[Valued, Valued] | None = None

    @cached_property
    def chosen(self) -> int:
        """The index of the move that is worth most by the deals that choose, the first of several."""
        return chosen_of(self.parts)

    @cached_property
    def lead(self) -> Estimate:
        """How far the chosen move is before the one that was made, which is below 0 where chance would have it so."""
        chosen, made = self.measured or (self.parts[self.chosen], self.parts[self.played])
        return mean_of(chosen.less(made))

    @cached_property
    def worths(self) -> tuple[Estimate, ...]:
        """What each move is worth to the seat; those that were not measured are as far behind as it was chosen by."""
        if self.measured is None:
            return tuple(map(mean_of, self.parts))
        best, made = map(mean_of, self.measured)
        behind = [mean_of(self.parts[self.chosen].less(each)) for each in self.parts]
        found = [best.less(each) for each in behind]
        found[self.chosen], found[self.played] = best, made
        return tuple(found)

    @cached_property
    def best(self) -> int:
        """The index of the move that is worth most, the first of several."""
        return max(range(len(self.parts)), key=lambda way: (self.worths[way].value, -way))

    @cached_property
    def behind(self) -> tuple[Estimate, ...]:
        """How far each move is behind the best: surer than what they are worth, as they share all chance."""
        ahead = self.best != self.chosen
        extra = Estimate(-self.lead.value, self.lead.half) if ahead else Estimate(Fraction(0))
        found = [sum_of([extra, mean_of(self.parts[self.chosen].less(each))]) for each in self.parts]
        if self.measured is not None:
            found[self.chosen], found[self.played] = extra, Estimate(Fraction(0)) if ahead else self.lead
        return tuple(found)

    @property
    def loss(self) -> Estimate:
        """What the move that was made lost beside the best; nothing where chance alone may have made it so much."""
        lead, half = self.lead, self.lead.half
        assert half is not None, "what is drawn has an interval"
        return lead if lead.value > half else Estimate(Fraction(0), half)

    @cached_property
    def skill(self) -> Estimate:
        """What the move was worth more than what the policy plays is on average."""
        return mean_of(self.parts[self.played].less(self.mean))


def chosen_of(parts: Sequence[Valued]) -> int:
    """Return the index of what is worth most, the first of several."""
    return max(range(len(parts)), key=lambda way: (sum(parts[way].values), -way))


def rolled_decision(
    scene: RolledScene, seat: Seat, firsts: Sequence[tuple[commands.Play | None, int]], played: int, total: int
) -> RolledDecision:
    """Return what moves of a seat were worth by what it could know, before it made one of them.

    Args:
        scene: The moment before it.
        seat: Whose dice the record opens.
        firsts: The moves, with how likely the policy makes each; None for waiting.
        played: The index of the one that was made.
        total: How likely the policy makes all moves that it thinks of, of which these may be some.

    Raises:
        Refused: A move is none by the dice.
    """
    own, place = scene.seen_by(seat), scene.state.seats.index(seat)
    assert own is not None
    moves, weights = [first for first, _ in firsts], [weight for _, weight in firsts]
    # What the policy does on average is worked out of what all of its moves come to, or played on beside them.
    rest = sum(weights) < total
    words = scene.words(f"seat.{seat}")
    parts = [valued(row, place) for row in scene.ends(own, seat, words, [*moves, None] if rest else moves)]
    mean = parts.pop() if rest else _mean_by_deal(parts, weights)
    chosen = chosen_of(parts)
    if chosen == played:
        return RolledDecision(tuple(parts), played, mean)
    words, pair = scene.words(f"seat.{seat}", "measured"), (moves[chosen], moves[played])
    best, made = scene.ends(own, seat, words, pair, MEASURED)
    return RolledDecision(tuple(parts), played, mean, (valued(best, place), valued(made, place)))


def _mean_by_deal(parts: Sequence[Valued], weights: Sequence[int]) -> Valued:
    total = sum(weights)
    rows = zip(*[each.values for each in parts], strict=True)
    sums = [sum([weight * value for weight, value in zip(weights, row, strict=True)]) for row in rows]
    return Valued([divide(each, total) for each in sums])
