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
    if isinstance(seat, SeatView):
        return _called(seat.name, seat.seat, bot=seat.bot)
    return _called(seat["name"], seat["seat"], bot=seat["bot"])


def _called(name: str, seat: int, *, bot: bool) -> str:
    erased = not bot and _ID.fullmatch(name) is not None
    return say(message("people.erased"), {"seat": str(seat)}) if erased else name
