"""Frames of a tournament with what each line moved: made once for all who follow it, and never for lines of before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any
from uuid import UUID

import pytest

from domain.tournaments.record import TournamentAtHead, step
from services.tournaments import frames
from services.tournaments.frames import MadeFrame, TournamentFrames
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent


class Written:
    """The lines of an event that was written by hand, as the log gives them; counts how often it is asked."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.logged = list(lines)
        self.asked: list[int] = []

    async def lines(self, tournament_id: UUID, after: int, limit: int) -> Sequence[bytes]:
        assert tournament_id == TOURNAMENT
        self.asked.append(after)
        return self.logged[after : after + limit]

    def at(self, version: int) -> TournamentAtHead:
        written = None
        for line in self.logged[:version]:
            written, _ = step(written, line)
        assert written is not None
        return written


@pytest.fixture(scope="module")
def event() -> WrittenEvent:
    """Return an event whose first round plays: the last line is a result."""
    event = WrittenEvent("pods")
    event.enter(8).check_in(draws=(1,)).draw().step()
    event.start()
    event.record(1)
    return event


def changed(frame: MadeFrame) -> Any:
    return json.loads(frame.body)["changed"]


async def test_a_line_says_what_it_moved_to_all_who_follow_and_is_made_once(event: WrittenEvent) -> None:
    source, before = Written(event.lines), len(event.lines) - 1
    made = TournamentFrames(source)
    with ExitStack() as readers:
        for _ in range(3):
            readers.enter_context(made.followed(source.at(before), plain=False))
        found = [await made.behind(TOURNAMENT, before) for _ in range(3)]
        assert await made.behind(TOURNAMENT, before + 1) == []
    assert source.asked == [before, before + 1]
    (frame,) = found[0]
    assert found == [[frame]] * 3
    assert (frame.version, frame.last) == (before + 1, False)
    told = changed(frame)
    assert told["tables"] == [{"stage": 1, "round": 1, "table": 1, "state": "over"}]
    assert (told["stage"], told["round"], len(told["rows"])) == (1, 1, 4)
    first = event.table(1).seats[0]
    assert told["rows"][0][:3] == [first, 1, "1"]
    assert b"Name" not in frame.body, "names may be erased by the time it is read"


async def test_lines_of_before_and_plain_ones_do_not_say_what_they_moved(event: WrittenEvent) -> None:
    source, version = Written(event.lines), len(event.lines)
    made = TournamentFrames(source)
    with made.followed(source.at(version), plain=False):
        late = await made.behind(TOURNAMENT, version - 1)
    with made.followed(source.at(version - 1), plain=True):
        plain = await made.behind(TOURNAMENT, version - 1, plain=True)
        unasked = await made.behind(TOURNAMENT, version - 1)
    assert late == plain == unasked
    assert changed(late[0]) is None


async def test_who_is_behind_what_is_kept_comes_nearer_by_pages(
    event: WrittenEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "KEPT_MAX", 2)
    monkeypatch.setattr(frames, "PAGE", 3)
    source, version = Written(event.lines), len(event.lines) - 4
    made = TournamentFrames(source)
    with made.followed(source.at(version), plain=False):
        for at in (version, version + 3):
            await made.behind(TOURNAMENT, at)
        behind = await made.behind(TOURNAMENT, version)
        assert [(frame.version, changed(frame)) for frame in behind] == [(version + at, None) for at in (1, 2, 3)]
        (kept,) = await made.behind(TOURNAMENT, version + 3)
        assert changed(kept)["rows"]


async def test_a_line_that_is_not_known_here_is_told_as_it_is(event: WrittenEvent) -> None:
    source, before = Written(event.lines), len(event.lines) - 1
    head = source.at(before)
    source.logged[-1] = source.logged[-1].replace(b'"result.recorded"', b'"result.of_morrow"')
    made = TournamentFrames(source)
    with made.followed(head, plain=False):
        (frame,) = await made.behind(TOURNAMENT, before)
        source.logged.append(event.lines[-1].replace(b'"seq":%d' % before, b'"seq":%d' % (before + 1)))
        (after,) = await made.behind(TOURNAMENT, before + 1)
    assert json.loads(frame.body)["event"]["type"] == "result.of_morrow"
    assert (changed(frame), changed(after)) == (None, None)
