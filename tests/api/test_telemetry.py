"""What the program tells of itself: never a body, a token, a query or the message of a fault."""

from __future__ import annotations

import json
import subprocess
import sys

from infra.telemetry import place_of_fault
from tests.api.house import SECRET

_STORY = f"""
import logging, sys
import structlog
from infra.telemetry import set_up
set_up("info", "json")
log = structlog.get_logger("story")
log.debug("too.quiet")
log.info("api.request", method="GET", status=200)
try:
    raise ValueError("{SECRET}")
except ValueError:
    log.exception("api.broken")
    logging.getLogger("a.library").exception("it broke")
logging.getLogger("a.library").info("it %s", "works")
"""


def _told() -> list[dict[str, object]]:
    done = subprocess.run([sys.executable, "-c", _STORY], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_our_own_lines_and_those_of_libraries_look_alike() -> None:
    told = _told()

    assert [line["event"] for line in told] == ["api.request", "api.broken", "it broke", "it works"]
    assert all({"event", "level", "timestamp"} <= set(line) for line in told)


def test_a_fault_is_told_by_type_and_place_and_not_by_its_message() -> None:
    _, ours, theirs, _ = _told()

    for line in (ours, theirs):
        assert line["fault"] == "ValueError"
        assert line["where"]
        assert SECRET not in json.dumps(line)


def test_a_line_without_a_fault_is_left_as_it_is() -> None:
    assert place_of_fault(None, "info", {"event": "x"}) == {"event": "x"}
