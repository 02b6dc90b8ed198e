"""Acts of officials as everybody reads them: what was done, to whom, why, and who reads what was said beside it.

Texts lie beside the lines, which name them by a hash: whoever may read a text is told by the line that names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from domain.tournaments import events
from domain.tournaments.tournament import Place, Tournament

Outcome = Literal["upheld", "denied", "withdrawn"]
Audience = Mapping[str, int | None]
"""By the hashes of texts, whom each concerns besides officials; None for what is for all unless it is marked."""


class PublicAct(Struct, frozen=True):
    """Something that an official did, and said why.

    Attributes:
        line: The place in the stream, from 0.
        kind: The type of the line.
        reason: The code of why.
        note: The hash of a text beside it, if there is one.
        place: The stage and the round that it is about, if it is about one.
        tables: The tables of it that it is about; none where it is about all of it.
        numbers: The entrants whom it is about.
    """

    line: int
    kind: str
    reason: str
    note: str | None
    place: Place | None
    tables: tuple[int, ...]
    numbers: tuple[int, ...]


class AppealView(Struct, frozen=True):
    """An appeal as everybody sees it.

    Attributes:
        appeal: Its number, from 1.
        line: The line that it is against, from 0.
        outcome: What was decided; null while nobody has.
        lines: The places of what was done about it.
    """

    appeal: int
    line: int
    outcome: Outcome | None
    lines: tuple[int, ...]


def appeal_log(tournament: Tournament) -> tuple[AppealView, ...]:
    """Return every appeal, by number."""
    return tuple(
        AppealView(number, heard.line, heard.outcome, heard.lines)
        for number, heard in sorted(tournament.appeals.items())
    )


def act_of(after: Tournament, event: events.TournamentEvent) -> PublicAct | None:
    """Return what an official did by an event; None for what follows of itself, or what entrants ask for themselves.

    Args:
        after: The tournament after it.
        event: What happened.
    """
    said: dict[str, Any] = {name: getattr(event, name) for name in event.__struct_fields__}
    if "reason" not in said or said.get("by") not in after.officials:
        return None
    place = (said["stage"], said["round"]) if said.get("stage") and said.get("round") else None
    return PublicAct(
        after.seq, str(type(event).__struct_config__.tag), said["reason"], said.get("note"), place,
        _tables(event, said), _numbers(said),
    )  # fmt: skip


def _tables(event: events.TournamentEvent, said: Mapping[str, Any]) -> tuple[int, ...]:
    if isinstance(event, events.TablesUnpaired):
        return event.tables or ()
    return (said["table"],) if said.get("table") else ()


def _numbers(said: Mapping[str, Any]) -> tuple[int, ...]:
    if "number" in said:
        return (said["number"],)
    found: tuple[int, ...] = said.get("numbers", ())
    return found


def audience_of(after: Tournament, event: events.TournamentEvent) -> Iterator[tuple[str, int | None]]:
    """Yield the text that an event names by its hash, with whom it concerns: what is said of an appeal, who filed it.

    Args:
        after: The tournament after it.
        event: What happened.
    """
    note: str | None = getattr(event, "note", None)
    if note is None:
        return
    if isinstance(event, events.AppealFiled | events.AppealDecided):
        yield note, after.appeals[event.appeal].number
    else:
        yield note, None
