"""Decided steps are found by the bytes they were stored in, and by no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.match.record import MatchAtHead, fold, lines_of
from infra.store import Recorded
from services.matches.reads import milestones as reading
from services.matches.reads.milestones import Milestones
from services.matches.reads.queries import MatchQueries
from services.matches.reads.recent import RecentSteps, Step
from services.work import failures
from tests.reads.counting import CountingStore
from tests.relay.playing import Played


async def test_lines_that_were_decided_here_are_neither_read_nor_folded(long: Played, store: CountingStore) -> None:
    lines = await store.read(long.stream)
    steps = list(fold(lines))
    milestones, begin = Milestones(store), 40
    before = await milestones.at(long.stream, begin)
    assert before is not None
    store.forget()
    decided = steps[begin:]
    milestones.recent.note(
        long.stream, before, lines[begin:], [event for _, event in decided], [written.match for written, _ in decided]
    )
    for seq, (line, step) in enumerate(zip(lines[begin:], decided, strict=True), start=begin):
        found = await milestones.after(Recorded(0, long.stream, seq, line))
        assert found == step
        assert found[0].match is step[0].match
    assert store.queries == 0


async def test_what_was_decided_but_not_stored_is_never_found(long: Played, store: CountingStore) -> None:
    lines = await store.read(long.stream)
    steps = list(fold(lines))
    number = 40
    (before, _), (after, event) = steps[number - 1], steps[number]
    theirs, _ = lines_of(long.id, number, before.head, after.match.at + 1, [event])
    milestones = Milestones(store)
    milestones.recent.note(long.stream, before, theirs, [event], [after.match])
    assert await milestones.after(Recorded(0, long.stream, number, lines[number])) == steps[number]
    assert milestones.recent.find(long.stream, number, theirs[0]) is None


async def test_the_newest_version_stays_until_the_match_is_over(long: Played, store: CountingStore) -> None:
    recent = RecentSteps()
    *others, older, newer, last = (written for written, _ in fold(await store.read(long.stream)))
    for written, newest in ((newer, newer), (older, newer), (last, None), (others[0], others[0])):
        recent.keep_newest(long.stream, written)
        assert recent.newest(long.stream) == newest


async def test_a_replay_of_a_match_that_nobody_has_looked_at_folds_each_line_once(
    long: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded: list[bytes] = []

    def counting(stream: str, lines: list[bytes], written: MatchAtHead | None) -> Iterator[Step]:
        folded.extend(lines)
        return failures.fold(stream, lines, written)

    monkeypatch.setattr(reading, "fold", counting)
    frames = await MatchQueries(long.store, None).frames(long.id, None, 0, 10_000)
    assert len(frames) == long.match.version
    assert folded == await long.store.read(long.stream)
