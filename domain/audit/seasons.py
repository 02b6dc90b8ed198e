"""Layer 3 of a season's record: what counts once, and only what was said beforehand; who goes up and down.

Points and ratings follow from the records of tournaments, so this record alone cannot say whether they are right: what
it says of each is told, with the ratings before it, for whoever has those records (`services.audit.seasons.held`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain.errors import Refused
from domain.events import type_of
from domain.events.base import BaseEvent
from domain.fairness.faults import Code
from domain.fairness.records import RecordLine
from domain.seasons import events
from domain.seasons.deciding import AdmitTournament, CloseSeason, CountTournament, SeasonCommand, decide_season
from domain.seasons.rules import season_object
from domain.seasons.season import Season, new_season
from domain.tournaments.points import NotPoints, points_of

_CODES: Final[dict[type[BaseEvent], Code]] = {
    events.TournamentCounted: "E_STANDING",
    events.SeasonClosed: "E_STANDING",
}
"""What a line that differs is about; anything else is `E_RULES`."""


class SeasonCount(Struct, frozen=True):
    """What a season says of a tournament: the line, from 1, the season before it, and what counted."""

    line: int
    before: Season
    counted: CountTournament


class SeasonRuling(Struct, frozen=True):
    """What layer 3 found.

    Attributes:
        code: What is wrong; None if nothing is.
        line: Where, from 1.
        upto: The last line that could be judged.
        why: What is wrong, or what was found, in a sentence.
        counts: What counted, in order.
    """

    code: Code | None = None
    line: int | None = None
    upto: int = 0
    why: str = ""
    counts: tuple[SeasonCount, ...] = ()


class _Foul(Exception):  # noqa: N818 - never leaves this file
    def __init__(self, line: int, why: str, code: Code = "E_RULES") -> None:
        super().__init__(why)
        self.line, self.why, self.code = line, why, code


def replay_season(lines: Sequence[RecordLine]) -> SeasonRuling:
    """Return what the laws say to a record that has passed layers 1 and 2."""
    counts: list[SeasonCount] = []
    try:
        happened = [_decoded(line) for line in lines]
        season, there = _new(happened[0], lines[0]), 1
        while there < len(lines):
            command = _command_behind(happened[there:], lines[there])
            if isinstance(command, CountTournament):
                counts.append(SeasonCount(there + 1, season, command))
            season = _decide(season, command, happened[there:], lines[there:])
            there = season.version
    except _Foul as foul:
        return SeasonRuling(foul.code, foul.line, foul.line, foul.why)
    why = "every tournament counts once, and who goes up and down follows from what counted"
    return SeasonRuling(upto=len(lines), why=why, counts=tuple(counts))


def _decoded(line: RecordLine) -> events.SeasonEvent:
    if "type" in line.data:
        raise _Foul(line.number, f"{line.kind} has no member of this name: type")
    try:
        return events.season_event_of(line.kind, line.data)
    except (msgspec.ValidationError, ValueError) as error:
        raise _Foul(line.number, f"{line.kind} is no line of a season") from error


def _new(first: events.SeasonEvent, line: RecordLine) -> Season:
    assert isinstance(first, events.SeasonCreated), "layer 2 has seen to it"
    try:
        season = new_season(first, line.at)
    except Refused as refused:
        raise _Foul(1, f"these are no rules of a season: {refused}") from refused
    if season_object(season.rules) != first.rules:
        raise _Foul(1, "the rules object does not spell every option out")
    return season


def _command_behind(happened: Sequence[events.SeasonEvent], line: RecordLine) -> SeasonCommand:
    match happened[0]:
        case events.TournamentAdmitted(tournament):
            return AdmitTournament(tournament)
        case events.TournamentCounted() as first:
            return _count_behind(first, happened, line)
        case _:
            # What creates a season is its first line: layer 2 has seen to it.
            return CloseSeason()


def _count_behind(
    first: events.TournamentCounted, happened: Sequence[events.SeasonEvent], line: RecordLine
) -> CountTournament:
    parts: list[events.TournamentCounted] = []
    for each in happened:
        if not isinstance(each, events.TournamentCounted) or each.tournament != first.tournament:
            break
        parts.append(each)
    try:
        points = {member: points_of(text) for part in parts for member, text in part.points}
    except NotPoints as error:
        raise _Foul(line.number, str(error), "E_STANDING") from error
    ratings = {member: (mu, sigma, matches) for part in parts for member, mu, sigma, matches in part.ratings}
    return CountTournament(first.tournament, first.head, points, ratings)


def _decide(
    season: Season, command: SeasonCommand, happened: Sequence[events.SeasonEvent], lines: Sequence[RecordLine]
) -> Season:
    """Decide anew what led to these lines, and return the season after it."""
    line = lines[0]
    if line.at < season.at:
        raise _Foul(line.number, "time runs backwards")
    code = _CODES.get(type(happened[0]), "E_RULES")
    try:
        made = decide_season(season, command, line.at)
    except Refused as refused:
        raise _Foul(line.number, f"{line.kind} is refused: {refused}", code) from refused
    for number, expected in enumerate(made.events):
        # Parts are made of what the lines say, so there are as many.
        if happened[number] != expected:
            wanted = type_of(expected)
            raise _Foul(lines[number].number, f"the laws call for another line here: {wanted}", code)
        if lines[number].at != line.at:
            raise _Foul(lines[number].number, "the parts of what counts stand in one append", code)
    return made.season
