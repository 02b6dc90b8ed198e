"""Strengths: what each level of the house was measured to be, as pages say it; never more than was measured."""

from __future__ import annotations

from typing import Any, Final

from services.gauntlet.ladder import Rung, StrengthLadder

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


def _width(rung: Rung) -> float:
    """Return half the width of an interval; of blocks that all came out alike, after the rule of three."""
    return rung.half_width or RULE_OF_THREE / rung.blocks
