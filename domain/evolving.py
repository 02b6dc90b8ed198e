"""How events change the state of a game.

The law of the file: `evolve` only remembers. It refuses nothing, looks at no hidden dice, and is total over the events
of the table; those of the ceremony and the lobby leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from domain import events, places
from domain.ladders import Hand
from domain.orders import Count
from domain.places import Place
from domain.rules import Buying, Rungs, Serials, SharedCup
from domain.slips import Slip
from domain.state import PASSED_CUP, TABLE_CUP, Claim, Stakes, State, after

Seat = int


def evolve(state: State, event: events.Event) -> State:
    """Return the state after an event."""
    remember = _REMEMBER.get(type(event))
    return state if remember is None else remember(state, event)


# ---- rounds -------------------------------------------------------------------------------------


def _deal_ready(state: State, _event: events.DealReady) -> State:
    # Addresses count within a deal: what lies on the table from the one before says nothing of this one.
    return replace(state, rolls={}, places={})


def _first_known(state: State, seat: Seat) -> State:
    if isinstance(state.rules.tokens, SharedCup):
        return replace(state, phase="to_roll", turn=seat, next_starter=seat)
    return replace(state, phase="between_rounds", turn=None, next_starter=seat)


def _first_drawn(state: State, event: events.FirstDrawn) -> State:
    if state.round == 0 and state.rules.match.first == "boss_decides":
        return replace(state, phase="choosing", turn=event.seat)
    return _first_known(state, event.seat)


def _bout_set(state: State, event: events.BoutSet) -> State:
    return replace(state, bout=event.seats, order=event.order, through=event.through)


def _first_chosen(state: State, event: events.FirstChosen) -> State:
    return _first_known(state, event.who)


def _round_opened(state: State, event: events.RoundOpened) -> State:
    tokens = state.rules.tokens
    shared = isinstance(tokens, SharedCup)
    return replace(
        state,
        phase="to_roll" if shared else "claiming",
        round=event.round,
        turn=event.starter,
        starter=event.starter,
        places=state.places if shared else {seat: Place(seat, tokens.dice) for seat in state.remaining},
        next_starter=None,
        passed=(),
        callers=(),
        counts=(),
        looked=(),
        **_NOTHING_STANDS,
    )


_NOTHING_STANDS: Final[dict[str, Any]] = {
    "standing": None,
    "opening": None,
    "claimant": None,
    "beats": True,
    "doubters": (),
    "rebid": False,
    "passer": None,
    "bound": False,
    "handled": {},
    "shown": False,
}


def _round_closed(state: State, event: events.RoundClosed) -> State:
    closed = replace(state, next_starter=event.next_starter, flags=event.flags, passer=None)
    if isinstance(state.rules.tokens, Serials) and state.rules.tokens.single_use:
        numbers = (tuple(die.value or 0 for die in place.dice) for place in state.places.values())
        closed = replace(closed, used=(*state.used, *numbers))
    if isinstance(state.rules.tokens, SharedCup) and event.next_starter is not None:
        return replace(_first_known(closed, event.next_starter), **_NOTHING_STANDS)
    return replace(closed, phase="between_rounds", turn=None)


def _won(state: State, event: events.Won) -> State:
    # Where a cup is passed on, nothing stands once it was lifted.
    gone = _NOTHING_STANDS if isinstance(state.rules.tokens, SharedCup) else {}
    return replace(state, phase="finished", winner=event.seat, next_starter=None, turn=None, **gone)


def _lost(state: State, _event: events.Lost) -> State:
    return replace(state, phase="finished", next_starter=None, turn=None)


def _session_closed(state: State, _event: events.SessionClosed) -> State:
    return replace(state, phase="finished", next_starter=None, turn=None, closed=True)


# ---- dice ---------------------------------------------------------------------------------------


def _rolled(state: State, event: events.Rolled) -> State:
    state = replace(state, rolls={**state.rolls, event.cup: event.roll + 1})
    if event.cup == TABLE_CUP:
        return state
    place = state.places.get(event.cup, Place(event.cup, state.rules.tokens.dice))
    if place.rolling is not None:
        return replace(state, places={**state.places, event.cup: places.rolled_after(place, event)})
    if event.cup == PASSED_CUP:
        assert state.turn is not None
        laid = places.laid_after(place, event, (state.turn,))
        return replace(state, phase="holding", places={**state.places, event.cup: laid})
    knowers = () if state.cocked_odds and event.cup not in state.looked else (event.cup,)
    return replace(state, places={**state.places, event.cup: places.laid_after(place, event, knowers)})


def _revealed(state: State, event: events.Revealed) -> State:
    if event.cup not in state.places:
        return state
    return replace(state, places={**state.places, event.cup: places.shown_after(state.places[event.cup], event)})


def _accepted(state: State, event: events.Accepted) -> State:
    if state.rules.handling.gate == "blind":
        return replace(state, phase="to_roll", bound=True)
    place = state.places[PASSED_CUP]
    looking = replace(place, knowers=(*(seat for seat in place.knowers if seat != event.seat), event.seat))
    return replace(state, phase="holding", bound=True, places={**state.places, PASSED_CUP: looking})


def _arranged(state: State, event: events.Arranged) -> State:
    handling, chased = state.rules.handling, state.phase == "chase"
    rolled = event.roll is not None
    counts = rolled or not handling.show_to_claim
    binds = handling.binds and not chased
    holds = binds and isinstance(state.rules.claims, Rungs)
    return replace(
        state,
        phase="holding" if holds else state.phase,
        bound=state.bound or binds,
        shown=state.shown or bool(event.outside),
        handled={**state.handled, event.seat: state.handled.get(event.seat, 0) + 1} if counts else state.handled,
        places={**state.places, event.cup: places.arranged_after(state.places[event.cup], event)},
    )


# ---- claims and doubts --------------------------------------------------------------------------


def _claimed(state: State, seat: Seat, claim: Claim, *, beats: bool) -> State:
    per_turn = state.rules.handling.per == "turn"
    return replace(
        state,
        phase="responding",
        turn=after(state, seat),
        standing=claim,
        opening=state.opening or claim,
        claimant=seat,
        beats=beats,
        doubters=(),
        rebid=state.phase == "called",
        passer=None,
        bound=False,
        handled={} if per_turn else state.handled,
        shown=False,
        callers=state.callers if seat in state.callers else (*state.callers, seat),
    )


def _bid(state: State, event: events.Bid) -> State:
    return _claimed(state, event.seat, Count(event.quantity, event.face), beats=True)


def _called(state: State, event: events.Called) -> State:
    return _claimed(state, event.seat, Hand(event.shape, event.faces), beats=event.beats)


def _direction_turned(state: State, _event: events.DirectionTurned) -> State:
    return replace(state, direction=-state.direction)


def _challenged(state: State, event: events.Challenged) -> State:
    doubters = (*state.doubters, event.seat)
    in_a_row = state.rules.doubt.who == "all"
    return replace(state, doubters=doubters, turn=after(state, event.seat) if in_a_row else state.turn)


def _surrounded(state: State, event: events.Surrounded) -> State:
    return replace(state, phase="called", turn=event.seat)


def _passed(state: State, event: events.Passed) -> State:
    return replace(state, passer=event.seat, passed=(*state.passed, event.seat), turn=after(state, event.seat))


def _counted(state: State, event: events.Counted) -> State:
    return replace(state, counts=(*state.counts, (event.seat, event.count)))


def _judged(state: State, event: events.Judged) -> State:
    return replace(state, last=event, phase="between_rounds", turn=None)


def _posted(state: State, event: events.Posted) -> State:
    unit = dict(state.balances.get(event.unit, {}))
    unit[event.src] = unit.get(event.src, 0) - event.amount
    unit[event.dst] = unit.get(event.dst, 0) + event.amount
    fallen = state.fallen
    if event.unit == "die" and unit[event.src] == 1 and event.src not in fallen and isinstance(event.src, int):
        fallen = (*fallen, event.src)
    met = event.unit == "loss" and sum(1 for seat in _closers(state) if unit.get(seat, 0)) > 1
    return replace(
        state,
        balances={**state.balances, event.unit: unit},
        fallen=fallen,
        losses_met=state.losses_met or met,
    )


def _closers(state: State) -> tuple[Seat, ...]:
    """Return the seats of which two with a loss close the buying back."""
    buying = state.interlude(Buying)
    everybody = buying is not None and buying.closed_by == "everybody"
    return state.seats if everybody else tuple(seat for seat in state.seats if seat not in state.out)


def _forfeited(state: State, event: events.Forfeited) -> State:
    # Who walks away from the table may know no more of it than those who look on.
    places = {
        cup: replace(place, knowers=tuple(seat for seat in place.knowers if seat != event.seat))
        for cup, place in state.places.items()
    }
    return replace(state, places=places)


def _eliminated(state: State, event: events.Eliminated) -> State:
    return replace(state, out=(*state.out, event.seat))


# ---- interludes ---------------------------------------------------------------------------------


def _chase_begun(state: State, event: events.ChaseBegun) -> State:
    return replace(state, phase="chase", turn=after(state, event.seat), bound=False)


def _looked(state: State, event: events.Looked) -> State:
    looking = replace(state.places[event.seat], knowers=(event.seat,))
    looked = state.looked if event.seat in state.looked else (*state.looked, event.seat)
    return replace(state, looked=looked, places={**state.places, event.seat: looking})


def _cocked_shown(state: State, event: events.CockedShown) -> State:
    """Remember that the dice that follow are laid afresh, for their owner to know at once."""
    return replace(state, places={**state.places, event.seat: Place(event.seat, state.rules.tokens.dice)})


def _buying_opened(state: State, event: events.BuyingOpened) -> State:
    return replace(state, phase="buying", turn=event.seat)


def _slips_dealt(state: State, _event: events.SlipsDealt) -> State:
    return replace(state, slip=Slip(1))


def _slip_advanced(state: State, event: events.SlipAdvanced) -> State:
    assert state.slip is not None
    played = (*state.slip.played, state.slip.position)
    return replace(state, slip=Slip(event.position or state.slip.position, played, event.odd))


def _stake_set(state: State, event: events.StakeSet) -> State:
    return replace(state, stakes=Stakes(event.basic, event.effective))


_REMEMBER: Final[dict[type[events.Event], Callable[[State, Any], State]]] = {
    events.DealReady: _deal_ready,
    events.FirstDrawn: _first_drawn,
    events.FirstChosen: _first_chosen,
    events.BoutSet: _bout_set,
    events.RoundOpened: _round_opened,
    events.RoundClosed: _round_closed,
    events.Won: _won,
    events.Lost: _lost,
    events.SessionClosed: _session_closed,
    events.Rolled: _rolled,
    events.Revealed: _revealed,
    events.Accepted: _accepted,
    events.Arranged: _arranged,
    events.Bid: _bid,
    events.Called: _called,
    events.DirectionTurned: _direction_turned,
    events.Challenged: _challenged,
    events.Surrounded: _surrounded,
    events.Passed: _passed,
    events.Counted: _counted,
    events.Judged: _judged,
    events.Posted: _posted,
    events.Forfeited: _forfeited,
    events.Eliminated: _eliminated,
    events.ChaseBegun: _chase_begun,
    events.Looked: _looked,
    events.CockedShown: _cocked_shown,
    events.BuyingOpened: _buying_opened,
    events.SlipsDealt: _slips_dealt,
    events.SlipAdvanced: _slip_advanced,
    events.StakeSet: _stake_set,
}
