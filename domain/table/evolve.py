"""State transitions of a game: an event remembered.

The law of the file: `evolve` only remembers. It refuses nothing, looks at no hidden dice, and is total over the events
of the table; those of the ceremony and the lobby leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Rungs, Serials, SharedCup
from domain.table import places
from domain.table.interlude import InterludeEvent, interludes_of, is_throwing_openly
from domain.table.phases import ANSWERING_ALL, BINDS, BLIND, CHOICE, KNOWN, LAID, Cups, phase_after
from domain.table.places import Place
from domain.table.state import PASSED_CUP, TABLE_CUP, Claim, Pairing, Round, Stakes, State, next_seat


def evolve(state: State, event: events.TableEvent | events.DealReady) -> State:
    """Return the state after an event. Total: it refuses nothing, and every event of the table has its line here."""
    if isinstance(event, events.RoundEvent):
        state = _after_round_event(state, event)
        for each in interludes_of(state):
            state = each.note(state, event)
        return state
    if isinstance(event, events.DiceEvent):
        return _after_dice_event(state, event)
    if isinstance(event, events.ClaimEvent):
        return _after_claim_event(state, event)
    if isinstance(event, events.DealReady):
        # Addresses count within a deal: what lies on the table from the one before says nothing of this one.
        return replace(state, rolls={}, places={})
    assert isinstance(event, InterludeEvent), "its file has it"
    return event.change(state)


def evolve_all(state: State, happened: Iterable[events.TableEvent]) -> State:
    """Return the state after these events, in this order."""
    for event in happened:
        state = evolve(state, event)
    return state


def _after_round_event(state: State, event: events.RoundEvent) -> State:  # noqa: C901, PLR0912 - a case an event
    match event:
        case events.BoutSet():
            return replace(state, pairing=Pairing(event.seats, event.order, event.through))
        case events.DirectionTurned():
            return replace(state, direction=-state.direction)
        case events.Eliminated():
            return replace(state, out=(*state.out, event.seat))
        case events.FirstChosen():
            return _await_first(state, event, event.who)
        case events.FirstDrawn():
            return _on_first_drawn(state, event)
        case events.Forfeited():
            return _on_forfeited(state, event)
        case events.Judged():
            return replace(_move(state, event, turn=None), last=event)
        case events.Lost():
            return _finish(state, event)
        case events.Posted():
            return _on_posted(state, event)
        case events.RoundClosed():
            return _on_round_closed(state, event)
        case events.RoundOpened():
            return _on_round_opened(state, event)
        case events.SessionClosed():
            return replace(_finish(state, event), closed=True)
        case events.StakeSet():
            return replace(state, stakes=Stakes(event.basic, event.effective))
        case events.Won():
            return _on_won(state, event)
        case _:
            assert_never(event)


def _after_dice_event(state: State, event: events.DiceEvent) -> State:
    match event:
        case events.Accepted():
            return _on_accepted(state, event)
        case events.Arranged():
            return _on_arranged(state, event)
        case events.Revealed():
            return _on_revealed(state, event)
        case events.Rolled():
            return _on_rolled(state, event)
        case events.ChoicesRevealed():
            # It explains the dice that were shown before it.
            return state
        case _:
            assert_never(event)


def _after_claim_event(state: State, event: events.ClaimEvent) -> State:
    match event:
        case events.Bid():
            return _on_claim(state, event, Count(event.quantity, event.face), beats=True)
        case events.HandClaimed():
            return _on_claim(state, event, Hand(event.shape, event.faces), beats=event.beats)
        case events.Challenged():
            return _on_challenged(state, event)
        case events.DoubtedByAll():
            return _move(state, event, turn=event.seat)
        case events.Passed():
            return _on_passed(state, event)
        case events.Counted():
            counts = (*state.round.counts, (event.seat, event.count))
            return replace(state, round=replace(state.round, counts=counts))
        case events.BillsDemanded() | events.Caught() | events.CountAsked() | events.Declared() | events.SpotOnCalled():
            # What these lead to are events of their own, which follow in the same append.
            return state
        case _:
            assert_never(event)


def _move(state: State, event: events.TableEvent, case: str = "", *, turn: Seat | None) -> State:
    """Return the state in the phase to which the machine leads, with this seat in turn."""
    cups: Cups = "passed" if isinstance(state.rules.tokens, SharedCup) else "own"
    return replace(state, phase=phase_after(state.phase, cups, type(event), case), turn=turn)


def _finish(state: State, event: events.TableEvent) -> State:
    return replace(_move(state, event, turn=None), next_starter=None)


# ---- rounds -------------------------------------------------------------------------------------


def _await_first(state: State, event: events.FirstDrawn | events.FirstChosen, seat: Seat) -> State:
    """Return the state waiting for the first roll of a passed cup, or for the table to roll all cups."""
    shared = isinstance(state.rules.tokens, SharedCup)
    return replace(_move(state, event, turn=seat if shared else None), next_starter=seat)


def _on_first_drawn(state: State, event: events.FirstDrawn) -> State:
    if state.round_number == 0 and state.rules.match.first == "boss_decides":
        return _move(state, event, CHOICE, turn=event.seat)
    return _await_first(state, event, event.seat)


def _on_round_opened(state: State, event: events.RoundOpened) -> State:
    tokens = state.rules.tokens
    shared = isinstance(tokens, SharedCup)
    return replace(
        _move(state, event, turn=event.starter),
        round_number=event.round,
        round=Round(starter=event.starter),
        places=state.places if shared else {seat: Place(seat, tokens.dice) for seat in state.remaining},
        next_starter=None,
    )


def _on_round_closed(state: State, event: events.RoundClosed) -> State:
    closed = replace(state, next_starter=event.next_starter, flags=event.flags, round=replace(state.round, passer=None))
    if isinstance(state.rules.tokens, Serials) and state.rules.tokens.single_use:
        numbers = (tuple(die.value or 0 for die in place.dice) for place in state.places.values())
        closed = replace(closed, used=(*state.used, *numbers))
    if event.next_starter is None:
        return _move(closed, event, turn=None)
    if isinstance(state.rules.tokens, SharedCup):
        return replace(_move(closed, event, KNOWN, turn=event.next_starter), round=Round())
    return _move(closed, event, KNOWN, turn=None)


def _on_won(state: State, event: events.Won) -> State:
    # Where a cup is passed on, nothing stands once it was lifted.
    ended = Round() if isinstance(state.rules.tokens, SharedCup) else state.round
    return replace(_finish(state, event), winner=event.seat, round=ended)


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
        return replace(_move(state, event, LAID, turn=state.turn), places={**state.places, event.cup: laid})
    unseen = any(each.is_unseen(state, event.cup) for each in interludes_of(state))
    knowers = () if unseen else (event.cup,)
    return replace(state, places={**state.places, event.cup: places.place_after_laying(place, event, knowers)})


def _on_revealed(state: State, event: events.Revealed) -> State:
    if event.cup not in state.places:
        return state
    return replace(
        state, places={**state.places, event.cup: places.place_after_showing(state.places[event.cup], event)}
    )


def _on_accepted(state: State, event: events.Accepted) -> State:
    if state.rules.handling.gate == "blind":
        return replace(_move(state, event, BLIND, turn=state.turn), round=replace(state.round, bound=True))
    place = state.places[PASSED_CUP]
    looking = replace(place, knowers=(*(seat for seat in place.knowers if seat != event.seat), event.seat))
    places = {**state.places, PASSED_CUP: looking}
    return replace(_move(state, event, turn=state.turn), round=replace(state.round, bound=True), places=places)


def _on_arranged(state: State, event: events.Arranged) -> State:
    handling, chased = state.rules.handling, is_throwing_openly(state)
    rolled = event.roll is not None
    counts = rolled or not handling.show_to_claim
    binds = handling.binds and not chased
    holds = binds and isinstance(state.rules.claims, Rungs)
    now = state.round
    handled = {**now.handled, event.seat: now.handled.get(event.seat, 0) + 1} if counts else now.handled
    return replace(
        _move(state, event, BINDS, turn=state.turn) if holds else state,
        round=replace(now, bound=now.bound or binds, shown=now.shown or bool(event.outside), handled=handled),
        places={**state.places, event.cup: places.place_after_arranging(state.places[event.cup], event)},
    )


# ---- claims and doubts --------------------------------------------------------------------------


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
    return replace(_move(state, event, turn=next_seat(state, seat)), round=standing)


def _on_challenged(state: State, event: events.Challenged) -> State:
    doubted = replace(state.round, doubters=(*state.round.doubters, event.seat))
    in_a_row = state.rules.doubt.who == "all"
    return replace(state, round=doubted, turn=next_seat(state, event.seat) if in_a_row else state.turn)


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
    return replace(state, places=places)
