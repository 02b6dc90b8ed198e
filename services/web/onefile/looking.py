"""Answers that a page has in itself for the replay in it: every frame for all eyes, and the analysis.

Of a frame is written what the one before had not, and of what some eyes see, what a spectator did not: whole frames of
every pair of eyes would be ten times as long, and the script of the page puts them together again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.analysis.report import Analysis, document_of
from domain.match.record import fold
from projections.frames import Frame
from projections.glass import ALL, Eyes, Glass, frames_through, take

SPECTATOR = "spectator"
Members = dict[str, Any]


def house_of(lines: Sequence[bytes], analysis: Analysis, names: Mapping[str, str]) -> bytes:
    """Return the answers of the page as JSON.

    Args:
        lines: The lines of the match.
        analysis: What is said of it.
        names: What players are called, by their ids.

    Cost: a view for each line and each pair of eyes.
    """
    steps, glass = list(fold(lines)), Glass()
    for written, event in steps:
        take(glass, written.match, event)
    eyes: list[Eyes] = [ALL, *(row.seat for row in analysis.seats)]
    through = [frames_through(steps, glass, each, names) for each in (None, *eyes)]
    rows = list(_rows(zip(*through, strict=True)))
    told = {"eyes": [str(each) for each in eyes], "rows": rows, "analysis": document_of(analysis)}
    return msgspec.json.encode(told)


def _rows(frames: Iterator[tuple[Frame, ...]]) -> Iterator[list[Any]]:
    """Yield a frame without its view, what a spectator's has that the one before had not, and what all others have."""
    before: Members = {}
    for seen, *others in frames:
        frame: Members = msgspec.to_builtins(seen, str_keys=True)
        view = frame.pop("view")
        yield [frame, _changed(before, view), [_changed(view, _view(other)) for other in others]]
        before = view


def _view(frame: Frame) -> Members:
    found: Members = msgspec.to_builtins(frame.view, str_keys=True)
    return found


def _changed(before: Members, now: Members) -> Members:
    """Return the members that differ: every view has the same ones, so none is ever taken away."""
    return {name: value for name, value in now.items() if name not in before or before[name] != value}
