"""People at a table as pages name them: whose name was erased goes by the seat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from projections.view import SeatView
from services.words.catalogue import message, say

_ID: Final = re.compile(r"[pu][0-9a-f]{24}")
"""What stands in place of a name that was erased: the id that records have."""


def called(seat: SeatView | Mapping[str, Any]) -> str:
    """Return what whoever has a seat is called: a seat of a view, or of a row of the lobby."""
    name, number, _ = _parts(seat)
    return say(message("people.erased"), {"seat": str(number)}) if is_erased(seat) else name


def is_erased(seat: SeatView | Mapping[str, Any]) -> bool:
    """Report whether the name of whoever has a seat was erased."""
    name, _, bot = _parts(seat)
    return not bot and _ID.fullmatch(name) is not None


def _parts(seat: SeatView | Mapping[str, Any]) -> tuple[str, int, bool]:
    if isinstance(seat, SeatView):
        return seat.name, seat.seat, seat.bot
    return seat["name"], seat["seat"], seat["bot"]
