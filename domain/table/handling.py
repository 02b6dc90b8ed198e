"""Handling: what seats do with dice between the roll and the verdict.

Showing comes before rolling. Which hidden dice are rolled anew is sealed in the event where the law leaves a choice,
and provable when the place is shown (CUP/1 section 4.12).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused, first_refusal
from domain.ids import Seat
from domain.rules.laws import LAWS, HandlingPlan
from domain.table import judging, places
from domain.table.checks import handlings_left, may_show, rolls_left
from domain.table.dealer import Dealer
from domain.table.evolve import evolve_all
from domain.table.interlude import interludes_of, is_throwing_openly
from domain.table.places import Place
from domain.table.state import State


def arrange_events(state: State, command: commands.Arrange, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows when a seat handles its dice.

    Raises:
        Refused: The law of the game does not let these dice be handled so.
    """
    place = state.place_of(command.seat)
    assert place is not None
    tally = places.plan_of(place, as_thrown(state, command))
    if tally is None:
        raise Refused("bad_dice")
    # `bad_dice` wins over `no_rerolls_left`, so the values have their say before the other refusals.
    _check_equal(state, place, tally, dealer)
    code = refusal_of_plan(state, command.seat, place, tally)
    if code is not None:
        raise Refused(code)
    happened = tuple(_handling_events(state, command.seat, place, tally, dealer))
    yield from happened
    # Five aces and the last re-roll are looked for in the dice as they lie afterwards.
    yield from _throw_events(evolve_all(state, happened), command.seat, tally, dealer)


def as_thrown(state: State, command: commands.Arrange) -> commands.Arrange:
    """Return a handling as it is done: with the screen up, what is thrown is thrown for all to see."""
    if not is_throwing_openly(state):
        return command
    return replace(command, roll_inside=(), roll_outside=(*command.roll_inside, *command.roll_outside))


def public_addresses(
    hand: places.Handful, tally: HandlingPlan
) -> tuple[tuple[events.Address, ...], tuple[events.Address, ...]]:
    """Return what everybody is told of which dice are handled: the hidden ones that are shown, the shown ones taken."""
    numbers = (*hand.inside, *hand.outside)
    outside = tuple(sorted([numbers[position] for position in tally.shows]))
    # Which shown dice go back or are rolled is public: everybody sees their addresses.
    moved = sorted({*tally.hides, *tally.rolls_inside, *tally.rolls_outside})
    return outside, tuple([numbers[position] for position in moved if position >= tally.hidden])


def refusal_of_plan(state: State, seat: Seat, place: Place, tally: HandlingPlan) -> str | None:
    """Return the code with which dice may not be handled so, whatever they show; None if they may.

    Args:
        state: A game in which the seat may handle dice.
        seat: Whose turn it is.
        place: Where the dice lie.
        tally: What is to be done with them.
    """
    handling = state.rules.handling
    shows = handling.show_to_claim and bool(tally.shows)
    return first_refusal(
        None if _has_one_left(state, seat, place, tally) else "no_rerolls_left",
        "already_shown" if shows and state.round.shown else None,
        # "The last die is not shown" (Stud Liars): with it a hand would have no secret left.
        "nothing_to_show" if shows and len(place.inside) == 1 else None,
        # "Retained in or out of the cup" applies to every kept die (Finska), unless the option says that shown is
        # shown.
        "bad_dice" if tally.hides and not handling.rehide else None,
        _refusal_by_law(state, tally),
    )


def _has_one_left(state: State, seat: Seat, place: Place, tally: HandlingPlan) -> bool:
    if tally.roll_count:
        return rolls_left(state, seat) > 0
    # To pass on unaltered is the turn's one handling: without the limit a seat could say so for ever and never claim.
    untouched = _keeps(state, tally) and handlings_left(state, seat) > 0
    # A die shown for a claim is no re-roll and has its own limit, `already_shown`.
    return untouched or state.rules.handling.show_to_claim or may_show(state, place)


def _refusal_by_law(state: State, tally: HandlingPlan) -> str | None:
    if is_throwing_openly(state):
        # The opponent "may use his remaining throws" on any dice (the German game): the law of hidden dice has no say
        # with the screen up, but a die that was hidden would put the screen down again.
        return None if tally.roll_count and not tally.hides else "bad_dice"
    return None if _keeps(state, tally) else LAWS[state.rules.handling.law].refusal(tally)


def _keeps(state: State, tally: HandlingPlan) -> bool:
    """Report whether every die stays as it lies, where the rules let it."""
    return state.rules.handling.keeps and not tally.touch_count


def _handling_events(
    state: State, seat: Seat, place: Place, tally: HandlingPlan, dealer: Dealer
) -> Iterator[events.TableEvent]:
    hand = places.handful(place, dealer)
    rolls = (*tally.rolls_inside, *tally.rolls_outside)
    outside, taken = public_addresses(hand, tally)
    roll = state.rolls.get(place.cup, 0) if rolls else None
    sealed = LAWS[state.rules.handling.law].sealed and roll is not None and not is_throwing_openly(state)
    choice = None
    if sealed and roll is not None:
        made = events.Choice(roll, tally.rolls_inside, tally.rolls_outside, tally.shows)
        # The key of the blind slot is fixed with the deal, so the choice is committed to before the roll it leads to
        # stands in the log (CUP/1 section 4.12): nobody can name other dice once the new ones are known.
        choice = dealer.seal_of(made, place.cup, place.size)
    yield events.Arranged(
        seat, place.cup, outside, taken, len(tally.rolls_inside), len(tally.rolls_outside), roll, choice
    )
    faces = state.rules.tokens.faces.count
    for each, slots in places.slots_by_roll(outside).items():
        yield dealer.open(place.cup, each, slots, (faces,) * len(slots))
    if roll is None:
        return
    # New dice lie in slots 0 to k - 1 "so the public address tells nothing about which dice went" (CUP/1 section 4.12).
    # The blind slot always has the modulus 1: its value is 0 and says nothing.
    slots, m = tuple(range(len(rolls))), (faces,) * len(rolls)
    yield events.Rolled(
        dealer.number, place.cup, roll, (*slots, place.size) if sealed else slots, (*m, 1) if sealed else m
    )
    if tally.rolls_outside:
        yield dealer.open(place.cup, roll, slots[len(tally.rolls_inside) :], m[len(tally.rolls_inside) :])


def _check_equal(state: State, place: Place, tally: HandlingPlan, dealer: Dealer) -> None:
    """Refuse a push of dice that differ, which only the dealer and their owner can tell."""
    if shows_equal_dice(state):
        faces, hidden = state.rules.tokens.faces.count, places.handful(place, dealer).inside
        values = {dealer.value(place.cup, *hidden[position], faces) for position in tally.shows}
        if len(values) > 1:
            raise Refused("bad_dice", why="only equal dice are pushed")


def shows_equal_dice(state: State) -> bool:
    """Report whether dice that are shown together have to be equal, which their owner has to see to."""
    return state.rules.handling.law == "push"


# ---- after a throw ------------------------------------------------------------------------------


def _throw_events(state: State, seat: Seat, tally: HandlingPlan, dealer: Dealer) -> Iterator[events.TableEvent]:
    if not tally.roll_count:
        return
    # Five aces put the screen up at once, even if they came with a throw that would have forced the verdict.
    for each in interludes_of(state):
        following = each.after_throw(state, seat, dealer)
        if following is not None:
            yield from following
            return
    # "Using the last re-roll ends the round at once" by testing the opponent's claim (individual hand); before anything
    # stands there is none to test, and the seat goes on to claim.
    if forces_verdict(state, state.round.handled.get(seat, 0)):
        yield from judging.test_events(state, (seat,), dealer, kind="auto_challenge")


def forces_verdict(state: State, throws: int) -> bool:
    """Report whether the re-roll with which a seat has made so many brings the standing claim to the test at once."""
    handling = state.rules.handling
    return handling.last_forces and throws >= handling.limit and state.round.standing is not None
