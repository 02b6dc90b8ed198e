"""Tournaments and seasons among the records of an audit: what these say to the records of matches and tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import asdict

from domain.seasons.counting import TournamentOutcome
from services.audit.results import HeldMatch, HeldResults, ResultDifference, held_match, hold
from services.audit.seasons.held import CountedTournament, HeldSeason, hold_season, left_out
from services.audit.tables import BoardRecord, MatchResult, WantedBoard
from services.cli.auditing.judging import FileVerdict
from services.cli.screen import say as say_lines
from services.cli.screen import say_json
from services.words.catalogue import CATALOGUE, say

NAMED_MAX: Final = 3
"""So many matches are named whose records are missing."""


class HeldTournament(Struct, frozen=True):
    """A tournament whose results were held against the records of its matches.

    Attributes:
        name: The file of it.
        found: What came of that.
        alone: Whether no record of any match was there: then nobody asked.
    """

    name: str
    found: HeldResults
    alone: bool

    @property
    def status(self) -> Literal["OK", "FAULT", "INCOMPLETE"]:
        """What it comes to."""
        if self.found.differences:
            return "FAULT"
        return "INCOMPLETE" if self.found.unchecked and not self.alone else "OK"

    @property
    def document(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {"file": self.name, "status": self.status, "results": to_builtins(self.found)}

    @property
    def words(self) -> list[str]:
        """The same in sentences."""
        words = CATALOGUE["terminal"]["tournament"]["audit"]
        facts = {"name": self.name, "count": str(len(self.found.unchecked)), "checked": str(self.found.checked)}
        lines = [self._differs(each) for each in self.found.differences]
        if self.found.checked:
            lines.append(say(words["held"], facts))
        lines += [
            say(words["tables"][kind], {"name": self.name, "tables": str(tables)})
            for kind, tables in asdict(self.found.seeds).items()
            if tables
        ]
        lines += self._keys()
        if self.found.unchecked:
            named = ", ".join(self.found.unchecked[:NAMED_MAX])
            more = "" if len(self.found.unchecked) <= NAMED_MAX else ", …"
            lines.append(say(words["alone" if self.alone else "unchecked"], facts | {"matches": named + more}))
        return lines

    def _keys(self) -> list[str]:
        """Return which seats of entrants with keys had these."""
        words, keys = CATALOGUE["terminal"]["tournament"]["audit"]["keys"], self.found.keys
        facts = {"name": self.name, "own": str(keys.own), "count": str(len(keys.without))}
        lines = [say(words["own"], facts)] if keys.own else []
        for each in keys.without[:NAMED_MAX]:
            seat = {"line": str(each.line), "match": each.match, "number": str(each.number)}
            lines.append(say(words["none"], facts | seat))
        if len(keys.without) > NAMED_MAX:
            lines.append(say(words["more"], facts))
        return lines

    def _differs(self, one: ResultDifference) -> str:
        words = CATALOGUE["terminal"]["tournament"]["audit"]
        facts = {"name": self.name, "line": str(one.line), "match": one.match, "why": words["what"][one.what]}
        return say(words["differs"], facts)


class HeldLeague(Struct, frozen=True):
    """A season that was held against the records of its tournaments.

    Attributes:
        name: The file of it.
        found: What came of that.
        alone: Whether no record of any tournament was there: then nobody asked.
        left_out: The tournaments there that say that they were held for it, and have not counted.
    """

    name: str
    found: HeldSeason
    alone: bool
    left_out: tuple[str, ...] = ()

    @property
    def status(self) -> Literal["OK", "FAULT", "INCOMPLETE"]:
        """What it comes to."""
        if self.found.differences:
            return "FAULT"
        return "INCOMPLETE" if (self.found.unchecked and not self.alone) or self.left_out else "OK"

    @property
    def document(self) -> dict[str, Any]:
        """The same as one JSON document."""
        found = to_builtins(self.found)
        return {"file": self.name, "status": self.status, "season": {**found, "left_out": list(self.left_out)}}

    @property
    def words(self) -> list[str]:
        """The same in sentences."""
        words, found = CATALOGUE["terminal"]["season"], self.found
        facts = {"name": self.name, "count": str(len(found.unchecked)), "checked": str(found.checked)}
        lines = [
            say(
                words["differs"],
                facts | {"line": str(one.line), "tournament": one.tournament, "why": words["what"][one.what]},
            )
            for one in found.differences
        ]
        if found.checked:
            lines.append(say(words["held"], facts))
        if found.unchecked:
            key = "alone" if self.alone else "unchecked"
            lines.append(say(words[key], facts | {"tournaments": _named(found.unchecked)}))
        if self.left_out:
            left = {"count": str(len(self.left_out)), "tournaments": _named(self.left_out)}
            lines.append(say(words["left_out"], facts | left))
        return lines


def _named(ids: Sequence[str]) -> str:
    """Return the first of some ids."""
    return ", ".join(ids[:NAMED_MAX]) + ("" if len(ids) <= NAMED_MAX else ", …")


Held = HeldTournament | HeldLeague
"""What was held against other records."""


class KeptRecords:
    """What is kept of records while they are judged, to hold them against each other when all of them were."""

    def __init__(self) -> None:
        """Begin with no record."""
        self._counts: list[tuple[str, str, tuple[CountedTournament, ...]]] = []
        self._outcomes: dict[str, TournamentOutcome] = {}
        self._results: list[tuple[str, tuple[MatchResult, ...], tuple[WantedBoard, ...]]] = []
        self._boards: dict[str, BoardRecord] = {}
        self._matches: dict[str, HeldMatch] = {}

    def keep(self, one: FileVerdict) -> None:
        """Keep what a record says."""
        verdict = one.verdict
        if verdict is None or verdict.record is UNSET:
            return
        if verdict.counts is not UNSET and verdict.season is not UNSET:
            self._counts.append((one.name, verdict.season, verdict.counts))
            return
        if verdict.outcome is not UNSET:
            self._outcomes[verdict.outcome.tournament] = verdict.outcome
        if verdict.results is not UNSET:
            wanted = () if isinstance(verdict.boards, UnsetType) else verdict.boards
            self._results.append((one.name, verdict.results, wanted))
            return
        if not isinstance(verdict.board, UnsetType):
            if verdict.record == "OK":
                self._boards[verdict.board.id] = verdict.board
            return
        match = held_match(verdict)
        if match is not None and verdict.match is not UNSET:
            self._matches[verdict.match] = match

    def told(self, *, json: bool) -> list[Held]:
        """Hold tournaments against their matches, and seasons against their tournaments, and tell what came of it."""
        alone, unheld = not self._matches, not self._outcomes
        found: list[Held] = [
            *(
                HeldTournament(name, hold(results, self._matches, wanted, self._boards), alone)
                for name, results, wanted in self._results
            ),
            *(self._league(*each, alone=unheld) for each in self._counts),
        ]
        for event in found:
            say_json(event.document) if json else say_lines(*event.words)
        return found

    def _league(self, name: str, season: str, counts: tuple[CountedTournament, ...], *, alone: bool) -> HeldLeague:
        held = hold_season(counts, self._outcomes)
        return HeldLeague(name, held, alone, left_out(season, counts, self._outcomes))
