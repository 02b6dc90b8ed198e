"""What follows a doubt: the dice, the verdict, the postings, who is out, the end of the round, in this order.

Only here do the rules look at dice that nobody has shown, and then everybody sees them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from domain import claims, events, places
from domain.dice import Dealer
from domain.orders import Count
from domain.settling import dice_posted, losers_of_spot_on, others_posted
from domain.state import State, after, evolve

Seat = int


def doubted(state: State, doubter: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows a challenge, of the pass that waits or else of the standing claim."""
    if state.passer is None:
        return _claim_doubted(state, doubter, dealer)
    return _pass_doubted(state, state.passer, doubter, dealer)


def _claim_doubted(state: State, doubter: Seat, dealer: Dealer) -> Iterator[events.Event]:
    standing, claimant = _standing(state)
    lifted = yield from _lifted(state, state.remaining, dealer)
    count = _count(lifted, standing.face)
    holds = count >= standing.quantity
    verdict = events.Judged(
        kind="challenge",
        claimant=claimant,
        quantity=standing.quantity,
        face=standing.face,
        doubters=(doubter,),
        holds=holds,
        count=count,
        out_of_turn=doubter != state.turn,
        winners=(claimant if holds else doubter,),
        losers=(doubter if holds else claimant,),
    )
    yield from _settled(lifted, verdict)


def _pass_doubted(state: State, passer: Seat, doubter: Seat, dealer: Dealer) -> Iterator[events.Event]:
    lifted = yield from _lifted(state, (passer,), dealer)
    values = [die.value for die in lifted.places[passer].dice]
    holds = len(set(values)) == len(values)
    verdict = events.Judged(
        kind="pass",
        claimant=passer,
        quantity=None,
        face=None,
        doubters=(doubter,),
        holds=holds,
        count=None,
        out_of_turn=doubter != state.turn,
        winners=(passer if holds else doubter,),
        losers=(doubter if holds else passer,),
    )
    yield from _settled(lifted, verdict)


def said_exact(state: State, caller: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows when a seat says spot on."""
    standing, claimant = _standing(state)
    lifted = yield from _lifted(state, state.remaining, dealer)
    count = _count(lifted, standing.face)
    holds = count == standing.quantity
    verdict = events.Judged(
        kind="spot_on",
        claimant=claimant,
        quantity=standing.quantity,
        face=standing.face,
        doubters=(caller,),
        holds=holds,
        count=count,
        out_of_turn=False,
        winners=(caller if holds else claimant,),
        losers=losers_of_spot_on(state, caller, claimant) if holds else (caller,),
    )
    yield from _settled(lifted, verdict)


def gone(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat gives the match up; no cup is lifted."""
    verdict = events.Judged(
        kind="forfeit",
        claimant=None,
        quantity=None,
        face=None,
        doubters=(),
        holds=None,
        count=None,
        out_of_turn=False,
        winners=(),
        losers=(seat,),
    )
    yield from _settled(state, verdict)


# ---- the dice -----------------------------------------------------------------------------------


def _standing(state: State) -> tuple[Count, Seat]:
    assert state.standing is not None
    assert state.claimant is not None
    return state.standing, state.claimant


def _lifted(state: State, seats: tuple[Seat, ...], dealer: Dealer) -> Generator[events.Event, None, State]:
    """Show the dice of these seats that are still hidden, in seat order; return the state with all of them shown."""
    for seat in seats:
        place = state.places[seat]
        for roll, slots in places.hidden_rolls(place).items():
            shown = dealer.open(place.cup, roll, slots, (state.rules.tokens.faces,) * len(slots))
            state = evolve(state, shown)
            yield shown
    return state


def _count(state: State, face: int) -> int:
    dice = (die for place in state.places.values() for die in place.dice)
    return claims.holding(state.auction, face, [die.value + 1 for die in dice if die.value is not None])


# ---- what a verdict costs -----------------------------------------------------------------------


def _settled(state: State, verdict: events.Judged) -> Iterator[events.Event]:
    dice = dice_posted(state, verdict)
    lighter = _remembering(state, dice)
    out = _newly_out(lighter, verdict)
    settled = (*dice, *others_posted(state, verdict, out), *(events.Eliminated(seat) for seat in out))
    yield verdict
    yield from settled
    yield _closed(_remembering(state, settled), verdict, first_fall=lighter.fallen != state.fallen)


def _remembering(state: State, happened: Iterable[events.Event]) -> State:
    for event in happened:
        state = evolve(state, event)
    return state


def _newly_out(state: State, verdict: events.Judged) -> tuple[Seat, ...]:
    unit = state.rules.match.unit
    if verdict.kind == "forfeit" or unit is None:
        return verdict.losers if verdict.kind == "forfeit" else ()
    return tuple(seat for seat in state.remaining if state.balance(unit, seat) == 0)


def _closed(state: State, verdict: events.Judged, *, first_fall: bool) -> events.Event:
    """Return the end of the round or of the match; `first_fall` says that a seat is down to one die as never before."""
    if len(state.remaining) == 1:
        return events.Won(state.remaining[0])
    if state.phase == "between_rounds":
        # A seat that leaves between two rounds changes nothing of the next one, but that it cannot open it.
        return events.RoundClosed(_still_in(state, state.next_starter), state.flags)
    flags = ("palifico",) if state.rules.match.palifico and first_fall else ()
    return events.RoundClosed(_still_in(state, _next_starter(state, verdict)), flags)


def _next_starter(state: State, verdict: events.Judged) -> Seat:
    if state.rules.match.next_start == "winner" and verdict.winners:
        return verdict.winners[0]
    if verdict.kind == "spot_on" and verdict.holds and verdict.claimant is not None:
        return verdict.claimant
    return verdict.losers[0]


def _still_in(state: State, seat: Seat | None) -> Seat | None:
    return seat if seat is None or seat in state.remaining else after(state, seat)
