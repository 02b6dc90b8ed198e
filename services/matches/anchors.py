"""Anchors: the lines of a match that go to the transparency log."""

from __future__ import annotations

from domain import events
from domain.ids import Version
from domain.log.canonical import head as head_of
from domain.match.decide import Decision


def anchors_of(made: Decision, lines: tuple[bytes, ...], version: Version) -> tuple[tuple[int, str, str], ...]:
    """Return what goes to the transparency log: the sealed line, the last opening, the end (CUP/1 section 4.9)."""
    deal, happened = made.match.ceremony, made.events
    openings = [index for index, event in enumerate(happened) if isinstance(event, events.SeedOpened)]
    complete = openings and deal is not None and deal.stage in {"logged", "ready"} and not deal.waiting_for
    kinds = {events.DealSealed: "sealed", events.MatchEnded: "final"}
    found = []
    for index, event in enumerate(happened):
        kind = kinds.get(type(event)) or ("opened" if complete and index == openings[-1] else None)
        if kind is not None:
            found.append((version + index, head_of(lines[index]), kind))
    return tuple(found)
