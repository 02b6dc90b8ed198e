"""Showing dice, and checking dice that are shown.

Source: CUP/1 sections 4.5 to 4.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from domain.events import Choice, HandledDice, Revealed
from domain.fairness import choices, sampling
from domain.fairness.deal import SECRET_BYTES, Cup, Deal, address, commitment, leaf_of, seed_commitment
from domain.fairness.faults import Fault
from domain.ids import CupId, Modulus, RollNumber, Seat, Slot
from domain.log import merkle


class OpenDeal:
    """Knows every die of a deal whose seeds are open.

    Attributes:
        number: The deal's number in the match.
        deal: The deal.
        mix: What its seeds came to.
    """

    __slots__ = ("_opened", "deal", "mix", "number")

    def __init__(self, number: int, deal: Deal, mix: bytes) -> None:
        """Deal the dice of the deal with this number, its seeds having come to `mix`."""
        self.number = number
        self.deal = deal
        self.mix = mix
        self._opened: dict[tuple[str, int, int, int], Choice] = {}

    def value(self, cup: CupId, roll: RollNumber, slot: Slot, m: int) -> int:
        """Return the value at an address, 0 to m - 1. Cost: two HMACs."""
        return sampling.value(self.deal.key(cup, roll, slot), self.mix, address(cup, roll, slot), m)

    def seal_of(self, choice: Choice, cup: CupId, slot: Slot) -> str:
        """Return the hex of what fixes a choice, under the key of this blind slot of the roll it led to."""
        seal = choices.seal(choice, self.deal.key(cup, choice.roll, slot), self.mix, cup, slot).hex()
        self._opened[seal, cup, choice.roll, slot] = choice
        return seal

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[Choice]) -> Choice | None:
        """Return the one of these choices, all of one roll, that has this seal.

        Cost: a hash each, the first time it is asked.
        """
        for choice in candidates:
            # What a seal stands for at one address says nothing about the same bytes at another.
            known = self._opened.get((seal, cup, choice.roll, slot))
            if known is not None or self.seal_of(choice, cup, slot) == seal:
                return known or choice
        return None

    def open(self, cup: CupId, roll: RollNumber, slots: Sequence[Slot], m: Sequence[Modulus]) -> Revealed:
        """Return the event that shows these dice, with its proof.

        Args:
            cup: The cup's id.
            roll: Which of its rolls.
            slots: Which dice of it, ascending.
            m: Their moduli, in the same order.

        Cost: two HMACs a slot of the cup, two a die, and twice log2 of the number of rolls in hashes.
        """
        keys = tuple((slot, self.deal.key(cup, roll, slot)) for slot in slots)
        dice = zip(keys, m, strict=True)
        return Revealed(
            deal=self.number,
            cup=cup,
            roll=roll,
            com=tuple(item.hex() for item in self.deal.commitments(cup, roll)),
            path=tuple(item.hex() for item in self.deal.path(cup, roll)),
            keys=tuple((slot, key.hex()) for slot, key in keys),
            values=tuple(
                (slot, sampling.value(key, self.mix, address(cup, roll, slot), each)) for (slot, key), each in dice
            ),
        )


def verify_opening(
    revealed: Revealed,
    ctx: bytes,
    root: bytes,
    cups: Sequence[Cup],
    mix: bytes,
    moduli: Mapping[int, int] | None,
) -> None:
    """Check that the dice shown are those of the deal.

    What is checked, in this order: the dice were rolled, the commitments lead to the root, the keys are those
    committed, the values follow. Dice may be shown in any order, each once, keys and values in the same.

    Args:
        revealed: What is shown; its hex is hex.
        ctx: The deal's context, worked out from what was committed.
        root: The root that was committed.
        cups: The deal's cups, ascending by id.
        mix: What the seeds came to.
        moduli: What was rolled: the modulus of each slot that took part in this roll of the cup; None for no such roll.

    Raises:
        Fault: `E_SLOT`, `E_PATH`, `E_KEY` or `E_VALUE`.
    """
    # The order of the checks is the order of the codes, in which two auditors have to agree (CUP/1 section 4.10).
    slots = {slot for slot, _ in revealed.keys}
    if moduli is None or not slots or len(slots) < len(revealed.keys) or not moduli.keys() >= slots:
        raise Fault("E_SLOT", "dice are shown that were not rolled")
    _check_path(revealed, root, cups)
    _check_keys(revealed, ctx)
    if revealed.values != tuple((slot, _value(revealed, slot, key, mix, moduli[slot])) for slot, key in revealed.keys):
        raise Fault("E_VALUE", "a value does not follow from its key")


def _check_path(revealed: Revealed, root: bytes, cups: Sequence[Cup]) -> None:
    width = next(cup.width for cup in cups if cup.id == revealed.cup)
    index, size = leaf_of(cups, revealed.cup, revealed.roll)
    leaf = merkle.leaf_hash(bytes.fromhex("".join(revealed.com)))
    path = [bytes.fromhex(item) for item in revealed.path]
    # Nothing but this keeps a server from fixing fewer dice, or more, than it says a cup has.
    if len(revealed.com) != width or not merkle.includes(root, size, index, leaf, path):
        raise Fault("E_PATH", "the commitments do not lead to the root of the deal")


def _check_keys(revealed: Revealed, ctx: bytes) -> None:
    for slot, text in revealed.keys:
        key, at = bytes.fromhex(text), address(revealed.cup, revealed.roll, slot)
        # HMAC pads short keys with zeros, so a key and the same key with zeros behind it commit to the same.
        if len(key) != SECRET_BYTES or commitment(key, ctx, at).hex() != revealed.com[slot]:
            raise Fault("E_KEY", f"the key of slot {slot} is not the one that was committed")


def _value(revealed: Revealed, slot: Slot, key: str, mix: bytes, m: int) -> int:
    return sampling.value(bytes.fromhex(key), mix, address(revealed.cup, revealed.roll, slot), m)


# ---- the secrets they follow from -----------------------------------------------------------------


class SealedPositions(Struct, frozen=True):
    """Which dice a seat has handled under a seal that it signed (CUP/1 section 4.14.3).

    Attributes:
        salt: What it put before them, as hex.
        positions: Which dice, in its own numbering.
        cup: Whose dice.
        roll: The roll of the cup that it led to, if it led to any; not known of what was kept before this was.
    """

    salt: str
    positions: HandledDice
    cup: CupId | None = None
    roll: RollNumber | None = None


class DealSecrets:
    """The secrets of one deal, for programs that may have them: its own, and the seeds in the server's custody.

    Which dice were handled under a seal is kept with them, by the line of each, until the deal closes.

    Never printed, logged or compared; the dice they determine are worked out once and kept.
    """

    __slots__ = ("_dealer", "deal", "handled", "number", "secret", "seeds")

    def __init__(
        self,
        number: int,
        secret: bytes,
        seeds: dict[Seat, bytes],
        deal: Deal,
        handled: Mapping[int, SealedPositions] | None = None,
    ) -> None:
        """Keep the secrets of the deal with this number."""
        self.number = number
        self.secret = secret
        self.seeds = seeds
        self.deal = deal
        self.handled = dict(handled or {})
        self._dealer: OpenDeal | None = None

    def __repr__(self) -> str:
        """Say which deal, and nothing else."""
        return f"DealSecrets(deal {self.number})"

    def commitment(self, seat: Seat) -> str:
        """Return what fixes the seed of a seat in the server's custody, as hex."""
        return seed_commitment(self.seeds[seat], self.deal.ctx, self.deal.root, seat).hex()

    def secrets_with(self, seeds: dict[Seat, bytes]) -> DealSecrets:
        """Return the keeper of the same deal with these seeds as well."""
        return type(self)(self.number, self.secret, {**self.seeds, **seeds}, self.deal, self.handled)

    def secrets_handled(self, handled: Mapping[int, SealedPositions]) -> DealSecrets:
        """Return the keeper of the same deal that knows which dice were handled in these lines as well."""
        return type(self)(self.number, self.secret, self.seeds, self.deal, {**self.handled, **handled})

    def open_deal(self, mixed: bytes) -> OpenDeal:
        """Return the dealer of this deal, given what its seeds came to."""
        if self._dealer is None or self._dealer.mix != mixed:
            self._dealer = OpenDeal(self.number, self.deal, mixed)
        return self._dealer


def new_deal_secrets(
    number: int, ctx: bytes, cups: tuple[Cup, ...], secret: bytes, seeds: dict[Seat, bytes]
) -> DealSecrets:
    """Return the keeper of a deal with this number, context and cups, and these secrets."""
    return DealSecrets(number, secret, seeds, Deal(secret, ctx, cups))
