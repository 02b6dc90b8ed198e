"""Alarms and the dashboard: all that they name is there, every expression is one, and each alarm says what to do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".deploy" / "monitoring"
NAMES = (ROOT / "tests" / "program" / "metrics.txt").read_text(encoding="utf-8").splitlines()
GUIDE = (ROOT / ".docs" / "operations.md").read_text(encoding="utf-8")
PROMTOOL = shutil.which("promtool")
THEIRS = frozenset({"instance", "job", "le"})
"""Labels that Prometheus adds, and the bounds of histograms."""
MACROS = {"$__rate_interval": "5m", "$job": "truecup"}
"""What Grafana puts in, and what may stand there."""


def labels_of() -> dict[str, set[str]]:
    """Return the labels of every series that is served, by its name."""
    found = {}
    for line in NAMES:
        name, kind, *labels = line.split()
        own = {*(labels[0].split(",") if labels else ()), "process", *THEIRS}
        for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            found[f"{name}{suffix}"] = own
    return found


LABELS = labels_of()


def rules() -> list[dict[str, Any]]:
    read = yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))
    return [rule for group in read["groups"] for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    return found


def expressions() -> Iterator[tuple[str, str]]:
    """Yield every expression with what it is for."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            text = target["expr"]
            for macro, there in MACROS.items():
                text = text.replace(macro, there)
            yield panel["title"], text


@pytest.mark.parametrize(("what", "text"), list(expressions()))
def test_an_expression_can_be_read_and_names_what_is_served(what: str, text: str) -> None:
    promql_parser.parse(text)
    assert "$" not in text, what
    bare = re.sub(r'"[^"]*"', '""', text)
    named = set(re.findall(r"\b(?:truecup|process)_\w+", bare))
    assert named
    assert named <= LABELS.keys()
    grouped = re.findall(r"\b(?:by|on|without) \(([^)]*)\)", bare) + re.findall(r"(\w+)=~?\"", bare)
    allowed = set().union(*(LABELS[name] for name in named))
    assert {label.strip() for group in grouped for label in group.split(",")} <= allowed


def test_every_alarm_is_in_the_guide_and_says_where_it_is_told_what_to_do() -> None:
    told = {rule["alert"]: rule["annotations"] for rule in rules()}
    assert set(re.findall(r"`(Truecup\w+)`", GUIDE)) == told.keys()
    headings = set(re.findall(r"^## (.+)$", GUIDE, re.MULTILINE))
    assert {each["section"] for each in told.values()} <= headings
    assert all(rule["labels"]["severity"] in {"page", "ticket"} for rule in rules())
    for name, said in told.items():
        assert set(re.findall(r"\$labels\.(\w+)", said["summary"])) <= {*set().union(*LABELS.values())}, name


def test_every_metric_of_the_house_is_on_the_dashboard() -> None:
    text = (FOLDER / "dashboard.json").read_text(encoding="utf-8")
    aside = {"process_virtual_memory_bytes", "process_start_time_seconds"}
    assert {name for name in (line.split()[0] for line in NAMES) if name not in text} == aside


def test_panels_do_not_lie_over_each_other() -> None:
    panels: list[dict[str, Any]] = dashboard()["panels"]
    seen: set[tuple[int, int]] = set()
    assert len({panel["id"] for panel in panels}) == len(panels)
    for place in (panel["gridPos"] for panel in panels):
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & seen
        assert place["x"] + place["w"] <= 24
        seen |= cells


@pytest.mark.skipif(PROMTOOL is None, reason="promtool comes with Prometheus, which only an operator has")
def test_alarms_go_off_when_they_should_and_not_before() -> None:
    assert PROMTOOL is not None
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]):
        done = subprocess.run([PROMTOOL, *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
