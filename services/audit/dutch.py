"""Pairings by FIDE's book from the package `py4swiss`, an extra (`truecup[dutch]`): made, and worked out again.

The package reads a report of the event and nothing else, so whoever has the same edition comes to the same tables.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from domain.tournaments.commands import GivenPairing
from domain.tournaments.field import StageField
from domain.tournaments.formats.dutch import LAW, DutchReport, dutch_report
from domain.tournaments.rules import Dutch, TournamentRules
from domain.tournaments.tournament import Tournament

PACKAGE: Final = "py4swiss"
NOBODY: Final = 0
"""Who stands as the second of a pair that is a rest."""


class DutchCheck(Struct, frozen=True):
    """What came of working pairings out again.

    Attributes:
        line: The first line that says something else, from 1; None if none does.
        unchecked: The lines that were not worked out again, since another edition made them, or none is here.
    """

    line: int | None
    unchecked: tuple[int, ...]


def edition() -> str | None:
    """Return the name of the law of the package that is here; None if it is not."""
    return f"{LAW}{PACKAGE}-{importlib.metadata.version(PACKAGE)}" if find_spec(PACKAGE) is not None else None


def lacks_package(rules: TournamentRules) -> bool:
    """Report whether a stage needs the package, and it is not here."""
    return edition() is None and any(isinstance(stage, Dutch) for stage in rules.stages)


def given_pairing(tournament: Tournament) -> GivenPairing | None:
    """Return the tables of the next round, where a package makes them; None if it cannot, or nobody needs them.

    Cost: 0.6 s of a core for 128 entrants, 2.8 s for 256.
    """
    stage = tournament.stage
    if stage is None or not isinstance(tournament.stage_rules, Dutch) or tournament.phase != "running":
        return None
    number, law = stage.next_number, edition()
    is_open = number in stage.rounds and stage.rounds[number].is_paired
    if law is None or is_open or stage.rounds_planned is None or number > stage.rounds_planned:
        return None
    return pair_by_package(dutch_report(StageField(tournament, stage.number), number), law)


def pair_by_package(report: DutchReport, law: str) -> GivenPairing | None:
    """Return the tables that the package comes to; None if it comes to none."""
    from py4swiss.engines import DutchEngine  # noqa: PLC0415 - an extra, which need not be there
    from py4swiss.engines.common import PairingError  # noqa: PLC0415 - the same
    from py4swiss.trf import TrfParser  # noqa: PLC0415 - the same
    from py4swiss.trf.exceptions import ConsistencyError, ParsingError  # noqa: PLC0415 - the same

    with TemporaryDirectory() as folder:
        file = Path(folder) / "event.trf"
        file.write_text(report.text, encoding="utf-8")
        try:
            pairs = DutchEngine.generate_pairings(TrfParser.parse(file))
        except (PairingError, ConsistencyError, ParsingError):
            return None

    def number_of(pairing_number: int) -> int:
        return report.order[pairing_number - 1]

    tables = tuple((number_of(pair.white), number_of(pair.black)) for pair in pairs if pair.black != NOBODY)
    byes = tuple(number_of(pair.white) for pair in pairs if pair.black == NOBODY)
    return GivenPairing(law, tables, byes)


def check_dutch(pairings: Mapping[int, tuple[DutchReport, GivenPairing]]) -> DutchCheck:
    """Work pairings out again, by their lines from 1, that the same edition as is here has made."""
    here, unchecked = edition(), []
    for line, (report, given) in sorted(pairings.items()):
        if here is None or given.law != here:
            unchecked.append(line)
        elif pair_by_package(report, here) != given:
            return DutchCheck(line, tuple(unchecked))
    return DutchCheck(None, tuple(unchecked))
