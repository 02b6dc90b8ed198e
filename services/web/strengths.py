"""Strengths: what each level of the house was measured to be, as pages say it; never more than was measured."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from services.engines.level_names import LEVELS
from services.gauntlet.ladder import Rung, StrengthLadder
from services.words.catalogue import CATALOGUE, say
from services.words.figures import figure, share_words

RULE_OF_THREE: Final = 3
"""What never happened in n trials happens in less than 3/n of them, at 95 %. Source: Hanley and Lippman-Hand, 1983."""
SHOWN: Final = ("2x5", "2x1", "2x2")
"""The settings that pages speak of, the first in which a level was measured."""


def strengths_of(found: StrengthLadder) -> list[dict[str, Any]]:
    """Return what each level won of matches against the one below it, with the interval of 95 %, in percent."""
    shown = [
        next(rung for setting in SHOWN for rung in found.of(level) if rung.setting == setting)
        for level in dict.fromkeys(rung.level for rung in found.rungs)
    ]
    return [
        {
            "level": rung.level.removeprefix("L"),
            "below": rung.below.removeprefix("L"),
            "setting": rung.setting,
            "claims": rung.claims,
            "share": round(100 * rung.share),
            "low": max(0, round(100 * (rung.share - _width(rung)))),
            "high": min(100, round(100 * (rung.share + _width(rung)))),
        }
        for rung in shown
    ]


class ToldRung(Struct, frozen=True):
    """What a level came to against another one somewhere, in words.

    Attributes:
        below: The other one's number.
        setting: Where, in the words that pages have for it.
        share: What it won of matches; of sessions, in which nobody wins, the units.
        low: The lower end of its interval of 95 %.
        high: The upper one.
        fair: What everybody there came to on average.
        claims: Whether it claims to be the stronger one there.
    """

    below: str
    setting: str
    share: str
    low: str
    high: str
    fair: str
    claims: bool


def rungs_of(found: StrengthLadder) -> list[tuple[str, list[ToldRung]]]:
    """Return each level with all that was measured of it against the one below; with nothing where nothing was."""
    return [(level, [_told(rung) for rung in found.of(level)]) for level in LEVELS]


def _told(rung: Rung) -> ToldRung:
    ends = rung.share - _width(rung), rung.share + _width(rung)
    low, high = ends if rung.session else (max(0.0, ends[0]), min(1.0, ends[1]))
    share, low_text, high_text, fair = (_score(rung, each) for each in (rung.share, low, high, rung.fair))
    setting = CATALOGUE["strengths"]["settings"][rung.setting]
    return ToldRung(rung.below.removeprefix("L"), setting, share, low_text, high_text, fair, rung.claims)


def _score(rung: Rung, score: float) -> str:
    """Return a score: a share of matches in percent, or units over the rounds of a session."""
    if not rung.session:
        return share_words(score, 1)
    sign = "\N{MINUS SIGN}" if score < 0 else ""
    return say(CATALOGUE["strengths"]["units"], {"number": f"{sign}{figure(abs(score), 1)}"})


def _width(rung: Rung) -> float:
    """Return half the width of an interval; of blocks that all came out alike, after the rule of three."""
    return rung.half_width or RULE_OF_THREE / rung.blocks
