"""The open statistics for people to read: what was found in words, and every number as a table has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from domain.statistics.tallies import POOLED, What
from domain.statistics.uniformity import ALARM, Statistics, UniformityFinding
from services.words.catalogue import CATALOGUE, say
from services.words.figures import count_figure, figure, share_words

HABITS: Final[tuple[What, ...]] = ("faces", "beside", "after", "runs")
"""What is asked of dice, in the order of the columns."""
OFS: Final = ("player", "seat", "slot", "roll")
LEAST: Final = -2
MOST: Final = 6
"""Powers of ten between which people are told what a coin has become."""
DIGITS: Final = 10
"""Sides of what is on a banknote, from 0."""
LETTERS: Final = 26
"""Sides of what says who opens at some tables, from A."""
SMALLEST: Final = 1e-4
"""The smallest chance that is told by its digits."""
HOSTS_MAX: Final = 20
"""Hosts that are told of."""
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
    mark: Literal["yes", "no", "open"] = "no" if not found.even else "yes" if found.dice else "open"
    text = phrase("purse", coins=coins(found.evidence), alarm=figure(ALARM))
    return Told(mark, phrase("verdict", mark=mark), phrase("plainly", mark=mark) if mark == "open" else text)


def plainly(found: Statistics, told: Told) -> str:
    """Return in one sentence what was counted, and how it came."""
    return phrase("plainly", dice=figure(found.dice), matches=count_figure(found.matches, "match"), mark=told.mark)


def counted(found: Statistics) -> str:
    """Return how many dice were counted, and how many wait."""
    places = {"deals": count_figure(found.deals, "deal"), "matches": count_figure(found.matches, "match")}
    counts = phrase("counted", dice=figure(found.dice), **places)
    return f"{counts} {phrase('waiting', waiting=figure(found.waiting))}"


def phrase(key: str, **facts: str) -> str:
    """Return a sentence on statistics in the language that is spoken."""
    return say(CATALOGUE["watch"]["statistics"][key], facts)


def deals_thrown(found: Statistics) -> tuple[str, ...]:
    """Return how many deals were thrown away, in how many the house drew a seed, and what speaks against the house."""
    counts = found.dealt.counts
    share = share_words(counts.voided / counts.logged if counts.logged else 0, 1)
    thrown = phrase("thrown_of", logged=figure(counts.logged), voided=figure(counts.voided), share=share)
    purse = phrase("thrown_purse", coins=coins(found.dealt.evidence), alarm=figure(ALARM))
    return (thrown, phrase("thrown_drawn", drawn=figure(counts.drawn)), purse)


def host_name(host: str) -> str:
    """Return whose tables they are."""
    return phrase("host_name", host=host)


def chance_words(chance: float) -> str:
    """Return a chance as a share of one, a small one as less than the smallest."""
    return figure(chance, 4) if chance >= SMALLEST else f"< {figure(SMALLEST, 4)}"


def habits() -> tuple[str, ...]:
    """Return what each column is called."""
    return tuple(CATALOGUE["watch"]["statistics"]["habits"][what] for what in HABITS)


def kind_name(m: int) -> str:
    """Return what things with so many sides are called: letters and digits by what they are."""
    return phrase("kind", m=str(m))


def side_name(m: int, number: int) -> str:
    """Return what is painted on a side, which are numbered from 1."""
    if m == LETTERS:
        return chr(ord("A") + number - 1)
    return str(number - 1 if m == DIGITS else number)


def shares_words(kind: StatisticsKind) -> str:
    """Return the share of each side, for those who do not see the picture."""
    return "; ".join(f"{side_name(kind.m, side.number)}: {share_words(side.share, 1)}" for side in kind.sides)


def coins(evidence: float) -> str:
    """Return what one coin has become, for people."""
    if evidence < LEAST:
        return phrase("coins", than="less", coins=figure(10.0**LEAST, 2))
    if evidence > MOST:
        return phrase("coins", than="more", coins=figure(10**MOST))
    return phrase("coins", than="as much", coins=figure(10**evidence, 2))


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
    yield _line(_question_words("all", ""), groups["all", ""])
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
    number = which
    if of in {"slot", "roll"}:
        later, first = which.endswith("+"), POOLED if which.endswith("+") else int(which)
        number = phrase("later", number=str(first + 1)) if later else str(first + 1)
    return phrase("group", of=of, which=which, number=number)
