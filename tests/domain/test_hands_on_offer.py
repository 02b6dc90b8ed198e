"""Hands that a view lists: those that may be called, for whoever may call them, and for nobody else."""

from __future__ import annotations

import pytest

from domain import commands, events
from domain.analysis.odds.labels import is_jump
from domain.rules.ladders import Hand
from domain.table.checks import lowest_raise, lowest_rung
from domain.table.decide import decide
from domain.table.moves import legal_moves, moves_of
from domain.table.offers import CallMove
from projections.view import View, view_of
from tests.domain.playing import Played
from tests.domain.seeded import Game


@pytest.fixture
def played() -> Played:
    played = Played({}, 2, game="finska")
    played.start()
    turn = played.match.table.turn if played.match.table is not None else None
    assert turn is not None
    played.do(commands.Roll(turn))
    played.do(commands.ClaimHand(turn, "full_house", (13, 10)))
    played.do(commands.Accept(3 - turn))
    return played


def seen(played: Played, seat: int | None) -> View:
    return view_of(played.written, seat, played.keeper, {})


def test_every_hand_above_the_standing_one_is_listed_by_its_shape_lowest_first(played: Played) -> None:
    table = played.match.table
    assert table is not None
    listed = [Hand(shape, faces) for shape, all_ in seen(played, table.turn).hands.items() for faces in all_]

    assert listed == list(table.ladder.hands[table.ladder.rungs[Hand("full_house", (13, 10))] + 1 :])
    (call,) = (move for move in moves_of(table, table.turn or 0) if isinstance(move, CallMove))
    assert legal_moves(table, call) == len(listed)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("check", ["server", "next_player"])
def test_a_hand_too_low_may_be_called_where_the_next_seat_checks_and_is_no_raise(check: str, *, ties: bool) -> None:
    game = Game({"ties_allowed": ties, "claim_check": check}, 2, game="mexican")
    game.deal_if_due()
    game.do(commands.Roll(1))
    assert (lowest_rung(game.state), lowest_raise(game.state)) == (0, 0), "an opening may be any hand"

    hands = game.state.ladder.hands
    game.do(commands.ClaimHand(1, hands[4].shape, hands[4].faces))
    least = 4 if ties else 5
    assert lowest_raise(game.state) == least
    assert lowest_rung(game.state) == (0 if check == "next_player" else least)

    game.do(commands.Accept(2))
    game.do(commands.Roll(2))
    for rung in range(lowest_rung(game.state), len(hands)):
        claim = commands.ClaimHand(2, hands[rung].shape, hands[rung].faces)
        (called,) = (event for event in decide(game.state, claim, game.dealer) if isinstance(event, events.HandClaimed))
        assert called.beats == (rung >= least)
        assert is_jump(game.state, hands[rung]) == (rung > least)


def test_who_may_not_call_has_no_hands_to_choose_from(played: Played) -> None:
    table = played.match.table
    assert table is not None
    assert table.turn is not None

    assert seen(played, 3 - table.turn).hands == {}
    assert seen(played, None).hands == {}


def test_only_a_session_is_the_hosts_to_end(played: Played) -> None:
    session = Played({}, 2, game="stanford")
    session.start()

    assert not seen(played, None).open_ended
    assert seen(session, None).open_ended
