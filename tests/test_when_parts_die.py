"""The page on parts that die, held against what rehearses it: each row names a test that there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from infra.config import PREFIX, Config
from services.cli.manual import COMMANDS
from tests.backups.test_point_in_time import KEEPER, SETTINGS
from tests.test_operations_guide import rows as rows_of_operations

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / ".docs" / "when-parts-die.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\| .*\|$", PAGE, re.MULTILINE)][
    1:
]


def names_in(path: str) -> set[str]:
    nodes = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_each_part_names_the_test_that_rehearses_its_death() -> None:
    named = [re.fullmatch(r"`(tests/[\w/]+\.py)`: `(test_\w+)`", row[-1]) for row in ROWS]
    assert [row[0] for row, found in zip(ROWS, named, strict=True) if found is None or len(row) != 6] == []
    assert {found[0] for found in named if found and found[2] not in names_in(found[1])} == set()


def test_each_part_there_is_has_a_row() -> None:
    parts = " ".join(row[0] for row in ROWS)
    for part in ("api", "dealer", "relay", "Postgres", "standby", "NATS cluster", "all of NATS", "disk", "witness"):
        assert part in parts
    assert all(part in PAGE for part in ("a clock", "a whole machine", "**The key is lost.**"))


def test_reasons_settings_and_commands_are_those_there_are() -> None:
    reasons = {name.strip("`") for name, *_ in rows_of_operations("Health")}
    quoted = {name for row in ROWS for name in re.findall(r"the reason (?:is )?`(\w+)`", row[1])}
    assert quoted
    assert quoted <= reasons
    settings = {f"{PREFIX}{name.upper()}" for name in Config.__struct_fields__}
    assert set(re.findall(rf"{PREFIX}\w+", PAGE)) <= settings
    assert set(re.findall(r"`truecup ([\w-]+)", PAGE)) <= COMMANDS.keys()


def test_the_steps_after_a_lost_disk_are_those_that_are_rehearsed() -> None:
    assert f"alter system set synchronous_standby_names = '{KEEPER}'" in PAGE
    assert [line for line in SETTINGS.format(wal="WAL", target="").splitlines() if f"`{line}`" not in PAGE] == []
