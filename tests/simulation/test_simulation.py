"""Whole houses on a virtual clock, under faults that a seed draws: every promise holds, and every run is the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.ledgers import append
from tests.simulation import __main__ as command
from tests.simulation import ledger
from tests.simulation.faults import ALL, CALM
from tests.simulation.planted.hooks import DEAF
from tests.simulation.schedule import RULES, Schedule, Shape
from tests.sizes import cases, spread

HOUSES = 20
"""In which somebody has all but the key of a seat."""
CHUNK = 20
"""Schedules of one test, each of which runs twice: to the same trace, by the same number of passes."""


def chunks() -> list[range]:
    return [range(first, first + CHUNK) for first in range(0, cases(20, 2_000), CHUNK)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seeds" in metafunc.fixturenames:
        metafunc.parametrize("seeds", chunks(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")


def test_no_promise_is_broken_under_any_schedule(seeds: range) -> None:
    found = [Schedule(seed).run() for seed in seeds]
    assert {one.seed: one.violations for one in found if one.violations} == {}
    assert all(one.acknowledged and one.events for one in found)
    assert [Schedule(seed).run() for seed in seeds] == found


@pytest.mark.parametrize("seed", spread([1, 13, 47, 88], 2))
def test_a_schedule_runs_the_same_way_twice(seed: int) -> None:
    first, second = Schedule(seed, keeps=True).run(), Schedule(seed, keeps=True).run()
    assert first.told == second.told
    assert first == second


def test_some_schedules_hold_a_tournament() -> None:
    held = Schedule(0)
    while not held.events:
        held.close()
        held = Schedule(held.world.seed + 1)
    found = held.run()
    assert found.violations == ()
    assert held.events[0].told[-1].version > 5


def test_addresses_are_told_of_a_tournament_whatever_becomes_of_their_answers() -> None:
    held = Schedule(3, DEAF, Shape(holds=True, hooks=2))
    found = held.run()
    assert found.violations == ()
    ears = held.shared.ears.each.values()
    assert all(len(ear.sent) > len(ear.taken) >= 5 for ear in ears)


def test_who_has_all_but_the_key_of_a_seat_never_moves_for_it() -> None:
    counted: Counter[str] = Counter()
    for seed in range(3, 3 + HOUSES):
        held = Schedule(seed, ALL, Shape(rules=(RULES[0],), holds=False, keys=2))
        assert held.run().violations == ()
        counted += held.crowd.refused
        lines = held.shared.store.streams()[f"match/{held.tables[0].match_id}"]
        counted["signed"] += sum(b'"signed":{' in line for line in lines)
    assert counted["needs_signature"] + counted["bad_signature"] >= HOUSES
    assert min(counted["needs_signature"], counted["bad_signature"]) >= 2
    assert counted["signed"] > 5 * HOUSES


def test_without_faults_nothing_is_asked_twice() -> None:
    found = Schedule(7, CALM, keeps=True).run()
    assert (found.violations, found.faults) == ((), {})
    assert [line for line in found.told if "log warning" in line] == []


def test_the_command_counts_and_shows_what_it_ran(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["--seed", "2"]) == 0
    shown = capsys.readouterr().out
    assert "acknowledged start" in shown
    assert "reads ended" in shown
    assert command.main(["2", "2"]) == 0
    row = capsys.readouterr().out
    append(row, tmp_path / "ledger.md")
    assert (tmp_path / "ledger.md").read_text(encoding="utf-8") == row
    columns = ledger.LEDGER.read_text(encoding="utf-8").split("\n|---")[0].rpartition("\n")[2].count("|")
    assert row.count("|") == columns
