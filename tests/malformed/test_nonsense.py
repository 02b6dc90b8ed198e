"""Whatever comes in, at any door, is answered with a clear no or not at all: nothing breaks, stays open or is changed.

What holds is looked at in `attack.py`: no answer says that the house is at fault, a no is one of our problems, no line
of level error is logged, what was refused has left nothing in the store, no connection stays open, and people play on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.malformed import __main__ as command
from tests.malformed.attack import DOORS, attack
from tests.malformed.tally import Tally
from tests.sizes import cases


@pytest.mark.parametrize("door", DOORS)
def test_nonsense_at_a_door_is_answered_and_leaves_nothing(door: str) -> None:
    tally, count = Tally(), cases(60, 25_000)
    attack(door, range(count), tally)
    assert tally.found == []
    assert tally.inputs == count
    assert tally.moves > 0


def test_a_run_leaves_a_row_in_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = tmp_path / "ledger.md"
    assert command.main(["7", "3", "--door", "http", "--ledger", str(ledger)]) == 0
    (row,) = ledger.read_text(encoding="utf-8").splitlines()
    assert row in capsys.readouterr().out
    assert [cell.strip() for cell in row.split("|")][3:6] == ["http", "7 to 9", "3"]
