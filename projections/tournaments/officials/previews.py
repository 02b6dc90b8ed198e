"""Previews of a round for officials: who would sit where if it were paired now, by lots of zeros, and what it costs."""

from __future__ import annotations

from msgspec import Struct

from domain.ids import Version
from domain.tournaments.commands import GivenPairing
from domain.tournaments.deciding.supposing import SUPPOSED, with_supposed_round
from domain.tournaments.tournament import Tournament
from projections.tournaments.overview import last_paired
from projections.tournaments.people import NamedEntrant, Names, all_called
from projections.tournaments.rounds import Rest, round_view


class SupposedTable(Struct, frozen=True):
    """A table that there would be.

    Attributes:
        seats: Who would sit there, in seat order; the first opens.
    """

    table: int
    group: int | None
    seats: tuple[NamedEntrant, ...]


class PreviewOfRound(Struct, frozen=True):
    """The next round as it would be paired now. It is stored nowhere, and real lots may come to other tables.

    Attributes:
        version: How many lines of the tournament it follows from.
        law: Which law would pair it: `manual/1` where officials have set every table.
        lot: The lots it is made with, as hex: zeros, where a real pairing has a roll.
        tables: By number; 1 is the top.
        resting: Who would have no table.
        cost: What this grouping costs by `pods/1`, and `bound`, what none costs less than; null by another law. The
            real one costs the same where the optimum is taken, and about the same where it is searched for.
    """

    tournament: str
    version: Version
    stage: int
    round: int
    law: str
    lot: str
    tables: tuple[SupposedTable, ...]
    resting: tuple[Rest, ...]
    cost: int | None
    bound: int | None


def preview_of(tournament: Tournament, names: Names, given: GivenPairing | None = None) -> PreviewOfRound:
    """Return the next round as it would be paired now; `given` is what a package has made of it, where one pairs.

    Raises:
        Refused: `wrong_phase`, `round_open`, `already_paired`, `cannot_pair`.
    """
    supposed = with_supposed_round(tournament, given)
    place = last_paired(supposed)
    assert place is not None, "it is supposed to be paired"
    stage, held = place
    found = round_view(supposed, names, stage, held.number)
    return PreviewOfRound(
        tournament=found.tournament,
        version=tournament.version,
        stage=stage,
        round=held.number,
        law=found.law,
        lot=SUPPOSED.hex(),
        tables=tuple(
            SupposedTable(each.table, each.group, all_called(tournament, names, held.tables[each.table].seats))
            for each in found.tables
        ),
        resting=found.resting,
        cost=found.cost,
        bound=found.bound,
    )
