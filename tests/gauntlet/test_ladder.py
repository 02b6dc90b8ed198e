"""The ladder as a file: some settings of it are measured anew, and the rest of it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from services.cli.main import run
from services.engines.level_names import LEVELS
from services.gauntlet.ladder import SETTINGS, asked_rungs, ladder, measured_anew, read_ladder, write_ladder

NAMES = [setting.name for setting in SETTINGS]


def test_each_level_is_measured_against_the_one_below_in_the_settings_where_it_is_more() -> None:
    every = asked_rungs(b"\0", None)
    assert [(rung.level, rung.setting) for rung in ladder().rungs] == [(one.level, one.setting.name) for one in every]
    assert all(LEVELS.index(one.level) == LEVELS.index(one.below) + 1 for one in every)
    assert len({one.seed for one in every}) == len(every)
    (finska,) = [setting for setting in SETTINGS if setting.name == "finska"]
    assert asked_rungs(b"\0", None, [finska]) == [one for one in every if one.setting == finska]


def test_what_is_measured_anew_stands_where_it_stood_and_what_is_new_where_it_belongs() -> None:
    known = ladder()
    anew = tuple([structs.replace(rung, blocks=7) for rung in known.rungs if rung.setting == "2x2"])
    without = structs.replace(known, rungs=tuple([rung for rung in known.rungs if rung.setting != "2x2"]))
    for one in (known, without):
        found = measured_anew(one, structs.replace(known, rungs=anew, measured_at="2099-01-01"))
        assert (found.measured_at, found.seed) == (known.measured_at, known.seed)
        assert [(rung.level, rung.setting) for rung in found.rungs] == [
            (rung.level, rung.setting) for rung in known.rungs
        ]
        assert [rung.blocks == 7 for rung in found.rungs] == [rung.setting == "2x2" for rung in known.rungs]


def test_the_command_measures_some_settings_of_a_ladder_by_its_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, known = tmp_path / "ladder.json", ladder()
    file.write_bytes(write_ladder(known))
    assert run(["gauntlet", "--ladder", str(file), "--setting", "finska", "--blocks", "1"]) == 0
    assert known.seed in capsys.readouterr().out
    found = read_ladder(file.read_bytes())
    changed = [(old.level, old.setting) for old, new in zip(known.rungs, found.rungs, strict=True) if old != new]
    assert changed == [("L1", "finska")]
    assert write_ladder(found) == file.read_bytes()


@pytest.mark.parametrize(
    ("file", "arguments", "why"),
    [
        (b"", ["--setting", "2x2"], "is no ladder"),
        (None, ["--setting", "2x2"], "is no ladder"),
        (write_ladder(ladder()), ["--setting", "2x9"], f"there is no setting 2x9: they are {NAMES[0]}"),
        (write_ladder(ladder()), ["--setting", "2x2", "--seed", "00"], "follows from the seed"),
        (None, ["--until", "1"], "players, games and seats of its own"),
    ],
)
def test_what_cannot_be_measured_anew_is_said(
    file: bytes | None, arguments: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "ladder.json"
    if file is not None:
        place.write_bytes(file)
    assert run(["gauntlet", "--ladder", str(place), *arguments]) == 3
    assert why in " ".join(capsys.readouterr().err.split())
    assert file is None or place.read_bytes() == file
