"""Seasons and their tournaments moved on by hand, their lines written down, so that they can be audited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self
from uuid import UUID

import msgspec

from domain.fairness import records
from domain.log import canonical
from domain.match.record import GENESIS
from domain.seasons import events
from domain.seasons.counting import TournamentOutcome, outcome_of
from domain.seasons.deciding import AdmitTournament, CloseSeason, SeasonCommand, decide_season
from domain.seasons.record import season_lines, step_season, stream_of_season
from domain.seasons.rules import season_object, season_rules
from domain.seasons.season import Season, new_season
from domain.tournaments import commands
from services.audit.seasons.counts import count
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent

SEASON = UUID("5ea50000-0000-4000-8000-00000000000b")
LEAGUE = {"league": {"places": ["10", "6", "4", "3"], "best": 2, "up": 1, "down": 1}}
BASIL, SAFFRON = "bot/steady/0123abcd", "bot/bold/89abcdef"


def person(number: int) -> str:
    """Return the id of a player."""
    return f"u{number:024x}"


def other_id(number: int) -> str:
    """Return the id of a tournament that no test holds."""
    return str(UUID(int=number, version=4))


class EventOfPlayers(WrittenEvent):
    """A tournament for a season, whose entrants may be players, bots and guests."""

    def __init__(self, name: str = "pods", **members: Any) -> None:
        super().__init__(name, **{"season": str(SEASON), **members})

    def enter_these(self, *players: str, **members: Any) -> Self:
        """Let these enter, and say that they are there; then draw lots, and open the first stage."""
        self.do(commands.OpenEntry(by=HOST))
        for who in players:
            self.do(commands.Register(by=HOST, player=who, bot=who.startswith("bot/"), **members))
        self.open_check_in()
        for number in self.tournament.entrants:
            self.do(commands.CheckIn(by=HOST, number=number))
        self.draw().step()
        return self

    @property
    def outcome(self) -> TournamentOutcome:
        """What a season sees of it."""
        return outcome_of(self.tournament, self.head)


def held(*players: str, **members: Any) -> EventOfPlayers:
    """Return a rated tournament of one table, which is over: they come in as they are named."""
    rules = {"rated": True, "entry": {"bots": "labelled"}, "stages": [{"format": "swiss", "rounds": 1}], **members}
    return EventOfPlayers("pods", **rules).enter_these(*players).close()


class SeasonByHand:
    """A season on its way, with the lines of its stream."""

    def __init__(self, rules: dict[str, Any] | None = None) -> None:
        wanted = season_rules(LEAGUE if rules is None else rules)
        created = events.SeasonCreated(str(SEASON), "common-hand", season_object(wanted))
        self.at = 1_000
        self.season: Season = new_season(created, self.at)
        self.lines, self.head = season_lines(SEASON, 0, GENESIS, self.at, [created])

    def do(self, command: SeasonCommand) -> tuple[events.SeasonEvent, ...]:
        """Do what is asked, and return what happened."""
        made = decide_season(self.season, command, self.at)
        lines, self.head = season_lines(SEASON, self.season.version, self.head, self.at, made.events)
        self.lines, self.season = (*self.lines, *lines), made.season
        return made.events

    def count(self, outcome: TournamentOutcome) -> Self:
        """Admit a tournament, and count it."""
        self.do(AdmitTournament(outcome.tournament))
        self.do(count(self.season, outcome))
        return self

    def close(self) -> Self:
        """End it."""
        self.do(CloseSeason())
        return self

    @property
    def record(self) -> bytes:
        """Its record file, of which no log knows."""
        return records.assemble(list(self.lines), None)

    def read(self) -> Season:
        """Return the season as its lines have it."""
        written = None
        for line in self.lines:
            written = step_season(written, line)
        assert written is not None
        assert written.head == self.head
        return written.season


Change = Callable[[dict[str, Any]], object]


def lied(lines: Sequence[bytes], number: int, change: Change) -> list[bytes]:
    """Return lines of which one, by its number from 1, says something else, chained anew."""
    documents = [msgspec.json.decode(line) for line in lines]
    change(documents[number - 1])
    return rechained(documents)


def rechained(documents: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return the lines that these are, in a chain."""
    head, found = GENESIS, []
    for seq, each in enumerate(documents):
        line = canonical.line(stream_of_season(SEASON), seq, head, each["at"], each["type"], each["data"])
        head = canonical.head(line)
        found.append(line)
    return found
