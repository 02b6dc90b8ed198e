"""Call prospects: what calls are worth with the answer to them in mind, by the dice the caller holds then.

Whoever answers sees the open dice and no others, unless it knows what lies in the cup that was passed on: so how likely
a call is to be doubted is worked out once for each rung and each set of open dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from domain import commands, events
from domain.ids import Seat
from domain.statistics.odds import Throw
from domain.strategy.level_one.answers import weights_of_answers
from domain.strategy.level_one.hands import (
    Faces,
    rung_made,
    rungs_made,
    rungs_thought_of,
    throw_after,
    throws_of_rung,
    tries_of,
)
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.level_two.prospects import all_doubt, in_order
from domain.strategy.reading.beliefs import HALF, ONE, SCALE_BITS, scaled_part
from domain.strategy.reading.thoughts import Thoughts
from domain.strategy.sight import Sight
from domain.table.checks import lowest_rung
from domain.table.evolve import evolve
from domain.table.moves import moves_of
from domain.table.offers import AcceptMove, ChallengeMove, Move
from domain.table.places import Die, Place
from domain.table.state import State

LOOK_OR_DOUBT: Final[set[Move]] = {ChallengeMove("claim"), AcceptMove(looks=True)}
"""What is on offer to who holds no dice of its own, as a rule, and takes the cup with a look."""


class CallProspects:
    """What calls are worth to a seat from one position on.

    Attributes:
        lowest: The lowest rung that may be called.
    """

    def __init__(self, outlook: Outlook, state: State, knowers: Sequence[Seat]) -> None:
        """Look at a game in which the seat is about to call.

        Args:
            outlook: What it goes by.
            state: The game, with its dice in any places.
            knowers: Who knows the hidden dice that the call is about.
        """
        self.lowest = lowest_rung(state)
        self._outlook, self._state, self._seat = outlook, state, outlook.sight.seat
        self._params, self._knowers = outlook.beliefs.params, tuple(knowers)
        self._now = throw_after(state, None)
        others = [seat for seat in in_order(state, self._seat) if seat != self._seat]
        self._all = state.rules.doubt.who == "all"
        self._answerers = others if self._all else others[:1]
        self._seats, self._tries = len(state.remaining), tries_of(state.rules, self._params)
        self._ladder = self._now.ladder
        self._reads = self._reads_of(state)
        self._is_known = any(seat in knowers for seat in self._answerers)
        self._is_opened = state.round.opening is not None
        self._doubts: dict[tuple[int, Faces, bool | None], int] = {}
        self._best: dict[tuple[int | Faces, Faces], int] = {}
        self._rungs = rungs_made(self._now)
        self._lies: dict[tuple[Faces, Faces], int] = {}
        self._offered: dict[tuple[Seat, bool, int], bool] = {}

    def _reads_of(self, state: State) -> list[Throw]:
        """Return how dice are read by what is called: as now wherever that changes nothing."""
        if state.round.opening is not None:
            return [self._now] * len(self._ladder.hands)
        reads = [throw_after(state, hand) for hand in self._ladder.hands]
        return [self._now if read == self._now else read for read in reads]

    def rungs(self, dice: Faces) -> tuple[int, ...]:
        """Return the rungs that are thought of with these dice."""
        return rungs_thought_of(self._rungs[dice], self.lowest, self._ladder.top, self._params)

    def _made(self, read: Throw, dice: Faces) -> int:
        """Return the rung that dice make. Cost: remembered for how they are read now, the usual case."""
        return self._rungs[dice] if read is self._now else rung_made(read, dice)

    def best(self, dice: Faces, shown: Faces) -> int:
        """Return what the best call is worth with these dice, in 2^-48; 0 where none may be made.

        Args:
            dice: The faces of all dice, ascending.
            shown: Those of them that lie open, ascending.
        """
        # Once a round is opened, dice that make the same rung are worth the same, whoever knows them.
        key = (self._rungs[dice] if self._is_opened else dice, shown)
        found = self._best.get(key)
        if found is None:
            worths = [self.worth(rung, dice, shown) for rung in self.rungs(dice)]
            found = self._best[key] = max(worths, default=0)
        return found

    def worth(self, rung: int, dice: Faces, shown: Faces) -> int:
        """Return what a call is worth, in 2^-48: a turn survived, or stakes where all have to doubt it."""
        holds = self._made(self._read(rung), dice) >= rung
        doubted = self.doubt(rung, shown, dice, holds=holds)
        if self._all:
            return doubted * (1 if holds else -1) * len(self._answerers)
        return (doubted if holds else 0) + self._survived(doubted)

    def _survived(self, doubted: int) -> int:
        """Return what it is worth not to be doubted, in 2^-48: a turn survived."""
        return (ONE - doubted) * (self._seats - 1) // self._seats

    def _read(self, rung: int) -> Throw:
        """Return how dice are read once this is called."""
        return self._now if rung >= len(self._reads) else self._reads[rung]

    def lie(self, kept: Faces, shown: Faces) -> int:
        """Return what it is worth to throw all dice but these, in 2^-48, if only the lowest call matters."""
        found = self._lies.get((kept, shown))
        if found is None:
            found = self._lies[kept, shown] = 0 if self.lowest > self._ladder.top else self._lie(kept, shown)
        return found

    def _lie(self, kept: Faces, shown: Faces) -> int:
        makes = scaled_part(*throws_of_rung(self._read(self.lowest), self.lowest, kept))
        lied = (ONE - makes) * self._survived(self.doubt(self.lowest, shown))
        return makes + (lied >> SCALE_BITS)

    def doubt(self, rung: int, shown: Faces, dice: Faces | None = None, *, holds: bool = False) -> int:
        """Return how likely it is that whoever has to doubts a call, in 2^-48, by the dice that lie open then.

        Args:
            rung: What is called.
            shown: The faces that lie open.
            dice: All dice of the place, which an answerer may know.
            holds: Whether they make what is called, which is all that it asks of them.
        """
        knows = self._is_known and dice is not None
        key = (rung, shown, holds if knows else None)
        found = self._doubts.get(key)
        if found is None:
            asked = dice if knows else None
            found = all_doubt([self._doubt_of(seat, rung, shown, asked) for seat in self._answerers])
            self._doubts[key] = found
        return found

    def _doubt_of(self, seat: Seat, rung: int, shown: Faces, dice: Faces | None) -> int:
        """Return how likely a seat is to doubt a call, in 2^-48."""
        place = self._state.place_of(seat)
        assert place is not None
        if place.cup == seat:
            return self._doubt_by_hands(seat, replace(self._state_after(rung, shown), turn=seat))
        # Who holds no dice of its own goes by how likely the call is to it, and by nothing else that it sees.
        known = dice if dice is not None and seat in self._knowers else shown
        if self._may_look(seat, rung, shown):
            likely = throws_of_rung(self._read(rung), rung, known)
            doubts, believes = weights_of_answers(*likely, self._tries, self._params)
            return doubts * ONE // (doubts + believes)
        state = replace(self._state_after(rung, shown), turn=seat)
        hidden = {} if known is shown else {place.cup: _without(known, state.places[place.cup], state)}
        share = weigh(Sight(state, seat, hidden), self._params).share(commands.Challenge(seat))
        return share.weight * ONE // share.total

    def _may_look(self, seat: Seat, rung: int, shown: Faces) -> bool:
        """Report whether all that a seat may say to a call is to doubt it, or to believe it with a look.

        Cost: next to nothing, as it is the same for all calls that can be beaten.
        """
        key = (seat, rung < self._ladder.top, len(shown))
        found = self._offered.get(key)
        if found is None:
            offers = moves_of(replace(self._state_after(rung, shown), turn=seat), seat)
            found = self._offered[key] = set(offers) == LOOK_OR_DOUBT
        return found

    def _doubt_by_hands(self, seat: Seat, state: State) -> int:
        """Return how likely a seat with dice of its own is to doubt what stands, in 2^-48."""
        asked = commands.Challenge(seat)
        hands, weights = self._outlook.hands_of(seat)
        thoughts, found = Thoughts(state, seat, seat, self._params), 0
        for hand, weight in zip(hands.hands, weights, strict=True):
            share = thoughts.share(hand, asked)
            found += weight * (share.weight * ONE // share.total)
        return found + HALF >> SCALE_BITS

    def _state_after(self, rung: int, shown: Faces) -> State:
        state, hand = self._state, self._ladder.hands[rung]
        place = state.place_of(self._seat)
        assert place is not None
        lies = place_with(place, shown, self._now.dice - len(shown), state.rules.tokens.faces.first)
        held = replace(state, places={**state.places, place.cup: replace(lies, knowers=self._knowers)})
        return evolve(held, events.HandClaimed(self._seat, hand.shape, hand.faces, beats=True))


def place_with(place: Place, shown: Faces, hidden: int, first: int) -> Place:
    """Return a place with these dice open and so many hidden; where they come from nobody asks."""
    outside = tuple([Die(None, face - first) for face in shown])
    return replace(place, inside=(Die(None),) * hidden, outside=outside)


def _without(dice: Faces, place: Place, state: State) -> Faces:
    """Return the hidden ones of some dice."""
    left = list(dice)
    for die in place.outside:
        left.remove((die.value or 0) + state.rules.tokens.faces.first)
    return tuple(left)
