"""Secrets of a deal, for programs that may have them, and the dice that follow from them."""

from __future__ import annotations

from domain.fairness.deal import Cup, Deal, seed_commitment
from domain.fairness.openings import OpenDeal
from domain.ids import Seat


class DealSecrets:
    """The secrets of one deal, for programs that may have them: its own, and the seeds in the server's custody.

    Never printed, logged or compared; the dice they determine are worked out once and kept.
    """

    __slots__ = ("_dealer", "deal", "number", "secret", "seeds")

    def __init__(self, number: int, secret: bytes, seeds: dict[Seat, bytes], deal: Deal) -> None:
        """Keep the secrets of the deal with this number."""
        self.number = number
        self.secret = secret
        self.seeds = seeds
        self.deal = deal
        self._dealer: OpenDeal | None = None

    def __repr__(self) -> str:
        """Say which deal, and nothing else."""
        return f"Keeper(deal {self.number})"

    def commitment(self, seat: Seat) -> str:
        """Return what fixes the seed of a seat in the server's custody, as hex."""
        return seed_commitment(self.seeds[seat], self.deal.ctx, self.deal.root, seat).hex()

    def secrets_with(self, seeds: dict[Seat, bytes]) -> DealSecrets:
        """Return the keeper of the same deal with these seeds as well."""
        return type(self)(self.number, self.secret, {**self.seeds, **seeds}, self.deal)

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
