"""Luck beside the standings: how everybody's dice fell out. It ranks nobody."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.ids import Version
from domain.statistics.luck import LuckRow
from domain.tournaments.tournament import Tournament
from projections.tournaments.people import Names, name_of


class EntrantLuck(Struct, frozen=True):
    """How the dice of an entrant fell out.

    Attributes:
        hands: How many hands everybody has seen in full.
        luck: How far the best count of a face in them, wild faces included, was above or below its exact mean, over all
            of them, in standard deviations, such as `+0.42`.
    """

    number: int
    name: str
    bot: bool
    hands: int
    luck: str


class LuckView(Struct, frozen=True):
    """How everybody's dice fell out in the rounds that are closed, by number."""

    version: Version
    rows: tuple[EntrantLuck, ...]


def luck_view(tournament: Tournament, names: Names, rows: Iterable[LuckRow]) -> LuckView:
    """Return how everybody's dice fell out, of whom hands were seen."""
    return LuckView(
        tournament.version,
        tuple(
            EntrantLuck(
                row.number, name_of(names, row.number), tournament.entrants[row.number].bot, row.hands, row.shown
            )
            for row in rows
        ),
    )
