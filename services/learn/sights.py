"""Sights: what a seat sees, as numbers. They follow from its view and from nothing else."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from domain.rules.rules import Rules
from projections.view import PHASES, DieView, View
from services.learn.actions import hands_of

Numbers = NDArray[np.int32]
UNITS: Final = ("die", "chip", "token", "unit", "win", "loss", "drink")
HIDDEN, NONE = -1, -2
"""How a die is written that the viewer does not know, and one that is not there."""
FACES: Final = 8
"""The most faces that a hand names, or a serial number has digits."""
_HEAD: Final = 13 + FACES


class Sights:
    """How views under some rules are written."""

    def __init__(self, rules: Rules, seats: int) -> None:
        """Leave room for the dice of each seat and of the cup."""
        self._dice = max(rules.tokens.dice, 1)
        self._seats = seats
        shapes = dict.fromkeys(hand.shape for hand in hands_of(rules))
        self._shapes = {shape: number for number, shape in enumerate(shapes, 1)}

    def __len__(self) -> int:
        """Return how many numbers a sight has."""
        return _HEAD + self._seats * (4 + len(UNITS) + 2 * self._dice) + 2 * self._dice

    def of(self, view: View) -> Numbers:
        """Return a view as numbers: the table, the standing claim, each seat with its dice, and the cup."""
        told = [*self._head(view)]
        for seat in view.seats:
            told += [seat.out, seat.seat in view.doubters, seat.seat in view.waiting, seat.counted or 0]
            told += [seat.balances.get(unit, 0) for unit in UNITS]
            told += self._of_dice(seat.dice)
        return np.array([*told, *self._of_dice(view.cup)], dtype=np.int32)

    def _head(self, view: View) -> list[int]:
        claim = view.standing
        claimed: list[int] = [0, 0, NONE, 0, *[NONE] * FACES]
        if claim is not None:
            faces = [*(claim.faces or ()), *[NONE] * FACES][:FACES]
            face = NONE if claim.face is None else claim.face
            claimed = [claim.seat, claim.quantity or 0, face, self._shapes.get(claim.shape or "", 0), *faces]
        return [
            *(view.viewer or 0, view.turn or 0, PHASES.index(view.phase), view.round, view.dice_in_play),
            *(view.direction, view.pass_by or 0, "palifico" in view.flags, "plain_ones" in view.flags),
            *claimed,
        ]

    def _of_dice(self, dice: tuple[DieView, ...]) -> list[int]:
        """Return faces, and for each die whether everybody sees it, and whether it lies cocked."""
        faces = [HIDDEN if die.face is None else die.face for die in dice]
        lie = [die.shown + 2 * die.cocked for die in dice]
        room = [NONE] * self._dice
        return [*[*faces, *room][: self._dice], *[*lie, *room][: self._dice]]


def text_of(view: View, words: Any = None) -> str:  # noqa: ANN401 - what was done last, if anything
    """Return a view in lines, for people."""
    lines = [f"{view.title}: round {view.round}, {view.phase}"]
    for seat in view.seats:
        mark = ">" if seat.seat == view.turn else "x" if seat.out else " "
        owned = " ".join(f"{unit} {amount}" for unit, amount in sorted(seat.balances.items()))
        lines.append(f"{mark} {seat.name}: {_drawn(seat.dice)} {owned}".rstrip())
    if view.cup:
        lines.append(f"  cup: {_drawn(view.cup)}")
    if view.standing is not None:
        lines.append(f"  seat {view.standing.seat} claims {view.standing.words}")
    return "\n".join([*lines, *([f"  last: {words}"] if words else [])])


def _drawn(dice: tuple[DieView, ...]) -> str:
    return " ".join("?" if die.face is None else f"[{die.face}]" if die.shown else str(die.face) for die in dice)
