"""Dice that were handled under a seal: what their seats signed, opened when the deal closes (CUP/1 section 4.14.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, structs

from domain.fairness import shapes
from domain.fairness.faults import Fault
from domain.fairness.signing.messages import seal_positions
from domain.ids import Seat
from domain.log import canonical


class SealedHandling(Struct, frozen=True):
    """Dice that a seat handled: where it stands, what fixes which they were, and how many it says were rolled.

    Those are (inside, outside), and may be anything: a line of a game is free here.
    """

    seq: int
    sealed: str
    rolled: tuple[Any, Any]


def handling_of(seq: int, command: Mapping[str, Any]) -> SealedHandling:
    """Return what a signed `arrange` fixes."""
    return SealedHandling(seq, command["sealed"], (command["roll_inside"], command["roll_outside"]))


class DealAtHand:
    """The deal that a match is played with, as far as its signatures hang on it.

    Attributes:
        stage: How far it has come; empty before the first.
        handled: What was handled under a seal in it, in order.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self.stage = ""
        self.handled: list[SealedHandling] = []
        self._fixed: set[Seat] = set()
        self._publishes_all = False

    def waits_for(self, seat: Seat) -> bool:
        """Report whether this seat could fix a seed now, and has not."""
        return self.stage == "committed" and seat not in self._fixed

    def step(self, members: shapes.Members) -> None:
        """Take in an event that has been checked."""
        match members:
            case shapes.MatchCreated() | shapes.TournamentCreated() | shapes.BoardCreated():
                self._publishes_all = members.policy == "all"
            case shapes.DealCommitted():
                self.stage, self.handled, self._fixed = "committed", [], set()
            case shapes.SeedCommitted():
                self._fixed.add(members.seat)
            case shapes.DealSealed():
                self.stage = "sealed"
            case shapes.DealLogged():
                self.stage = "logged"
            case shapes.DealVoided():
                self.stage = "voided"
            case _:
                pass

    def check_opened(self, closed: shapes.DealClosed) -> None:
        """Check that a deal that closes opens each of what was handled under a seal in it, and nothing else.

        Raises:
            Fault: `E_ORDER`, `E_WITHHELD` or `E_SIGNED`.
        """
        if not self._publishes_all or self.stage == "voided":
            if closed.handled is not UNSET:
                raise Fault("E_ORDER", "what was done with the dice of this deal was to stay sealed")
            return
        opened = () if closed.handled is UNSET else closed.handled
        if [seq for seq, _, _ in opened] != [each.seq for each in self.handled]:
            raise Fault("E_WITHHELD", "a deal that closes opens every handling of dice that was signed in it, in order")
        for handled, (_, salt, positions) in zip(self.handled, opened, strict=True):
            _check_positions(handled, salt, positions)


def _check_positions(handled: SealedHandling, salt: str, positions: shapes.Positions) -> None:
    counts = (len(positions.roll_inside), len(positions.roll_outside))
    # Written out, since 1 is true in Python, and to no other reader.
    if canonical.encode([*counts]) != canonical.encode([*handled.rolled]):
        raise Fault("E_SIGNED", "as many dice were rolled as the sealed positions do not say")
    if seal_positions(bytes.fromhex(salt), structs.asdict(positions)) != handled.sealed:
        raise Fault("E_SIGNED", "these are not the positions that the seat had sealed")
