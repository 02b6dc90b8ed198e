"""Kinds of cases about pairing: what each says of a law, by the vector file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CHECKS: dict[str, dict[str | None, Callable[[dict[str, Any]], None]]] = {}
