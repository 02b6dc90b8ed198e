"""Contexts of a duel: its last three claims and whose turn it is, all that a blueprint remembers of a round.

There are some thousands where a round has millions of rows of claims. They hang together by claims alone: a group is
all contexts with the same turn and the same last two claims, which have the same moves, and differ in what came before.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Final

from msgspec import Struct

from domain.strategy.duels.blueprint import Place, claims_of
from domain.strategy.duels.duel import CHALLENGE, Duel

PLACES: Final[tuple[Place, Place]] = (0, 1)
NONE: Final = -1
"""Instead of the number of a claim, that there is none."""


class Onward(Struct, frozen=True):
    """Where a raise leads: a group, and which of its contexts."""

    group: int
    row: int


class Group(Struct, frozen=True):
    """Contexts with the same moves.

    Attributes:
        turn: Who moves: the opener (0) or the other one (1).
        earlier: For each context the claim before the last two; `NONE` for none.
        last: The last two claims; `NONE` for none.
        moves: What may be done, ascending; a challenge stands last.
        onward: Where each raise leads.
    """

    turn: Place
    earlier: tuple[int, ...]
    last: tuple[int, int]
    moves: bytes
    onward: tuple[Onward, ...]

    def claims(self, row: int) -> bytes:
        """Return the claims of a context, up to three."""
        return bytes([claim for claim in (self.earlier[row], *self.last) if claim != NONE])

    @property
    def raises(self) -> int:
        """How many moves are raises."""
        return len(self.onward)

    @property
    def standing(self) -> int:
        """The claim that may be challenged; `NONE` for none."""
        return self.last[1]


class Contexts(Struct, frozen=True):
    """All contexts of a duel.

    Attributes:
        duel: The round.
        groups: Those that lead elsewhere stand before where they lead; the first is the opening.
    """

    duel: Duel
    groups: tuple[Group, ...]


def contexts_of(duel: Duel) -> Contexts:
    """Return the contexts of a duel. Cost: 10 ms for two dice each, 0.1 s for five."""
    made = claims_of(duel)
    raises = {claim: _raises(duel, claim) for claim in made[0] | made[1]}
    leading = {claim: {each for each, after in raises.items() if claim in after} for claim in raises}
    rank = {claim: at for at, claim in enumerate(TopologicalSorter(leading).static_order())}
    found = sorted(_earlier(duel, leading), key=lambda one: (rank.get(one[1][1], NONE), one[0], one[1]))
    places: dict[tuple[int, tuple[int, int]], int] = {(turn, last): at for at, (turn, last, _) in enumerate(found)}
    groups = []
    for turn, last, earlier in found:
        moves = duel.replies(bytes([last[1]] if last[1] != NONE else []))
        after = [(1 - turn, (last[1], move)) for move in moves if move != CHALLENGE]
        onward = [Onward(places[key], found[places[key]][2].index(last[0])) for key in after]
        groups.append(Group(turn, earlier, last, moves, tuple(onward)))
    return Contexts(duel, tuple(groups))


def _raises(duel: Duel, claim: int) -> set[int]:
    return {move for move in duel.replies(bytes([claim])) if move != CHALLENGE}


def _earlier(duel: Duel, leading: dict[int, set[int]]) -> Iterator[tuple[Place, tuple[int, int], tuple[int, ...]]]:
    """Yield whose turn it is, the last two claims, and which may stand before them; whatever comes about."""
    made, openings = claims_of(duel), duel.replies(b"")
    yield 0, (NONE, NONE), (NONE,)
    yield from ((1, (NONE, opening), (NONE,)) for opening in openings)
    for last, before in ((last, before) for last, every in leading.items() for before in every):
        for turn in PLACES:
            earlier = sorted(leading[before] & made[1 - turn])
            opened = [NONE] if turn == 0 and before in openings else []
            if opened or earlier:
                yield turn, (before, last), (*opened, *earlier)
