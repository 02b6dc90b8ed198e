"""A duel as a linear program over its whole public tree, in sequence form.

A plan says for each sequence of a seat's own moves with a hand how likely the seat alone makes it come about. The
opener's plan is what the program looks for; what the other one has left by its best replies are further unknowns, and
the prices of its moves (the dual) are its own plan. Plans are floats: what they are worth is proved elsewhere, exactly.
Source: Koller, Megiddo, von Stengel, Efficient computation of equilibria for extensive two-person games (1996).
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

from domain.strategy.duels.duel import CHALLENGE, Duel

Floats = NDArray[np.float64]
Method = Literal["highs-ds", "highs-ipm"]
METHODS: Final[tuple[Method, ...]] = ("highs-ds", "highs-ipm")
"""Ways to solve it: both come to a corner of the same optimum, not always to the same one."""


class Plans(Struct, frozen=True):
    """What both seats do: by claims and move, for each hand of whoever moves, the weight of its own moves until then.

    Attributes:
        histories: The claims that somebody may be faced with, shorter ones first.
        weights: By claims and the move after them.
    """

    histories: tuple[bytes, ...]
    weights: dict[bytes, Floats]


class NoSolution(RuntimeError):  # noqa: N818 - says what there is none of
    """The solver gave up."""


def histories_of(duel: Duel) -> tuple[bytes, ...]:
    """Return every row of claims there can be, shorter ones first."""
    found = [b""]
    for made in found:
        found += [made + bytes([move]) for move in duel.replies(made) if move != CHALLENGE]
    return tuple(found)


def solve(duel: Duel, method: Method) -> Plans:
    """Return plans that no reply does better against, but for the rounding of floats.

    Raises:
        NoSolution: The solver gave up.
    """
    histories = histories_of(duel)
    program = _Program(duel, histories)
    found = linprog(
        program.cost(),
        A_ub=program.bounds.matrix(program.size),
        b_ub=np.zeros(program.bounds.rows),
        A_eq=program.flows.matrix(program.size),
        b_eq=program.given(),
        bounds=program.limits(),
        method=method,
    )
    if found.x is None:
        raise NoSolution(found.message)
    prices = -found.ineqlin.marginals
    hands = [len(duel.hands(place)) for place in (0, 1)]
    weights = {row: found.x[at : at + hands[0]] for row, at in program.own.items()}
    weights |= {row: prices[at : at + hands[1]] for row, at in program.replies.items()}
    return Plans(histories, weights)


class _Entries:
    """The entries of a matrix, block by block."""

    def __init__(self) -> None:
        self.rows = 0
        self._at: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]] = []

    def put(self, row: int, column: int, block: Floats) -> None:
        rows, columns = np.nonzero(block)
        self._at.append((rows + row, columns + column, block[rows, columns]))

    def matrix(self, columns: int) -> coo_array:
        rows, places, values = (np.concatenate(part) for part in zip(*self._at, strict=True))
        return coo_array((values, (rows, places)), shape=(self.rows, columns))


class _Program:
    """The linear program.

    Unknowns: by the opener's moves its plan for each hand; then, by claims the other one faces, what the opener is left
    with for each hand of the other. Rows: `flows`, a plan is handed on from move to move; `bounds`, what is left is no
    more than after any reply.
    """

    def __init__(self, duel: Duel, histories: tuple[bytes, ...]) -> None:
        self._duel = duel
        self._hands = [len(duel.hands(place)) for place in (0, 1)]
        chances = [np.array(duel.hands(place).ways) / duel.faces.count ** duel.dice[place] for place in (0, 1)]
        self._chances = np.outer(*chances)
        self._verdicts: dict[tuple[int, bool], Floats] = {}
        self.own: dict[bytes, int] = {}
        self._left: dict[bytes, int] = {}
        self.replies: dict[bytes, int] = {}
        self.size = 0
        for made in histories:
            self._name_unknowns(made)
        self.free_from = self.size
        for made in histories:
            if len(made) % 2:
                self._left[made] = self.size
                self.size += self._hands[1]
        self.flows, self.bounds = _Entries(), _Entries()
        for made in histories:
            self._write_bounds(made) if len(made) % 2 else self._write_flow(made)

    def _name_unknowns(self, made: bytes) -> None:
        if len(made) % 2 == 0:
            for move in self._duel.replies(made):
                self.own[made + bytes([move])] = self.size
                self.size += self._hands[0]

    def _write_flow(self, made: bytes) -> None:
        every = np.eye(self._hands[0])
        for move in self._duel.replies(made):
            self.flows.put(self.flows.rows, self.own[made + bytes([move])], every)
        if made:
            self.flows.put(self.flows.rows, self.own[made[:-1]], -every)
        self.flows.rows += self._hands[0]

    def _write_bounds(self, made: bytes) -> None:
        every = np.eye(self._hands[1])
        for move in self._duel.replies(made):
            self.replies[made + bytes([move])] = row = self.bounds.rows
            self.bounds.put(row, self._left[made], every)
            if move == CHALLENGE:
                self.bounds.put(row, self.own[made], -self._stakes(made))
            else:
                self._write_answers(row, made + bytes([move]), every)
            self.bounds.rows += self._hands[1]

    def _write_answers(self, row: int, made: bytes, every: Floats) -> None:
        """Write what the opener is left with by all it may do itself."""
        for move in self._duel.replies(made):
            after = made + bytes([move])
            if move == CHALLENGE:
                self.bounds.put(row, self.own[after], self._stakes(made))
            else:
                self.bounds.put(row, self._left[after], -every)

    def _stakes(self, made: bytes) -> Floats:
        """Return by hand of the other one, and of the opener, what the last claim brings its claimant, by chance."""
        key = (made[-1], self._duel.is_wild(made))
        if key not in self._verdicts:
            self._verdicts[key] = (np.array(self._duel.verdicts(made)) * self._chances).T
        return self._verdicts[key]

    def cost(self) -> Floats:
        """Return what is made least: less of what the opener is left with after its first claim."""
        found = np.zeros(self.size)
        for move in self._duel.replies(b""):
            at = self._left[bytes([move])]
            found[at : at + self._hands[1]] = -1
        return found

    def given(self) -> Floats:
        """Return the right sides of the flows: every hand begins with 1."""
        found = np.zeros(self.flows.rows)
        found[: self._hands[0]] = 1
        return found

    def limits(self) -> Floats:
        """Return the lower and upper limit of every unknown."""
        found = np.full((self.size, 2), np.inf)
        found[: self.free_from, 0] = 0
        found[self.free_from :, 0] = -np.inf
        return found
