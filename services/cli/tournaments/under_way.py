"""A tournament of a house as its lines have it by now, with names and title: what a record file lacks."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from services.cli.asking import asked_house
from services.cli.auditing.sources import STDIN
from services.client.house import match_id, origin_of, read_reply

PAGES: Final = frozenset({"t", "tournaments"})
"""What stands before the id in an address of a tournament."""


class TournamentOfHouse(Struct, frozen=True):
    """What a house says of a tournament: its record up to now, what entrants are called, and its title."""

    record: bytes
    names: dict[int, str]
    title: str | None


def asked_of_house(name: str) -> str | None:
    """Return the tournament that is meant, where it is one of a house and no record: an id, or the address of a page.

    A file is a record, whatever it is called, and so is an address that ends as one of records does.
    """
    parts = name.partition("?")[0].rstrip("/").split("/")
    if name == STDIN or Path(name).exists():
        return None
    if len(parts) == 1:
        return name if _is_id(name) else None
    if origin_of(name) is None or parts[-1] in {"export", "record"}:
        return None
    return next((found for before, found in pairwise(parts) if before in PAGES and _is_id(found)), None)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def read_from_house(name: str, tournament: str, url: str | None) -> TournamentOfHouse:
    """Return a tournament as it is now.

    Args:
        name: What was asked for: where it is an address, it says where the house is as well.
        tournament: The id.
        url: Where the house is; for None that of the address, or the `truecup up` of this machine.

    Raises:
        CannotDo: Nobody answers, the house says no, or is too busy.
    """
    path = f"/tournaments/{match_id(tournament)}"
    with asked_house(url or origin_of(name)) as at:
        record = at.get(f"{path}/export")
        # Read behind the record, so that whoever stands in it has a name, unless that was erased.
        rows, view = (at.get(each) for each in (f"{path}/entrants", path))
    with read_reply():
        names = {int(row["number"]): str(row["name"]) for row in msgspec.json.decode(rows, type=list[dict[str, Any]])}
        title = msgspec.json.decode(view, type=dict[str, Any])["title"]
        return TournamentOfHouse(record, names, None if title is None else str(title))
