"""A verdict turned into postings. Settling never looks at dice, only at the verdict, the counts and the balances.

Several settlers may run side by side: a die and a drink and a wager. "Out" is a balance test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain.events import Judged, Posted
from domain.ids import Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Drinks, LoseDie, PayEach, Pot, Tally, Token, Wager
from domain.table.interlude import interludes_of
from domain.table.phases import BETWEEN_ROUNDS
from domain.table.state import Stakes, State

SIX: Final = 6
BONUS_FROM: Final = 3
"""The claim of so many more than there are seats is the first that pays more."""
SKUNK_SEATS: Final = 3
"""The fewest seats with which a claim of none can win."""
NONE_PAYS: Final = 2
"""The stake after a claimant had none: presumed to have gone for none."""
PLAIN: Final = frozenset({"challenge", "auto_challenge", "spot_on", "pass", "count"})
"""The verdicts in which a claim was tested."""


def first_postings(state: State, verdict: Judged, leaves: Seat | None) -> tuple[Posted, ...]:
    """Return what the verdict does to dice, losses, wins and tokens; it comes first, since who is out depends on it."""
    found: list[Posted] = []
    for settler in state.rules.settlers:
        rule = _FIRST.get(type(settler))
        if rule is not None:
            found += rule(settler, state, verdict, leaves)
    return tuple(found)


def later_postings(state: State, verdict: Judged, out: tuple[Seat, ...]) -> tuple[Posted, ...]:
    """Return what else the verdict costs, given the seats it throws out."""
    found: list[Posted] = []
    for settler in state.rules.settlers:
        rule = _THEN.get(type(settler))
        if rule is not None:
            found += rule(settler, state, verdict, out)
    return tuple(found)


# ---- dice ---------------------------------------------------------------------------------------


def losers_of_spot_on(state: State, caller: Seat, claimant: Seat) -> tuple[Seat, ...]:
    """Return who loses by a right spot on, in seat order."""
    win = state.rules.doubt.spot_on_win
    if win == "others_lose":
        return tuple(seat for seat in state.remaining if seat != caller)
    return (claimant,) if win == "bidder_loses" else ()


def _dice_postings(settler: LoseDie, state: State, verdict: Judged, leaves: Seat | None) -> list[Posted]:
    costs = {seat: _dice_cost(settler, state, verdict, seat, leaves) for seat in verdict.losers}
    return [
        *(Posted("die", seat, "box", n) for seat, n in costs.items() if n),
        *_regain_postings(settler, state, verdict),
    ]


def _dice_cost(settler: LoseDie, state: State, verdict: Judged, seat: Seat, leaves: Seat | None) -> int:
    """Return how many dice a verdict costs one of its losers; nobody loses more than there are."""
    held = state.balance("die", seat)
    if seat == leaves:
        return held
    return min(held, settler.spot_on_fail if verdict.kind == "spot_on" and not verdict.holds else 1)


def _regain_postings(settler: LoseDie, state: State, verdict: Judged) -> list[Posted]:
    if verdict.kind != "spot_on" or not verdict.holds or state.rules.doubt.spot_on_win != "regain":
        return []
    caller = verdict.doubters[0]
    return [Posted("die", "box", caller, 1)] if state.balance("die", caller) < settler.most else []


# ---- losses, wins, tokens -----------------------------------------------------------------------


def _tally_postings(settler: Tally, _state: State, verdict: Judged, leaves: Seat | None) -> list[Posted]:
    seats = verdict.losers if settler.unit == "loss" else verdict.winners
    # A special voids the rolls before it and is no lost round (Mexican); a seat that gives the match up loses that and
    # not a round, and nobody has won one by it.
    counts = leaves is None and verdict.kind not in {"social", "reverse", "impose"}
    return [Posted(settler.unit, "box", seat, 1) for seat in seats] if counts else []


def _token_postings(settler: Token, state: State, verdict: Judged, leaves: Seat | None) -> list[Posted]:
    found = []
    for seat in verdict.losers:
        # Somebody who gives up has lost to nobody, so the tokens go to the pot there.
        to: Seat | str = verdict.winners[0] if settler.to == "winner" and verdict.winners else "pot"
        amount = state.balance("token", seat) if seat == leaves else 1
        if amount:
            found.append(Posted("token", seat, to, amount))
    return found


def _token_pot_postings(settler: Token, state: State, _verdict: Judged, out: tuple[Seat, ...]) -> list[Posted]:
    return _winner_postings(state, "token", out) if settler.winner_takes else []


def _winner_postings(state: State, unit: str, out: tuple[Seat, ...]) -> list[Posted]:
    """Return the pot going to the last seat that is left, if one is."""
    # The seats that go out are still among the remaining: their elimination is written after the postings.
    left = [seat for seat in state.remaining if seat not in out]
    pot = state.balance(unit, "pot")
    return [Posted(unit, "pot", left[0], pot)] if len(left) == 1 and pot else []


# ---- chips --------------------------------------------------------------------------------------


def _wager_postings(settler: Wager, _state: State, verdict: Judged, _out: tuple[Seat, ...]) -> list[Posted]:
    """Return the chips that pass between claimant and doubter; the others break even."""
    if verdict.claimant is None or not verdict.doubters:
        return []
    doubter = verdict.doubters[0]
    # A right spot on is "bidder pays caller" and "others even", whoever else loses by it (common hand).
    winner, loser = (doubter, verdict.claimant) if doubter in verdict.winners else (verdict.claimant, doubter)
    return [Posted("chip", loser, winner, settler.amount)]


def _pot_postings(settler: Pot, state: State, _verdict: Judged, out: tuple[Seat, ...]) -> list[Posted]:
    taken = _winner_postings(state, "chip", out)
    if not taken or not settler.doubles:
        return taken
    # A winner "with 0 lost hands at the end" is paid double, and "a reset by buy-back counts as 0" (bar Liars).
    winner = taken[0].dst
    if state.balance("loss", winner):
        return taken
    # What a seat has put in, ante and buy-backs, is how far its chips are below nothing: before this nobody is paid
    # any.
    paid_in = {seat: -state.balance("chip", seat) for seat in state.seats if seat != winner}
    return [*taken, *(Posted("chip", seat, winner, amount) for seat, amount in paid_in.items() if amount)]


# ---- units, in liar's poker ---------------------------------------------------------------------


def multiplier(settler: PayEach, seats: int, claim: Count, own: int) -> int:
    """Return how many stakes a claim that was made is worth.

    Args:
        settler: The bonus rules.
        seats: How many play.
        claim: The claim.
        own: How many of the digit the claimant has.
    """
    extra = claim.quantity - seats - BONUS_FROM
    # "n+3 and n+4: 2; n+5, n+6: 3; n+7: 4" (Salomon 1986).
    times = 2 + extra // 2 if settler.n_plus_three and extra >= 0 else 1
    if settler.sixes and claim.face == SIX:
        times *= 2
    # The hero's one more comes after the sixes have doubled, and is not doubled with them (Salomon 1986).
    return times + (1 if settler.hero and own == 0 else 0)


def claim_worth(state: State, claim: Count, own: int, count: int) -> int:
    """Return how many units the claimant receives from each other seat; below zero it pays them."""
    settler, seats = state.settler(PayEach), len(state.remaining)
    # Nothing is paid here; whoever asks reads from the sign who has won.
    if settler is None or state.stakes is None:
        return 1 if count >= claim.quantity else -1
    # With nobody having any the bidder wins "whatever was bid", so this is asked before whether the claim was made; of
    # three seats it comes to 0, "a push".
    if settler.skunk and seats >= SKUNK_SEATS and count == 0:
        return (2 * seats - 6) * state.stakes.effective
    if count >= claim.quantity:
        return multiplier(settler, seats, claim, own) * state.stakes.effective
    # A claim that was missed is paid "once, never multiplied" (Salomon 1986).
    return -state.stakes.effective


def _pay_each_postings(_settler: PayEach, state: State, verdict: Judged, _out: tuple[Seat, ...]) -> list[Posted]:
    if verdict.kind != "count" or verdict.claimant is None:
        return []
    claim, own = _claim_of(verdict), dict(state.round.counts)[verdict.claimant]
    paid = claim_worth(state, claim, own, verdict.count or 0)
    others = [seat for seat in state.remaining if seat != verdict.claimant]
    if paid > 0:
        return [Posted("unit", seat, verdict.claimant, paid) for seat in others]
    return [Posted("unit", verdict.claimant, seat, -paid) for seat in others if paid]


def next_basic_stake(state: State, verdict: Judged) -> int | None:
    """Return the basic stake of the next round; None where no round was counted or nothing is staked."""
    settler, stakes = state.settler(PayEach), state.stakes
    if settler is None or stakes is None or verdict.kind != "count" or verdict.claimant is None:
        return None
    if not settler.progressive:
        return stakes.basic
    own, seats = dict(state.round.counts)[verdict.claimant], len(state.remaining)
    # "He is presumed to have gone for none, hero or not, made or not"; with two seats there is no "none" to go for.
    if own == 0 and settler.skunk and seats >= SKUNK_SEATS:
        return NONE_PAYS
    # The next stake is this multiplier "made or not", though only a claim that was made is paid by it.
    return multiplier(settler, seats, _claim_of(verdict), own)


def _claim_of(verdict: Judged) -> Count:
    assert verdict.quantity is not None
    assert verdict.face is not None
    return Count(verdict.quantity, verdict.face)


def first_stakes(settlers: tuple[Any, ...]) -> Stakes | None:
    """Return what the first round is played for."""
    return next((Stakes(each.stake, each.stake) for each in settlers if isinstance(each, PayEach)), None)


# ---- drinks -------------------------------------------------------------------------------------


def _drink_postings(settler: Drinks, state: State, verdict: Judged, out: tuple[Seat, ...]) -> list[Posted]:
    if settler.finish_on_top and _top_was_named_or_thrown(state, verdict):
        # A loser "finishes the glass instead" of taking a drink (Mexican).
        return [Posted("glass", "bar", seat, 1) for seat in verdict.losers]
    drinks = _drinks_of_losers(settler, state, verdict)
    # Seats that go out by this verdict are not in `state.out` yet: they drink for going out and not as ghosts (common
    # hand).
    for seat in out:
        drinks[seat] = drinks.get(seat, 0) + settler.elimination
    if state.phase != BETWEEN_ROUNDS and not any(state.phase in each.judged for each in interludes_of(state)):
        # Ghosts drink for every round played; a seat that leaves after the verdict, or between two of them, ends none.
        drinks.update(dict.fromkeys(state.out, settler.ghost_per_round))
    return [Posted("drink", "bar", seat, n) for seat, n in sorted(drinks.items()) if n]


def _drinks_of_losers(settler: Drinks, state: State, verdict: Judged) -> dict[Seat, int]:
    if verdict.kind == "forfeit":
        return {}
    if verdict.kind == "spot_on":
        return _drinks_of_spot_on(settler, state, verdict)
    if verdict.kind == "catch":
        # The cheater takes one drink; the catcher takes `false_catch_drinks` where the claim was not weak (Mexican).
        drinks = 1 if verdict.winners == verdict.doubters else state.rules.doubt.false_catch
        return dict.fromkeys(verdict.losers, drinks)
    if verdict.kind not in PLAIN:
        return dict.fromkeys(verdict.losers, settler.base)
    loser = verdict.losers[0]
    # Only a challenger who was wrong pays for being out of turn; a claimant rightly challenged pays the usual.
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
    # A claim met exactly is 0 off, and a lost round still costs "at least one drink" (common hand).
    return max(1, abs(verdict.count - verdict.quantity))


def _top_was_named_or_thrown(state: State, verdict: Judged) -> bool:
    if verdict.kind not in PLAIN or verdict.shape is None or verdict.faces is None:
        return False
    top, claimed = state.ladder.hands[-1], Hand(verdict.shape, verdict.faces)
    # "If the claim or the actual roll was Mexican": the cup has been lifted, so its dice lie outside with their values
    # and no hidden die is looked at.
    thrown = [die.value for place in state.places.values() for die in place.outside if die.value is not None]
    return claimed == top or state.ladder.measure(thrown) == state.ladder.top


_FIRST: Final[dict[type, Callable[[Any, State, Judged, Seat | None], list[Posted]]]] = {
    LoseDie: _dice_postings,
    Tally: _tally_postings,
    Token: _token_postings,
}
_THEN: Final[dict[type, Callable[[Any, State, Judged, tuple[Seat, ...]], list[Posted]]]] = {
    # Tokens are in both tables: the one that is lost decides who is out, and only then can the pot have a taker.
    Token: _token_pot_postings,
    Wager: _wager_postings,
    Pot: _pot_postings,
    PayEach: _pay_each_postings,
    Drinks: _drink_postings,
}
"""What each kind of settler does, before and after it is known who is out."""
