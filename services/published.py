"""What the house publishes of its transparency log, so that others can check it."""

from __future__ import annotations

from domain.log.notes import ED25519, Key
from infra.events import EventStore


def policy_text(origin: str, public_key: bytes) -> str:
    """Return the policy that believes this log and asks for no witness; to be kept by those who check, not by us."""
    return f"log {Key(origin, ED25519, public_key)}\nquorum none\n"


class PublishedLog:
    """The log's newest head and its key."""

    def __init__(self, store: EventStore, origin: str, public_key: bytes) -> None:
        """Publish the log in this store."""
        self._store = store
        self._policy = policy_text(origin, public_key)

    async def checkpoint(self) -> bytes | None:
        """Return the newest signed checkpoint; None while nothing was logged."""
        newest = await self._store.log_checkpoint()
        return None if newest is None else newest[1].encode()

    async def policy(self) -> bytes:
        """Return the policy text."""
        return self._policy.encode()
