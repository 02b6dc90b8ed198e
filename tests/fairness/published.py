"""Published records, each with what an auditor has to find in it (CUP/1 section 8)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec

from domain.fairness.audit import audit
from domain.log.policies import parse
from infra.keys import ed25519_verify

VECTORS = Path(__file__).parent / "vectors"


def published(name: str) -> dict[str, Any]:
    """Return a file of published values."""
    found: dict[str, Any] = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    return found


def check_as_published(bundle: dict[str, Any], policy: str) -> None:
    """Check that a record is the one that was published, and judged as was said there under this policy."""
    record = (VECTORS / bundle["file"]).read_bytes()
    assert hashlib.sha256(record).hexdigest() == bundle["sha256"]
    found = msgspec.to_builtins(audit(record, parse((VECTORS / policy).read_bytes()), ed25519_verify))
    assert found.pop("message")
    result = {name: value for name, value in found.items() if value is not None}
    if "line" in result:
        result["line"] -= 1  # The vectors count from 0, and the whole file is -1; people count from 1.
    assert result == bundle["result"]
