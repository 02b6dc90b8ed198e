"""A game for two with more than two at the table: chouette and knockout."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands, events
from domain.errors import Refused
from projections.view import view_of
from tests.domain.playing import Played
from tests.domain.test_every_game import judged, step
from tests.sizes import cases

QUIET = settings(suppress_health_check=list(HealthCheck), max_examples=cases(4, 100))


def table_of(kind: str, seats: int, seed: str) -> Played:
    options: dict[str, Any] = {"format": kind, "wins_needed": 1}
    played = Played(options, seats, seed, "german_liar_dice", pause_ms=0, deal_per="round")
    played.start()
    return played


def bouts_of(played: Played) -> list[events.BoutSet]:
    return [event for event in played.events if isinstance(event, events.BoutSet)]


def play_on(played: Played, drawn: random.Random, bouts: int) -> None:
    while not played.match.ended and len(bouts_of(played)) < bouts:
        step(played, drawn, closing=False)


@QUIET
@given(seats=st.integers(3, 6), seed=st.integers(0, 99))
def test_the_loser_of_a_knockout_is_done_and_the_last_bout_has_its_champion(seats: int, seed: int) -> None:
    played = table_of("knockout", seats, str(seed))
    play_on(played, random.Random(seed), 99)
    bouts, state = bouts_of(played), played.match.table
    assert state is not None
    assert len(bouts) == seats - 1
    assert state.winner in bouts[-1].seats
    for before, after in pairwise(bouts):
        if after.through == ():
            # With an odd number, who had no bout goes first into the next round.
            bye = before.order[-1:] if len(before.order) % 2 else ()
            assert after.order[: len(bye)] == bye
            assert len(after.order) == (len(before.order) + 1) // 2
    assert state.balances["match"]["box"] == -len(bouts)
    assert len(state.out) == seats - 1
    assert judged(played).line is None


@QUIET
@given(seats=st.integers(3, 5), seed=st.integers(0, 99))
def test_the_winner_of_a_chouette_stays_and_the_loser_queues(seats: int, seed: int) -> None:
    played = table_of("chouette", seats, str(seed))
    play_on(played, random.Random(seed), 6)
    bouts = bouts_of(played)
    for before, after in pairwise(bouts):
        (stays,) = set(before.seats) & set(after.seats)
        (loser,) = set(before.seats) - {stays}
        assert before.seats.index(stays) == after.seats.index(stays)
        assert set(after.seats) == {stays, before.order[2]}
        assert after.order[2:] == (*before.order[3:], loser)
    with suppress(Refused):
        played.do(commands.CloseSession())
    assert judged(played).line is None


@pytest.mark.parametrize("kind", ["chouette", "knockout"])
@QUIET
@given(seed=st.integers(0, 200))
def test_whoever_leaves_is_passed_over(kind: str, seed: int) -> None:
    drawn = random.Random(seed)
    played = table_of(kind, 6, str(seed))
    while not played.match.ended:
        state = played.match.table
        assert state is not None
        if drawn.random() < 0.15:
            played.do(commands.Forfeit(drawn.choice([seat for seat in state.seats if seat not in state.out])))
            played.go_on()
            continue
        step(played, drawn, closing=False)
    state = played.match.table
    assert state is not None
    assert state.winner not in state.out
    assert all(
        not set(bout.seats) & set(gone) for bout, gone in zip(bouts_of(played), gone_before(played), strict=True)
    )
    assert judged(played).line is None


def gone_before(played: Played) -> list[list[int]]:
    """Return for each bout who had left before it was set."""
    found: list[list[int]] = []
    gone: list[int] = []
    for event in played.events:
        if isinstance(event, events.Eliminated):
            gone.append(event.seat)
        if isinstance(event, events.BoutSet):
            found.append(list(gone))
    return found


def test_who_waits_sees_no_dice_and_is_asked_for_nothing() -> None:
    played = table_of("chouette", 4, "x")
    state = played.match.table
    assert state is not None
    assert len(state.waiting) == 2
    for seat in state.waiting:
        view = view_of(played.written, seat, played.keeper, {})
        assert view.moves == ()
        assert all(die.face is None for each in view.seats for die in each.dice)
        with pytest.raises(Refused) as refused:
            played.do(commands.ClaimHand(seat, "pair", (14, 13, 12, 11)))
        assert refused.value.code == "not_your_turn"


@pytest.mark.parametrize("seed", range(6))
def test_two_who_are_left_of_a_chouette_go_on_however_long_their_bouts_are(seed: int) -> None:
    played = Played({"format": "chouette"}, 3, str(seed), "german_liar_dice", pause_ms=0, deal_per="match")
    played.start()
    state = played.match.table
    assert state is not None
    played.do(commands.Forfeit(state.waiting[0]))
    drawn = random.Random(seed)
    play_on(played, drawn, 8)
    assert len(bouts_of(played)) == 8
