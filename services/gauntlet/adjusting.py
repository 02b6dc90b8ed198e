"""Luck taken out of a match: what its dice brought each seat, by an analysis of its record.

Dice fall alike whoever plays, so the mean of it is 0 whatever the players do, however well the analysis knows them, and
however few deals it draws: a score less it is as true as the score, and hangs less on the dice.

Source: the laws of analysis, sections on luck and on the gauntlet.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.analysis.dice_luck import dice_luck
from domain.analysis.record.following import FollowedRecord, FollowedRound, follow
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.scenes import Sampling
from domain.ids import Seat
from domain.strategy.level_params import LEVEL_ONE, LevelParams
from domain.strategy.reading.learning import Learning
from services.evaluators.batch_evaluator import evaluate
from services.policies.usual import usual_means

SAMPLES: Final = 64
"""Deals that the worth of a round before its dice is a mean of: more make the interval hardly narrower."""


class MatchLuck(Struct, frozen=True):
    """What the dice of a match brought.

    Attributes:
        brought: By seat, in what the match is scored in.
        rounds: How many rounds there were.
        untold: Of how many of them it cannot be told, and is taken for nothing.
    """

    brought: dict[Seat, Fraction]
    rounds: int
    untold: int


def luck_of_match(lines: Sequence[bytes]) -> MatchLuck:
    """Return what the dice of a finished match brought each seat, given its lines.

    Cost: of a round that folds, its positions and 65 deals folded back; of any other, some rollouts for every roll.
    """
    followed = follow(lines)
    table = followed.match.table
    assert table is not None, "it was played"
    # Where the first out has lost, the others share what a match is worth; an analysis gives each of them 1.
    shares = len(table.seats) - 1 if table.rules.match.first_out_ends else 1
    brought, untold = dict.fromkeys(table.seats, Fraction(0)), 0
    for played in followed.rounds:
        found = dice_luck(played, _setting(followed, played))
        untold += found is None
        for seat, change in (found or {}).items():
            brought[seat] += change / shares
    return MatchLuck(brought, len(followed.rounds), untold)


def _setting(followed: FollowedRecord, played: FollowedRound) -> RoundSetting:
    """Return what an analysis judges a round by where nobody names a policy."""
    means = usual_means(played.steps[0].old, (played.dealt or played.steps[0]).new)
    params = means.play.content if isinstance(means.play.content, LevelParams) else LEVEL_ONE
    # When dice fall nobody has moved: how far somebody's moves are to be doubted changes nothing.
    doubt = Learning(params)
    doubts = {seat: doubt.doubt(seat) for seat in played.steps[0].new.remaining}
    sampling = Sampling(followed.head, means.play.id, SAMPLES)
    return RoundSetting(means, params, doubts, sampling, evaluate)
