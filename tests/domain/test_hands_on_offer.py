"""Hands that a view lists: those that may be called, for whoever may call them, and for nobody else."""

from __future__ import annotations

import pytest

from domain import commands
from domain.rules.ladders import Hand
from projections.view import View, view_of
from tests.domain.playing import Played


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
