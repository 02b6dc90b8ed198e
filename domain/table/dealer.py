"""The dealer: who knows the dice of the current deal, and is asked only where the rules look at dice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from domain import events
from domain.ids import CupId, Modulus, RollNumber, Slot


class Sealer(Protocol):
    """Who can seal a choice and open it again: whoever knows the secret of the deal."""

    def seal_of(self, choice: events.Choice, cup: CupId, slot: Slot) -> str:
        """Return the hex of what fixes a choice, under the key of this blind slot of the roll it led to."""

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the one of these choices that has this seal."""


class Dealer(Sealer, Protocol):
    """Who knows the dice of the current deal."""

    number: int

    def value(self, cup: CupId, roll: RollNumber, slot: Slot, m: int) -> int:
        """Return the value at an address, 0 to m - 1."""

    def open(self, cup: CupId, roll: RollNumber, slots: Sequence[Slot], m: Sequence[Modulus]) -> events.Revealed:
        """Return the event that shows these dice to all, with its proof."""


class _NoDice:
    """A dealer for commands that look at no dice."""

    number = -1

    def value(self, cup: CupId, roll: RollNumber, slot: Slot, m: int) -> int:
        raise AssertionError((cup, roll, slot, m))

    def open(self, cup: CupId, roll: RollNumber, slots: Sequence[Slot], m: Sequence[Modulus]) -> events.Revealed:
        raise AssertionError((cup, roll, slots, m))

    def seal_of(self, choice: events.Choice, cup: CupId, slot: Slot) -> str:
        raise AssertionError((choice, cup, slot))

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[events.Choice]) -> events.Choice | None:
        raise AssertionError((seal, cup, slot, candidates))


NO_DICE: Final[Dealer] = _NoDice()
