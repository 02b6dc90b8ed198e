"""Templates of pages, compiled once in a process: a house is made anew for each seed, and its pages are the same."""

from __future__ import annotations

from types import CodeType
from typing import Final

from jinja2.bccache import Bucket, BytecodeCache

_COMPILED: Final[dict[tuple[str, str], CodeType]] = {}
"""By name and source. It is no part of a house: what one holds must not hang on those before it."""


class KeptTemplates(BytecodeCache):
    """What the houses of a process have compiled."""

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = _COMPILED.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        assert bucket.code is not None
        _COMPILED[bucket.key, bucket.checksum] = bucket.code
