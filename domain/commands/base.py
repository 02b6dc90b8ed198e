"""Bases of commands: what all of them are, and the types of their members."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

Whole: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer of 64 bits; which ones make sense, the rules say."""
Positions: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=0, le=253)], ...], Meta(max_length=254)]
"""Positions of dice, 0-based, in the owner's own numbering."""
Hash: TypeAlias = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""32 bytes as lower-case hex."""


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something a seat, the host or the table asks for."""


class AnyInterludeCommand(Command, frozen=True):
    """Something that can be asked for in one interlude only; its file of `domain.table.interludes` has it."""
