"""Brackets: single and double elimination of two, from the seeds to every match and where its two come from.

A bracket is known as soon as its size is: matches name the matches that they wait for, and a match is called when both
of its two are known. A bye is None; who meets nobody goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

Arrival = tuple[Literal["seed"], int] | tuple[Literal["winner", "loser"], str] | None
"""How somebody comes into a match: a seed, the winner or the loser of another match, or nobody at all."""


class BracketMatch(Struct, frozen=True):
    """A match of a bracket.

    Attributes:
        id: `W`, a round from 1, a dot and a place from 1 in the upper bracket; `L` the same in the lower one; `P3` for
            the third place; `G1` and `G2` for the grand final.
        of: How its two come into it.
    """

    id: str
    of: tuple[Arrival, Arrival]


def bracket_order(size: int) -> list[int]:
    """Return the seeds of a bracket of 1, 2, 4, 8, ... in the order of their places.

    The best meet as late as can be: every seed s of a half so long is replaced by s and what completes it to one more
    than the length.
    """
    order = [1]
    while len(order) < size:
        whole = 2 * len(order) + 1
        order = [seed for top in order for seed in (top, whole - top)]
    return order


def first_round(entrants: int) -> list[tuple[int, int | None]]:
    """Return the pairs of seeds of the first round, None for a bye; at least two entrants."""
    order = bracket_order(1 << (entrants - 1).bit_length())
    seeds = [seed if seed <= entrants else None for seed in order]
    return [(first, second) for first, second in zip(seeds[::2], seeds[1::2], strict=True) if first is not None]


def single(entrants: int, *, third_place: bool = False) -> list[BracketMatch]:
    """Return the matches of a single elimination, in the order of rounds.

    Args:
        entrants: At least 2.
        third_place: Whether the losers of the semifinals meet; where there are none, nothing is added.
    """
    matches = _upper(entrants)
    semifinals = matches[-3:-1]
    if third_place and len(semifinals) == 2:  # noqa: PLR2004 - a final has two
        matches.append(BracketMatch("P3", (("loser", semifinals[0].id), ("loser", semifinals[1].id))))
    return matches


def _upper(entrants: int) -> list[BracketMatch]:
    """Return the matches in which nobody has lost yet."""
    pairs = first_round(entrants)
    matches = [
        BracketMatch(f"W1.{place}", (("seed", first), None if second is None else ("seed", second)))
        for place, (first, second) in enumerate(pairs, 1)
    ]
    before = matches
    while len(before) > 1:
        number = _round_of(before[0].id) + 1
        ways: list[Arrival] = [("winner", match.id) for match in before]
        before = _neighbours(f"W{number}", ways)
        matches = [*matches, *before]
    return matches


def _round_of(name: str) -> int:
    """Return the round that the id of a match names."""
    return int(name[1:].partition(".")[0])


def _neighbours(label: str, ways: Sequence[Arrival]) -> list[BracketMatch]:
    """Return matches of neighbours."""
    pairs = zip(ways[::2], ways[1::2], strict=True)
    return [BracketMatch(f"{label}.{place}", pair) for place, pair in enumerate(pairs, 1)]


def double(entrants: int) -> list[BracketMatch]:
    """Return the matches of a double elimination: the upper bracket, the lower one, and the grand final.

    Losers of a round of the upper bracket come into the lower one in reversed order after even rounds, and with halves
    exchanged after odd ones, so that nobody meets soon whom they have met before.

    Args:
        entrants: At least 3.
    """
    upper = _upper(entrants)
    last = _round_of(upper[-1].id)
    losers: dict[int, list[Arrival]] = {number: [] for number in range(1, last + 1)}
    for match in upper:
        losers[_round_of(match.id)].append(("loser", match.id))
    lower = _neighbours("L1", losers[1])
    alive = lower
    number = 1
    for upper_round in range(2, last + 1):
        number += 1
        fallen = losers[upper_round]
        half = len(fallen) // 2
        fallen = fallen[half:] + fallen[:half] if upper_round % 2 else fallen[::-1]
        ways = [way for fell, match in zip(fallen, alive, strict=True) for way in (fell, ("winner", match.id))]
        alive = _neighbours(f"L{number}", ways)
        lower = [*lower, *alive]
        if len(alive) > 1:
            number += 1
            alive = _neighbours(f"L{number}", [("winner", match.id) for match in alive])
            lower = [*lower, *alive]
    final = BracketMatch("G1", (("winner", upper[-1].id), ("winner", alive[0].id)))
    return [*upper, *lower, final, BracketMatch("G2", (("winner", "G1"), ("loser", "G1")))]


class BracketCourse(Struct, frozen=True):
    """How far a bracket has come.

    Attributes:
        played: The winner and the loser of each match that is over, also of one that a bye decided.
        called: Who meets whom in the matches that can be played now, by id in the order of the bracket.
    """

    played: Mapping[str, tuple[int | None, int | None]]
    called: Mapping[str, tuple[int, int]]


def course_of(matches: Sequence[BracketMatch], seeds: Sequence[int], winners: Mapping[str, int]) -> BracketCourse:
    """Return how far a bracket has come.

    Byes travel: who meets nobody goes on, and where two nobodies meet, nobody does. The second match of a grand final
    is there only if the side that had lost before won the first.

    Args:
        matches: The bracket.
        seeds: Entrants in seed order.
        winners: Who won, by the matches that were played.
    """
    played: dict[str, tuple[int | None, int | None]] = {}
    called: dict[str, tuple[int, int]] = {}
    for match in matches:
        if match.id == "G2" and ("G1" not in played or winners["G1"] == _comer(matches[-2].of[0], seeds, played)):
            continue
        if any(way is not None and way[0] != "seed" and way[1] not in played for way in match.of):
            continue
        first, second = (_comer(way, seeds, played) for way in match.of)
        if first is None or second is None:
            played[match.id] = (second if first is None else first, None)
        elif match.id in winners:
            winner = winners[match.id]
            played[match.id] = (winner, second if winner == first else first)
        else:
            called[match.id] = (first, second)
    return BracketCourse(played, called)


def _comer(way: Arrival, seeds: Sequence[int], played: Mapping[str, tuple[int | None, int | None]]) -> int | None:
    """Return who comes into a match this way."""
    if way is None:
        return None
    if way[0] == "seed":
        return seeds[way[1] - 1]
    return played[way[1]][way[0] == "loser"]


def opener(pair: tuple[int, int], opened: Mapping[int, int], lots: Sequence[int]) -> int:
    """Return who of two opens: who has opened less often in the stage, of equals the first in lot order.

    Args:
        pair: Who meets.
        opened: How often each has opened in the stage; who is missing never did.
        lots: The entrants of the stage in its lot order.
    """
    return min(pair, key=lambda number: (opened.get(number, 0), lots.index(number)))
