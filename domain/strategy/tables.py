"""Match tables: what the state between two rounds is worth to each seat, as exact fractions.

A match that ends is worth the chance to win it, or, where the first out has lost, the chance not to be that seat. Each
table folds back over the rounds that may come, by a model of who loses one: `even`, `weighted` by what seats have, or
`solved` by the values of rounds of two. What no model foresees (dice regained, seats that buy back, who waits for a
bout) is valued right once it has happened: a verdict is worth the table at the state it leads to.

A session never ends by itself. What it is worth is what has been posted, in one unit.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Any, Final, Literal

from msgspec import Struct

from domain.ids import Seat
from domain.rules.rules import Drinks, PayEach, Pot, Rules, Settler, Tally, Wager
from domain.table.state import State

Worths = tuple[Fraction, ...]
"""One per seat, in the order asked about."""
NextStart = Literal["loser", "winner"]
_FORESEEN: Final[dict[str, NextStart]] = {"loser": "loser", "winner": "winner"}
"""Who opens the round after one, where that hangs on nothing but who has won it."""
EXACT_MAX: Final = 500
"""Distinct stacks up to which a table of weights is folded back exactly; six seats of five dice make 462."""
SCALE_BITS: Final = 256
"""Beyond, worths are multiples of 2^-256, rounded down: exact fractions of ten stacks have ten thousand digits."""
ZERO, ONE = Fraction(0), Fraction(1)
PAIR: Final = 2


class ProvedChance(Struct, frozen=True):
    """What a chance is proved to lie between."""

    lower: Fraction
    upper: Fraction


SURELY_OUT, SURELY_IN = ProvedChance(ZERO, ZERO), ProvedChance(ONE, ONE)


class RoundModel(Struct, frozen=True, cache_hash=True):
    """Who loses a round, as a policy file of kind `rounds` has it.

    Attributes:
        rows: By how many are in, ascending, how often a seat loses by what it has, from 0 on; the last row and entry
            stand for more. None at all where all lose alike.
        values: Of a round of two: by what opener and other have, its value to the opener, +1 won and -1 lost. Where
            there is none, the rows are taken.
        halves: Half the width of what each of these values is proved to lie within; those that are not named are exact.
    """

    rows: tuple[tuple[int, tuple[int, ...]], ...] = ()
    values: tuple[tuple[tuple[int, int], Fraction], ...] = ()
    halves: tuple[tuple[tuple[int, int], Fraction], ...] = ()

    def losing(self, left: tuple[int, ...]) -> tuple[int, ...]:
        """Return how often each of these loses the next round, as integers; a seat that has nothing never does."""
        if not self.rows:
            return tuple([int(has > 0) for has in left])
        seats = sum([has > 0 for has in left])
        row = dict(self.rows)[min(self.rows[-1][0], seats)]
        return tuple([row[min(has, len(row) - 1)] if has else 0 for has in left])

    def opener_wins(self, left: tuple[int, int]) -> Fraction:
        """Return the chance of the first of two, who opens, to win the round, by what both have."""
        value = dict(self.values).get(left)
        if value is not None:
            return (1 + value) * Fraction(1, 2)
        losing = self.losing(left)
        return Fraction(losing[1], sum(losing))

    def bounds(self, left: tuple[int, int]) -> ProvedChance | None:
        """Return what that chance is proved to lie between; None where no value is known."""
        value = dict(self.values).get(left)
        if value is None:
            return None
        half = dict(self.halves).get(left, ZERO)
        return ProvedChance((1 + value - half) * Fraction(1, 2), (1 + value + half) * Fraction(1, 2))


EVEN: Final = RoundModel()
"""All who are in lose alike."""


# ---- the last one in ----------------------------------------------------------------------------


def last_in(left: tuple[int, ...], model: RoundModel, opens: int = 0, start: NextStart = "loser") -> Worths:
    """Return the chance of each to be the last that has anything.

    Args:
        left: What each has; each round one of them loses one of it. One has something at least.
        model: Who loses a round.
        opens: The index of who opens the next round; it matters only between two, and only by their values.
        start: Who opens the round after one: its loser, or the next if that one is out, or its winner.
    """
    pair = [index for index, has in enumerate(left) if has]
    if len(pair) == PAIR and model.values:
        opener = opens if opens in pair else pair[0]
        other = next(index for index in pair if index != opener)
        chance = _last_of_two((left[opener], left[other]), model, start)
        return tuple([chance if i == opener else 1 - chance if i == other else ZERO for i in range(len(left))])
    table = _fold_stacks(_stacks(left), model, last=True)
    return tuple([table[has] if has else ZERO for has in left])


def first_out(left: tuple[int, ...], model: RoundModel) -> Worths:
    """Return the chance of each not to be the first that has nothing left; the arguments are those of `last_in`."""
    if not all(left):
        return tuple([Fraction(has > 0) for has in left])
    table = _fold_stacks(_stacks(left), model, last=False)
    return tuple([table[has] for has in left])


def _stacks(left: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted([has for has in left if has]))


@lru_cache(maxsize=65_536)
def _fold_stacks(stacks: tuple[int, ...], model: RoundModel, *, last: bool) -> dict[int, Fraction]:
    """Return by what a seat has its worth, where these have something each; seats with as much are worth as much."""
    scaled = comb(len(stacks) + max(stacks), len(stacks)) > EXACT_MAX
    found, parts = _folded(stacks, model, last=last, scaled=scaled)
    return {has: Fraction(part, parts) for has, part in found.items()}


@lru_cache(maxsize=65_536)
def _folded(stacks: tuple[int, ...], model: RoundModel, *, last: bool, scaled: bool) -> tuple[dict[int, int], int]:
    """Return worths by what a seat has as so many parts of a whole, and how many parts that is."""
    if last and len(stacks) == 1:
        return ({stacks[0]: 1 << SCALE_BITS}, 1 << SCALE_BITS) if scaled else ({stacks[0]: 1}, 1)
    losing = model.losing(stacks)
    # Whoever of several that have as much loses it, the same is left.
    by_has = {
        has: _after_losing(stacks, stacks.index(has), model, last=last, scaled=scaled) for has in dict.fromkeys(stacks)
    }
    after = [by_has[has] for has in stacks]
    whole = lcm(*[parts for _, parts in after])
    sums = dict.fromkeys(stacks, 0)
    for has in sums:
        place = stacks.index(has)
        for loser, (worths, parts) in enumerate(after):
            then = has - (loser == place)
            sums[has] += losing[loser] * worths.get(then, 0) * (whole // parts)
    if scaled:
        return {has: part // sum(losing) for has, part in sums.items()}, whole
    return sums, whole * sum(losing)


def _after_losing(
    stacks: tuple[int, ...], place: int, model: RoundModel, *, last: bool, scaled: bool
) -> tuple[dict[int, int], int]:
    then = (*stacks[:place], stacks[place] - 1, *stacks[place + 1 :])
    if not last and not then[place]:
        # The first out has lost, and all others have not.
        whole = 1 << SCALE_BITS if scaled else 1
        return dict.fromkeys([has for has in then if has], whole), whole
    return _folded(_stacks(then), model, last=last, scaled=scaled)


@lru_cache(maxsize=4_096)
def _last_of_two(left: tuple[int, int], model: RoundModel, start: NextStart) -> Fraction:
    """Return the chance of who opens to be the last, by what that seat and the other one have."""
    if not all(left):
        return Fraction(left[0] > 0)
    wins = model.opener_wins(left)
    # Whoever is out cannot open, and nothing hangs on who does then.
    won, lost = (left[0], left[1] - 1), (left[0] - 1, left[1])
    if start == "loser":
        return wins * (1 - _last_of_two(won[::-1], model, start)) + (1 - wins) * _last_of_two(lost, model, start)
    return wins * _last_of_two(won, model, start) + (1 - wins) * (1 - _last_of_two(lost[::-1], model, start))


@lru_cache(maxsize=4_096)
def _proved_last(left: tuple[int, int], model: RoundModel, start: NextStart | None) -> ProvedChance | None:
    """Return what the chance of who opens to be the last is proved to lie between; None where some round is not.

    Args:
        left: What that seat and the other one have.
        model: Whose values are proved.
        start: Who opens the round after one; None where that is not foreseen.
    """
    if not all(left):
        return SURELY_IN if left[0] else SURELY_OUT
    won, lost = (left[0], left[1] - 1), (left[0] - 1, left[1])
    return _proved_round(model.bounds(left), won, lost, start, lambda then: _proved_last(then, model, start))


def _proved_round(
    wins: ProvedChance | None,
    won: tuple[int, int],
    lost: tuple[int, int],
    start: NextStart | None,
    after: Callable[[tuple[int, int]], ProvedChance | None],
) -> ProvedChance | None:
    """Return what the match is worth to who opens a round, by what both have once it is won, and lost."""
    if wins is None or (start is None and (all(won) or all(lost))):
        return None
    if_won = _turned(after(won[::-1])) if start == "loser" else after(won)
    if_lost = after(lost) if start == "loser" else _turned(after(lost[::-1]))
    # Who would rather lose the round plays another one than that whose value was proved.
    if if_won is None or if_lost is None or if_won.lower < if_lost.upper:
        return None
    lower = wins.lower * if_won.lower + (1 - wins.lower) * if_lost.lower
    return ProvedChance(lower, wins.upper * if_won.upper + (1 - wins.upper) * if_lost.upper)


def _turned(bounds: ProvedChance | None) -> ProvedChance | None:
    return None if bounds is None else ProvedChance(1 - bounds.upper, 1 - bounds.lower)


# ---- the first to win so many rounds ------------------------------------------------------------


def first_to_win(
    need: tuple[int, ...], opener_wins: Fraction | None, opens: int = 0, start: NextStart = "loser"
) -> Worths:
    """Return the chance of each to be the first that has won so many more rounds.

    Args:
        need: How many more rounds each has to win.
        opener_wins: The chance of who opens a round of two to win it; None where all win alike.
        opens: The index of who opens the next round.
        start: Who opens the round after one.
    """
    if opener_wins is None or len(need) != PAIR:
        return tuple([_even_race(_others_first(need, place)) for place in range(len(need))])
    chance = _race_of_two((need[opens], need[1 - opens]), opener_wins, start)
    return (chance, 1 - chance) if opens == 0 else (1 - chance, chance)


def _others_first(need: tuple[int, ...], place: int) -> tuple[int, ...]:
    return (*sorted([each for other, each in enumerate(need) if other != place]), need[place])


@lru_cache(maxsize=65_536)
def _even_race(need: tuple[int, ...]) -> Fraction:
    """Return the chance of the last of these to be first, where all win rounds alike; the others ascend."""
    if need[-1] == 0:
        return ONE
    if min(need) == 0:
        return ZERO
    found = ZERO
    for place in range(len(need)):
        then = (*need[:place], need[place] - 1, *need[place + 1 :])
        found += _even_race(_others_first(then, len(need) - 1))
    return found * Fraction(1, len(need))


@lru_cache(maxsize=4_096)
def _race_of_two(need: tuple[int, int], wins: Fraction, start: NextStart) -> Fraction:
    """Return the chance of who opens to be first, by what that seat and the other one need."""
    if not all(need):
        return Fraction(need[0] == 0)
    won, lost = (need[0] - 1, need[1]), (need[0], need[1] - 1)
    if start == "loser":
        return wins * (1 - _race_of_two(won[::-1], wins, start)) + (1 - wins) * _race_of_two(lost, wins, start)
    return wins * _race_of_two(won, wins, start) + (1 - wins) * (1 - _race_of_two(lost[::-1], wins, start))


@lru_cache(maxsize=4_096)
def _proved_race(need: tuple[int, int], wins: ProvedChance | None, start: NextStart | None) -> ProvedChance | None:
    """Return what the chance of who opens to be first is proved to lie between, by what both need."""
    if not all(need):
        return SURELY_OUT if need[0] else SURELY_IN
    won, lost = (need[0] - 1, need[1]), (need[0], need[1] - 1)
    return _proved_round(wins, won, lost, start, lambda then: _proved_race(then, wins, start))


# ---- of a game ----------------------------------------------------------------------------------


class Unit(Struct, frozen=True):
    """What a session is counted in: postings of this unit, and whether it is good or bad to have more of it."""

    name: str
    sign: Literal[1, -1]


_UNITS: Final[dict[type, Callable[[Any], Unit]]] = {
    PayEach: lambda _: Unit("unit", 1),
    Wager: lambda _: Unit("chip", 1),
    Pot: lambda _: Unit("chip", 1),
    Drinks: lambda _: Unit("drink", -1),
    Tally: lambda settler: Unit(settler.unit, -1 if settler.unit == "loss" else 1),
}
"""What a settler that pays or counts writes, and what that is to whoever has it."""


def unit_of(rules: Rules) -> Unit | None:
    """Return what rounds of a session are counted in, that of its first settler that pays or counts; None for none."""
    found: list[Settler] = [settler for settler in rules.settlers if type(settler) in _UNITS]
    return _UNITS[type(found[0])](found[0]) if found else None


class MatchTable(Struct, frozen=True):
    """What states are worth from a round on.

    Attributes:
        before: The state before the round; what a session is worth is counted from there.
        model: Who loses the rounds to come.
    """

    before: State
    model: RoundModel = EVEN

    def worths(self, state: State) -> Worths:
        """Return what the state after a verdict is worth, one per seat, in seat order."""
        if state.rules.match.open_ended:
            return _gains(self.before, state)
        return self.standing(state)

    def standing(self, state: State) -> Worths:
        """Return the chances to win a match that ends, one per seat, in seat order."""
        if state.winner is not None:
            return tuple([Fraction(seat == state.winner) for seat in state.seats])
        # Of two seats the one that is not the first out is the last in.
        if state.rules.match.first_out_ends and len(state.seats) > PAIR:
            return first_out(tuple([_left(state, seat) for seat in state.seats]), self.model)
        return self._shares(state)

    def _shares(self, state: State) -> Worths:
        """Return the chances of the seats that play by a table; whoever waits for a bout has an even share beside."""
        playing = state.remaining
        waiting = [seat for seat in state.seats if seat not in state.out and seat not in playing]
        share = Fraction(len(playing), len(playing) + len(waiting))
        chances = dict(zip(playing, self._among(state, playing), strict=True))
        even = Fraction(1, len(playing) + len(waiting))
        return tuple([chances[s] * share if s in chances else even if s in waiting else ZERO for s in state.seats])

    def _among(self, state: State, playing: tuple[Seat, ...]) -> Worths:
        match = state.rules.match
        opens = playing.index(state.next_starter) if state.next_starter in playing else 0
        start: NextStart = "winner" if match.next_start == "winner" else "loser"
        if match.wins is not None:
            need = tuple([_needs(state, seat) for seat in playing])
            dice = (state.rules.tokens.dice, state.rules.tokens.dice)
            wins = self.model.opener_wins(dice) if dict(self.model.values).get(dice) is not None else None
            return first_to_win(need, wins, opens, start)
        return last_in(tuple([_left(state, seat) for seat in playing]), self.model, opens, start)

    def half(self, state: State) -> Fraction | None:
        """Return half the width of what worths of a state are proved to lie within; None where a model has a say."""
        match = state.rules.match
        if match.open_ended or state.winner is not None or len(state.seats) - len(state.out) == 1:
            return ZERO
        opens, others = state.next_starter, [seat for seat in state.remaining if seat != state.next_starter]
        if len(state.seats) != PAIR or opens not in state.remaining or len(others) != 1:
            return None
        start = _FORESEEN.get(match.next_start)
        if match.wins is not None:
            dice = (state.rules.tokens.dice, state.rules.tokens.dice)
            need = (_needs(state, opens), _needs(state, others[0]))
            proved = _proved_race(need, self.model.bounds(dice), start)
        else:
            proved = _proved_last((_left(state, opens), _left(state, others[0])), self.model, start)
        if proved is None:
            return None
        told = self.standing(state)[state.seats.index(opens)]
        return max(told - proved.lower, proved.upper - told)


def _needs(state: State, seat: Seat) -> int:
    """Return how many more rounds a seat has to win."""
    assert state.rules.match.wins is not None
    return state.rules.match.wins - state.balance("win", seat)


def _left(state: State, seat: Seat) -> int:
    """Return how many more times a seat can lose before it is out."""
    match = state.rules.match
    assert match.unit is not None
    return 0 if seat in state.out else abs(match.out_at - state.balance(match.unit, seat))


def _gains(before: State, after: State) -> Worths:
    """Return what the postings of a session have brought each seat."""
    unit = unit_of(after.rules)
    if unit is None:
        return (ZERO,) * len(after.seats)
    gains = [unit.sign * (_has(after, unit, seat) - _has(before, unit, seat)) for seat in after.seats]
    # The wins of a bout are taken back once it is over: that is no loss to whoever had some.
    return tuple([Fraction(max(0, gain) if unit.name == "win" else gain) for gain in gains])


def _has(state: State, unit: Unit, seat: Seat) -> int:
    wins = state.rules.match.wins or 0
    # Whoever has won a bout has its wins no more, but the bout.
    return state.balance(unit.name, seat) + (wins * state.balance("match", seat) if unit.name == "win" else 0)
