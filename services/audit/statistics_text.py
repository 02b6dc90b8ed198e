"""The open statistics for people to read: what was found in words, and every number as a table has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.statistics.tallies import POOLED, What
from domain.statistics.uniformity import ALARM, Statistics, UniformityFinding
from services.words.catalogue import CATALOGUE, say

HABITS: Final[dict[What, str]] = {
    "faces": "Sides",
    "beside": "Neighbours",
    "after": "Roll to roll",
    "runs": "Runs",
}
"""What is asked of dice, in the order of the columns."""
KINDS: Final = {"person": "People", "house": "House bots", "nobody": "The table"}
CUPS: Final = {"0": "The cup of the table", "255": "The cup that is passed on"}
OFS: Final = ("player", "seat", "slot", "roll")
LEAST: Final = -2
MOST: Final = 6
"""Powers of ten between which people are told what a coin has become."""
DIGITS: Final = 10
"""Sides of what is on a banknote, from 0."""
LETTERS: Final = 26
"""Sides of what says who opens at some tables, from A."""
LENGTH: Final = 200
"""How long a bar is, in units of its drawing."""


class Told(Struct, frozen=True):
    """What was found, in a sentence; `open` while there is nothing to say."""

    mark: Literal["yes", "no", "open"]
    title: str
    text: str


class Side(Struct, frozen=True):
    """A side of a die: how often it was seen, its share, between what that lies; and where these are on a bar."""

    number: int
    seen: int
    share: float
    low: float
    high: float
    at: float
    begins: float
    spans: float


class StatisticsLine(Struct, frozen=True):
    """Some of the dice, and what a coin bet against each of their habits has become; empty where nothing was asked."""

    name: str
    dice: int
    coins: tuple[tuple[str, bool], ...]


class StatisticsKind(Struct, frozen=True):
    """All dice with this many sides; `fair` is where on a bar the fair share is."""

    m: int
    seen: int
    waiting: int
    fair: float
    sides: tuple[Side, ...]
    lines: tuple[StatisticsLine, ...]


def verdict(found: Statistics) -> Told:
    """Return what was found, in a sentence."""
    purse = f"One coin bet against them has become {coins(found.evidence)}; at {ALARM} the alarm is raised."
    if not found.even:
        return Told("no", "Something speaks against the dice", purse)
    if not found.dice:
        return Told("open", "No dice have been counted yet", "A match counts when its deal has published its secret.")
    return Told("yes", "Nothing speaks against the dice", purse)


def plainly(found: Statistics, told: Told) -> str:
    """Return in one sentence what was counted, and how it came."""
    numbers = {"dice": f"{found.dice:,}", "matches": count_words(found.matches, "match", "matches")}
    return say(CATALOGUE["watch"]["statistics"]["plainly"], {**numbers, "mark": told.mark})


def kind_name(m: int) -> str:
    """Return what things with so many sides are called: letters and digits by what they are."""
    return say(CATALOGUE["watch"]["statistics"]["kind"], {"m": str(m)})


def side_name(m: int, number: int) -> str:
    """Return what is painted on a side, which are numbered from 1."""
    if m == LETTERS:
        return chr(ord("A") + number - 1)
    return str(number - 1 if m == DIGITS else number)


def shares_words(kind: StatisticsKind) -> str:
    """Return the share of each side, for those who do not see the picture."""
    return ", ".join(f"{side_name(kind.m, side.number)}: {side.share:.1%}" for side in kind.sides)


def count_words(number: int, one: str, many: str) -> str:
    """Return a number with what it counts."""
    return f"{number:,} {one if number == 1 else many}"


def coins(evidence: float) -> str:
    """Return what one coin has become, for people."""
    if evidence < LEAST:
        return f"less than {10.0**LEAST}"
    return f"more than {10**MOST:,}" if evidence > MOST else f"{10**evidence:,.2f}"


def dice(found: Statistics) -> tuple[StatisticsKind, ...]:
    """Return the dice by their number of sides, those of which most were counted first."""
    sides = sorted({one.m for one in found.findings})
    told = [_dice(m, [one for one in found.findings if one.m == m]) for m in sides]
    return tuple(sorted(told, key=lambda each: -each.seen))


def _dice(m: int, findings: list[UniformityFinding]) -> StatisticsKind:
    whole = next(one for one in findings if (one.what, one.of) == ("faces", "all"))
    seen = sum(whole.counts)
    top = min(1.0, max(2 / m, *(high for _, high in whole.bounds)))
    sides = tuple(_side(whole, number, seen, top) for number in range(m))
    return StatisticsKind(m, seen, whole.waiting, _place_words(1 / m, top), sides, tuple(_lines(findings)))


def _side(whole: UniformityFinding, number: int, seen: int, top: float) -> Side:
    (low, high), count = whole.bounds[number], whole.counts[number]
    share = count / seen if seen else 0.0
    begins = _place_words(low, top)
    return Side(number + 1, count, share, low, high, _place_words(share, top), begins, _place_words(high, top) - begins)


def _place_words(share: float, top: float) -> float:
    return round(LENGTH * share / top, 1)


def _lines(findings: list[UniformityFinding]) -> Iterator[StatisticsLine]:
    groups: dict[tuple[str, str], dict[What, UniformityFinding]] = {}
    for one in findings:
        groups.setdefault((one.of, one.which), {})[one.what] = one
    yield _line("All", groups["all", ""])
    for of in OFS:
        which = sorted((which for kind, which in groups if kind == of), key=_number)
        yield from (_line(_question_words(of, each), groups[of, each]) for each in which)


def _line(name: str, group: dict[What, UniformityFinding]) -> StatisticsLine:
    told = ((coins(group[what].evidence), group[what].uneven) if what in group else ("", False) for what in HABITS)
    return StatisticsLine(name, sum(group["faces"].counts), tuple(told))


def _number(which: str) -> tuple[int, str]:
    digits = which.rstrip("+")
    return (int(digits) if digits.isdigit() else 0, which)


def _question_words(of: str, which: str) -> str:
    if of == "player":
        return KINDS[which]
    if of == "seat":
        return CUPS.get(which, f"Seat {which}")
    number = f"{POOLED + 1} and later" if which.endswith("+") else str(int(which) + 1)
    return f"{of.capitalize()} {number}"
