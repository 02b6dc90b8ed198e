"""Answers that a page has in itself for the replay in it: every frame for all eyes, and the analysis.

Of a frame is written what the one before had not, and of what some eyes see, what a spectator did not, of a seat as of
a whole view: whole frames of every pair of eyes would be ten times as long, packed as well. The script of the page puts
them together again (`onefile/frames.js`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import msgspec

from domain.analysis.report import Analysis, document_of
from domain.match.record import fold
from projections.frames import Frame
from projections.glass import ALL, Eyes, Glass, frames_through, take

SAID_BY_FRAMES = ("version", "head")
"""Members of a view that its frame has as well."""
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
        view = frame["view"] = _view(seen)
        yield [_without(frame, "view"), _changed(before, view), [_changed(view, _view(other)) for other in others]]
        before = view


def _view(frame: Frame) -> Members:
    """Return the view of a frame without what the frame says itself."""
    return _without(msgspec.to_builtins(frame.view, str_keys=True), *SAID_BY_FRAMES)


def _without(members: Members, *names: str) -> Members:
    return {name: value for name, value in members.items() if name not in names}


def _changed(before: Members, now: Members) -> Members:
    """Return the members that differ: every view has the same ones, so none is ever taken away.

    Of seats are told those of each that differ, seat by seat, as most of a view is what seats have.
    """
    found = _differing(before, now)
    if "seats" in found:
        earlier = chain(before.get("seats", ()), repeat({}))
        found["seats"] = list(map(_differing, earlier, now["seats"]))
    return found


def _differing(before: Members, now: Members) -> Members:
    return {name: value for name, value in now.items() if name not in before or before[name] != value}
