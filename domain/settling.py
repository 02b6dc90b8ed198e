"""A verdict turned into postings. Settling never looks at dice, only at the verdict and the balances.

Several settlers may run side by side: a die and a drink and a wager. "Out" is a balance test.
"""

from __future__ import annotations

from collections.abc import Iterable

from domain.events import Judged, Posted
from domain.rules import Drinks, LoseDie, Pot, Settler, Wager
from domain.state import State

Seat = int


def losers_of_spot_on(state: State, caller: Seat, claimant: Seat) -> tuple[Seat, ...]:
    """Return who loses by a right spot on, in seat order."""
    win = state.rules.doubt.spot_on_win
    if win == "others_lose":
        return tuple(seat for seat in state.remaining if seat != caller)
    return (claimant,) if win == "bidder_loses" else ()


def dice_posted(state: State, verdict: Judged) -> tuple[Posted, ...]:
    """Return what the verdict does to dice; it comes first, since who is out depends on it."""
    return _together(_dice(settler, state, verdict) for settler in state.rules.settlers if isinstance(settler, LoseDie))


def others_posted(state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    """Return what else the verdict costs, given the seats it throws out."""
    return _together(_other(settler, state, verdict, out) for settler in state.rules.settlers)


def _together(found: Iterable[tuple[Posted, ...]]) -> tuple[Posted, ...]:
    return tuple(posted for postings in found for posted in postings)


def _other(settler: Settler, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    if isinstance(settler, LoseDie):
        return ()
    if isinstance(settler, Wager):
        return _wager(settler, verdict)
    if isinstance(settler, Pot):
        return _pot(state, out)
    return _drinks(settler, state, verdict, out)


# ---- dice ---------------------------------------------------------------------------------------


def _dice(settler: LoseDie, state: State, verdict: Judged) -> tuple[Posted, ...]:
    lost = tuple(Posted("die", seat, "box", n) for seat, n in _dice_lost(settler, state, verdict).items() if n)
    return (*lost, *_regained(settler, state, verdict))


def _dice_lost(settler: LoseDie, state: State, verdict: Judged) -> dict[Seat, int]:
    """Return how many dice the verdict costs each of its losers; nobody loses more than there are."""
    return {seat: min(_cost(settler, state, verdict, seat), state.balance("die", seat)) for seat in verdict.losers}


def _cost(settler: LoseDie, state: State, verdict: Judged, seat: Seat) -> int:
    if verdict.kind == "forfeit":
        return state.balance("die", seat)
    return settler.spot_on_fail if verdict.kind == "spot_on" and not verdict.holds else 1


def _regained(settler: LoseDie, state: State, verdict: Judged) -> tuple[Posted, ...]:
    if verdict.kind != "spot_on" or not verdict.holds or state.rules.doubt.spot_on_win != "regain":
        return ()
    caller = verdict.doubters[0]
    return (Posted("die", "box", caller, 1),) if state.balance("die", caller) < settler.most else ()


# ---- chips --------------------------------------------------------------------------------------


def _wager(settler: Wager, verdict: Judged) -> tuple[Posted, ...]:
    """Return the chips that pass between claimant and doubter; the others break even."""
    if verdict.claimant is None:
        return ()
    doubter = verdict.doubters[0]
    winner, loser = (doubter, verdict.claimant) if doubter in verdict.winners else (verdict.claimant, doubter)
    return (Posted("chip", loser, winner, settler.amount),)


def _pot(state: State, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    left = [seat for seat in state.remaining if seat not in out]
    pot = state.balance("chip", "pot")
    return (Posted("chip", "pot", left[0], pot),) if len(left) == 1 and pot else ()


# ---- drinks -------------------------------------------------------------------------------------


def _drinks(settler: Drinks, state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    drinks = _drinks_of_losers(settler, state, verdict)
    for seat in out:
        drinks[seat] = drinks.get(seat, 0) + settler.elimination
    if state.phase != "between_rounds":
        # Ghosts drink for every round played; a seat that leaves between two of them ends none.
        drinks.update(dict.fromkeys(state.out, settler.ghost_per_round))
    return tuple(Posted("drink", "bar", seat, n) for seat, n in sorted(drinks.items()) if n)


def _drinks_of_losers(settler: Drinks, state: State, verdict: Judged) -> dict[Seat, int]:
    if verdict.kind == "forfeit":
        return {}
    if verdict.kind == "spot_on":
        return _drinks_of_spot_on(settler, state, verdict)
    loser = verdict.losers[0]
    factor = settler.wrong_out_of_turn_factor if verdict.out_of_turn and loser in verdict.doubters else 1
    return {loser: settler.base * factor * _measure(settler, verdict)}


def _drinks_of_spot_on(settler: Drinks, state: State, verdict: Judged) -> dict[Seat, int]:
    caller = verdict.doubters[0]
    if verdict.holds:
        return {seat: settler.base for seat in state.remaining if seat != caller}
    return {caller: settler.base * settler.wrong_spot_on_factor}


def _measure(settler: Drinks, verdict: Judged) -> int:
    """Return how many units of the basis a doubt came to. Whoever loses one loses one die, so those two are one."""
    if settler.basis != "difference" or verdict.count is None or verdict.quantity is None:
        return 1
    return max(1, abs(verdict.count - verdict.quantity))
