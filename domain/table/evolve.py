"""State transitions of a game: an event remembered.

The law of the file: `evolve` only remembers. It refuses nothing, looks at no hidden dice, and is total over the events
of the table; those of the ceremony and the lobby leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Rungs, Serials, SharedCup
from domain.table import places
from domain.table.interlude import InterludeEvent, interludes_of, is_throwing_openly
from domain.table.phases import ANSWERING_ALL, BINDS, BLIND, CHOICE, DOUBTED, IN_STEP, KNOWN, LAID, Cups, phase_after
from domain.table.places import Place
from domain.table.state import PASSED_CUP, TABLE_CUP, Claim, HeldDoubt, Pairing, Round, Stakes, State, next_seat


def evolve(state: State, event: events.TableEvent | events.DealReady | events.DealVoided) -> State:
    """Return the state after an event. Total: it refuses nothing, and every event of the table has its line here."""
    change = CHANGES.get(type(event))
    if change is None:
        assert isinstance(event, InterludeEvent), "its file has it"
        return event.change(state)
    state = change(state, event)
    if state.rules.interludes and isinstance(event, events.RoundEvent):
        for each in interludes_of(state):
            state = each.note(state, event)
    return state


def evolve_all(state: State, happened: Iterable[events.TableEvent]) -> State:
    """Return the state after these events, in this order."""
    for event in happened:
        state = evolve(state, event)
    return state


def _move(
    state: State,
    event: events.TableEvent,
    case: str = "",
    *,
    turn: Seat | None,
    **changes: Any,  # noqa: ANN401 - members of all types
) -> State:
    """Return the state in the phase to which the machine leads, with this seat in turn, and with these changes."""
    cups: Cups = "passed" if isinstance(state.rules.tokens, SharedCup) else "own"
    return replace(state, phase=phase_after(state.phase, cups, type(event), case), turn=turn, **changes)


def _finish(state: State, event: events.TableEvent, **changes: Any) -> State:  # noqa: ANN401 - members of all types
    return _move(state, event, turn=None, next_starter=None, **changes)


def _keep(state: State, _event: events.TableEvent) -> State:
    return state


# ---- rounds -------------------------------------------------------------------------------------


def _await_first(state: State, event: events.FirstDrawn | events.FirstChosen, seat: Seat) -> State:
    """Return the state waiting for the first roll of a passed cup, or for the table to roll all cups."""
    shared = isinstance(state.rules.tokens, SharedCup)
    return _move(state, event, turn=seat if shared else None, next_starter=seat)


def _on_first_chosen(state: State, event: events.FirstChosen) -> State:
    return _await_first(state, event, event.who)


def _on_first_drawn(state: State, event: events.FirstDrawn) -> State:
    if state.round_number == 0 and state.rules.match.first == "boss_decides":
        return _move(state, event, CHOICE, turn=event.seat)
    return _await_first(state, event, event.seat)


def _on_round_opened(state: State, event: events.RoundOpened) -> State:
    tokens = state.rules.tokens
    shared = isinstance(tokens, SharedCup)
    return _move(
        state,
        event,
        turn=event.starter,
        round_number=event.round,
        round=Round(starter=event.starter),
        places=state.places if shared else {seat: Place(seat, tokens.dice) for seat in state.remaining},
        next_starter=None,
    )


def _on_round_closed(state: State, event: events.RoundClosed) -> State:
    tokens, starter, used = state.rules.tokens, event.next_starter, state.used
    if isinstance(tokens, Serials) and tokens.single_use:
        used = (*used, *(tuple(die.value or 0 for die in place.dice) for place in state.places.values()))
    shared = isinstance(tokens, SharedCup) and starter is not None
    return _move(
        state,
        event,
        IN_STEP if _is_ahead(state) else "" if starter is None else KNOWN,
        turn=starter if shared else None,
        next_starter=starter,
        flags=event.flags,
        round=Round() if shared else replace(state.round, passer=None),
        used=used,
    )


def _is_ahead(state: State) -> bool:
    """Report whether the round that is over here may not be so yet at other tables with the same dice."""
    return state.in_step and state.released < state.round_number


def _on_released(state: State, event: events.Released) -> State:
    held, number = state.round.held, state.round_number
    if held is None:
        return _move(state, event, turn=None, released=number)
    return _move(state, event, DOUBTED, turn=held.turn, released=number, round=replace(state.round, held=None))


def _on_won(state: State, event: events.Won) -> State:
    # Where a cup is passed on, nothing stands once it was lifted.
    ended = Round() if isinstance(state.rules.tokens, SharedCup) else state.round
    return _finish(state, event, winner=event.seat, round=ended)


def _on_bout_set(state: State, event: events.BoutSet) -> State:
    return replace(state, pairing=Pairing(event.seats, event.order, event.through))


def _on_direction_turned(state: State, _event: events.DirectionTurned) -> State:
    return replace(state, direction=-state.direction)


def _on_eliminated(state: State, event: events.Eliminated) -> State:
    went, went_in = (*state.went, state.settlements), (*state.went_in, state.round_number)
    return replace(state, out=(*state.out, event.seat), went=went, went_in=went_in)


def _on_judged(state: State, event: events.Judged) -> State:
    return _move(state, event, turn=None, last=event, settlements=_settlements(state, event.losers))


def _settlements(state: State, seats: tuple[Seat, ...]) -> int:
    """Return how many there have been once these seats have lost: those of a void deal have lost by it already."""
    return state.settlements + (not seats or any(seat not in state.withheld for seat in seats))


def _on_deal_voided(state: State, event: events.DealVoided) -> State:
    return replace(state, withheld=(*state.withheld, *event.seats), settlements=state.settlements + 1)


def _on_session_closed(state: State, event: events.SessionClosed) -> State:
    return _finish(state, event, closed=True)


def _on_stake_set(state: State, event: events.StakeSet) -> State:
    return replace(state, stakes=Stakes(event.basic, event.effective))


# ---- dice ---------------------------------------------------------------------------------------


def _on_deal_ready(state: State, _event: events.DealReady) -> State:
    # Addresses count within a deal: what lies on the table from the one before says nothing of this one.
    return replace(state, rolls={}, places={})


def _on_rolled(state: State, event: events.Rolled) -> State:
    rolls = {**state.rolls, event.cup: event.roll + 1}
    if event.cup == TABLE_CUP:
        return replace(state, rolls=rolls)
    place = state.places.get(event.cup) or Place(event.cup, state.rules.tokens.dice)
    if place.rolling is not None:
        rolled = places.place_after_rolling(place, event)
        return replace(state, rolls=rolls, places={**state.places, event.cup: rolled})
    if event.cup == PASSED_CUP:
        assert state.turn is not None
        laid = places.place_after_laying(place, event, (state.turn,))
        return _move(state, event, LAID, turn=state.turn, rolls=rolls, places={**state.places, event.cup: laid})
    unseen = any(each.is_unseen(state, event.cup) for each in interludes_of(state))
    laid = places.place_after_laying(place, event, () if unseen else (event.cup,))
    return replace(state, rolls=rolls, places={**state.places, event.cup: laid})


def _on_revealed(state: State, event: events.Revealed) -> State:
    if event.cup not in state.places:
        return state
    return replace(
        state, places={**state.places, event.cup: places.place_after_showing(state.places[event.cup], event)}
    )


def _on_accepted(state: State, event: events.Accepted) -> State:
    bound = replace(state.round, bound=True)
    if state.rules.handling.gate == "blind":
        return _move(state, event, BLIND, turn=state.turn, round=bound)
    place = state.places[PASSED_CUP]
    looking = replace(place, knowers=(*(seat for seat in place.knowers if seat != event.seat), event.seat))
    return _move(state, event, turn=state.turn, round=bound, places={**state.places, PASSED_CUP: looking})


def _on_arranged(state: State, event: events.Arranged) -> State:
    handling, now = state.rules.handling, state.round
    counts = event.roll is not None or not handling.show_to_claim
    binds = handling.binds and not is_throwing_openly(state)
    handled = {**now.handled, event.seat: now.handled.get(event.seat, 0) + 1} if counts else now.handled
    changes: dict[str, Any] = {
        "round": replace(now, bound=now.bound or binds, shown=now.shown or bool(event.outside), handled=handled),
        "places": {**state.places, event.cup: places.place_after_arranging(state.places[event.cup], event)},
    }
    if binds and isinstance(state.rules.claims, Rungs):
        return _move(state, event, BINDS, turn=state.turn, **changes)
    return replace(state, **changes)


# ---- claims and doubts --------------------------------------------------------------------------


def _on_bid(state: State, event: events.Bid) -> State:
    return _on_claim(state, event, Count(event.quantity, event.face), beats=True)


def _on_hand_claimed(state: State, event: events.HandClaimed) -> State:
    return _on_claim(state, event, Hand(event.shape, event.faces), beats=event.beats)


def _on_claim(state: State, event: events.Bid | events.HandClaimed, claim: Claim, *, beats: bool) -> State:
    now, seat = state.round, event.seat
    standing = replace(
        now,
        standing=claim,
        opening=now.opening or claim,
        claimant=seat,
        beats=beats,
        doubters=(),
        rebid=state.phase == ANSWERING_ALL,
        passer=None,
        bound=False,
        handled={} if state.rules.handling.per == "turn" else now.handled,
        shown=False,
        callers=now.callers if seat in now.callers else (*now.callers, seat),
    )
    return _move(state, event, turn=next_seat(state, seat), round=standing)


def _on_challenged(state: State, event: events.Challenged) -> State:
    doubted = replace(state.round, doubters=(*state.round.doubters, event.seat))
    if state.in_step:
        held = HeldDoubt("challenge", event.seat, state.turn)
        return _move(state, event, IN_STEP, turn=None, round=replace(doubted, held=held))
    in_a_row = state.rules.doubt.who == "all"
    return replace(state, round=doubted, turn=next_seat(state, event.seat) if in_a_row else state.turn)


def _on_spot_on_called(state: State, event: events.SpotOnCalled) -> State:
    # What it leads to where tables do not keep step are events of their own, which follow in the same append.
    if not state.in_step:
        return state
    held = HeldDoubt("spot_on", event.seat, state.turn)
    return _move(state, event, IN_STEP, turn=None, round=replace(state.round, held=held))


def _on_doubted_by_all(state: State, event: events.DoubtedByAll) -> State:
    return _move(state, event, turn=event.seat)


def _on_counted(state: State, event: events.Counted) -> State:
    counts = (*state.round.counts, (event.seat, event.count))
    return replace(state, round=replace(state.round, counts=counts))


def _on_passed(state: State, event: events.Passed) -> State:
    waiting = replace(state.round, passer=event.seat, passed=(*state.round.passed, event.seat))
    return replace(state, round=waiting, turn=next_seat(state, event.seat))


def _on_posted(state: State, event: events.Posted) -> State:
    unit = dict(state.balances.get(event.unit, {}))
    unit[event.src] = unit.get(event.src, 0) - event.amount
    unit[event.dst] = unit.get(event.dst, 0) + event.amount
    fallen = state.fallen
    if event.unit == "die" and unit[event.src] == 1 and event.src not in fallen and isinstance(event.src, int):
        fallen = (*fallen, event.src)
    return replace(
        state,
        balances={**state.balances, event.unit: unit},
        fallen=fallen,
    )


def _on_forfeited(state: State, event: events.Forfeited) -> State:
    # Who walks away from the table may know no more of it than those who look on.
    places = {
        cup: replace(place, knowers=tuple(seat for seat in place.knowers if seat != event.seat))
        for cup, place in state.places.items()
    }
    return replace(state, places=places, settlements=_settlements(state, (event.seat,)))


CHANGES: Final[dict[type[events.BaseEvent], Callable[[State, Any], State]]] = {
    # rounds, and what they cost
    events.BoutSet: _on_bout_set,
    events.DirectionTurned: _on_direction_turned,
    events.Eliminated: _on_eliminated,
    events.FirstChosen: _on_first_chosen,
    events.FirstDrawn: _on_first_drawn,
    events.Forfeited: _on_forfeited,
    events.Judged: _on_judged,
    events.Lost: _finish,
    events.Posted: _on_posted,
    events.Released: _on_released,
    events.RoundClosed: _on_round_closed,
    events.RoundOpened: _on_round_opened,
    events.SessionClosed: _on_session_closed,
    events.StakeSet: _on_stake_set,
    events.Won: _on_won,
    # dice
    events.Accepted: _on_accepted,
    events.Arranged: _on_arranged,
    # It explains the dice that were shown before it.
    events.ChoicesRevealed: _keep,
    events.DealReady: _on_deal_ready,
    events.DealVoided: _on_deal_voided,
    events.Revealed: _on_revealed,
    events.Rolled: _on_rolled,
    # claims and doubts
    events.Bid: _on_bid,
    events.Challenged: _on_challenged,
    events.Counted: _on_counted,
    events.DoubtedByAll: _on_doubted_by_all,
    events.HandClaimed: _on_hand_claimed,
    events.Passed: _on_passed,
    events.SpotOnCalled: _on_spot_on_called,
    # What these lead to are events of their own, which follow in the same append.
    events.BillsDemanded: _keep,
    events.Caught: _keep,
    events.CountAsked: _keep,
    events.Declared: _keep,
}
"""What each event changes; an interlude's events say so themselves. Found by type: asking a union of thirty types one
after the other took longer than the change."""
