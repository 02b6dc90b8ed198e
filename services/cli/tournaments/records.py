"""Records of tournaments, read: judged by all layers first, then folded to how the tournament stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.audit.tournaments import replay_tournament
from domain.errors import Refused
from domain.fairness.audit import audit_lines
from domain.ids import UnixMs
from domain.tournaments.events import TournamentCreated, TournamentEvent, event_of
from domain.tournaments.evolve import new_tournament
from domain.tournaments.tournament import Place, Tournament
from infra.keys import ed25519_verify
from projections.tournaments.pairings import PastPairing, pairings_of
from projections.tournaments.people import Names
from services.cli.auditing.sources import Unread, read, small
from services.client.house import CannotDo

FAULT: Final = "FAULT"


class ReadTournament(Struct, frozen=True):
    """A tournament out of its record.

    Attributes:
        created: As its first line describes it.
        happened: Its other lines, in order, with their times.
        tournament: How it stands after the last.
        names: What entrants are called: as was said, or by the ids that stand in the record.
    """

    created: Tournament
    happened: tuple[tuple[TournamentEvent, UnixMs], ...]
    tournament: Tournament
    names: Names

    def pairings(self) -> dict[Place, tuple[PastPairing, ...]]:
        """Return its pairings, each with what was known when it was made."""
        return pairings_of(self.created, self.happened)


def read_tournament(name: str, names: Path | None) -> ReadTournament:
    """Return the tournament that a record file holds, once every line of it was judged.

    Whose log vouches for it is not asked here: that takes a policy, and `truecup audit`.

    Args:
        name: A file, an address, or - for stdin.
        names: A file with a number, a comma and a name on each line.

    Raises:
        CannotDo: It cannot be read, is at fault, is of a match, or cannot be judged to its end yet.

    Cost: that of pairing every round once more.
    """
    try:
        record = read(name)
    except Unread as trouble:
        raise CannotDo(f"{name} cannot be read: {trouble}") from trouble
    audited = audit_lines(record, None, ed25519_verify)
    report = audited.report
    if report.status == FAULT:
        raise CannotDo(f"{name} is at fault in line {report.line} ({report.code}): {report.message}")
    first = audited.lines[0]
    if first.kind != TournamentCreated.__struct_config__.tag:
        raise CannotDo(f"{name} is the record of a match, and not of a tournament")
    ruling = replay_tournament(audited.lines, audited.raw)
    if ruling.code is not None:
        raise CannotDo(f"{name} is at fault in line {ruling.line} ({ruling.code}): {ruling.why}")
    if ruling.tournament is None or ruling.upto < len(audited.lines):
        raise CannotDo(f"{name} cannot be judged to its end: {ruling.why}; ask again when it is over")
    events = [(event_of(line.kind, line.data), line.at) for line in audited.lines]
    created = events[0][0]
    assert isinstance(created, TournamentCreated), "its type says so"
    return ReadTournament(
        new_tournament(created, first.at), tuple(events[1:]), ruling.tournament, _names(ruling.tournament, names)
    )


def _names(tournament: Tournament, path: Path | None) -> Mapping[int, str]:
    found = {number: entrant.player for number, entrant in tournament.entrants.items()}
    return found if path is None else found | dict(_names_in(path))


def _names_in(path: Path) -> Iterable[tuple[int, str]]:
    try:
        lines = small(path).decode("utf-8-sig").splitlines()
    except (Unread, UnicodeDecodeError) as trouble:
        raise CannotDo(f"the names {path} cannot be read: {trouble}") from trouble
    for line in lines:
        number, comma, name = line.partition(",")
        if not comma or not number.strip().isascii() or not number.strip().isdecimal():
            raise CannotDo(f"the names {path} have a line that is no number, comma and name: {line[:40]}")
        yield int(number), name.strip().strip('"')


def cannot(refused: Refused) -> CannotDo:
    """Return a refusal as what a command says: its title, and the facts of the case."""
    facts = ", ".join(f"{name} {value}" for name, value in refused.facts.items())
    return CannotDo(f"{refused} ({facts})" if facts else str(refused))
