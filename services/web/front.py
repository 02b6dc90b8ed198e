"""The front page's choice of tables: where people wait first, and what nobody looks for left to the lists behind it.

`services/web/static/table/tickets.js` chooses the same when the lists are read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from projections.lobby import State
from services.web.people import called, is_erased
from services.words.catalogue import DEFAULT, message, say, speaking

Json = dict[str, Any]
STALE_MS: Final = 600_000
"""A table that runs and at which nothing has happened for so long leaves the front page; the house's rule for people
who stop acts after three minutes."""
BOTS_MAX: Final = 3
"""Finished matches between bots alone that the front page shows."""


def by_state(rows: Sequence[Json]) -> dict[State, list[Json]]:
    """Return rows of the lobby by the state of their matches, in their order."""
    found: dict[State, list[Json]] = {"open": [], "live": [], "ended": []}
    for row in rows:
        found[_state_of(row)].append(row)
    return found


def on_front(rows: Sequence[Json]) -> dict[State, list[Json]]:
    """Return the rows that the front page shows, by state: those with people first, in their order otherwise.

    The latest move of any table stands for the time of day: in a house that rests, no table is older than the others.
    """
    now = max((row["at"] for row in rows), default=0)
    found = by_state([row for row in rows if _state_of(row) != "live" or now - row["at"] < STALE_MS])
    found = {state: sorted(those, key=lambda row: not people_at(row)) for state, those in found.items()}
    played = sum(1 for row in found["ended"] if people_at(row))
    return {**found, "ended": found["ended"][: played + BOTS_MAX]}


def most_watched(rows: Sequence[Json]) -> Json | None:
    """Return the one of these tables that most people watch, the first of several; None where there is none."""
    return max(rows, key=lambda row: row.get("watching", 0), default=None)


def waiting_in(rows: Sequence[Json]) -> Json | None:
    """Return the first of these open tables where somebody waits for others, and a seat is free."""
    free = (row for row in rows if len(row["seats"]) < row["seats_max"] and _takes_people_now(row))
    return next((row for row in free if people_at(row)), None)


def _takes_people_now(row: Json) -> bool:
    return not row.get("locked") and row.get("starts_at") is None


def people_at(row: Json) -> int:
    """Count the people who sit at a table."""
    return sum(1 for seat in row["seats"] if not seat["bot"])


def title_of(row: Json) -> str:
    """Return what a table is called, or whose it is, in the language of the page."""
    seats = sorted(row["seats"], key=lambda seat: (seat["bot"], seat["seat"]))
    whose = {"name": seats[0]["name"] if seats else "", "seats": str(len(seats))}
    with speaking(DEFAULT):
        is_named = row["title"] != say(message("lobby.table"), whose)
    if is_named:
        return str(row["title"])
    # Whose name was erased lends it to no table as long as somebody else sits there.
    host = min(seats, key=is_erased, default=None)
    return say(message("lobby.table"), whose if host is None else {**whose, "name": called(host)})


def _state_of(row: Json) -> State:
    return "open" if row["phase"] == "lobby" else "ended" if row["phase"] == "finished" else "live"
