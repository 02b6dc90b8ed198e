"""Lines and appends for the store's tests: the store does not care what is in them but for the chain."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import UUID

from infra.entropy import draw
from infra.store import Append

ZEROS = "0" * 64


def stream(number: int = 1) -> str:
    return f"match/{UUID(int=number)}"


def line(name: str, seq: int, prev: str, kind: str = "game.bid", **data: Any) -> bytes:
    members = {"at": 1, "data": data, "prev": prev, "seq": seq, "stream": name, "type": kind, "v": 1}
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def chain(name: str, count: int, before: list[bytes] | None = None, kind: str = "game.bid") -> list[bytes]:
    """Return so many lines that follow those before."""
    lines = list(before or [])
    for _ in range(count):
        prev = hashlib.sha256(lines[-1]).hexdigest() if lines else ZEROS
        lines.append(line(name, len(lines), prev, kind))
    return lines[len(before or []) :]


def append(name: str, lines: list[bytes], expected: int = 0, **members: Any) -> Append:
    given = {"command": draw(32), "fingerprint": b"f" * 32, "answer": b"{}", **members}
    return Append(stream=name, expected=expected, lines=tuple(lines), **given)
