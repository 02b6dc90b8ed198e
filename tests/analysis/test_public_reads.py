"""Public reads: what moves say to everybody while a match is played, and where nothing is read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from domain.fairness.records import split
from domain.games import GAMES, rules_of
from domain.match.record import fold
from projections.casting.caster import CasterFrame, Step, caster_frame, read_with, readings
from projections.casting.reads import PublicReading, is_read
from tests.domain.test_every_game import OPTIONS, begun, play_on

RECORDS = Path(__file__).parent / "vectors" / "records"
OF_COUNTS = ("one-die-each", "three-by-five", "three-seats", "two-dice-face-first")


def frames_of(steps: list[Step]) -> Iterator[CasterFrame]:
    for step, reading in zip(steps, readings(steps, None, PublicReading()), strict=True):
        yield read_with(caster_frame(*step), reading, step[0].match)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_what_is_read_live_is_what_an_analysis_reads_for_the_public(name: str) -> None:
    wanted: dict[str, Any] = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    told = list(frames_of(list(fold(split((RECORDS / f"{name}.cup").read_bytes()).lines))))
    read = [event for event in wanted["events"] if "read" in event]
    assert read
    for event in read:
        reads = told[event["version"] - 1].reads
        assert reads is not UNSET
        assert reads.standing is not UNSET
        for when in ("before", "after"):
            figure = getattr(reads.standing, when)
            assert abs(figure.ppm - event["read"][when]["public"]) <= 1
            assert figure.by == "model"


def test_a_seat_that_nobody_has_seen_is_doubted_as_all_are_and_otherwise_as_it_has_shown() -> None:
    played = begun("common_hand", drawn := random.Random("doubted"), {"dice_per_player": 3})
    play_on(played, drawn)
    reads = [frame.reads for frame in frames_of(list(fold(played.lines))) if frame.reads is not UNSET]
    assert {figure.ppm for figure in reads[0].doubt.values()} == {331_055}
    assert {figure.ppm for figure in reads[-1].doubt.values()} != {331_055}
    assert reads[0].standing is UNSET


@pytest.mark.parametrize("game", GAMES)
def test_hands_handled_dice_and_serials_are_not_read_live(game: str) -> None:
    assert is_read(rules_of(game, {})) == (game in {"common_hand", "boss_liars"})
    played = begun(game, drawn := random.Random(f"reads {game}"), OPTIONS[game][0])
    play_on(played, drawn, 12)
    read = [frame for frame in frames_of(list(fold(played.lines))) if frame.reads is not UNSET]
    assert bool(read) == is_read(played.match.rules)
