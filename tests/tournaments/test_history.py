"""The history that tables leave: who has met, who sat next after whom, what places weighed, among those present."""

from __future__ import annotations

from domain.tournaments.pairing.history import PlayedTable, history_of

NOBODY: frozenset[int] = frozenset()


def test_a_table_leaves_pairs_neighbours_and_places() -> None:
    found = history_of([PlayedTable((7, 2, 5), NOBODY, is_small=False), PlayedTable((5, 7), NOBODY, is_small=True)])
    assert found.meetings({2, 5, 7}) == ((2, 5, 1), (2, 7, 1), (5, 7, 2))
    assert found.neighbours({2, 5, 7}) == ((2, 5, 1), (5, 7, 2), (7, 2, 1), (7, 5, 1))
    assert dict(found.balance) == {7: -420 + 420, 2: 0, 5: 420 - 420}
    assert dict(found.small) == {5: 1, 7: 1}


def test_the_absent_leave_no_trace_and_the_present_close_up() -> None:
    found = history_of([PlayedTable((1, 2, 3, 4), frozenset({2}), is_small=False)])
    assert found.meetings({1, 2, 3, 4}) == ((1, 3, 1), (1, 4, 1), (3, 4, 1))
    assert found.neighbours({1, 2, 3, 4}) == ((1, 3, 1), (3, 4, 1), (4, 1, 1))
    assert dict(found.balance) == {1: -420, 3: 0, 4: 420}


def test_who_was_there_alone_has_played_nothing() -> None:
    found = history_of(
        [PlayedTable((1, 2), frozenset({1}), is_small=True), PlayedTable((3, 4), frozenset({3, 4}), is_small=True)]
    )
    assert (dict(found.met), dict(found.after), dict(found.balance), dict(found.small)) == ({}, {}, {}, {})


def test_only_pairs_of_those_who_are_asked_for_are_told() -> None:
    found = history_of([PlayedTable((1, 2, 3), NOBODY, is_small=False)])
    assert found.meetings({1, 2}) == ((1, 2, 1),)
    assert found.neighbours({1, 3}) == ((3, 1, 1),)
