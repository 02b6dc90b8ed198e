"""Standings: who stands where after a round, why, and the one text that their hash is taken of.

Scores first, then the tie-breaks of the rules in their order, each within those who are still tied. Who is tied in the
end shares the place: 1, 2, 2, 4. Whoever was disqualified has no place; their tables count for others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.tournaments.points import points_text
from domain.tournaments.ranking.encounters import encounters
from domain.tournaments.ranking.outcomes import Outcomes
from domain.tournaments.ranking.results import PointsPenalty
from domain.tournaments.ranking.tiebreaks import SHARES, TieBreaks

TieValue = Fraction | tuple[Fraction, ...]
"""What a tie-break comes to: a number, or for `CB` a list of them."""

CODES: Final = ("BH", "BH-C1", "BH-C2", "BH-M1", "SB", "DE", "PS", "KS", "WIN", "WON", "CB")
"""Every tie-break that there is."""


class Standing(Struct, frozen=True):
    """Where an entrant stands.

    Attributes:
        number: Whose it is.
        place: From 1; None for who was disqualified.
        shared: Whether somebody has the same place.
        score: Points and penalties.
        ties: The tie-breaks that were looked at, by their codes.
    """

    number: int
    place: int | None
    shared: bool
    score: Fraction
    ties: Mapping[str, TieValue]


def standings(
    event: Outcomes,
    codes: Sequence[str],
    penalties: Iterable[PointsPenalty] = (),
    disqualified: Collection[int] = (),
    breaks: TieBreaks | None = None,
) -> list[Standing]:
    """Return where everybody stands, by place and then by number; who has no place comes last.

    Args:
        event: What each round was to each entrant.
        codes: Tie-breaks, the first to be looked at first.
        penalties: Points that officials gave or took.
        disqualified: Who has no place.
        breaks: The tie-breaks of the event, where some of them may be known; it keeps what is worked out here.

    Cost: for 1,000 entrants over seven rounds about a twentieth of a second, and a fifth of that after one result.
    """
    breaks = TieBreaks(event) if breaks is None else breaks
    scores = {number: Fraction(units, event.unit) for number, units in breaks.scores.items()}
    for penalty in penalties:
        scores[penalty.number] += penalty.points
    looked: dict[int, dict[str, TieValue]] = {number: {} for number in scores}
    groups = _levels(scores, sorted(number for number in scores if number not in disqualified))
    for code in codes:
        groups = [part for group in groups for part in _broken(breaks, code, group, looked)]
    rows = []
    place = 1
    for group in groups:
        shared = len(group) > 1
        rows += [Standing(number, place, shared, scores[number], looked[number]) for number in group]
        place += len(group)
    return rows + [Standing(number, None, False, scores[number], {}) for number in sorted(disqualified)]  # noqa: FBT003


def _levels(values: Mapping[int, Any], group: Sequence[int]) -> list[list[int]]:
    """Return those of one value together, the highest first, each level in the order of the group."""
    levels: dict[Any, list[int]] = {}
    for number in group:
        levels.setdefault(values[number], []).append(number)
    return [levels[value] for value in sorted(levels, reverse=True)]


def _broken(
    breaks: TieBreaks, code: str, group: list[int], looked: Mapping[int, dict[str, TieValue]]
) -> list[list[int]]:
    """Return the groups that a tie-break makes of one, and note what it came to for each."""
    if len(group) == 1:
        return [group]
    if code == "DE":
        if tuple(group) not in breaks.met:
            breaks.met[tuple(group)] = encounters(breaks.event.of, group)
        sums, parts = breaks.met[tuple(group)]
        for number, came in sums.items():
            looked[number][code] = came
        return parts
    units = {}
    for number in group:
        known = breaks.units.get((code, number))
        if known is None:
            counted = _units(breaks, code, number)
            known = breaks.units[code, number] = (counted, _value(breaks.event, code, counted))
        units[number], looked[number][code] = known
    return _levels(units, group)


def tie_break(breaks: TieBreaks, code: str, number: int) -> TieValue:
    """Return what a tie-break other than `DE`, which needs others, comes to for an entrant."""
    return _value(breaks.event, code, _units(breaks, code, number))


def _units(breaks: TieBreaks, code: str, number: int) -> Any:  # noqa: ANN401 - whole units, or what CB lists
    if code == "CB":
        return breaks.count_back(number)
    return breaks.buchholz(number, *CUTS[code]) if code in CUTS else sum(_SUMMED[code](breaks, number))


def _value(event: Outcomes, code: str, counted: Any) -> TieValue:  # noqa: ANN401 - whole units, or what CB lists
    """Return what a number of units stands for."""
    return counted if code == "CB" else Fraction(counted, _SCALES[code](event))


def rounds_of(breaks: TieBreaks, code: str, number: int) -> list[Fraction]:
    """Return what each round gives to a tie-break that is a sum over rounds: all but `DE` and `CB`."""
    scale = _SCALES[code](breaks.event)
    return [Fraction(part, scale) for part in _parts(breaks, code, number)]


def cuts_of(breaks: TieBreaks, code: str, number: int) -> list[int]:
    """Return which rounds, from 0, a tie-break leaves out."""
    return breaks.cuts(number, *CUTS[code]) if code in CUTS else []


def _parts(breaks: TieBreaks, code: str, number: int) -> list[int]:
    return [part for part, _ in breaks.parts[number]] if code in CUTS else _SUMMED[code](breaks, number)


CUTS: Final = {"BH": (0, 0), "BH-C1": (1, 0), "BH-C2": (2, 0), "BH-M1": (1, 1)}
"""How many of the lowest and of the highest rounds a Buchholz sum leaves out."""
_SUMMED: Final[dict[str, Callable[[TieBreaks, int], list[int]]]] = {
    "SB": TieBreaks.sonneborn_berger,
    "PS": TieBreaks.progressive,
    "KS": TieBreaks.koya,
    "WIN": TieBreaks.wins,
    "WON": TieBreaks.won,
}
_SCALES: Final[dict[str, Callable[[Outcomes], int]]] = {
    **dict.fromkeys(CUTS, lambda event: event.unit * SHARES),
    "SB": lambda event: event.unit * SHARES * 2 * event.top,
    "PS": lambda event: event.unit,
    "KS": lambda _: 2 * SHARES,
    "WIN": lambda _: 1,
    "WON": lambda _: 1,
}


def standings_object(stage: int, closed: int, codes: Sequence[str], rows: Iterable[Standing]) -> dict[str, Any]:
    """Return what is hashed of the standings after a round: `round`, `rows` and `stage`.

    A row is `[number, place or null, score, values]`; values stand in the order of the codes, null where one was not
    looked at.
    """
    return {
        "round": closed,
        "rows": [
            [row.number, row.place, points_text(row.score), [_written(row.ties.get(code)) for code in codes]]
            for row in rows
        ],
        "stage": stage,
    }


def standings_hash(stage: int, closed: int, codes: Sequence[str], rows: Iterable[Standing]) -> str:
    """Return the SHA-256 of the standings object as canonical JSON (RFC 8785), as hex.

    Its keys are ASCII and its texts fractions, so keys in order and no spaces are all that the form asks for.
    """
    line = msgspec.json.encode(standings_object(stage, closed, codes, rows), order="deterministic")
    return hashlib.sha256(line).hexdigest()


def _written(value: TieValue | None) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value as text, a list as a list of texts."""
    if isinstance(value, tuple):
        return [points_text(part) for part in value]
    return None if value is None else points_text(value)
