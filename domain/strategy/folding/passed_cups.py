"""Passed cups folded back: how a round ends that goes on from here, if every seat plays by level 1.

A position is the claim to beat, who has looked into the cup, what its holder may still do, and the dice that lie there.
Seats are told apart only by how far they sit from the one in turn: so what a round comes to is worked out once for all
rounds of as many seats, whatever is at stake in them. The rules are those of the table, `moves`, `decide` and `evolve`;
dice still to fall are gone through, throw by throw.

The law of the file: integers. What a position comes to is one of them, a lane for each way to end and each seat, in
shares of 2^-60; what is likely, in parts of 2^-40. A mean is cut, so that a lane is short by 2^-60 at most.
Source: sections 9.1 and 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from msgspec import Struct

from domain import commands
from domain.commands import Special
from domain.ids import Face, Seat
from domain.rules.ladders import Hand
from domain.rules.rules import Rules, Rungs
from domain.strategy.folding.bidding import seats_from
from domain.strategy.folding.cup_dice import Faces, cup_dice, values_of
from domain.strategy.hands import all_hands
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.rollouts import ScriptedDealer, relaid
from domain.strategy.sight import Sight
from domain.table.decide import decide
from domain.table.evolve import evolve_all
from domain.table.phases import TO_ROLL
from domain.table.state import PASSED_CUP, State

SHARE_BITS: Final = 60
PART_BITS: Final = 40
LANE_BITS: Final = 128
"""More than a sum of shares takes, each times a part or a belief of 2^48."""
Row = tuple[int, ...]
"""What a position comes to, by the kind of dice that lie in the cup."""


class CupEnd(Struct, frozen=True):
    """A way in which a round ends, whoever it befalls.

    Attributes:
        holds: Whether a claim was doubted that holds; None where a throw ended the round.
        special: What such a throw does.
        to: How far after who showed it the seat sits that was named; 0 where none was.
    """

    holds: bool | None
    special: Special | None = None
    to: int = 0


class Ending(Struct, frozen=True):
    """An end that a position may come to: of whose claim or showing, and how likely, an integer beside others."""

    end: CupEnd
    seat: Seat
    share: int


class Thrown(Struct, frozen=True):
    """The throwing of all dice but those that are kept."""

    kept: Faces


Deed = Hand | Thrown | CupEnd | type[commands.Challenge] | type[commands.Accept] | type[commands.Roll]
"""A move, whoever makes it: a claim, what is kept, the showing that ends the round, or one that says no more."""
Weighed = tuple[tuple[int, Deed], ...]
"""Moves, each with how likely it is, in parts of 2^-40."""


class _Spot(Struct, frozen=True):
    """All that the moves of a seat in turn hang on, beside the dice it knows."""

    phase: str
    standing: Hand | None
    wild: bool | None
    handled: int
    bound: bool


Key = tuple[_Spot, tuple[int, ...]]
"""A position: what moves hang on, and how far from the seat in turn those sit who know the dice."""


@lru_cache(maxsize=8)
def _weights_of(_rules: Rules, _params: LevelParams, _named: int) -> dict[tuple[_Spot, int | None], Weighed]:
    """Return what is remembered of moves, for all rounds of a game; empty at first."""
    return {}


@lru_cache(maxsize=2)
def cup_fold_of(rules: Rules, seats: int, params: LevelParams) -> CupFold:
    """Return what rounds of so many seats come to; rounds of one game share what was worked out.

    Cost: nothing before it is asked; then up to seconds and 60 MB, of three dice and eight seats. Seats go out one by
    one, so that few of these are needed at once.
    """
    return CupFold(rules, seats, params)


class CupFold:
    """What the positions of rounds come to.

    Attributes:
        seats: How many play.
        ends: The ways in which a round may end.
    """

    def __init__(self, rules: Rules, seats: int, params: LevelParams) -> None:
        """Work out nothing before it is asked for."""
        self.seats, self._rules, self._params = seats, rules, params
        self.ends = _ends_of(rules, seats)
        self._dice = cup_dice(rules)
        self._samples = self._dice.samples
        self._every = sum([((1 << LANE_BITS // 2) - 1) << LANE_BITS * lane for lane in range(len(self.ends) * seats)])
        self._firsts = sum([((1 << LANE_BITS) - 1) << LANE_BITS * seats * end for end in range(len(self.ends))])
        self._rows: dict[Key, Row] = {}
        self._passed: dict[Key, Row] = {}
        self._handled: dict[tuple[Key, int], State] = {}
        self._expected: dict[tuple[Key, Faces], int] = {}
        self._orders: dict[tuple[tuple[Seat, ...], int, Seat], tuple[Seat, ...]] = {}
        # Only who may be named makes it matter to a move how many play.
        self._weights = _weights_of(rules, params, max([end.to for end in self.ends]))

    @property
    def whatever(self) -> Mapping[Faces, int]:
        """Some dice, for a position in which those that lie in the cup are about to be thrown anew."""
        return {self._samples[0]: 1}

    # ---- what is asked --------------------------------------------------------------------------

    def endings(self, state: State, likely: Mapping[Faces, int]) -> tuple[Ending, ...]:
        """Return what a position comes to.

        Args:
            state: A round in which a seat is about to throw, to claim, or to answer a claim.
            likely: What lies in the cup, each with how likely it is, an integer; in any order of dice.
        """
        return self._told(state, self._mean_of(self._row(state), likely))

    def endings_after(self, state: State, command: commands.Play, likely: Mapping[Faces, int]) -> tuple[Ending, ...]:
        """Return what a move comes to, before the dice fall that it throws; otherwise as `endings`."""
        deed = self.deed_of(state, command, next(iter(likely)))
        return self._told(state, self._mean_of(self._row_after(state, deed), likely))

    def likelihood(self, state: State, command: commands.Play, dice: Sequence[Face]) -> int:
        """Return how likely the seat in turn is seen to make a move, if these dice lie in the cup, in parts of 2^-40.

        Of dice that are thrown anew it is seen how many they are.
        """
        seen = _seen(self.deed_of(state, command, dice))
        weighed = self._weighed(state, self._kind(dice) if self._is_seen(state) else None)
        return sum([part for part, each in weighed if _seen(each) == seen])

    def deed_of(self, state: State, command: commands.Play, dice: Sequence[Face]) -> Deed:
        """Return a move as it is told apart here, of who has these dice before it."""
        match command:
            case commands.ClaimHand(shape=shape, faces=faces):
                return Hand(shape, faces)
            case commands.Arrange(roll_inside=rolled):
                return Thrown(tuple(sorted([face for at, face in enumerate(dice) if at not in rolled])))
            case commands.Declare(special=special, to=to):
                return CupEnd(None, special, 0 if to is None else self._order(state).index(to))
            case commands.Challenge() | commands.Accept() | commands.Roll():
                return type(command)
            case _:
                raise AssertionError("a cup that folds has no other moves")

    def _kind(self, dice: Iterable[Face]) -> int:
        return self._dice.kinds[tuple(sorted(dice))]

    def _mean_of(self, row: Sequence[int], likely: Mapping[Faces, int]) -> int:
        parts = [chance * row[self._kind(dice)] for dice, chance in likely.items()]
        return sum(parts)

    def _told(self, state: State, found: int) -> tuple[Ending, ...]:
        order, lane = self._order(state), (1 << LANE_BITS) - 1
        told = []
        for number, end in enumerate(self.ends):
            for place, seat in enumerate(order):
                share = found >> LANE_BITS * (number * self.seats + place) & lane
                told += [Ending(end, seat, share)] if share else []
        return tuple(told)

    # ---- what positions come to -----------------------------------------------------------------

    def _order(self, state: State) -> tuple[Seat, ...]:
        assert state.turn is not None
        sitting = (state.remaining, state.direction, state.turn)
        if sitting not in self._orders:
            self._orders[sitting] = seats_from(state, state.turn)
        return self._orders[sitting]

    def _key(self, state: State) -> Key:
        order, place = self._order(state), state.places.get(PASSED_CUP)
        # Whoever is about to throw all dice anew has nothing more to do with those that lie there.
        known = () if place is None or state.phase == TO_ROLL else place.knowers
        return (_spot(state), tuple(sorted([order.index(seat) for seat in known])))

    def _row(self, state: State) -> Row:
        key = self._key(state)
        if key not in self._rows:
            self._rows[key] = self._worked_out(state)
        return self._rows[key]

    def _worked_out(self, state: State) -> Row:
        kinds = range(len(self._samples))
        weighed = (
            [self._weighed(state, kind) for kind in kinds] if self._is_seen(state) else [self._weighed(state, None)]
        )
        # Claims from the top down, so that what may follow one is known before it is asked for.
        deeds = {deed: -state.ladder.rungs[deed] if isinstance(deed, Hand) else 1 for row in weighed for _, deed in row}
        after = {deed: self._row_after(state, deed) for deed in sorted(deeds, key=deeds.__getitem__)}
        rows = weighed if len(weighed) > 1 else weighed * len(kinds)
        return tuple([_mean([(part, after[deed][kind]) for part, deed in rows[kind]], self._every) for kind in kinds])

    def _is_seen(self, state: State) -> bool:
        """Report whether the seat in turn knows the dice that it goes by."""
        return state.phase != TO_ROLL and state.turn in state.places[PASSED_CUP].knowers

    def _row_after(self, state: State, deed: Deed) -> Row:
        """Return what a move comes to, by the dice that lie in the cup before it."""
        seat, every = self._order(state)[0], len(self._samples)
        if isinstance(deed, Hand):
            return self._passed_on(_after(state, commands.ClaimHand(seat, deed.shape, deed.faces)))
        if isinstance(deed, CupEnd):
            return (self._ended(deed, 0),) * every
        if isinstance(deed, Thrown):
            return (self._fallen(self._handled_so(state, len(deed.kept)), deed.kept),) * every
        if deed is commands.Roll:
            return (self._fallen(_after(state, commands.Roll(seat)), ()),) * every
        if deed is commands.Accept:
            return self._row(_after(state, commands.Accept(seat)))
        return self._doubted(state)

    def _handled_so(self, state: State, kept: int) -> State:
        """Return the round after all dice but so many were thrown anew: no law looks at what a die shows."""
        key = (self._key(state), kept)
        if key not in self._handled:
            rolled = tuple(range(self._rules.tokens.dice - kept))
            self._handled[key] = _after(state, commands.Arrange(self._order(state)[0], roll_inside=rolled))
        return self._handled[key]

    def _fallen(self, state: State, kept: Faces) -> int:
        """Return what is to be expected of a position before all dice but some fall."""
        key = (self._key(state), kept)
        if key not in self._expected:
            tokens, row = self._rules.tokens, self._row(state)
            fresh = all_hands(tokens.dice - len(kept), tokens.faces)
            hands = [row[self._kind((*kept, *dice))] for dice in fresh.hands]
            self._expected[key] = _mean(zip(_parts(fresh.ways), hands, strict=True), self._every)
        return self._expected[key]

    def _doubted(self, state: State) -> Row:
        standing, claimant, ladder = state.round.standing, state.round.claimant, state.ladder
        assert isinstance(standing, Hand)
        assert claimant is not None
        place = self._order(state).index(claimant)
        reached = [ladder.measure(values_of(self._rules, dice)) for dice in self._samples]
        return tuple([self._ended(CupEnd(rung >= ladder.rungs[standing]), place) for rung in reached])

    def _ended(self, end: CupEnd, place: int) -> int:
        return 1 << LANE_BITS * (self.ends.index(end) * self.seats + place) + SHARE_BITS

    def _passed_on(self, state: State) -> Row:
        """Return what the next seat's position comes to as the seat before it sees it: all sit one further off."""
        key = self._key(state)
        if key not in self._passed:
            last = LANE_BITS * (self.seats - 1)
            ends = self._firsts << last
            self._passed[key] = tuple(
                [(found & ~ends) << LANE_BITS | (found & ends) >> last for found in self._row(state)]
            )
        return self._passed[key]

    def _weighed(self, state: State, kind: int | None) -> Weighed:
        """Return what level 1 makes of a position, by the dice it knows; None where it knows none."""
        if kind is not None and state.round.opening is not None:
            kind = self._dice.alike[state.wild][kind]
        key = (_spot(state), kind)
        if key not in self._weights:
            dice, seat = () if kind is None else self._samples[kind], self._order(state)[0]
            sight = Sight(state, seat, {} if kind is None else {PASSED_CUP: dice})
            options = weigh(sight, self._params).options
            deeds = [self.deed_of(state, option.command, dice) for option in options]
            self._weights[key] = tuple(zip(_parts([option.weight for option in options]), deeds, strict=True))
        return self._weights[key]


def _mean(parts: Iterable[tuple[int, int]], every: int) -> int:
    """Return the mean of what is likely so; `every` keeps of each lane what is its own."""
    return sum([part * found for part, found in parts]) >> PART_BITS & every


def _seen(deed: Deed) -> object:
    return len(deed.kept) if isinstance(deed, Thrown) else deed


def _spot(state: State) -> _Spot:
    now = state.round
    standing = now.standing
    assert standing is None or isinstance(standing, Hand)
    wild = None if now.opening is None else state.wild
    return _Spot(state.phase, standing, wild, now.handled.get(state.turn or 0, 0), now.bound)


def _ends_of(rules: Rules, seats: int) -> tuple[CupEnd, ...]:
    assert isinstance(rules.claims, Rungs)
    found = [CupEnd(holds=True), CupEnd(holds=False)]
    for special in rules.claims.specials:
        targets = range(1, seats) if special == "impose" else (0,)
        found += [CupEnd(None, cast("Special", special), to) for to in targets]
    return tuple(found)


def _after(state: State, command: commands.Play) -> State:
    """Return the round after a move; what falls, and what was sealed before, is nothing to what everybody sees."""
    lying, script = relaid(state, {})
    return evolve_all(lying, decide(lying, command, ScriptedDealer(script, b"")))


def _parts(weights: Sequence[int]) -> list[int]:
    """Return integers in parts of 2^-40 of their sum: what is left over goes to the largest, the first of several."""
    total = sum(weights)
    found = [(weight << PART_BITS) // total for weight in weights]
    found[weights.index(max(weights))] += (1 << PART_BITS) - sum(found)
    return found
