"""Records of tournaments, read: judged by all layers first, then folded to how the tournament stands.

One of a house may still be held: what its lines say so far is judged, and the rest once it is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.audit.tournaments import TournamentRuling, replay_tournament
from domain.errors import Refused
from domain.fairness.audit import Audited, audit_lines
from domain.ids import UnixMs
from domain.tournaments.events import TournamentCreated, TournamentEvent, event_of
from domain.tournaments.evolve import evolve, new_tournament
from domain.tournaments.tournament import Place, Tournament
from infra.keys import ed25519_verify
from projections.tournaments.pairings import PastPairing, pairings_of
from projections.tournaments.people import Names
from services.cli.auditing.sources import Unread, read, small
from services.cli.screen import say_aside
from services.cli.tournaments.explaining import labelled
from services.cli.tournaments.under_way import TournamentOfHouse, asked_of_house, read_from_house
from services.client.house import CannotDo
from services.words.catalogue import message, say

FAULT: Final = "FAULT"


class ReadTournament(Struct, frozen=True):
    """A tournament out of its record.

    Attributes:
        created: As its first line describes it.
        happened: Its other lines, in order, with their times.
        tournament: How it stands after the last.
        names: What entrants are called: as was said, as the house calls them, or by the ids that stand in the record.
        title: What the house calls it; None where nobody said.
    """

    created: Tournament
    happened: tuple[tuple[TournamentEvent, UnixMs], ...]
    tournament: Tournament
    names: Names
    title: str | None = None

    @property
    def called(self) -> Names:
        """The names as a terminal shows them: a bot whose name was said is labelled; its id in the record says so."""
        entrants, found = self.tournament.entrants, dict(self.names)
        bots = [number for number, one in entrants.items() if one.bot and found.get(number) not in {None, one.player}]
        return found | {number: labelled(found[number], bot=True) for number in bots}

    def pairings(self) -> dict[Place, tuple[PastPairing, ...]]:
        """Return its pairings, each with what was known when it was made."""
        return pairings_of(self.created, self.happened)


def read_tournament(name: str, names: Path | None, url: str | None = None) -> ReadTournament:
    """Return the tournament that a record file holds, or one of a house, once every line of it was judged.

    Whose log vouches for it is not asked here: that takes a policy, and `truecup audit`.

    Args:
        name: A file, an address, or - for stdin; or the id of a tournament, or the address of its page.
        names: A file with a number, a comma and a name on each line.
        url: Where the house is that has a tournament of this id.

    Raises:
        CannotDo: It cannot be read, is at fault, is of a match, or is a file that cannot be judged to its end yet.

    Cost: that of pairing every round once more.
    """
    asked = asked_of_house(name)
    held = None if asked is None else read_from_house(name, asked, url)
    audited = _audited(name, _record(name) if held is None else held.record)
    ruling = replay_tournament(audited.lines, audited.raw, ed25519_verify)
    if ruling.code is not None:
        raise CannotDo(f"{name} is at fault in line {ruling.line} ({ruling.code}): {ruling.why}")
    return _read(name, audited, ruling, held, names)


def _record(name: str) -> bytes:
    try:
        return read(name)
    except Unread as trouble:
        raise CannotDo(f"{name} cannot be read: {trouble}") from trouble


def _audited(name: str, record: bytes) -> Audited:
    """Return the lines of a tournament's record, which have passed layers 1 and 2."""
    audited = audit_lines(record, None, ed25519_verify)
    report = audited.report
    if report.status == FAULT:
        raise CannotDo(f"{name} is at fault in line {report.line} ({report.code}): {report.message}")
    if audited.lines[0].kind != TournamentCreated.__struct_config__.tag:
        raise CannotDo(f"{name} is the record of a match, and not of a tournament")
    return audited


def _read(
    name: str, audited: Audited, ruling: TournamentRuling, held: TournamentOfHouse | None, names: Path | None
) -> ReadTournament:
    events = [(event_of(line.kind, line.data), line.at) for line in audited.lines]
    created = events[0][0]
    assert isinstance(created, TournamentCreated), "its type says so"
    begun, happened = new_tournament(created, audited.lines[0].at), tuple(events[1:])
    tournament = ruling.tournament
    if tournament is None or ruling.upto < len(audited.lines):
        if held is None:
            raise CannotDo(f"{name} cannot be judged to its end: {ruling.why}; ask again when it is over")
        say_aside(say(message("terminal.explained.under_way"), {"line": str(ruling.upto)}))
        tournament = _folded(begun, happened)
    called = _names(tournament, {} if held is None else held.names, names)
    return ReadTournament(begun, happened, tournament, called, None if held is None else held.title)


def _folded(tournament: Tournament, happened: Sequence[tuple[TournamentEvent, UnixMs]]) -> Tournament:
    for event, at in happened:
        tournament = evolve(tournament, event, at)
    return tournament


def _names(tournament: Tournament, called: Mapping[int, str], path: Path | None) -> Mapping[int, str]:
    found = {number: called.get(number, entrant.player) for number, entrant in tournament.entrants.items()}
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
