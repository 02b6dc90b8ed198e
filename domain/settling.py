"""A verdict turned into postings. Settling never looks at dice, only at the verdict and the balances.

Several settlers may run side by side: a die and a drink and a wager. "Out" is a balance test.
"""

from __future__ import annotations

from functools import singledispatch

from domain.events import Judged, Posted
from domain.rules import Drinks, LoseDie, Pot, Settler, Wager
from domain.state import State

Seat = int


def dice_lost(state: State, verdict: Judged) -> dict[Seat, int]:
    """Return how many dice the verdict costs each seat; a seat cannot lose more than it has."""
    for settler in state.rules.settlers:
        if isinstance(settler, LoseDie):
            return {seat: min(n, state.balance("die", seat)) for seat, n in _losses(settler, state, verdict).items()}
    return {}


def _losses(settler: LoseDie, state: State, verdict: Judged) -> dict[Seat, int]:
    if verdict.kind == "forfeit":
        return {seat: state.balance("die", seat) for seat in verdict.losers}
    if verdict.kind == "spot_on" and not verdict.holds:
        return dict.fromkeys(verdict.losers, settler.spot_on_fail)
    return dict.fromkeys(verdict.losers, 1)


def losers_of_spot_on(state: State, caller: Seat, claimant: Seat) -> tuple[Seat, ...]:
    """Return who loses by a right spot on, in seat order."""
    for settler in state.rules.settlers:
        if isinstance(settler, LoseDie):
            if settler.spot_on_win == "others_lose":
                return tuple(seat for seat in state.remaining if seat != caller)
            return (claimant,) if settler.spot_on_win == "bidder_loses" else ()
    return ()


@singledispatch
def settle(settler: Settler, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    """Return what this settler posts for a verdict; `out` are the seats it throws out."""
    raise AssertionError(settler)


@settle.register
def _(settler: LoseDie, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    del out
    lost = tuple(Posted("die", seat, "box", n) for seat, n in dice_lost(state, verdict).items() if n)
    caller = verdict.doubters[0] if verdict.doubters else None
    right = verdict.kind == "spot_on" and verdict.holds and settler.spot_on_win == "regain"
    if right and caller is not None and state.balance("die", caller) < settler.most:
        return (*lost, Posted("die", "box", caller, 1))
    return lost


@settle.register
def _(settler: Wager, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    del state, out
    if verdict.claimant is None or not verdict.doubters:
        return ()
    claimant_wins = bool(verdict.holds) != (verdict.kind == "spot_on")
    winner, loser = (
        (verdict.claimant, verdict.doubters[0]) if claimant_wins else (verdict.doubters[0], verdict.claimant)
    )
    return (Posted("chip", loser, winner, settler.amount),)


@settle.register
def _(settler: Pot, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    del verdict
    left = [seat for seat in state.remaining if seat not in out]
    if len(left) != 1:
        return ()
    return (Posted("chip", "pot", left[0], settler.amount * len(state.seats)),)


@settle.register
def _(settler: Drinks, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    drinks = _drinks_of_losers(settler, state, verdict)
    for seat in out:
        drinks[seat] = drinks.get(seat, 0) + settler.elimination
    for seat in state.out:
        drinks[seat] = drinks.get(seat, 0) + settler.ghost_per_round
    return tuple(Posted("drink", "bar", seat, n) for seat, n in sorted(drinks.items()) if n)


def _drinks_of_losers(settler: Drinks, state: State, verdict: Judged) -> dict[Seat, int]:
    if verdict.kind == "forfeit":
        return {}
    if verdict.kind == "spot_on":
        if verdict.holds:
            return {seat: settler.base for seat in state.remaining if seat not in verdict.doubters}
        return {verdict.doubters[0]: settler.base * settler.wrong_spot_on_factor}
    loser = verdict.losers[0]
    factor = settler.wrong_out_of_turn_factor if verdict.out_of_turn and loser in verdict.doubters else 1
    return {loser: settler.base * factor * _basis(settler, state, verdict)}


def _basis(settler: Drinks, state: State, verdict: Judged) -> int:
    if settler.basis == "die":
        return sum(dice_lost(state, verdict).values())
    if settler.basis == "difference" and verdict.count is not None and verdict.quantity is not None:
        return max(1, abs(verdict.count - verdict.quantity))
    return 1
