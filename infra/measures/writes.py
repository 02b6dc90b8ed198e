"""Writes to the store in numbers: how large commits were, how long they took, what stood against commands."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, get_args

from infra.measures.buckets import Buckets

Trouble = Literal["refused", "lost", "undone", "unanswered", "full", "rejected"]
"""The database has no room; a connection broke in a commit; a commit was undone, since it and another waited for each
other; somebody waited as long as one may; the queue of writes is full; the database rejects what it is given, which is
a fault of ours."""
TROUBLES: Final = get_args(Trouble)
SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Bounds for commands in a commit: `infra.store.writer.BATCH_MAX` is the last."""


class WriteTally:
    """What one program has met.

    Attributes:
        sizes: Commands of each commit.
        seconds: How long each took, in seconds.
        outcomes: What came of commands, by the name of the outcome's type.
        troubles: What kept the store from answering.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.sizes = Buckets(SIZES)
        self.seconds = Buckets()
        self.outcomes: Counter[str] = Counter()
        self.troubles: Counter[Trouble] = Counter()
