"""Rules of a season: the object that its first line freezes, every option spelled out.

Ratings need none: they are the same for all seasons. A league says how a tournament counts, how many of them do, and
who goes up and down.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.errors import Refused
from domain.faults import fault_of
from domain.tournaments.points import NotPoints, points_of
from domain.tournaments.rules import ENTRANTS_MAX, RulesPart

PLACES_MAX: Final = 256
"""So many places are worth something at most: their list fits into a line."""
RESULTS_MAX: Final = 1_000
POINTS_MAX: Final = 1_000_000


class League(RulesPart, frozen=True):
    """How tournaments count for a league.

    Attributes:
        points: Whether a tournament gives what its places are worth, or the score that somebody had in it.
        places: What places 1, 2, ... are worth, as fractions that do not rise; those behind the list nothing.
        best: How many results of each count, the best ones; None: all.
        up: How many go up in the end; who shares the last of these places goes along.
        down: How many go down; of those who share a place all do or none.
    """

    points: Literal["places", "score"] = "places"
    places: Annotated[tuple[str, ...], Meta(max_length=PLACES_MAX)] = ()
    best: Annotated[int, Meta(ge=1, le=RESULTS_MAX)] | None = None
    up: Annotated[int, Meta(ge=0, le=ENTRANTS_MAX)] = 0
    down: Annotated[int, Meta(ge=0, le=ENTRANTS_MAX)] = 0


class SeasonRules(RulesPart, frozen=True):
    """The rules object of a season; without a league it holds ratings only.

    Attributes:
        rates: What is rated: every match, also where a table plays several; where nothing is said, a table once.
    """

    season: Literal[1] = 1
    league: League | None = None
    # Seasons of before have no such member, and keep their bytes and their ratings.
    rates: Literal["matches"] | UnsetType = UNSET


def season_rules(given: dict[str, Any]) -> SeasonRules:
    """Return the rules of a season that a host asks for.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong.
    """
    try:
        rules = msgspec.convert(given, SeasonRules)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "rules", why=fault.why) from error
    if rules.league is not None:
        _check_places(rules.league)
    return rules


def rules_to_begin(given: dict[str, Any]) -> SeasonRules:
    """Return the rules of a season that begins now, in which every match is rated.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong.
    """
    return msgspec.structs.replace(season_rules(given), rates="matches")


def _check_places(league: League) -> None:
    if (league.points == "places") is not bool(league.places):
        why = "what places are worth is said where places count, and nowhere else"
        raise Refused("bad_options", option="league.places", why=why)
    worth: list[Fraction] = []
    for number, text in enumerate(league.places):
        try:
            worth.append(points_of(text))
        except NotPoints as error:
            raise Refused("bad_options", option=f"league.places.{number}", why=str(error)) from error
        if not 0 <= worth[-1] <= POINTS_MAX:
            why = f"a place is worth from 0 to {POINTS_MAX} points"
            raise Refused("bad_options", option=f"league.places.{number}", why=why)
    for number, (better, worse) in enumerate(pairwise(worth), start=1):
        if worse > better:
            raise Refused("bad_options", option=f"league.places.{number}", why="no place is worth more than a better")


def season_object(rules: SeasonRules) -> dict[str, Any]:
    """Return the rules object as it goes into `season.created`."""
    # As it is read back out of a line: lists, and no tuples.
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    return built
