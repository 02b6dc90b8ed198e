"""A hundred writers at one table: none of them starves, at one node or at two, and nothing of them is lost."""

from __future__ import annotations

import pytest

from tests.adversity.writers import CROWDS, WRITERS, written_by_a_crowd
from tests.sizes import cases

AHEAD_MAX = 2
"""How many answers one may have had that another has not: turns are handed on in the order they are asked for."""


async def test_each_of_a_hundred_writers_has_its_turn(database: str) -> None:
    written = await written_by_a_crowd(database, 1, cases(3, 100))
    assert written.ahead <= AHEAD_MAX
    assert written.repeats == 0
    assert written.lines == written.stored > 0


async def test_writers_at_two_nodes_are_all_answered_and_everything_is_stored_once(database: str) -> None:
    written = await written_by_a_crowd(database, 2, cases(3, 100))
    assert [one.served for one in written.writers] == [cases(3, 100)] * WRITERS
    assert written.lines == written.stored > 0


@pytest.mark.parametrize("name", CROWDS)
async def test_a_crowd_has_its_row_in_the_ledger(database: str, name: str) -> None:
    account = (await written_by_a_crowd(database, CROWDS[name], 1)).account(name)
    assert (account.mishap, account.times, account.commands) == (name, 1, WRITERS)
