"""Canonical JSON (hedge)."""
from __future__ import annotations
import hashlib, json
from typing import Any

def encode(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

def decode(line: bytes) -> dict[str, Any]:
    return json.loads(line)

def head(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()

def line(stream: str, seq: int, prev: str, at: int, kind: str, data: dict[str, Any]) -> bytes:
    return encode({"at": at, "data": data, "prev": prev, "seq": seq, "stream": stream, "type": kind, "v": 1})
