"""Bugs of the transparency log: what is entered, what is signed, and who has seen it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from domain.log import checkpoints
from infra.store import PendingAnchor
from infra.store.memory import MemoryStore
from services.dealer import notary
from services.dealer.notary import Notary
from tests.simulation.faults import CALM
from tests.simulation.planted.bug import HARD, SILENT, TWO, Planted
from tests.simulation.schedule import Shape

_log_append = MemoryStore.log_append
_sign_head = Notary._sign_head
WITNESSED: Final = Shape(witnesses=2, holds=False)
"""A house whose checkpoints witnesses have to see."""


async def _size_not_compared(
    store: MemoryStore, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Any, _size: int
) -> bool:
    """Let the tree grow from whatever size it was thought to have."""
    store._entries.extend(entries)
    store._hashes.update(hashes)
    for anchor, _ in entries:
        store._outbox.pop(anchor, None)
    return True


async def _outbox_first(
    store: MemoryStore, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Any, size: int
) -> bool:
    """Take anchors out of the outbox, and enter them in another transaction."""
    waiting = [replace(anchor, board=None) for anchor, _ in entries]
    if size == len(store._entries):
        return bool(await _log_append(store, entries, hashes, size))
    for anchor in waiting:
        store._outbox.pop(anchor, None)
    return False


async def _outbox_kept(
    store: MemoryStore, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Any, size: int
) -> bool:
    """Leave in the outbox, once in a while, what has been entered."""
    grown = bool(await _log_append(store, entries, hashes, size))
    if grown and size % 3 == 2:
        store._outbox[replace(entries[0][0], board=None)] = None
    return grown


async def _root_of_before(signer: Notary, size: int) -> str:
    """Sign, for every size, the tree that was there first."""
    first = signer.__dict__.setdefault("_first", [])
    note = await _sign_head(signer, size)
    first.append(checkpoints.checkpoint_of(note).root)
    return checkpoints.sign_checkpoint(signer._origin, size, first[0], *signer._signers)


async def _nothing_proved(_notary: Notary, _old: int, _size: int) -> tuple[bytes, ...]:
    """Prove nothing to witnesses of what they have seen."""
    return ()


def _anything_accepted(*_given: object) -> None:
    """Publish what too few witnesses have seen."""


def _always_enough(_notary: Notary, _witnesses: object) -> bool:
    return True


BUGS: Final = (
    Planted(
        "tree grown from a stale size",
        "the transparency log does not come to rest",
        HARD,
        ((MemoryStore, "log_append", _size_not_compared),),
    ),
    Planted(
        "outbox emptied in another transaction",
        "an anchor is not in the log",
        HARD,
        ((MemoryStore, "log_append", _outbox_first),),
        TWO,
    ),
    Planted("outbox not emptied", "an anchor is in the log twice", CALM, ((MemoryStore, "log_append", _outbox_kept),)),
    Planted("root of a tree of before", "is of another tree", CALM, ((Notary, "_sign_head", _root_of_before),)),
    Planted(
        "witnesses that are proved nothing",
        "the transparency log does not come to rest",
        CALM,
        ((Notary, "_consistency_proof", _nothing_proved),),
        WITNESSED,
    ),
    Planted(
        "published before witnesses have seen it",
        "too few witnesses",
        SILENT,
        ((notary, "accept", _anything_accepted), (Notary, "_enough", _always_enough)),
        WITNESSED,
    ),
)
