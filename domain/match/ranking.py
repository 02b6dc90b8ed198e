"""Rankings of matches, from the record alone: who stands where, as tournaments count it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final

from domain.ids import Seat
from domain.match.evolve import Match
from domain.match.settings import most_units
from domain.rules.rules import PayEach, Pot, Rules, Settler, Tally, Token, Wager
from domain.table.state import State

_COUNTED: Final = ("win", "unit", "token", "chip")
"""What seats are compared by where nobody goes out, the first of these that the game counts."""


def ranking_of(match: Match) -> tuple[tuple[Seat, ...], ...]:
    """Return everybody who plays, the best first; those who share a place stand together, ascending.

    The winner comes first, then who is still in, by what the game counts, then who went out, the later the better. Who
    went out by one settlement shares, and so does who is equal. Where the first to go out has lost the match, all
    others share. Who did not come is not in it.

    Source: the laws of tournaments, "ranking of a match".
    """
    state = match.table
    if state is None:
        return (tuple(sorted(match.seated)),) if match.seated else ()
    if state.rules.match.first_out_ends and state.out:
        loser = state.out[0]
        return (tuple(seat for seat in state.seats if seat != loser), (loser,))
    first = () if state.winner is None else ((state.winner,),)
    still = [seat for seat in state.seats if seat not in state.out and seat != state.winner]
    went = dict(zip(state.out, state.went, strict=True))
    return (*first, *_groups(still, _standing(state)), *_groups(state.out, went.__getitem__))


def units_of(match: Match) -> tuple[tuple[Seat, int], ...]:
    """Return what each seat that played has left of what one is out without, from the seat that opens next on.

    Who went out has in its place the round in which it did, below 0. Where nobody is out for having nothing left, or
    nothing was played, there is nothing to say.
    """
    state = match.table
    if state is None or most_units(state.rules) is None:
        return ()
    unit = state.rules.match.unit
    assert unit is not None, "one is out without it"
    went = dict(zip(state.out, state.went_in, strict=True))
    opens = state.winner or state.next_starter or state.seats[0]
    at = state.seats.index(opens)
    seats = (*state.seats[at:], *state.seats[:at])
    return tuple((seat, -went[seat] if seat in went else state.balance(unit, seat)) for seat in seats)


def _groups(seats: Iterable[Seat], worth: Callable[[Seat], int]) -> list[tuple[Seat, ...]]:
    """Return seats by what each is worth, most first, those that are worth the same together."""
    ordered = sorted(seats, key=lambda seat: (-worth(seat), seat))
    return [tuple(group) for _, group in groupby(ordered, worth)]


def _standing(state: State) -> Callable[[Seat], int]:
    """Return what the seats that are still in are compared by."""
    end = state.rules.match
    if end.unit is not None:
        # What counts up to the mark at which one is out, such as losses, is the better the fewer there are.
        unit, sign = end.unit, 1 if end.out_at == 0 else -1
        return lambda seat: sign * state.balance(unit, seat)
    counted = _counted(state.rules)
    return lambda seat: 0 if counted is None else state.balance(counted, seat)


def _counted(rules: Rules) -> str | None:
    kept = {_unit_of(settler) for settler in rules.settlers}
    return next((unit for unit in _COUNTED if unit in kept), None)


def _unit_of(settler: Settler) -> str | None:
    if isinstance(settler, Tally):
        return settler.unit
    if isinstance(settler, Token):
        return "token"
    if isinstance(settler, Wager | Pot):
        return "chip"
    return "unit" if isinstance(settler, PayEach) else None
