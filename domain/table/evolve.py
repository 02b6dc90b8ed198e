"""How events change the state of a game.

The law of the file: `evolve` only remembers. It refuses nothing, looks at no hidden dice, and is total over the events
of the table; those of the ceremony and the lobby leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Rungs, Serials, SharedCup
from domain.table import places
from domain.table.interludes.slips import Slip
from domain.table.places import Place
from domain.table.state import PASSED_CUP, TABLE_CUP, Claim, Round, Stakes, State, next_seat


def evolve(state: State, event: events.Event) -> State:
    """Return the state after an event."""
    remember = _REMEMBER.get(type(event))
    return state if remember is None else remember(state, event)


# ---- rounds -------------------------------------------------------------------------------------


def _on_deal_ready(state: State, _event: events.DealReady) -> State:
    # Addresses count within a deal: what lies on the table from the one before says nothing of this one.
    return replace(state, rolls={}, places={})


def _await_first(state: State, seat: Seat) -> State:
    if isinstance(state.rules.tokens, SharedCup):
        return replace(state, phase="to_roll", turn=seat, next_starter=seat)
    return replace(state, phase="between_rounds", turn=None, next_starter=seat)


def _on_first_drawn(state: State, event: events.FirstDrawn) -> State:
    if state.round_number == 0 and state.rules.match.first == "boss_decides":
        return replace(state, phase="choosing", turn=event.seat)
    return _await_first(state, event.seat)


def _on_bout_set(state: State, event: events.BoutSet) -> State:
    return replace(state, bout=event.seats, order=event.order, through=event.through)


def _on_first_chosen(state: State, event: events.FirstChosen) -> State:
    return _await_first(state, event.who)


def _on_round_opened(state: State, event: events.RoundOpened) -> State:
    tokens = state.rules.tokens
    shared = isinstance(tokens, SharedCup)
    return replace(
        state,
        phase="to_roll" if shared else "claiming",
        round_number=event.round,
        round=Round(starter=event.starter),
        turn=event.starter,
        places=state.places if shared else {seat: Place(seat, tokens.dice) for seat in state.remaining},
        next_starter=None,
    )


def _on_round_closed(state: State, event: events.RoundClosed) -> State:
    closed = replace(state, next_starter=event.next_starter, flags=event.flags, round=replace(state.round, passer=None))
    if isinstance(state.rules.tokens, Serials) and state.rules.tokens.single_use:
        numbers = (tuple(die.value or 0 for die in place.dice) for place in state.places.values())
        closed = replace(closed, used=(*state.used, *numbers))
    if isinstance(state.rules.tokens, SharedCup) and event.next_starter is not None:
        return replace(_await_first(closed, event.next_starter), round=Round())
    return replace(closed, phase="between_rounds", turn=None)


def _on_won(state: State, event: events.Won) -> State:
    # Where a cup is passed on, nothing stands once it was lifted.
    ended = Round() if isinstance(state.rules.tokens, SharedCup) else state.round
    return replace(state, phase="finished", winner=event.seat, next_starter=None, turn=None, round=ended)


def _on_lost(state: State, _event: events.Lost) -> State:
    return replace(state, phase="finished", next_starter=None, turn=None)


def _on_session_closed(state: State, _event: events.SessionClosed) -> State:
    return replace(state, phase="finished", next_starter=None, turn=None, closed=True)


# ---- dice ---------------------------------------------------------------------------------------


def _on_rolled(state: State, event: events.Rolled) -> State:
    state = replace(state, rolls={**state.rolls, event.cup: event.roll + 1})
    if event.cup == TABLE_CUP:
        return state
    place = state.places.get(event.cup, Place(event.cup, state.rules.tokens.dice))
    if place.rolling is not None:
        return replace(state, places={**state.places, event.cup: places.place_after_rolling(place, event)})
    if event.cup == PASSED_CUP:
        assert state.turn is not None
        laid = places.place_after_laying(place, event, (state.turn,))
        return replace(state, phase="holding", places={**state.places, event.cup: laid})
    knowers = () if state.cocked_odds and event.cup not in state.round.looked else (event.cup,)
    return replace(state, places={**state.places, event.cup: places.place_after_laying(place, event, knowers)})


def _on_revealed(state: State, event: events.Revealed) -> State:
    if event.cup not in state.places:
        return state
    return replace(
        state, places={**state.places, event.cup: places.place_after_showing(state.places[event.cup], event)}
    )


def _on_accepted(state: State, event: events.Accepted) -> State:
    if state.rules.handling.gate == "blind":
        return replace(state, phase="to_roll", round=replace(state.round, bound=True))
    place = state.places[PASSED_CUP]
    looking = replace(place, knowers=(*(seat for seat in place.knowers if seat != event.seat), event.seat))
    places = {**state.places, PASSED_CUP: looking}
    return replace(state, phase="holding", round=replace(state.round, bound=True), places=places)


def _on_arranged(state: State, event: events.Arranged) -> State:
    handling, chased = state.rules.handling, state.phase == "chase"
    rolled = event.roll is not None
    counts = rolled or not handling.show_to_claim
    binds = handling.binds and not chased
    holds = binds and isinstance(state.rules.claims, Rungs)
    now = state.round
    handled = {**now.handled, event.seat: now.handled.get(event.seat, 0) + 1} if counts else now.handled
    return replace(
        state,
        phase="holding" if holds else state.phase,
        round=replace(now, bound=now.bound or binds, shown=now.shown or bool(event.outside), handled=handled),
        places={**state.places, event.cup: places.place_after_arranging(state.places[event.cup], event)},
    )


# ---- claims and doubts --------------------------------------------------------------------------


def _on_claim(state: State, seat: Seat, claim: Claim, *, beats: bool) -> State:
    now = state.round
    standing = replace(
        now,
        standing=claim,
        opening=now.opening or claim,
        claimant=seat,
        beats=beats,
        doubters=(),
        rebid=state.phase == "called",
        passer=None,
        bound=False,
        handled={} if state.rules.handling.per == "turn" else now.handled,
        shown=False,
        callers=now.callers if seat in now.callers else (*now.callers, seat),
    )
    return replace(state, phase="responding", turn=next_seat(state, seat), round=standing)


def _on_bid(state: State, event: events.Bid) -> State:
    return _on_claim(state, event.seat, Count(event.quantity, event.face), beats=True)


def _on_hand_claimed(state: State, event: events.HandClaimed) -> State:
    return _on_claim(state, event.seat, Hand(event.shape, event.faces), beats=event.beats)


def _on_direction_turned(state: State, _event: events.DirectionTurned) -> State:
    return replace(state, direction=-state.direction)


def _on_challenged(state: State, event: events.Challenged) -> State:
    doubted = replace(state.round, doubters=(*state.round.doubters, event.seat))
    in_a_row = state.rules.doubt.who == "all"
    return replace(state, round=doubted, turn=next_seat(state, event.seat) if in_a_row else state.turn)


def _on_doubted_by_all(state: State, event: events.DoubtedByAll) -> State:
    return replace(state, phase="called", turn=event.seat)


def _on_passed(state: State, event: events.Passed) -> State:
    waiting = replace(state.round, passer=event.seat, passed=(*state.round.passed, event.seat))
    return replace(state, round=waiting, turn=next_seat(state, event.seat))


def _on_counted(state: State, event: events.Counted) -> State:
    counts = (*state.round.counts, (event.seat, event.count))
    return replace(state, round=replace(state.round, counts=counts))


def _on_judged(state: State, event: events.Judged) -> State:
    return replace(state, last=event, phase="between_rounds", turn=None)


def _on_posted(state: State, event: events.Posted) -> State:
    unit = dict(state.balances.get(event.unit, {}))
    unit[event.src] = unit.get(event.src, 0) - event.amount
    unit[event.dst] = unit.get(event.dst, 0) + event.amount
    fallen = state.fallen
    if event.unit == "die" and unit[event.src] == 1 and event.src not in fallen and isinstance(event.src, int):
        fallen = (*fallen, event.src)
    met = event.unit == "loss" and sum(1 for seat in state.seats if unit.get(seat, 0)) > 1
    return replace(
        state,
        balances={**state.balances, event.unit: unit},
        fallen=fallen,
        losses_met=state.losses_met or met,
    )


def _on_forfeited(state: State, event: events.Forfeited) -> State:
    # Who walks away from the table may know no more of it than those who look on.
    places = {
        cup: replace(place, knowers=tuple(seat for seat in place.knowers if seat != event.seat))
        for cup, place in state.places.items()
    }
    return replace(state, places=places)


def _on_eliminated(state: State, event: events.Eliminated) -> State:
    return replace(state, out=(*state.out, event.seat))


# ---- interludes ---------------------------------------------------------------------------------


def _on_chase_begun(state: State, event: events.ChaseBegun) -> State:
    return replace(state, phase="chase", turn=next_seat(state, event.seat), round=replace(state.round, bound=False))


def _on_looked(state: State, event: events.Looked) -> State:
    looking = replace(state.places[event.seat], knowers=(event.seat,))
    before = state.round.looked
    looked = before if event.seat in before else (*before, event.seat)
    return replace(state, round=replace(state.round, looked=looked), places={**state.places, event.seat: looking})


def _on_cocked_shown(state: State, event: events.CockedShown) -> State:
    """Remember that the dice that follow are laid afresh, for their owner to know at once."""
    return replace(state, places={**state.places, event.seat: Place(event.seat, state.rules.tokens.dice)})


def _on_buying_opened(state: State, event: events.BuyingOpened) -> State:
    return replace(state, phase="buying", turn=event.seat)


def _on_slips_dealt(state: State, _event: events.SlipsDealt) -> State:
    return replace(state, slip=Slip(1))


def _on_slip_advanced(state: State, event: events.SlipAdvanced) -> State:
    assert state.slip is not None
    played = (*state.slip.played, state.slip.position)
    return replace(state, slip=Slip(event.position or state.slip.position, played, event.odd))


def _on_stake_set(state: State, event: events.StakeSet) -> State:
    return replace(state, stakes=Stakes(event.basic, event.effective))


_REMEMBER: Final[dict[type[events.Event], Callable[[State, Any], State]]] = {
    events.DealReady: _on_deal_ready,
    events.FirstDrawn: _on_first_drawn,
    events.FirstChosen: _on_first_chosen,
    events.BoutSet: _on_bout_set,
    events.RoundOpened: _on_round_opened,
    events.RoundClosed: _on_round_closed,
    events.Won: _on_won,
    events.Lost: _on_lost,
    events.SessionClosed: _on_session_closed,
    events.Rolled: _on_rolled,
    events.Revealed: _on_revealed,
    events.Accepted: _on_accepted,
    events.Arranged: _on_arranged,
    events.Bid: _on_bid,
    events.HandClaimed: _on_hand_claimed,
    events.DirectionTurned: _on_direction_turned,
    events.Challenged: _on_challenged,
    events.DoubtedByAll: _on_doubted_by_all,
    events.Passed: _on_passed,
    events.Counted: _on_counted,
    events.Judged: _on_judged,
    events.Posted: _on_posted,
    events.Forfeited: _on_forfeited,
    events.Eliminated: _on_eliminated,
    events.ChaseBegun: _on_chase_begun,
    events.Looked: _on_looked,
    events.CockedShown: _on_cocked_shown,
    events.BuyingOpened: _on_buying_opened,
    events.SlipsDealt: _on_slips_dealt,
    events.SlipAdvanced: _on_slip_advanced,
    events.StakeSet: _on_stake_set,
}
