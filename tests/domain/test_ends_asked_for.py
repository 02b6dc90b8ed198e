"""Ends that somebody asks for, and seats that are slow with their seeds on purpose."""

from __future__ import annotations

import random
from typing import Final

import msgspec
import pytest

from domain import commands, events
from domain.fairness.deal import seed_commitment
from domain.games import GAMES
from domain.match.absence import SEED_FREE_MS
from domain.match.ceremony import CEREMONY_MS
from domain.match.dues import due_at, unattended_end_at
from projections.view import view_of
from tests.domain.absence_tables import IDLE, STEPS_MAX, audit, claim, code_of, start, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS, step

SEED: Final = bytes(range(32))

# ---- seeds --------------------------------------------------------------------------------------


def seat_with_own_seeds(played: Played) -> None:
    played.do(commands.Join("slow", "client"))
    played.do(commands.Join("ada", "server"))
    played.do(commands.Start(played.chance()))


def fix_seed(played: Played, after_ms: int) -> None:
    deal = played.ceremony
    played.do(commands.CommitSeed(1, deal.deal, seed_commitment(SEED, deal.ctx, deal.root, 1).hex()), after_ms)


def open_seed(played: Played, after_ms: int) -> None:
    deal = played.ceremony
    played.do(commands.LogDeal(deal.deal, 0, (), "checkpoint"))
    played.do(commands.OpenSeed(1, deal.deal, SEED.hex()), after_ms)


def end_round(played: Played) -> None:
    claim(played)
    played.do(commands.Challenge(played.turn))


def test_a_seat_that_is_slow_on_purpose_runs_out_of_time_for_seeds() -> None:
    played = table(2, deal_per="round")
    seat_with_own_seeds(played)
    fix_seed(played, SEED_FREE_MS + 4_000)
    open_seed(played, SEED_FREE_MS + 2_001)
    played.go_on()
    end_round(played)
    assert played.absence.seeds_ms == {1: 6_001}
    seen = len(played.events)
    played.do(commands.Advance(played.chance()))
    kinds = [type(event) for event in played.events[seen:]]
    assert kinds[:2] == [events.SeedCustody, events.DealCommitted]
    assert events.SeedCustody(1, "server") in played.events[seen:]
    wait_for_the_end(played)
    audit(played)


def test_a_seat_with_little_time_left_has_little_time_for_its_commitment() -> None:
    played = table(2, deal_per="round")
    seat_with_own_seeds(played)
    fix_seed(played, SEED_FREE_MS + 5_000)
    open_seed(played, 100)
    played.go_on()
    end_round(played)
    played.do(commands.Advance(played.chance()))
    assert due_at(played.match) == played.at + SEED_FREE_MS + 1_000
    assert events.SeedCustody(1, "server") in wait(played)
    wait_for_the_end(played)
    audit(played)


def test_who_is_quick_enough_is_charged_nothing() -> None:
    played = table(2)
    seat_with_own_seeds(played)
    assert due_at(played.match) == played.at + SEED_FREE_MS + 6_000
    fix_seed(played, SEED_FREE_MS)
    open_seed(played, SEED_FREE_MS)
    assert played.absence.seeds_ms == {}


def test_nobody_waits_longer_for_a_seed_than_the_protocol_says() -> None:
    played = table(2, idle={**IDLE, "seeds_ms": 3_600_000})
    seat_with_own_seeds(played)
    assert due_at(played.match) == played.at + CEREMONY_MS
    wait_for_the_end(played)
    audit(played)


def test_who_withholds_a_seed_is_barred_and_the_other_wins_only_if_there() -> None:
    played = table(2)
    seat_with_own_seeds(played)
    fix_seed(played, 100)
    played.do(commands.LogDeal(0, 0, (), "checkpoint"))
    assert due_at(played.match) == played.at + CEREMONY_MS
    wait_for_the_end(played)
    assert played.table.winner == 2
    audit(played)


# ---- the end that is asked for ------------------------------------------------------------------


def test_the_host_ends_a_match_as_soon_as_the_round_is_over() -> None:
    played = table(2, options={"dice_per_player": 5})
    start(played, "ada", "bob")
    assert played.do(commands.EndMatch()).events == (events.EndAsked("host"),)
    assert view_of(played.written, None, None, {}).ending == "host"
    assert code_of(played, commands.EndMatch()) == "wrong_phase"
    claim(played)
    happened = played.do(commands.Challenge(played.turn)).events
    assert [type(event) for event in happened[-3:]] == [events.SessionClosed, events.DealClosed, events.MatchEnded]
    assert happened[-1] == events.MatchEnded(None)
    audit(played)


@pytest.mark.parametrize("game", GAMES)
def test_the_host_ends_a_match_of_any_game_at_any_moment(game: str) -> None:
    for number in range(3):
        drawn = random.Random(f"end {game} {number}")
        options = OPTIONS[game][number % len(OPTIONS[game])]
        seats = GAMES[game].rules(msgspec.convert(options, GAMES[game].options)).seats[0]
        played = table(seats, game, options, idle=None)
        start(played, *(f"p{seat}" for seat in range(seats)))
        for _ in range(number * 3):
            if not played.match.ended:
                step(played, drawn, closing=False)
        if played.match.ended:
            continue
        played.do(commands.EndMatch())
        for _ in range(STEPS_MAX):
            if not played.match.ended:
                step(played, drawn, closing=False)
        assert played.match.ended
        audit(played)


def test_the_host_ends_a_match_between_two_rounds_at_once() -> None:
    played = table(2, pause_ms=5_000, options={"dice_per_player": 5})
    start(played, "ada", "bob")
    end_round(played)
    kinds = [type(event) for event in played.do(commands.EndMatch()).events]
    assert kinds == [events.EndAsked, events.SessionClosed, events.DealClosed, events.MatchEnded]
    audit(played)


@pytest.mark.parametrize(
    ("command", "members"),
    [
        (commands.EndMatch(), b'"data":{"why":"host"}'),
        (commands.EndMatch("trouble"), b'"data":{"reason":"trouble","why":"host"}'),
    ],
)
def test_why_a_host_ends_a_match_stands_in_the_record_only_where_it_was_said(
    command: commands.EndMatch, members: bytes
) -> None:
    played = table(2)
    played.do(commands.Join("ada", "server"))
    played.do(command)
    assert members in played.lines[-2]
    audit(played)


def test_a_deal_that_has_begun_comes_to_its_dice_before_the_match_ends() -> None:
    played = table(2)
    seat_with_own_seeds(played)
    assert played.do(commands.EndMatch()).events == (events.EndAsked("host"),)
    fix_seed(played, 100)
    open_seed(played, 100)
    assert played.match.ended
    assert isinstance(played.events[-2], events.DealClosed)
    audit(played)


def test_the_host_ends_a_table_that_nobody_has_started() -> None:
    played = table(2)
    played.do(commands.Join("ada", "server"))
    assert played.do(commands.EndMatch()).events == (events.EndAsked("host"), events.MatchEnded(None))
    audit(played)


def test_bots_that_play_for_nobody_are_stopped_by_the_table_and_by_nobody_before() -> None:
    played = table(3, "liars_poker")
    start(played, "bot/bold/1", "bot/bold/2", "bot/bold/3")
    due = unattended_end_at(played.match)
    assert due is not None
    assert due - played.at <= 30_000
    assert code_of(played, commands.CloseUnattended(), 20_000) == "wrong_phase"
    played.do(commands.CloseUnattended(), due - played.at)
    assert played.match.ending == "unattended"
    assert unattended_end_at(played.match) is None
    assert code_of(played, commands.CloseUnattended(), 50_000) == "wrong_phase"
    wait_for_the_end(played)
    audit(played)


def test_bots_among_whom_a_person_sits_are_not_stopped() -> None:
    played = table(3, "liars_poker")
    start(played, "bot/bold/1", "ada", "bot/bold/3")
    assert unattended_end_at(played.match) is None
    played.do(commands.Forfeit(2))
    assert unattended_end_at(played.match) is not None
    assert code_of(played, commands.CloseUnattended(), 100) == "wrong_phase"


def test_an_act_of_a_person_is_attendance_and_an_act_of_a_bot_is_not() -> None:
    played = table(2)
    start(played, "bot/bold/1", "ada")
    began = played.absence.attended_at
    while played.absence.attended_at == began:
        seat = played.turn
        claim(played)
    assert seat == 2
