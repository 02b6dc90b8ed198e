"""Two sights of a log: whatever two were shown of one history joins, and of two it does not."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import merkle
from domain.log.outside.sights import (
    LogSight,
    SeenCheckpoint,
    SeenLine,
    SeenRecord,
    SeenTree,
    SightDifference,
    Unjoined,
    What,
    compare,
)

LEAVES = [merkle.leaf_hash(bytes([number])) for number in range(40)]
FORK = [*LEAVES[:7], *(merkle.leaf_hash(bytes([number, 1])) for number in range(33))]
LOG = "dice.example/log"
MATCH = "match/09feebed-f45a-44f6-94c7-cee9cb798097"
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def checkpoint(size: int, leaves: list[bytes] = LEAVES, where: str = "a note") -> SeenCheckpoint:
    return SeenCheckpoint(LOG, size, merkle.root(leaves[:size]), where)


def tree(size: int, leaves: list[bytes] = LEAVES, where: str = "a notebook") -> SeenTree:
    return SeenTree(LOG, size, merkle.subtrees(leaves[:size]), where)


def record(text: str, *, ended: bool = False, where: str = "a record") -> SeenRecord:
    """Return a record that has a line for each letter."""
    return SeenRecord(b"".join(letter.encode() * 32 for letter in text), ended, where)


def line(letter: str, what: What = "log") -> SeenLine:
    return SeenLine((letter.encode() * 32).hex(), what, f"said by a {what}")


def of_records(*records: SeenRecord) -> LogSight:
    return LogSight(records={MATCH: list(records)})


def of_lines(seq: int, *lines: SeenLine) -> LogSight:
    return LogSight(lines={MATCH: {seq: list(lines)}})


def found(one: LogSight, other: LogSight) -> list[tuple[str, int]]:
    """Return what is different, which is the same whoever is asked first."""
    there, back = compare(one, other), compare(other, one)
    turned = [SightDifference(each.of, each.kind, each.number, each.other, each.one) for each in back.differences]
    assert (sorted(map(repr, turned)), back.unjoined) == (sorted(map(repr, there.differences)), there.unjoined)
    return [(each.kind, each.number) for each in there.differences]


# ---- logs -------------------------------------------------------------------------------------


@given(SIZES, SIZES, st.integers(40, 40))
def test_what_two_saw_of_one_log_joins_if_somebody_read_all_of_it(mine: list[int], yours: list[int], read: int) -> None:
    one = LogSight(checkpoints=[checkpoint(size) for size in mine], trees=[tree(read)])
    other = LogSight(checkpoints=[checkpoint(size) for size in yours])
    assert compare(one, other).unjoined == ()
    assert found(one, other) == []


@given(st.integers(8, 40), st.integers(8, 40))
def test_a_fork_is_found_by_whoever_read_as_far(seen: int, read: int) -> None:
    one, other = LogSight(checkpoints=[checkpoint(seen, FORK)]), LogSight(trees=[tree(read)])
    if seen <= read:
        assert found(one, other) == [("roots", seen)]
    else:
        assert found(one, other) == []
        assert compare(one, other).unjoined == (Unjoined(LOG, 2),)


def test_two_roots_of_one_size_are_two_histories_and_the_lowest_is_told() -> None:
    one = LogSight(checkpoints=[checkpoint(9), checkpoint(12)])
    other = LogSight(checkpoints=[checkpoint(12, FORK, "yours"), checkpoint(9, FORK, "yours")])
    assert found(one, other) == [("roots", 9)]
    (told,) = compare(one, other).differences
    assert (told.of, told.one.where, told.other.where) == (LOG, "a note", "yours")


def test_two_logs_have_nothing_to_say_of_each_other() -> None:
    one = LogSight(checkpoints=[checkpoint(9)], trees=[tree(9)])
    strange = SeenCheckpoint("other.example/log", 9, bytes(32), "elsewhere")
    assert compare(one, LogSight(checkpoints=[strange])).logs == 0
    both = LogSight(checkpoints=[checkpoint(9), strange])
    assert (compare(one, both).differences, compare(one, both).unjoined) == ((), ())


def test_a_proof_joins_what_nobody_read() -> None:
    one, other = (
        LogSight(checkpoints=[checkpoint(5), checkpoint(9)]),
        LogSight(checkpoints=[checkpoint(5), checkpoint(20)]),
    )
    assert compare(one, other).unjoined == (Unjoined(LOG, 2),)
    other.joins = [(checkpoint(5), checkpoint(20)), (SeenCheckpoint("z", 1, b"", ""), SeenCheckpoint("z", 2, b"", ""))]
    assert compare(one, other).unjoined == (Unjoined(LOG, 1),)
    one.joins = [(checkpoint(5), checkpoint(9))]
    assert compare(one, other).unjoined == ()


# ---- streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["log", "receipt"])
def test_a_line_that_is_said_to_be_two_is_found(what: Literal["log", "receipt"]) -> None:
    assert found(of_lines(3, line("a")), of_lines(3, line("a", what))) == []
    assert found(of_lines(3, line("a")), of_lines(3, line("b", what))) == [("heads", 4)]
    assert found(of_lines(3, line("a")), of_lines(4, line("b", what))) == []


def test_the_first_line_that_differs_is_told() -> None:
    assert found(of_records(record("abcd")), of_records(record("abxy"))) == [("heads", 3)]
    both = LogSight(records={MATCH: [record("abcd")]}, lines={MATCH: {0: [line("z", "receipt")]}})
    assert found(both, of_records(record("abcx"))) == [("heads", 1)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (record("abc"), record("abc"), []),
        (record("ab"), record("abc"), []),
        (record("ab", ended=True), record("abc"), [("end", 3)]),
        (record("ab", ended=True), record("ab", ended=True), []),
        (record("ab"), record("abc", ended=True), []),
    ],
)
def test_a_record_may_be_shorter_unless_it_had_ended(
    one: SeenRecord, other: SeenRecord, expected: list[tuple[str, int]]
) -> None:
    assert found(of_records(one), of_records(other)) == expected


@pytest.mark.parametrize(
    ("seq", "letter", "ended", "expected"),
    [
        (1, "b", True, []),
        (1, "x", False, [("heads", 2)]),
        (2, "c", False, []),
        (2, "c", True, [("end", 3)]),
    ],
)
def test_a_record_is_held_against_what_is_said_of_its_lines(
    seq: int, letter: str, *, ended: bool, expected: list[tuple[str, int]]
) -> None:
    assert found(of_records(record("ab", ended=ended)), of_lines(seq, line(letter, "receipt"))) == expected


def test_streams_that_both_know_are_counted() -> None:
    assert compare(of_records(record("ab")), of_lines(0, line("a"))).streams == 1
    assert compare(of_records(record("ab")), LogSight()).streams == 0
