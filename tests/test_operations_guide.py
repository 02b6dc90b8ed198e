"""The guide for operators, held against the code: its settings, its metrics, its reasons, its figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import httpx
from msgspec import structs

from infra.config import PREFIX, SECRETS, Config
from infra.files.limit import FILES_OF_OURS, FILES_WANTED
from services.cli.settings import POLICY
from services.http.bounds import Bounds
from services.http.front.drain import Reason
from services.http.front.sockets import terms_within
from services.program.app import LAG_MAX

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / ".docs" / "operations.md").read_text(encoding="utf-8")
METRICS = (ROOT / ".docs" / "metrics.md").read_text(encoding="utf-8")
NAMES = ROOT / "tests" / "program" / "metrics.txt"
"""Every metric with its type and its labels, as dashboards and alarms of operators know them."""


def section(heading: str) -> str:
    return GUIDE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of each row of the first table under a heading, without its head."""
    return rows_of(section(heading))


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of each row of the first table of a text, without its head."""
    table = text.partition("|---|")[2].partition("\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def as_written(value: object) -> str:
    """Return how the guide writes what a setting is if nothing is said."""
    if value is None or value == "":
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def test_every_setting_is_listed_with_what_it_is_if_nothing_is_said() -> None:
    listed = [(name.strip("`"), default) for name, default, _ in rows("Settings")]
    there = [(f"{PREFIX}{field.name.upper()}", as_written(field.default)) for field in structs.fields(Config)]
    assert sorted(listed) == sorted(there)


def test_no_variable_is_named_that_nothing_reads() -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Config.__struct_fields__}
    files = {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
    named = set(re.findall(rf"{PREFIX}\w+", GUIDE))
    assert named - settings == files | {POLICY, f"{PREFIX}CONFIG"}


def test_every_metric_of_the_service_is_listed_and_no_other(service_url: str) -> None:
    served = httpx.get(f"{service_url}/metrics", timeout=60).text
    types = re.findall(r"^# TYPE (\w+) (\w+)", served, re.MULTILINE)
    there = {name: kind for name, kind in types if not name.endswith("_created")}
    listed = {name.strip("`"): re.findall(r"`(\w+)`", labels) for name, labels, _ in rows_of(METRICS)}
    assert listed.keys() == there.keys()
    assert set(re.findall(r"`(truecup_\w+)`", GUIDE)) <= there.keys()
    written = [f"{name} {there[name]} {','.join(labels)}".rstrip() for name, labels in listed.items()]
    assert written == NAMES.read_text(encoding="utf-8").splitlines(), "what is there stays, and what is new is added"


def test_the_labels_of_the_metrics_are_those_that_are_served(service_url: str) -> None:
    served = httpx.get(f"{service_url}/metrics", timeout=60).text
    for name, labels, _ in rows_of(METRICS):
        sample = re.search(rf"^{name.strip('`')}(?:_count)?\{{(.*)\}} ", served, re.MULTILINE)
        if sample is not None:
            listed = set(re.findall(r"`(\w+)`", labels)) | {"process"}  # the house of the tests is a set
            assert listed == set(re.findall(r"(\w+)=\"", sample[1])), name


def test_reasons_to_turn_somebody_away_are_those_of_the_doors() -> None:
    named = re.search(r"`truecup_turned_away_total` with the reason (.*?):.*with (`\w+`)", section("Metrics"))
    assert named is not None
    assert set(re.findall(r"`(\w+)`", named[1] + named[2])) <= set(get_args(Reason))


def test_reasons_of_health_are_those_that_the_program_gives() -> None:
    program = (ROOT / "services" / "program" / "app.py").read_text(encoding="utf-8")
    checks, notices = program.partition("def _checks")[2].partition("def _notices")[::2]
    given = dict.fromkeys(reasons_in(notices.partition("\n    async def")[0]), "200")
    given |= {"doors": "503", "process": "503"} | dict.fromkeys(reasons_in(checks), "503")
    assert {name.strip("`"): status for name, status, _ in rows("Health")} == given


def reasons_in(code: str) -> list[str]:
    """Return the names under which a function puts what it looks at, in a literal or one by one."""
    return [first or second for first, second in re.findall(r'"(\w+)": self\.|(?:checks|notices)\["(\w+)"\]', code)]


def test_connections_within_the_limit_on_open_files_are_counted_right() -> None:
    listed = [tuple(int(cell.replace(",", "")) for cell in row) for row in rows("Open files")]
    terms = {files: terms_within(files) for files, *_ in listed}
    assert listed == [(files, of.sockets_max, of.sockets_of_network_max) for files, of in terms.items()]
    for figure in (FILES_WANTED, FILES_OF_OURS, Bounds().streams_max):
        assert f"{figure:,}" in section("Open files")
    assert f"{LAG_MAX:,} events" in section("Health")


def test_lines_of_the_log_that_are_quoted_are_written_somewhere() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8") for room in ("services", "infra") for path in (ROOT / room).rglob("*.py")
    )
    families = "dealer|witness|notary|match|beacon|api|relay"
    lines = set(re.findall(rf"`((?:{families})\.[a-z_]+)`", GUIDE))
    assert len(lines) >= 7, "a change of how they are quoted leaves none"
    assert {line for line in lines if f'"{line}"' not in code} == set()
    for said in (
        "the log in this database was signed with another key, or under another origin",
        "another program has put another policy in force",
        "it has seen more of this log than there is",
        "the database shows another history than the one that was signed",
    ):
        assert said in GUIDE
        assert said in code
