"""What the house publishes of its transparency log, so that others can check it."""

from __future__ import annotations

from domain.log.checkpoints import checkpoint_of, signed_by
from domain.log.notes import ED25519, Key
from infra.events import EventStore
from infra.keys import ed25519_verify


def policy_text(origin: str, public_key: bytes) -> str:
    """Return the policy that believes this log and asks for no witness; to be kept by those who check, not by us."""
    return f"log {Key(origin, ED25519, public_key)}\nquorum none\n"


class PublishedLog:
    """The log's newest head and its key."""

    def __init__(self, store: EventStore, origin: str, public_key: bytes) -> None:
        """Publish the log in this store."""
        self._store = store
        self._key = Key(origin, ED25519, public_key)
        self._policy = policy_text(origin, public_key)

    async def checkpoint(self) -> bytes | None:
        """Return the newest signed checkpoint; None while nothing was logged."""
        newest = await self._store.log_checkpoint()
        return None if newest is None else newest[1].encode()

    async def is_ours(self) -> bool:
        """Report whether our key signed the newest checkpoint; one log has one key, and its dealers share it."""
        newest = await self._store.log_checkpoint()
        return newest is None or signed_by(checkpoint_of(newest[1]), self._key, ed25519_verify) is True

    async def policy(self) -> bytes:
        """Return the policy text."""
        return self._policy.encode()
