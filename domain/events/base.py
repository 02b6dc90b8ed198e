"""The base of all events: type, data and bytes."""

from __future__ import annotations

from msgspec import Struct

Account = int | str
"""Where units lie: a seat's number, or the name of a place at the table (`pot`, `box`, `bar`, `bank`)."""


class BaseEvent(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something that has happened."""


class AnyInterludeEvent(BaseEvent, frozen=True):
    """Something that happened in one interlude only; its file of `domain.table.interludes` has it."""
