"""The secrets of deals, for the programs that hold the key: dealers and relays.

Secrets leave the database wrapped; only a process that holds the wrapping key can read them. A process without it has
no `Vault` at all, and so no dice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from uuid import UUID

import msgspec

from domain.fairness.deal import context
from domain.fairness.openings import DealSecrets, SealedPositions
from domain.ids import DealNumber, Seat, Version
from domain.match.ceremony import Ceremony, deal_secrets_of
from domain.match.cups import board_cups
from domain.match.evolve import Match
from domain.match.record import stream_of
from domain.seats import Player
from domain.tournaments.boards.record import board_stream_of, step
from infra.sealing import Sealing
from infra.store import DealVault
from services.work.caches import LastUsed

KEEPERS_MAX = 1_024
"""Deals kept unwrapped at once: about 100 kB each with the tree of a ten-seat match."""


class StreamVault(DealVault, Protocol):
    """The secrets of deals, and the lines of the streams they belong to."""

    async def read(self, stream: str, after: Version, limit: int) -> list[bytes]:
        """Return at most `limit` lines behind a version, in order."""


class Vault:
    """Wraps secrets for storage and gives keepers back."""

    def __init__(self, store: StreamVault, sealing: Sealing) -> None:
        """Keep secrets in this store, wrapped by this sealing."""
        self._store = store
        self._sealing = sealing
        self._keepers: LastUsed[tuple[str, int], DealSecrets] = LastUsed(KEEPERS_MAX)

    def wrap(self, stream: str, secrets: dict[str, bytes]) -> tuple[tuple[str, bytes], ...]:
        """Return the secrets as they may be stored, bound to their stream and name."""
        return tuple(
            (name, self._sealing.wrap(secret, f"{stream}/{name}".encode())) for name, secret in secrets.items()
        )

    async def keeper(self, match: Match) -> DealSecrets | None:
        """Return the keeper of the match's current deal, if it has one; that of its board, if it shares one."""
        if match.settings.board is not None:
            return None if match.ceremony is None else await self.keeper_of_board(match, match.ceremony.deal)
        known = await self.keeper_of(stream_of(match.id), match.ceremony, match.seated)
        if known is None or match.ceremony is None or len(known.handled) >= match.handlings:
            return known
        # Another program may have been told which dice were handled since; or the table has handled some itself.
        known = await self._unwrap(stream_of(match.id), match.ceremony)
        self.keep(stream_of(match.id), known)
        return known

    async def keeper_of_board(self, match: Match, deal: DealNumber) -> DealSecrets:
        """Return the keeper of a deal that a match shares with other tables. Cost: two queries, once for all of them.

        Its secret is stored once, in the stream of the board, whose rules its keys are bound to.
        """
        assert match.settings.board is not None, "it shares its dice"
        board = UUID(match.settings.board.id)
        stream = board_stream_of(board)
        known = self._keepers.get((stream, deal))
        if known is None:
            (first,) = await self._store.read(stream, 0, 1)
            written, _ = step(None, first)
            cups = board_cups(match.settings)
            ctx = context(board.bytes, deal, written.board.rules_hash, "all", cups)
            known = await self._unwrap(stream, Ceremony(deal, ctx, b"", cups, (), match.at))
            self.keep(stream, known)
        return known

    async def keeper_of(
        self, stream: str, ceremony: Ceremony | None, seated: Mapping[Seat, Player]
    ) -> DealSecrets | None:
        """Return the keeper of a deal of any stream, given who gives seeds to it; None where there is no deal."""
        if ceremony is None:
            return None
        known = self._keepers.get((stream, ceremony.deal))
        if known is None or not _knows_custody(known, ceremony, seated):
            known = await self._unwrap(stream, ceremony)
        self.keep(stream, known)
        return known

    def keep(self, stream: str, keeper: DealSecrets | None) -> None:
        """Remember a keeper that a decision has just made."""
        if keeper is not None:
            self._keepers[stream, keeper.number] = keeper

    async def _unwrap(self, stream: str, ceremony: Ceremony) -> DealSecrets:
        stored = await self._store.secrets(stream)
        prefixes = (f"seed/{ceremony.deal}/", handling := f"handled/{ceremony.deal}/")
        opened = {
            name: self._sealing.unwrap(wrapped, f"{stream}/{name}".encode())
            for name, wrapped in stored.items()
            if name.startswith(prefixes) or name == f"deal/{ceremony.deal}"
        }
        secret = opened.pop(f"deal/{ceremony.deal}")
        sealed = {int(name.removeprefix(handling)): opened.pop(name) for name in [*opened] if name.startswith(handling)}
        seeds = {int(name.rpartition("/")[2]): seed for name, seed in opened.items()}
        handled = {seq: msgspec.json.decode(one, type=SealedPositions) for seq, one in sealed.items()}
        return deal_secrets_of(ceremony, secret, seeds).secrets_handled(handled)


def _knows_custody(keeper: DealSecrets, ceremony: Ceremony, seated: Mapping[Seat, Player]) -> bool:
    """Report whether the keeper has every seed the server drew for this deal, those for late seats too.

    Who waits does not matter: once a deal is sealed nobody does, and yet these seeds have to be opened later.
    """
    return all(seat in keeper.seeds for seat in ceremony.seats if seat in seated and seated[seat].custody)
