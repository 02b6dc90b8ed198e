"""Luck taken out of a gauntlet: it is that of the analysis, its mean is 0 whoever plays, and the rest is as true."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean
from typing import Any

import pytest

from domain.analysis.figures import Figure
from domain.analysis.joining import joined, rounds_of
from domain.analysis.record.following import follow
from domain.analysis.report import Analysis
from services.analysis.making import WantedAnalysis, means_for
from services.engines.hosting import Engaged, Go, Tries
from services.evaluators.batch_evaluator import evaluate
from services.gauntlet.adjusting import SAMPLES, MatchLuck, luck_of_match
from services.gauntlet.contenders import Contender, HousePlayer, SeatHeld
from services.gauntlet.duels import Duel, TurnsTaken
from services.gauntlet.gauntlet import Gauntlet, run_gauntlet
from services.gauntlet.measuring import Score, Scored, half_width_of
from services.policies.shelf import shelf
from tests.sizes import cases

TWO_DICE = {"game": "common_hand", "options": {"dice_per_player": 2}}


async def played(
    rules: dict[str, Any], players: Sequence[Contender], number: int = 0
) -> tuple[dict[int, Fraction], MatchLuck, tuple[bytes, ...]]:
    """Return what a match came to, what its dice brought, and its lines."""
    duel = Duel(rules, hashlib.sha256(f"adjusted {number}".encode()).digest())
    scores = await duel.play(players, [TurnsTaken() for _ in players])
    return scores, luck_of_match(duel.lines), duel.lines


def analysis_of(lines: Sequence[bytes]) -> Analysis:
    followed = follow(lines)
    means = means_for(followed, WantedAnalysis(samples=SAMPLES), shelf())
    return joined(followed, means, list(rounds_of(followed, means, evaluate)))


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [("common_hand", 3, {"dice_per_player": 2}), ("boss_liars", 2, {}), ("mexican", 2, {}), ("six_six_six", 2, {})],
)
async def test_what_dice_brought_is_what_an_analysis_of_the_match_says(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    players = [HousePlayer("L1") for _ in range(seats)]
    scores, luck, lines = await played({"game": game, "options": options}, players)
    assert (luck.untold, luck.rounds) == (0, len(follow(lines).rounds))
    for seat in analysis_of(lines).seats:
        assert seat.luck is not None
        own, theirs, end = seat.luck.own, seat.luck.theirs, seat.luck.end
        assert isinstance(own, Figure)
        assert isinstance(theirs, Figure)
        assert isinstance(end, Figure)
        told = own.ppm + theirs.ppm
        assert abs(luck.brought[seat.seat] * 1_000_000 - told) <= 3 * luck.rounds
        assert scores[seat.seat] * 1_000_000 == pytest.approx(end.ppm, abs=luck.rounds)


@pytest.mark.parametrize(
    ("game", "options"),
    [("common_hand", {"dice_per_player": 2, "elimination": "none", "stakes": "per_round"}), ("mexican", {})],
)
async def test_dice_bring_nothing_on_average_whoever_plays(game: str, options: dict[str, Any]) -> None:
    """Level 0 plays as no analysis foresees: dice fall alike to both, at the deal and at every later roll."""
    players, rules = [HousePlayer("L0"), HousePlayer("L1")], {"game": game, "options": options}
    brought = [(await played(rules, players, n))[1].brought[2] for n in range(cases(8, 300))]
    width = half_width_of([float(each) for each in brought])
    assert width is not None
    assert any(brought)
    # At 95 % one in twenty would lie outside: this is twice as wide.
    assert abs(fmean(map(float, brought))) <= 2 * width


async def test_what_is_left_is_as_true_and_both_are_told() -> None:
    asked = Gauntlet(TWO_DICE, 2, cases(12, 400), b"0" * 16, duplicate=False, adjusted=True)
    first, second = await run_gauntlet(asked, [HousePlayer("L1"), HousePlayer("L0")])
    assert first.adjusted is not None
    assert second.adjusted is not None
    assert first.adjusted.half_width is not None
    assert first.half_width is not None
    assert first.adjusted.difference == pytest.approx(-second.adjusted.difference)
    assert abs(first.adjusted.difference - first.difference) <= first.half_width + first.adjusted.half_width
    assert (first.known_to, first.adjusted.untold) == (first.adjusted.half_width, 0)
    assert first.adjusted.rounds > first.blocks


class Dying(HousePlayer):
    """A player who is gone at its first turn."""

    async def sit(self, match: str, rules: dict[str, Any], seat: int, seats: int) -> SeatHeld:
        seated = await super().sit(match, rules, seat, seats)

        class Seat:
            see, leave = seated.see, seated.leave

            async def choose(self, _go: Go, _tries: Tries) -> Engaged:
                return Engaged("died")

        return Seat()


async def test_dice_of_a_round_that_somebody_leaves_count_where_no_move_is_needed_to_weigh_them() -> None:
    _, luck, _ = await played(TWO_DICE, [Dying("L1"), HousePlayer("L1")])
    assert (luck.untold, luck.rounds) == (0, 1)
    assert luck.brought[1] == pytest.approx(-luck.brought[2])
    assert luck.brought[1]
    _, handled, _ = await played({"game": "six_six_six", "options": {}}, [Dying("L1"), HousePlayer("L1")])
    assert (handled.untold, handled.rounds) == (1, 1)
    assert not any(handled.brought.values())


def test_where_no_luck_is_told_nothing_is_adjusted() -> None:
    tally, scores = Score("L1", TurnsTaken()), {1: Fraction(1), 2: Fraction(0)}
    tally.add([Scored(1, scores, MatchLuck(dict.fromkeys(scores, Fraction(0)), 2, 2))])
    assert tally.result().adjusted is None
    tally.add([Scored(1, scores, MatchLuck({1: Fraction(1, 4), 2: Fraction(-1, 4)}, 2, 1))])
    adjusted = tally.result().adjusted
    assert adjusted is not None
    assert (adjusted.rounds, adjusted.untold) == (4, 3)
    assert adjusted.difference == pytest.approx((0.5 + 0.25) / 2)
