"""What seats do with dice between the roll and the verdict, and the interludes that begin there.

Showing comes before rolling. Which hidden dice are rolled anew is sealed in the event where the law leaves a choice,
and provable when the place is shown (CUP/1 section 4.12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from domain import commands, ending, events, judging, places
from domain.checks import handlings_left, may_show, rolls_left
from domain.dice import Dealer, laid
from domain.errors import Refused, first_of
from domain.evolving import evolve
from domain.laws import LAWS
from domain.places import Place, Tally
from domain.rules import Buying, Chase
from domain.state import State

Seat = int


def arranged(state: State, command: commands.Arrange, dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows when a seat handles its dice.

    Raises:
        Refused: The law of the game does not let these dice be handled so.
    """
    place = state.place_of(command.seat)
    assert place is not None
    if state.phase == "chase":
        # The screen is up: what is thrown is thrown for all to see.
        command = replace(command, roll_inside=(), roll_outside=(*command.roll_inside, *command.roll_outside))
    tally = places.tally_of(place, command)
    if tally is None:
        raise Refused("bad_dice")
    _check_equal(state, place, tally, dealer)
    code = _refusal(state, command.seat, place, tally)
    if code is not None:
        raise Refused(code)
    happened = tuple(_handled(state, command.seat, place, tally, dealer))
    yield from happened
    yield from _after_throw(_remembering(state, happened), command.seat, tally, dealer)


def _refusal(state: State, seat: Seat, place: Place, tally: Tally) -> str | None:
    handling = state.rules.handling
    shows = handling.show_to_claim and bool(tally.shows)
    return first_of(
        None if _has_one_left(state, seat, place, tally) else "no_rerolls_left",
        "already_shown" if shows and state.shown else None,
        "nothing_to_show" if shows and len(place.inside) == 1 else None,
        "bad_dice" if tally.hides and not handling.rehide else None,
        _unlawful(state, tally),
    )


def _has_one_left(state: State, seat: Seat, place: Place, tally: Tally) -> bool:
    if tally.rolled:
        return rolls_left(state, seat) > 0
    untouched = _keeps(state, tally) and handlings_left(state, seat) > 0
    return untouched or state.rules.handling.show_to_claim or may_show(state, place)


def _unlawful(state: State, tally: Tally) -> str | None:
    if state.phase == "chase":
        return None if tally.rolled and not tally.hides else "bad_dice"
    return None if _keeps(state, tally) else LAWS[state.rules.handling.law].refusal(tally)


def _keeps(state: State, tally: Tally) -> bool:
    """Report whether every die stays as it lies, where the rules let it."""
    return state.rules.handling.keeps and not tally.touched


def _handled(state: State, seat: Seat, place: Place, tally: Tally, dealer: Dealer) -> Iterator[events.Event]:
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
        choice = dealer.sealed(made, place.cup, place.size)
    yield events.Arranged(
        seat, place.cup, outside, taken, len(tally.rolls_inside), len(tally.rolls_outside), roll, choice
    )
    faces = state.rules.tokens.faces.count
    for each, slots in places.hidden_rolls(outside).items():
        yield dealer.open(place.cup, each, slots, (faces,) * len(slots))
    if roll is None:
        return
    slots, m = tuple(range(len(rolls))), (faces,) * len(rolls)
    yield events.Rolled(
        dealer.number, place.cup, roll, (*slots, place.size) if sealed else slots, (*m, 1) if sealed else m
    )
    if tally.rolls_outside:
        yield dealer.open(place.cup, roll, slots[len(tally.rolls_inside) :], m[len(tally.rolls_inside) :])


def _check_equal(state: State, place: Place, tally: Tally, dealer: Dealer) -> None:
    """Refuse a push of dice that differ, which only the dealer and their owner can tell."""
    if state.rules.handling.law == "push":
        faces, hidden = state.rules.tokens.faces.count, places.handful(place, dealer).inside
        values = {dealer.value(place.cup, *hidden[position], faces) for position in tally.shows}
        if len(values) > 1:
            raise Refused("bad_dice", why="only equal dice are pushed")


def _remembering(state: State, happened: Iterable[events.Event]) -> State:
    for event in happened:
        state = evolve(state, event)
    return state


# ---- after a throw ------------------------------------------------------------------------------


def _after_throw(state: State, seat: Seat, tally: Tally, dealer: Dealer) -> Iterator[events.Event]:
    if not tally.rolled:
        return
    if state.phase == "chase":
        yield from _chased(state, seat, dealer)
        return
    if _has_five_aces(state, seat, dealer):
        yield from _chase(state, seat, dealer)
        return
    handling = state.rules.handling
    last = state.handled.get(seat, 0) >= handling.limit
    if handling.last_forces and last and state.standing is not None:
        yield from judging.tested(state, (seat,), dealer, kind="auto_challenge")


def aces_after_deal(state: State, happened: tuple[events.Event, ...], dealer: Dealer) -> Iterator[events.Event]:
    """Yield what follows when five aces lie there as soon as the dice are dealt."""
    dealt = _remembering(state, happened)
    if dealt.phase != "claiming" or dealt.interlude(Chase) is None:
        return
    holders = [seat for seat in dealt.remaining if _has_five_aces(dealt, seat, dealer)]
    if len(holders) > 1:
        yield from _void(dealt, dealer)
    elif holders:
        yield from _chase(dealt, holders[0], dealer)


def _has_five_aces(state: State, seat: Seat, dealer: Dealer) -> bool:
    place = state.place_of(seat)
    if state.interlude(Chase) is None or place is None:
        return False
    return state.ladder.measure(judging.values_of(place, state, dealer)) == state.ladder.top


def _chase(state: State, holder: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield the screen going up and the chase, which is over at once where no throw is left."""
    for place in state.places.values():
        for shown in judging.lifted(place, state, dealer):
            state = evolve(state, shown)
            yield shown
    begun = events.ChaseBegun(holder)
    yield begun
    state = evolve(state, begun)
    assert state.turn is not None
    if not rolls_left(state, state.turn):
        yield from judging.five_aces(state, holder)


def _chased(state: State, chaser: Seat, dealer: Dealer) -> Iterator[events.Event]:
    if _has_five_aces(state, chaser, dealer):
        yield from judging.five_aces(state, None)
    elif not rolls_left(state, chaser):
        yield from judging.five_aces(state, _other(state, chaser))


def _void(state: State, dealer: Dealer) -> Iterator[events.Event]:
    for place in state.places.values():
        for shown in judging.lifted(place, state, dealer):
            state = evolve(state, shown)
            yield shown
    yield from judging.five_aces(state, None)


def _other(state: State, seat: Seat) -> Seat:
    return next(other for other in state.remaining if other != seat)


def stopped(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat gives up chasing five aces."""
    yield events.ChaseStopped(seat)
    yield from judging.five_aces(state, _other(state, seat))


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


def shown_cocked(state: State, seat: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield the opening of a seat's dice with what tells that some lie cocked."""
    place, faces = state.places[seat], state.rules.tokens.faces.count
    slots = tuple(range(2 * place.size))
    m = (*((faces,) * place.size), *((state.cocked_odds,) * place.size))
    for roll in sorted({roll for roll, _ in place.laid}):
        yield dealer.open(seat, roll, slots, m)


def threw_anew(state: State, seat: Seat, dealer: Dealer) -> Iterator[events.Event]:
    """Yield a seat's cocked dice being shown and thrown anew.

    Raises:
        Refused: `not_allowed`, where none lies cocked.
    """
    if not is_cocked(state, seat, dealer):
        raise Refused("not_allowed", why="no die lies cocked")
    yield events.CockedShown(seat)
    yield from shown_cocked(state, seat, dealer)
    yield laid(state, dealer, seat)


# ---- buying back --------------------------------------------------------------------------------


def bought_back(state: State, seat: Seat) -> Iterator[events.Event]:
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
    yield from ending.closed(_remembering(state, happened), last, first_fall=False)


def dropped_out(state: State, seat: Seat) -> Iterator[events.Event]:
    """Yield what follows when a seat does not."""
    assert state.last is not None
    yield events.DroppedOut(seat)
    yield from judging.left(state, seat, state.last)
