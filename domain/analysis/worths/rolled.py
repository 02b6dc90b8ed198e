"""Worths by rollouts: a moment of any round, and its moves, played on to the verdict over deals that are drawn.

Every figure is an estimate and says so. All moves of a decision are played on over the same deals with the same chance,
so that what they differ by is surer than what each of them is worth. Source: section 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Ends, Estimate, Valued, half_width_of_few
from domain.analysis.worths.scenes import Sampling
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
SHARE_BITS: Final = 32
"""Worths are added up in parts of 2^-32."""
Hands = Callable[[CupId, Seat | None], Mapping[tuple[Face, ...], int]]
"""What tells how likely each hand of a cup is to a seat, or to everybody where there is none."""
Faces = tuple[Face, ...]


def rollouts_of(samples: int) -> int:
    """Return how often a moment is played on for a viewpoint."""
    return max(ROLLOUTS_MIN, samples // SAMPLES_A_ROLLOUT)


class RolloutMeans(Struct, frozen=True):
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
        reach: The least and the most that verdicts can bring each seat, as far as everybody could reckon.
    """

    state: State
    version: Version
    seats: tuple[Seat, ...]
    dice: Mapping[CupId, Faces]
    untold: Mapping[Seat, frozenset[CupId]]
    hands: Hands
    by: RolloutMeans
    reach: Mapping[Seat, tuple[Fraction, Fraction]]

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
        deals: int | None = None,
    ) -> list[list[Worths]]:
        """Return what each first move comes to with each deal drawn for who knows some dice, one per seat of the match.

        Args:
            known: The dice that are known.
            seat: Whose beliefs of the others the deals are drawn from; None for everybody's.
            words: What they are drawn by.
            firsts: The first moves; None where the policy makes that one too.
            deals: How many are drawn; None for as many as of a moment.

        Raises:
            Refused: A first move is none by these dice.
        """
        lists: dict[CupId, Mapping[Faces, int]] = {}
        for cup, place in self.state.places.items():
            if place.inside:
                lists[cup] = {known[cup]: 1} if cup in known else self.hands(cup, seat)
        drawn = profiles(lists, words, self.rollouts if deals is None else deals)
        return rolled_out(self.state, drawn, firsts, self.by.policy, self.by.table.worths, words)

    @property
    def rollouts(self) -> int:
        """How often a moment is played on for a viewpoint."""
        return rollouts_of(self.by.sampling.samples)

    def estimates(self, ends: Sequence[Worths]) -> dict[Seat, Estimate]:
        """Return the mean of ends for each seat of the round."""
        return {seat: mean_of(valued(ends, self.state.seats.index(seat)), self.between(seat)) for seat in self.seats}

    def between(self, seat: Seat) -> Ends:
        """Return the ends of what may come of a round for a seat, in parts of 2^-32."""
        least, most = self.reach[seat]
        return _part(least), _part(most)


def valued(ends: Sequence[Worths], place: int) -> Valued:
    """Return what ends are worth to a seat, in parts of 2^-32."""
    return Valued([_part(worths[place]) for worths in ends])


def _part(worth: Fraction) -> int:
    return round(worth * (1 << SHARE_BITS))


def mean_of(parts: Valued, ends: Ends) -> Estimate:
    """Return the mean of parts of 2^-32 that were drawn between these ends, as a worth."""
    scale = Fraction(1, 1 << SHARE_BITS)
    return Estimate(parts.mean().value * scale, half_width_of_few(parts.values, ends) * scale)


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


def worths_of_tests(state: State, table: MatchTable) -> list[Worths]:
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


def worths_of_challenging(state: State, seat: Seat, table: MatchTable) -> tuple[Fraction, Fraction] | None:
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
