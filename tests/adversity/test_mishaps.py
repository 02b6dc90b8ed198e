"""People play and watch while parts of the house die and lines break: nobody loses, doubles, misses or waits for ever.

What was acknowledged is in the log once and is answered as before, every record is fair, whoever watched has seen each
version once, nobody gets an answer that says we are wrong, and the program ends well when it is told to.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adversity import __main__ as command
from tests.adversity.ledger import LEDGER
from tests.adversity.mishaps import LINES, MISHAPS
from tests.adversity.running import NoDisk, run
from tests.adversity.writers import CROWDS
from tests.sizes import cases

SAMPLE = ("stalled-after-commit", "people-half-open", "bus-cut")


async def test_people_get_on_when_lines_stall_break_and_lie(tmp_path: Path) -> None:
    account = await run(SAMPLE, cases(3, 60), tmp_path)
    assert (account.broken, account.times) == ([], cases(3, 60))
    assert account.commands > 0
    assert account.matches > 0


@pytest.mark.long
@pytest.mark.parametrize("name", MISHAPS)
async def test_people_get_on_whatever_happens(name: str, tmp_path: Path) -> None:
    try:
        account = await run([name], 10, tmp_path)
    except NoDisk as why:
        pytest.skip(f"no disk of its own: {why}")
    assert account.broken == []
    assert account.matches > 0


def test_every_line_is_held_slowed_and_broken_in_every_way() -> None:
    ways = ("cut", "closed", "slow", "asked-held", "answered-held", "held", "half-open")
    assert {f"{line}-{way}" for line in LINES for way in ways} <= MISHAPS.keys()


def test_what_is_no_mishap_is_not_begun(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["earthquake"])
    assert "stalled-after-commit" in capsys.readouterr().err


def test_the_ledger_names_mishaps_that_there_are() -> None:
    under = LEDGER.read_text(encoding="utf-8").partition("\n|---")[2]
    rows = [row.split(" | ") for row in under.splitlines()[1:]]
    assert {name for row in rows for name in row[2].split()} <= {*MISHAPS, *CROWDS}
