"""What seats do with dice between the roll and the verdict, and the interludes that begin there.

Showing comes before rolling. Which hidden dice are rolled anew is sealed in the event where the law leaves a choice,
and provable when the place is shown (CUP/1 section 4.12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused, first_refusal
from domain.ids import Seat
from domain.rules.laws import LAWS, HandlingPlan
from domain.rules.rules import Buying, Chase
from domain.table import ending, judging, places
from domain.table.checks import may_show, rolls_left
from domain.table.dice import Dealer, roll_of_cup
from domain.table.evolve import evolve
from domain.table.places import Place
from domain.table.state import State


def arrange_events(state: State, command: commands.Arrange, dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows when a seat handles its dice.

    Raises:
        Refused: The law of the game does not let these dice be handled so.
    """
    place = state.place_of(command.seat)
    assert place is not None
    if state.phase == "chase":
        # The screen is up: what is thrown is thrown for all to see.
        command = replace(command, roll_inside=(), roll_outside=(*command.roll_inside, *command.roll_outside))
    tally = places.plan_of(place, command)
    if tally is None:
        raise Refused("bad_dice")
    _check_equal(state, place, tally, dealer)
    code = _refusal(state, command.seat, place, tally)
    if code is not None:
        raise Refused(code)
    happened = tuple(_handling_events(state, command.seat, place, tally, dealer))
    yield from happened
    yield from _throw_events(_state_after(state, happened), command.seat, tally, dealer)


def _refusal(state: State, seat: Seat, place: Place, tally: HandlingPlan) -> str | None:
    handling = state.rules.handling
    shows = handling.show_to_claim and bool(tally.shows)
    left = rolls_left(state, seat) if tally.roll_count else handling.show_to_claim or may_show(state, place)
    return first_refusal(
        None if left else "no_rerolls_left",
        "already_shown" if shows and state.round.shown else None,
        "nothing_to_show" if shows and len(place.inside) == 1 else None,
        "bad_dice" if tally.hides and not handling.rehide else None,
        _refusal_by_law(state, tally),
    )


def _refusal_by_law(state: State, tally: HandlingPlan) -> str | None:
    if state.phase == "chase":
        return None if tally.roll_count and not tally.hides else "bad_dice"
    return LAWS[state.rules.handling.law].refusal(tally)


def _handling_events(
    state: State, seat: Seat, place: Place, tally: HandlingPlan, dealer: Dealer
) -> Iterator[events.Event]:
    hand = places.handful(place, dealer)
    numbers = (*hand.inside, *hand.outside)
    rolls = (*tally.rolls_inside, *tally.rolls_outside)
    outside = tuple(sorted(numbers[position] for position in tally.shows))
    taken = tuple(numbers[position] for position in sorted({*tally.hides, *rolls}) if position >= tally.hidden)
    roll = state.rolls.get(place.cup, 0) if rolls else None
    sealed = LAWS[state.rules.handling.law].sealed and roll is not None and state.phase != "chase"
    choice = None
    if sealed and roll is not None:
        made = events.Choice(roll, tally.rolls_inside, tally.rolls_outside, tally.shows)
        choice = dealer.seal_of(made, place.cup, place.size)
    yield events.Arranged(
        seat, place.cup, outside, taken, len(tally.rolls_inside), len(tally.rolls_outside), roll, choice
    )
    faces = state.rules.tokens.faces.count
    for each, slots in places.slots_by_roll(outside).items():
        yield dealer.open(place.cup, each, slots, (faces,) * len(slots))
    if roll is None:
        return
    slots, m = tuple(range(len(rolls))), (faces,) * len(rolls)
    yield events.Rolled(
        dealer.number, place.cup, roll, (*slots, place.size) if sealed else slots, (*m, 1) if sealed else m
    )
    if tally.rolls_outside:
        yield dealer.open(place.cup, roll, slots[len(tally.rolls_inside) :], m[len(tally.rolls_inside) :])


def _check_equal(state: State, place: Place, tally: HandlingPlan, dealer: Dealer) -> None:
    """Refuse a push of dice that differ, which only the dealer and their owner can tell."""
    if state.rules.handling.law == "push":
        faces, hidden = state.rules.tokens.faces.count, places.handful(place, dealer).inside
        values = {dealer.value(place.cup, *hidden[position], faces) for position in tally.shows}
        if len(values) > 1:
            raise Refused("bad_dice", why="only equal dice are pushed")


def _state_after(state: State, happened: Iterable[events.Event]) -> State:
    for event in happened:
        state = evolve(state, event)
    return state


# ---- after a throw ------------------------------------------------------------------------------


def _throw_events(state: State, seat: Seat, tally: HandlingPlan, dealer: Dealer) -> Iterator[events.Event]:
    if not tally.roll_count:
        return
    if state.phase == "chase":
        yield from _chase_throw_events(state, seat, dealer)
        return
    if _has_five_aces(state, seat, dealer):
        yield from _chase_events(state, seat, dealer)
        return
    handling = state.rules.handling
    last = state.round.handled.get(seat, 0) >= handling.limit
    if handling.last_forces and last and state.round.standing is not None:
        yield from judging.test_events(state, (seat,), dealer, kind="auto_challenge")


def five_aces_deal_events(state: State, happened: tuple[events.Event, ...], dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows when five aces lie there as soon as the dice are dealt."""
    dealt = _state_after(state, happened)
    if dealt.phase != "claiming" or dealt.interlude(Chase) is None:
        return
    holders = [seat for seat in dealt.remaining if _has_five_aces(dealt, seat, dealer)]
    if len(holders) > 1:
        yield from _void_events(dealt, dealer)
    elif holders:
        yield from _chase_events(dealt, holders[0], dealer)


def _has_five_aces(state: State, seat: Seat, dealer: Dealer) -> bool:
    place = state.place_of(seat)
    if state.interlude(Chase) is None or place is None:
        return False
    return state.ladder.measure(judging.values_of(place, state, dealer)) == state.ladder.top


def _chase_events(state: State, holder: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield the screen going up and the chase, which is over at once where no throw is left."""
    for place in state.places.values():
        for shown in judging.opening_events(place, state, dealer):
            state = evolve(state, shown)
            yield shown
    begun = events.ChaseBegun(holder)
    yield begun
    state = evolve(state, begun)
    assert state.turn is not None
    if not rolls_left(state, state.turn):
        yield from judging.five_aces_events(state, holder)


def _chase_throw_events(state: State, chaser: Seat, dealer: Dealer) -> Iterator[events.Event]:
    if _has_five_aces(state, chaser, dealer):
        yield from judging.five_aces_events(state, None)
    elif not rolls_left(state, chaser):
        yield from judging.five_aces_events(state, _other_seat(state, chaser))


def _void_events(state: State, dealer: Dealer) -> Iterator[events.Event]:
    for place in state.places.values():
        for shown in judging.opening_events(place, state, dealer):
            state = evolve(state, shown)
            yield shown
    yield from judging.five_aces_events(state, None)


def _other_seat(state: State, seat: Seat) -> Seat:
    return next(other for other in state.remaining if other != seat)


def stop_events(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat gives up chasing five aces."""
    yield events.ChaseStopped(seat)
    yield from judging.five_aces_events(state, _other_seat(state, seat))


# ---- cocked dice --------------------------------------------------------------------------------


def cocked_positions(state: State, place: Place, dealer: Dealer) -> tuple[int, ...]:
    """Return which dice of a place lie cocked, by position; a roll has a slot more for each die to tell."""
    odds = state.cocked_odds
    return tuple(
        position
        for position, (roll, slot) in enumerate(place.laid if odds else ())
        if dealer.value(place.cup, roll, place.size + slot, odds) == 0
    )


def is_cocked(state: State, seat: Seat, dealer: Dealer) -> bool:
    """Report whether some of a seat's dice lie cocked."""
    return bool(cocked_positions(state, state.places[seat], dealer))


def cocked_opening_events(state: State, seat: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield the opening of a seat's dice with what tells that some lie cocked."""
    place, faces = state.places[seat], state.rules.tokens.faces.count
    slots = tuple(range(2 * place.size))
    m = (*((faces,) * place.size), *((state.cocked_odds,) * place.size))
    for roll in sorted({roll for roll, _ in place.laid}):
        yield dealer.open(seat, roll, slots, m)


def cocked_rethrow_events(state: State, seat: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield a seat's cocked dice being shown and thrown anew.

    Raises:
        Refused: `not_allowed`, where none lies cocked.
    """
    if not is_cocked(state, seat, dealer):
        raise Refused("not_allowed", why="no die lies cocked")
    yield events.CockedShown(seat)
    yield from cocked_opening_events(state, seat, dealer)
    yield roll_of_cup(state, dealer, seat)


# ---- buying back --------------------------------------------------------------------------------


def buy_back_events(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat pays to stay in."""
    buying, last = state.interlude(Buying), state.last
    assert buying is not None
    assert last is not None
    happened = (
        events.BoughtBack(seat),
        events.Posted("chip", seat, "pot", buying.price),
        events.Posted("loss", seat, "box", state.balance("loss", seat)),
        events.Posted("buy_back", "box", seat, 1),
    )
    yield from happened
    yield from ending.closing_events(_state_after(state, happened), last, first_fall=False)


def drop_out_events(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat does not."""
    assert state.last is not None
    yield events.DroppedOut(seat)
    yield from judging.elimination_events(state, seat, state.last)
