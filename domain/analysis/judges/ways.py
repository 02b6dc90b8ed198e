"""Ways: moves that could be made, as they are told, each with how likely the policy makes it."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, to_builtins

from domain import commands
from domain.analysis.claims import claim_of
from domain.analysis.worths.equity import WeighedMove
from domain.rules.orders import Count
from domain.table.state import Claim

WAITING: Final = {"type": "wait"}
"""What stands for a seat out of turn that does nothing."""


class Way(Struct, frozen=True):
    """A move that could be made.

    Attributes:
        move: As a command has it, without the seat.
        weight: How likely the policy makes it: an integer beside others.
        claim: What it claims, if it claims a count or a hand.
        doubts: Whether it challenges.
    """

    move: dict[str, Any]
    weight: int
    claim: Claim | None = None
    doubts: bool = False


def way_of(move: commands.Play | None, weight: int) -> Way:
    """Return a command as it is told; None stands for waiting."""
    if move is None:
        return Way(WAITING, weight)
    told: dict[str, Any] = to_builtins(move)
    del told["seat"]
    return Way(told, weight, claim_of(move), isinstance(move, commands.Challenge))


def way_answered(move: WeighedMove) -> Way:
    """Return a move of a round that folds as it is told."""
    answer = move.answer
    if isinstance(answer, Count):
        return Way({"type": "bid", **to_builtins(answer)}, move.weight, answer)
    return Way(WAITING if answer is None else {"type": answer}, move.weight, None, answer == "challenge")
