"""Pages of the lobby: how many tables are listed at once, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from litestar.params import QueryParameter

from infra.store import TOP, RowPlace

LIMIT: Final = 24
"""How many tables of a kind are listed at once, if nothing is said."""
# Where a pattern ends in Python, a line may end behind it.
Before = Annotated[str | None, QueryParameter(pattern=r"^[0-9]{1,15}\.[0-9a-f-]{36}(?!\n)$")]


def mark_of(row: Mapping[str, Any]) -> str:
    """Return where a row of the lobby stands, for addresses."""
    return f"{row['at']}.{row['match']}"


def place_of(mark: str | None) -> RowPlace:
    """Return the place that `mark_of` wrote down."""
    if mark is None:
        return TOP
    at, _, match = mark.partition(".")
    return int(at), match
