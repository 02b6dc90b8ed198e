"""The transparency log as the house publishes it, so that others can check it."""

from __future__ import annotations

from base64 import b64decode

from domain import events
from domain.fairness import records
from domain.log.checkpoints import checkpoint_of, is_signed_by
from domain.log.notes import ED25519, Key, Malformed
from domain.log.proofs import inclusion_of
from domain.log.tiles import bundle, tile_of
from domain.match.record import event_of
from infra.keys import ed25519_verify
from infra.store import TransparencyStore, Unavailable
from services.matches.witnesses import policy_text


class PublishedLog:
    """The log's newest head, its tiles, its keys, and the policies that were ever in force."""

    def __init__(self, store: TransparencyStore, origin: str, public_keys: tuple[bytes, ...]) -> None:
        """Publish the log in this store, which has had these keys, the newest first.

        Where there is no key at hand, policies come from the store alone, into which dealers put them.
        """
        self._store = store
        self._keys = tuple(Key(origin, ED25519, public_key) for public_key in public_keys)
        self._plain = policy_text(origin, public_keys) if public_keys else None

    async def checkpoint(self) -> bytes | None:
        """Return the newest published checkpoint; None while there is none."""
        newest = await self._store.log_checkpoint()
        return None if newest is None else newest[1].encode()

    async def tile(self, path: str) -> bytes | None:
        """Return the tile or bundle with this path below `tile/`; None if it is no such path, or not there yet."""
        try:
            tile = tile_of(path)
        except Malformed:
            return None
        if not tile.covered_by(await self._store.log_size()):
            return None
        if tile.level is None:
            return bundle(await self._store.log_entries(*tile.span))
        found = await self._store.log_hashes(tile.places)
        return b"".join(found[place] for place in tile.places)

    async def is_ours(self) -> bool:
        """Report whether one of our keys signed the newest checkpoint; the dealers of a log share its keys."""
        newest = await self._store.log_checkpoint()
        if newest is None:
            return True
        checkpoint = checkpoint_of(newest[1])
        return any(is_signed_by(checkpoint, key, ed25519_verify) for key in self._keys)

    async def enforce(self, policy: str) -> None:
        """Put this policy in force.

        What was logged before policies were kept was logged without witnesses, and is judged so.
        """
        old = self._plain is not None and not await self._store.log_policies()
        if self._plain is not None and old and await self._store.log_checkpoint() is not None:
            await self._store.log_enforce(self._plain)
        await self._store.log_enforce(policy)

    async def policy(self) -> bytes:
        """Return the text of the policy in force.

        Raises:
            Unavailable: No dealer has put one in force yet, and there is no key here to name.
        """
        policies = await self._store.log_policies()
        text = policies[-1] if policies else self._plain
        if text is None:
            raise Unavailable("no dealer has put a policy in force yet")
        return text.encode()

    async def policy_for(self, record: bytes) -> str:
        """Return the text of the policy a record of this house is judged by: the one its first checkpoint had to meet.

        The lines of a record are never made anew, so a match that was logged before there were witnesses can only be
        judged by the policy of then; and a weaker one that came later judges none that had a stronger. Whoever kept a
        policy of their own judges by it.
        """
        policies, first = await self._store.log_policies(), first_checkpoint(record)
        number = None if first is None else await self._store.log_policy_of(checkpoint_of(first).size, first)
        return (await self.policy()).decode() if number is None or not policies else policies[number - 1]


def first_checkpoint(record: bytes) -> str | None:
    """Return the first checkpoint in a record of this house; None while nothing of it is logged.

    None, too, where the line that has it is of another version: the audit says what is wrong with such a line.
    """
    parts = records.split(record)
    for line in parts.lines:
        try:
            event = event_of(line)[0] if b'"type":"deal.logged"' in line else None
        except (KeyError, ValueError):
            return None
        if isinstance(event, events.DealLogged):
            return event.checkpoint
    return None if parts.proof is None else inclusion_of(b64decode(parts.proof).decode()).checkpoint
