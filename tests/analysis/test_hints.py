"""Hints: what an analysis would say of a decision, by what its seat knows, before it is made."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache, partial
from typing import NoReturn

import pytest
from msgspec import UNSET, structs

from domain import events
from domain.analysis.hints import Hint
from domain.analysis.record.following import follow
from domain.analysis.report import Analysis, ToldDecision
from domain.games import GAMES
from domain.match.record import fold
from projections.frames import encode_frame, frame_of
from projections.history import current_secrets
from services.analysis.making import WantedAnalysis, analysis_of
from services.live import hinting
from services.live.hinting import HintAsked, hint_from
from services.work.settling import TakesTooLong
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_every_game import play_on
from tests.domain.test_secrecy import trees, watched
from tests.sizes import cases


@pytest.fixture(autouse=True)
def no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a hint take as long as it takes: a timer that strikes in what counts walked branches leaves its lock shut."""
    monkeypatch.setattr(hinting, "within", nullcontext)


__all__ = ["trees"]  # deals are hashed once


def frames_of(played: Watched, seat: int, upto: int) -> tuple[bytes, ...]:
    """Return the first frames of a seat, as it is sent them."""
    steps = list(fold(played.lines[:upto]))
    return tuple(
        encode_frame(frame_of(written, event, seat, current_secrets(played.keepers, written.match), {}, more=False))
        for written, event in steps
    )


def hint_at(played: Watched, version: int) -> Hint | None:
    """Return the hint for the seat in turn at a version, which is one that it is shown."""
    table = list(fold(played.lines[:version]))[-1][0].match.table
    return (
        None
        if table is None or table.turn is None
        else hint_from(HintAsked(table.turn, frames_of(played, table.turn, version)))
    )


@cache
def two_with_two() -> Watched:
    played = Watched({"dice_per_player": 2}, 2, "hinted", "common_hand", pause_ms=0)
    played.start()
    play_on(played, random.Random("hinted"), 20)
    return played


# ---- one reading of the game ---------------------------------------------------------------------


def hinted_and_told(played: Watched) -> Iterator[tuple[Hint, ToldDecision, Analysis]]:
    """Yield each hint of a match beside what the analysis says of the same decision, which has the same moves."""
    analysed = analysis_of(follow(played.lines), WantedAnalysis(samples=64), lambda rounds, _: rounds)
    for event in analysed.events:
        hint = hint_at(played, event.version - 1)
        if event.decision is UNSET or hint is None or event.seat != hint.seat:
            continue
        told = {str(option.move): (option.q, option.weight) for option in event.decision.options}
        # An analysis leaves one place for what was played.
        hinted_at = {str(option.move): (option.q, option.weight) for option in hint.options[:-1]}
        assert hinted_at.items() <= told.items()
        yield hint, event.decision, analysed


def test_a_hint_says_of_each_move_what_an_analysis_says_of_it_afterwards() -> None:
    compared = 0
    for hint, told, analysed in hinted_and_told(two_with_two()):
        best = told.options[told.best]
        assert (hint.options[0].move, hint.options[0].q) == (best.move, best.q)
        assert (hint.by, hint.stake, hint.worth) == ("worth", told.stake, analysed.worth)
        compared += 1
    assert compared > 5


def test_at_a_blind_cup_of_two_a_hint_says_what_its_tablebase_does() -> None:
    played = Watched({}, 2, "hinted cup", "mexican", pause_ms=0)
    played.start()
    play_on(played, random.Random("hinted cup"), 20)
    compared = 0
    for hint, told, analysed in hinted_and_told(played):
        assert hint.options[0].q == told.options[told.best].q
        assert (hint.by, hint.stake, hint.policy) == ("worth", told.stake, analysed.rounds[0].policy)
        compared += 1
    assert compared > 5


def test_at_a_passed_cup_that_folds_a_hint_says_what_each_move_is_worth() -> None:
    assert worths_compared("two_dice_pass", 2) > 5


@pytest.mark.parametrize(("game", "seats"), [("beat_this", 3), ("six_six_six", 2)])
def test_it_says_so_at_a_cup_of_more_dice_or_of_more_seats(game: str, seats: int) -> None:
    assert worths_compared(game, seats) > 5


def worths_compared(game: str, seats: int) -> int:
    """Compare what hints say of moves at a cup that folds with what an analysis does; return of how many."""
    played = Watched({}, seats, "hinted cup", game, pause_ms=0)
    played.start()
    play_on(played, random.Random("passed on"), 20)
    compared = 0
    for hint, told, analysed in hinted_and_told(played):
        assert hint.options[0].q == told.options[told.best].q
        assert (hint.by, hint.stake, hint.deals, hint.worth) == ("worth", told.stake, 0, analysed.worth)
        compared += 1
    return compared


def test_of_the_claim_to_beat_it_says_what_an_analysis_says_of_it() -> None:
    assert standing_compared(two_with_two(), WantedAnalysis(samples=64)) > 3


@pytest.mark.parametrize("game", ["individual_hand", "finska", "german_liar_dice"])
def test_it_says_so_where_hands_are_many(game: str) -> None:
    assert standing_compared(two_with_many(game), WantedAnalysis(samples=64, rounds=(1, 1))) > 0


@cache
def two_with_many(game: str) -> Watched:
    played = Watched({}, 2, "many", game, pause_ms=0)
    played.start()
    play_on(played, random.Random(f"many {game}"), 16)
    return played


def standing_compared(played: Watched, wanted: WantedAnalysis) -> int:
    """Compare what hints say of each claim to beat with what an analysis does; return of how many."""
    compared = 0
    for event in analysis_of(follow(played.lines), wanted, lambda rounds, _: rounds).events:
        hint = hint_at(played, event.version)
        if event.chance is UNSET or event.read is UNSET or hint is None or hint.standing is UNSET:
            continue
        standing = hint.standing
        assert (standing.seat, standing.claim) == (event.seat, event.claim)
        assert standing.odds == event.chance.seat[hint.seat]
        assert standing.read == event.read.after.seat[hint.seat]
        compared += 1
    return compared


def taking_too_long(_: float) -> NoReturn:
    """Have no time at all."""
    raise TakesTooLong


def test_what_would_take_too_long_to_read_is_told_by_odds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    played, unread = two_with_many("stanford"), 0
    with monkeypatch.context() as patched:
        patched.setattr(hinting, "within", taking_too_long)
        found = [hint_at(played, version) for version in range(1, len(played.lines) + 1)]
    for version, late in enumerate(found, start=1):
        hint = hint_at(played, version)
        if hint is None or hint.standing is UNSET or late == hint:
            continue
        assert late == structs.replace(hint, standing=structs.replace(hint.standing, read=UNSET))
        unread += 1
    assert unread


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_hints_best_first(game: str) -> None:
    found = [hint for _, hint in hinted(game, 0)]
    assert found
    for hint in found:
        weights = [option.weight.ppm for option in hint.options]
        worths = [option.q.ppm for option in hint.options if option.q is not UNSET]
        assert (worths or weights) == sorted(worths or weights, reverse=True)
        assert len(worths) == (len(weights) if hint.by == "worth" else 0)
        assert hint.version
        assert all("seat" not in option.move for option in hint.options)


@cache
def hinted(game: str, number: int) -> tuple[tuple[Watched, Hint], ...]:
    """Return some hints of a match, each with the match as it was, made once for all tests."""
    played, found = watched(game, 0, number), []
    begun = sum(match.table is None for match in played.matches)
    for moment in random.Random(number).sample(
        range(begun + 1, len(played.matches)), min(2, len(played.matches) - begun - 1)
    ):
        now = played.again(moment, lambda real: real)
        hint = hint_at(now, now.match.version)
        if hint is not None:
            found.append((now, hint))
    return tuple(found)


# ---- what the seat could not know -----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_other_dice_under_other_cups_give_the_same_hint(game: str) -> None:
    differed = compared = 0
    for number in range(cases(1, 20)):
        for now, hint in hinted(game, number):
            other = now.again(len(now.script), partial(OtherDealer, mask=now.mask(hint.seat)))
            assert hint_at(other, other.match.version) == hint
            others = [seat for seat in now.table.seats if seat != hint.seat]
            differed += any(
                frames_of(now, seat, now.match.version) != frames_of(other, seat, now.match.version) for seat in others
            )
            compared += 1
    assert compared
    assert differed or game not in OWN_CUPS


OWN_CUPS = ("common_hand", "boss_liars", "liars_poker")


def test_who_is_not_in_turn_or_not_yet_dealt_has_nothing_to_decide() -> None:
    played, undealt = two_with_two(), 0
    for written, event in fold(played.lines):
        table, version = written.match.table, written.match.version
        if table is None or table.turn is None:
            assert hint_from(HintAsked(1, frames_of(played, 1, version))) is None
        elif not table.places[table.turn].inside:
            assert hint_at(played, version) is None
            undealt += isinstance(event, events.Rolled)
        elif isinstance(event, events.Bid):
            assert hint_from(HintAsked(3 - table.turn, frames_of(played, 3 - table.turn, version))) is None
            assert hint_at(played, version) is not None
    assert undealt
