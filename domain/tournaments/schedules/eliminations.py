"""Eliminations: knockouts at tables of three and more, and the places of those who went out in any of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from domain.tournaments.schedules.brackets import BracketCourse, BracketMatch
from domain.tournaments.schedules.dealing import deal_out


class KnockoutRound(Struct, frozen=True):
    """A round of a knockout at larger tables.

    Attributes:
        byes: Who goes on without a table.
        tables: Who meets, each table in seed order.
    """

    byes: tuple[int, ...]
    tables: tuple[tuple[int, ...], ...]


def knockout_round(entrants: Sequence[int], final: int, byes: int, tables: int) -> KnockoutRound:
    """Return a round of those who are still in.

    Args:
        entrants: Who is still in, in seed order.
        final: At most so many play one table, the last.
        byes: How many rest by the law of sizes; they are the first seeds.
        tables: How many tables there are by the law of sizes.
    """
    if len(entrants) <= final:
        return KnockoutRound((), (tuple(entrants),))
    playing = deal_out(entrants[byes:], tables)
    return KnockoutRound(tuple(entrants[:byes]), tuple(tuple(table) for table in playing))


def who_goes_on(ranking: Sequence[Sequence[int]], through: int, seeds: Sequence[int]) -> list[int]:
    """Return the first so many of a table, the best first; ties are broken by seed order.

    Args:
        ranking: The best first, who shares a place together.
        through: How many go on.
        seeds: Entrants in seed order.
    """
    order = [number for level in ranking for number in sorted(level, key=seeds.index)]
    return order[:through]


def knockout_places(rounds: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """Return the places at larger tables, the best first, who shares one together.

    Args:
        rounds: For each round, the first first, who of its tables went out: at each place of a table from the best on,
            those of all tables together. The last round is the last table.
    """
    return [list(level) for gone in reversed(rounds) for level in gone if level]


def bracket_places(matches: Sequence[BracketMatch], course: BracketCourse) -> list[list[int]]:
    """Return the places of a bracket that has been played out, the best first, who shares one together.

    Who went out in the same round shares the places; a match for the third place parts the third from the fourth.
    """
    sent_on = {way[1] for match in matches for way in match.of if way is not None and way[0] == "loser"}
    ends = [match.id for match in matches if match.id in course.played and match.id != "P3"]
    winner, second = course.played[ends[-1]]
    levels = [[winner], [second]]
    if "P3" in course.played:
        third, fourth = course.played["P3"]
        levels += [[third], [fourth]]
    # The first match of a grand final sends its loser to the second one, and is the end where there is none.
    for _, names in groupby(reversed(ends[:-1]), key=lambda name: name.partition(".")[0]):
        levels.append([course.played[name][1] for name in reversed(list(names)) if name not in sent_on])
    found = [[number for number in level if number is not None] for level in levels]
    return [level for level in found if level]
