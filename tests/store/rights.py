"""The lists of `.docs/roles.md`: what each role of the database may, as operators read them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

from infra.store.postgres import Role

ROLES: tuple[Role, ...] = get_args(Role)
DOCUMENT = Path(__file__).parents[2] / ".docs" / "roles.md"
Kind = Literal["table", "function", "statement"]


def listed(kind: Kind) -> dict[str, dict[Role, frozenset[str]]]:
    """Return by name what each role may do with it: the privileges on a table, or `yes`."""
    heading = f"| {kind} | " + " | ".join(f"`{role}`" for role in ROLES) + " |\n"
    _, found, rest = DOCUMENT.read_text(encoding="utf-8").partition(heading)
    assert found, heading
    rows = re.findall(r"^\| `([\w.]+)` \|(.*)\|$", rest.partition("\n\n")[0], re.MULTILINE)
    names = [name for name, _ in rows]
    assert len(set(names)) == len(names), names
    return {name: dict(zip(ROLES, map(_said, cells.split("|")), strict=True)) for name, cells in rows}


def _said(cell: str) -> frozenset[str]:
    return frozenset(word for word in re.split(r"[,\s]+", cell) if word not in {"", "no"})
