"""Dice of a house: those that were dealt, or others where a mask says so, under the same proofs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from unittest.mock import patch

from domain.fairness.openings import DealSecrets
from domain.match.evolve import Match
from services.matches.secrets.vault import Vault
from tests.domain.swapped_dice import Mask, OtherDealer, Where

Keepers = dict[bytes, DealSecrets]
"""The secrets of deals, by their contexts."""
_opened: Final = DealSecrets.open_deal
_keep: Final = Vault.keep


def keeper_among(keepers: Keepers, match: Match) -> DealSecrets | None:
    """Return the secrets of the deal of a match, that of its board if it shares one."""
    deal = match.ceremony
    if deal is None or deal.ctx:
        return None if deal is None else keepers.get(deal.ctx)
    return next((one for one in keepers.values() if one.deal.root == deal.root), None)


def as_dealt(_where: Where, _m: int, real: int) -> int:
    """Return what a die really shows."""
    return real


class Dice:
    """What lies under the cups of a house.

    Attributes:
        masks: What dice show instead, by the context of their deal.
        keepers: The secrets of all deals that were made in it.
        changed: The dice that were asked for and showed something else.
    """

    def __init__(self, masks: dict[bytes, Mask] | None = None) -> None:
        self.masks = masks or {}
        self.keepers: Keepers = {}
        self.changed: set[Where] = set()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let every program deal these."""
        dice = self

        def open_deal(secrets: DealSecrets, mixed: bytes) -> Any:
            real, ctx = _opened(secrets, mixed), secrets.deal.ctx
            if type(secrets) is not DealSecrets:  # an auditor's, who has what was published
                return real
            dice.keepers[ctx] = secrets
            # As much is done for dice that are as they were as for others.
            return OtherDealer(real, partial(dice.shown, dice.masks.get(ctx, as_dealt)))

        def keep(vault: Vault, stream: str, keeper: DealSecrets | None) -> None:
            if keeper is not None:
                dice.keepers[keeper.deal.ctx] = keeper
            _keep(vault, stream, keeper)

        with patch.object(DealSecrets, "open_deal", open_deal), patch.object(Vault, "keep", keep):
            yield

    def shown(self, mask: Mask, where: Where, m: int, real: int) -> int:
        """Return what a die shows, and note whether that is something else."""
        other = mask(where, m, real)
        if other != real:
            self.changed.add(where)
        return other
