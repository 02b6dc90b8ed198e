"""Bots where it is plain what is best: examples of each kind of move, whatever chance says."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands
from domain.table.interludes import buying, cocked
from domain.table.offers import ArrangeMove, BuyBackMove, DropOutMove, LookMove, ShowCockedMove, StopMove
from projections.view import DieView, View
from services.bots.choosing import choose
from services.bots.manner import MANNERS, Manner
from tests.bots.tables import BotTable

HONEST = Manner(nerve=0.35, reach=0.1, bluff=0.0)
CHANCES = tuple(bytes([first, 7 * first % 251, 200, 3]) for first in range(0, 251, 5))


def first_view(game: str, options: dict[str, Any] | None = None, seats: int = 2) -> tuple[BotTable, View]:
    """Return a table whose cup was rolled, or whose dice were dealt, and what the first seat sees then."""
    table = BotTable(options or {}, seats, 1, game=game)
    for view, command in table.turns(5):
        if not isinstance(command, commands.Roll | commands.ChooseFirst):
            return table, view
    raise AssertionError("nobody ever plays")


def answered(table: BotTable, command: commands.Play) -> View:
    """Return what the seat that has to answer sees."""
    table.do(command)
    assert table.match.table is not None
    assert table.match.table.turn is not None
    return table.view(table.match.table.turn)


def seat_of(view: View) -> int:
    """Return whose view it is."""
    assert view.viewer is not None
    return view.viewer


def all_chosen(view: View, manner: Manner = HONEST) -> set[commands.Play | None]:
    return {choose(view, manner, chance) for chance in CHANCES}


def dice(*faces: int | None, shown: bool = False) -> tuple[DieView, ...]:
    return tuple(DieView(face, shown) for face in faces)


def with_own(view: View, own: tuple[DieView, ...]) -> View:
    """Return the view with other dice in the viewer's cup."""
    return replace(view, seats=tuple(replace(s, dice=own) if s.seat == view.viewer else s for s in view.seats))


# ---- hands ---------------------------------------------------------------------------------------


def test_who_has_a_high_hand_calls_it():
    _, view = first_view("two_dice_pass")
    assert all_chosen(replace(view, cup=dice(6, 6))) == {commands.ClaimHand(seat_of(view), "score", (6, 6))}


def test_a_call_that_the_shown_dice_rule_out_is_doubted():
    table, view = first_view("finska")
    answer = answered(table, commands.ClaimHand(seat_of(view), "five", (14,)))
    shown = replace(answer, cup=(*dice(None, None, None), *dice(9, 9, shown=True)))
    assert all_chosen(shown) == {commands.Challenge(seat_of(answer))}


def test_a_call_that_is_almost_always_true_is_believed():
    table, view = first_view("six_six_six")
    answer = answered(table, commands.ClaimHand(seat_of(view), "score", (3, 2, 1)))
    assert all_chosen(answer) == {commands.Accept(seat_of(answer))}


def test_nobody_doubts_dice_that_it_has_itself_handed_over_as_they_lie():
    table, view = first_view("finska", {})
    answer = answered(table, commands.ClaimHand(seat_of(view), "four", (14, 9)))
    known = replace(answer, cup=dice(14, 14, 14, 14, 10))
    assert commands.Challenge(seat_of(answer)) not in all_chosen(known)
    assert all_chosen(replace(answer, cup=dice(14, 14, 14, 9, 10))) == {commands.Challenge(seat_of(answer))}


def test_who_has_too_little_keeps_what_is_alike_and_throws_the_rest():
    table, view = first_view("finska")
    table.do(commands.ClaimHand(seat_of(view), "three", (13,)))
    assert table.match.table is not None
    answer = answered(table, commands.Accept(table.match.table.turn or 0))
    for chosen in all_chosen(replace(answer, cup=dice(13, 13, 13, 9, 10))):
        assert isinstance(chosen, commands.Arrange)
        assert {0, 1, 2}.isdisjoint({*chosen.roll_inside, *chosen.roll_outside})
        assert chosen.roll_inside or chosen.roll_outside


def test_ones_are_not_named_first_where_that_would_stop_them_from_being_wild():
    _, view = first_view("beat_this")
    for chosen in all_chosen(replace(view, cup=dice(1, 1, 1, 6, 4))):
        assert isinstance(chosen, commands.ClaimHand)
        assert chosen.faces != (1,)
        assert chosen.shape in {"four", "three"}


def test_a_throw_that_does_something_is_shown():
    _, view = first_view("mexican", {"forty_one": "impose"}, seats=3)
    assert all_chosen(replace(view, cup=dice(2, 3))) == {commands.Declare(seat_of(view), "reverse")}
    imposed = {commands.Declare(seat_of(view), "impose", seat) for seat in (1, 2, 3) if seat != view.viewer}
    assert all_chosen(replace(view, cup=dice(1, 4))) == imposed


def test_who_chases_five_aces_throws_all_other_dice():
    table, view = first_view("german_liar_dice")
    answer = answered(table, commands.ClaimHand(seat_of(view), "five", (13,)))
    throws = tuple(move for move in answer.moves if isinstance(move, ArrangeMove))
    chased = replace(with_own(answer, dice(14, 9, 14, 9, 14)), moves=(*throws, StopMove()))
    assert all_chosen(chased) == {commands.Arrange(seat_of(answer), roll_inside=(1, 3))}


# ---- counts --------------------------------------------------------------------------------------


def test_in_stud_one_die_is_shown_before_a_bid():
    _, view = first_view("stud_liars")
    for chosen in all_chosen(view):
        assert isinstance(chosen, commands.Arrange)
        assert len(chosen.outside) == 1
        assert not chosen.roll_inside


@pytest.mark.parametrize(("quantity", "counted"), [(1, True), (16, False)])
def test_a_claimant_whom_all_doubt_has_its_own_claim_counted_if_it_is_likely(quantity, counted):
    table, view = first_view("liars_poker", seats=2)
    seat = view.viewer or 0
    other = next(each.seat for each in view.seats if each.seat != seat)
    table.do(commands.Bid(seat, quantity, 7))
    called = answered(table, commands.Challenge(other))
    has = with_own(called, dice(*((7,) * 8 if counted else (1, 2, 3, 4, 5, 6, 8, 9))))
    assert called.phase == "called"
    assert (commands.AskCount(seat) in all_chosen(has)) == counted


# ---- what comes before and after -----------------------------------------------------------------


def test_a_bot_looks_first_and_shows_dice_that_lie_cocked():
    table, view = first_view("boss_liars", {"cocked": True})
    looks = replace(with_own(view, dice(*(None,) * 5)), moves=(LookMove(), *view.moves))
    assert all_chosen(looks) == {cocked.Look(seat_of(view))}
    lying = (*dice(6, 6, 6, 6), DieView(6, shown=False, cocked=True))
    shows = replace(with_own(view, lying), moves=(LookMove(), ShowCockedMove(), *view.moves))
    assert all_chosen(shows) == {cocked.ShowCocked(seat_of(view))}
    assert table.match.table is not None


def test_whether_a_bot_buys_itself_back_depends_on_the_pot_and_on_its_manner():
    _, view = first_view("boss_liars", {"stakes": "money", "ante": 5, "buy_back": True}, seats=4)
    poor = replace(view, moves=(BuyBackMove(5), DropOutMove()), pot=0)
    assert all_chosen(poor, MANNERS["cautious"]) == {buying.DropOut(seat_of(view))}
    assert all_chosen(poor, MANNERS["bold"]) == {buying.BuyBack(seat_of(view))}
    assert all_chosen(replace(poor, pot=50), MANNERS["cautious"]) == {buying.BuyBack(seat_of(view))}
