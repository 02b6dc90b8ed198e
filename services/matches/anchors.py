"""Anchors: the lines of a stream that go to the transparency log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from domain import events
from domain.events.base import BaseEvent
from domain.ids import Version
from domain.log.canonical import head as head_of
from domain.match.ceremony import Ceremony
from domain.seasons.events import SeasonClosed
from domain.tournaments.boards.events import BoardClosed
from domain.tournaments.events import TournamentClosed

_KINDS: Final[dict[type[BaseEvent], str]] = {
    events.DealSealed: "sealed",
    events.MatchEnded: "final",
    TournamentClosed: "final",
    SeasonClosed: "final",
    BoardClosed: "final",
}


def anchors_of(
    deal: Ceremony | None, happened: Sequence[BaseEvent], lines: Sequence[bytes], version: Version
) -> tuple[tuple[int, str, str], ...]:
    """Return what goes to the transparency log: the sealed line, the last opening, the end (CUP/1 section 4.9).

    Args:
        deal: The deal after what happened, if there is one.
        happened: The events of a command.
        lines: The line of each.
        version: How many lines the stream had before them.
    """
    openings = [index for index, event in enumerate(happened) if isinstance(event, events.SeedOpened)]
    complete = openings and deal is not None and deal.stage in {"logged", "ready"} and not deal.waiting_for
    found = []
    for index, event in enumerate(happened):
        kind = _KINDS.get(type(event)) or ("opened" if complete and index == openings[-1] else None)
        if kind is not None:
            found.append((version + index, head_of(lines[index]), kind))
    return tuple(found)
