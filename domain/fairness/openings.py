"""Opening dice, and checking an opening: for the players they belong to, and for everybody at a reveal (CUP/1 section 4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from domain.events import Revealed
from domain.fairness.deal import Cup, Deal, commitment, leaves_before
from domain.fairness.sampling import address, value_of
from domain.log.merkle import includes, leaf_hash

Fault = Literal["E_SLOT", "E_PATH", "E_KEY", "E_VALUE"]
KEY_BYTES = 32
"""Exactly: HMAC pads shorter and longer keys, so another length could verify too."""


class Dealer:
    """Who knows every die of one deal, once its seeds are open.

    Attributes:
        number: The deal's number in the match.
        mix: What the seeds came to.
    """

    def __init__(self, number: int, deal: Deal, mix: bytes) -> None:
        """Know the dice of this deal."""
        self.number = number
        self.mix = mix
        self._deal = deal

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        """Return the value at an address, 0 to m - 1."""
        return value_of(self._deal.key(cup, roll, slot), self.mix, address(cup, roll, slot), m)

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> Revealed:
        """Return the opening of these slots of a roll, with moduli in the same order: values, keys, and the proof."""
        return Revealed(
            deal=self.number,
            cup=cup,
            roll=roll,
            com=tuple(com.hex() for com in self._deal.leaf(cup, roll)),
            path=tuple(node.hex() for node in self._deal.path(cup, roll)),
            keys=tuple((slot, self._deal.key(cup, roll, slot).hex()) for slot in slots),
            values=tuple((slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m, strict=True)),
        )


class Committed:
    """What is public of a deal: enough to check any opening of it."""

    def __init__(self, ctx: bytes, root: bytes, cups: Sequence[Cup], mix: bytes) -> None:
        """Check against this context, root and mix."""
        self._ctx = ctx
        self._root = root
        self._mix = mix
        self._cups = {cup.id: cup for cup in cups}
        self._first = leaves_before(cups)
        self._size = sum(cup.rolls for cup in cups)

    def fault(self, shown: Revealed, moduli: dict[int, int]) -> Fault | None:
        """Return what is wrong with an opening, or None.

        Args:
            shown: The opening; its hex must be hex.
            moduli: The moduli of this roll of this cup, by slot, as the roll's event gave them.
        """
        cup = self._cups.get(shown.cup)
        slots = [slot for slot, _ in shown.keys]
        ascending = bool(slots) and all(a < b for a, b in zip(slots, slots[1:], strict=False))
        if cup is None or not ascending or any(slot not in moduli for slot in slots):
            return "E_SLOT"
        if [slot for slot, _ in shown.values] != slots:
            return "E_SLOT"
        return self._unproved(shown, cup) or self._untrue(shown, moduli)

    def _unproved(self, shown: Revealed, cup: Cup) -> Fault | None:
        leaf = leaf_hash(b"".join(bytes.fromhex(com) for com in shown.com))
        path = [bytes.fromhex(node) for node in shown.path]
        index = self._first[cup.id] + shown.roll
        if len(shown.com) != cup.width or not includes(self._root, self._size, index, leaf, path):
            return "E_PATH"
        return None

    def _untrue(self, shown: Revealed, moduli: dict[int, int]) -> Fault | None:
        values = dict(shown.values)
        for slot, text in shown.keys:
            key, at = bytes.fromhex(text), address(shown.cup, shown.roll, slot)
            if len(key) != KEY_BYTES or commitment(key, self._ctx, at).hex() != shown.com[slot]:
                return "E_KEY"
            if value_of(key, self._mix, at, moduli[slot]) != values[slot]:
                return "E_VALUE"
        return None
