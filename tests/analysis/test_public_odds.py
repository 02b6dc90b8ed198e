"""Public odds: what everybody could work out from the table, figure by figure, in every game."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import msgspec
import pytest
from msgspec import UNSET

from domain import events
from domain.analysis.figures import exact
from domain.analysis.odds.chances import chance_of_claim, chance_of_exactly, chance_of_pass
from domain.match.record import fold
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rungs
from domain.statistics.odds import chance_of_bid
from domain.strategy.knowledge import NOTHING
from domain.strategy.sight import shown_faces
from domain.table.moves import moves_of
from domain.table.offers import BidMove, CallMove
from domain.table.phases import BETWEEN_ROUNDS, HOLDING, TO_ROLL
from domain.table.state import Claim, State
from projections.casting.caster import CHANNELS, caster_frame, closed_by, encode_caster_frame, read_with, readings
from projections.casting.public_odds import RaiseOdds, TableOdds, odds_of
from projections.casting.reads import PublicReading
from tests.domain.test_every_game import OPTIONS, begun, play_on
from tests.domain.test_secrecy import PLAYED, played_on
from tests.sizes import cases, spread

TRIED = [(game, which) for game in OPTIONS for which in spread(range(len(OPTIONS[game])), 2)]


@cache
def tables(game: str, which: int) -> list[tuple[State, TableOdds]]:
    """Return what is said of each table of some matches while a round is played there."""
    found = []
    for number in range(cases(1, 20)):
        played = begun(game, drawn := random.Random(f"{game} {which} {number}"), OPTIONS[game][which])
        play_on(played, drawn, 60)
        told = [(match.table, odds_of(match.table)) for match in played.steps if match.table is not None]
        found += [(table, odds) for table, odds in told if odds is not UNSET]
    return found


def claim_of(told: dict[str, object]) -> Claim:
    return msgspec.convert(told, Count) if "quantity" in told else msgspec.convert(told, Hand)


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_the_odds_of_a_table_are_those_of_a_viewer_who_knows_no_hidden_dice(game: str, which: int) -> None:
    said = 0
    for state, odds in tables(game, which):
        standing, seat = state.round.standing, state.round.claimant
        if standing is None or seat is None:
            assert odds.standing is UNSET
        else:
            assert odds.standing is not UNSET
            assert (claim_of(odds.standing.claim), odds.standing.seat) == (standing, seat)
            if odds.standing.chance is not UNSET:
                said += 1
                assert odds.standing.chance == exact(chance_of_claim(state, standing, seat, NOTHING))
            if odds.standing.exactly is not UNSET:
                assert isinstance(standing, Count)
                assert odds.standing.exactly == exact(chance_of_exactly(state, standing, NOTHING))
        for each in odds.raises:
            assert state.turn is not None
            assert each.chance == exact(chance_of_claim(state, claim_of(each.claim), state.turn, NOTHING))
    assert said


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_the_raises_are_the_smallest_claims_on_offer(game: str, which: int) -> None:
    offered = 0
    for state, odds in tables(game, which):
        found = () if state.turn is None else moves_of(state, state.turn)
        for move in found:
            if isinstance(move, BidMove):
                offered += 1
                assert {(each.claim["quantity"], each.claim["face"]) for each in odds.raises} == {*move.minimum}
            elif isinstance(move, CallMove) and not state.rules.doubt.catch:
                offered += 1
                assert claim_of(odds.raises[0].claim) == move.minimum
    assert offered or OPTIONS[game][which].get("claim_check") == "next_player"


@pytest.mark.parametrize(("game", "which"), TRIED)
def test_the_dice_left_are_those_on_the_table_and_of_each_face_there_is_the_mean(game: str, which: int) -> None:
    for state, odds in tables(game, which)[::5]:
        assert odds.dice.in_play == state.dice_in_play
        assert odds.dice.shown == shown_faces(state)
        assert odds.dice.seats == {seat: len(place.dice) for seat, place in state.places.items() if seat in state.seats}
        assert (odds.expected is not UNSET) == isinstance(state.rules.claims, Counting)
        for each in () if odds.expected is UNSET else odds.expected:
            shown, faces = shown_faces(state), state.rules.tokens.faces
            hidden, counts = state.dice_in_play - len(shown), range(1, state.dice_in_play + 1)
            mean = sum(
                (chance_of_bid(Count(q, each.face), shown, hidden, wild=state.wild, faces=faces) for q in counts),
                Fraction(0),
            )
            assert each.quantity == exact(mean)


def test_a_claim_that_was_believed_has_no_chance_and_one_too_low_is_no_raise() -> None:
    found = [each for which in range(2) for each in tables("mexican", which)]
    believed = [odds for state, odds in found if state.phase in {TO_ROLL, HOLDING} and state.round.standing is not None]
    assert believed
    assert all(odds.standing is not UNSET and odds.standing.chance is UNSET for odds in believed)
    low = [(state, odds.raises[0]) for state, odds in found if state.rules.doubt.catch and odds.standing is not UNSET]
    assert low
    assert all(is_raise(state, each) for state, each in low)


def is_raise(state: State, each: RaiseOdds) -> bool:
    standing, claim, rungs = state.round.standing, claim_of(each.claim), state.ladder.rungs
    assert isinstance(standing, Hand)
    assert isinstance(claim, Hand)
    assert isinstance(state.rules.claims, Rungs)
    return rungs[claim] == rungs[standing] + (0 if state.rules.claims.ties else 1)


def test_a_pass_that_waits_is_told_with_its_chance_until_it_is_believed() -> None:
    waiting = []
    for number in range(8):
        for match in played_on("common_hand", PLAYED["common_hand"][0], number).matches:
            odds = UNSET if match.table is None else odds_of(match.table)
            if odds is not UNSET and odds.passing is not UNSET:
                assert match.table is not None
                waiting.append(odds.passing)
                assert odds.passing.seat == match.table.round.passer
                assert odds.passing.chance == exact(chance_of_pass(match.table, odds.passing.seat, NOTHING))
            elif match.table is not None:
                assert odds is UNSET or match.table.round.passer is None
    assert waiting


def test_between_rounds_nothing_is_said_of_the_table() -> None:
    played = begun("boss_liars", drawn := random.Random("between"), {})
    play_on(played, drawn, 60)
    assert all(
        odds_of(match.table) is UNSET
        for match in played.steps
        if match.table is not None and (match.table.phase == BETWEEN_ROUNDS or not match.table.places)
    )


def test_a_round_is_told_late_once_where_it_closes_and_never_before() -> None:
    played = begun("common_hand", drawn := random.Random("late"), {"dice_per_player": 2})
    play_on(played, drawn)
    steps = list(fold(played.lines))
    told = [closed_by(caster_frame(*step), steps[: number + 1]) for number, step in enumerate(steps)]
    closed = [frame for frame in told if frame.late is not UNSET]
    assert [frame.late.round for frame in closed if frame.late is not UNSET] == [
        event.round for _, event in steps if isinstance(event, events.RoundOpened)
    ]
    assert {frame.event for frame in closed} <= {"game.round_closed", "match.ended"}
    assert any(said.channel == "late" for frame in closed for said in frame.text)


def test_a_frame_is_written_with_what_is_said_on_the_channels_asked_for() -> None:
    played = begun("common_hand", drawn := random.Random("late"), {"dice_per_player": 2})
    play_on(played, drawn)
    steps = list(fold(played.lines))
    number = next(number for number, (_, event) in enumerate(steps) if isinstance(event, events.RoundClosed))
    bid = next(number for number, (_, event) in enumerate(steps) if isinstance(event, events.Bid))
    reading = list(readings(steps, None, PublicReading()))[bid]
    told = read_with(caster_frame(*steps[bid]), reading, steps[bid][0].match)
    frames = {"odds": told, "reads": told, "late": closed_by(caster_frame(*steps[number]), steps[: number + 1])}
    for own in CHANNELS:
        others = {*CHANNELS} - {own}
        written = msgspec.json.decode(encode_caster_frame(frames[own], {own}))
        assert own in written
        assert others & written.keys() == set()
        assert {said["channel"] for said in written["text"]} <= {own}
        silent = msgspec.json.decode(encode_caster_frame(frames[own], others))
        assert own not in silent
        assert own not in {said["channel"] for said in silent["text"]}
