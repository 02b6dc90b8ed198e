"""No check of the second auditor can be left out unnoticed: each is taken out, one at a time, and a record tells."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fairness.javascript_auditor import NODE, STATIC
from tests.fairness.kept_programs import SECONDS
from tests.fairness.missing_checks import EQUIVALENT, about_checks, about_members

AUDITOR = STATIC / "auditor"
RUNNER = Path(__file__).with_name("checkless.js")
CHECKS = re.compile(r"throw new (?:Fault|Malformed)\(|(?:this\.#?)?debts\.owe\(|return (?:null|false);")
"""A fault, a debt that has to be paid, an answer that says no."""
SHAPES = re.compile(r"(?<![\w.])(?:INTEGER|TEXT|HASH|OCTETS|UUID|KEPT|SEAT|NUMBER|ROUND|CUPS)(?=[,)]| })")
"""What a member of an event has to be."""


class Site(NamedTuple):
    """Where a check stands."""

    file: str
    start: int
    end: int
    text: str
    line: str

    @property
    def without(self) -> str:
        """What stands there when the check is left out."""
        ways = {"throw": self.text.replace("throw", "void"), "return": "void 0;"}
        return "ANY" if self.text.isupper() else ways.get(self.text.partition(" ")[0], "Array.of(")

    def noting(self, number: int) -> str:
        """What stands there when the check says that a record comes by it."""
        keyword, gap, rest = self.text.rpartition(" ") if self.text.startswith("return") else self.text.partition(" ")
        return f"{keyword} globalThis.met({number}) ?? {rest}" if gap else f"globalThis.met({number}) ?? {self.text}"


def sites(pattern: re.Pattern[str], names: Sequence[str]) -> list[Site]:
    found = []
    for name in names:
        text = (AUDITOR / name).read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            line = text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip()
            found.append(Site(name, *match.span(), match.group(), line))
    return found


def copied(folder: Path, changed: Sequence[tuple[Site, str]]) -> Path:
    """Make a copy of the auditor with other text at these sites, which ascend."""
    shutil.copytree(AUDITOR, folder / "auditor")
    for name in ("bytes.js", "package.json"):
        shutil.copy(STATIC / name, folder)
    (folder / "vendor").symlink_to(STATIC / "vendor")
    for site, text in reversed(changed):
        file = folder / "auditor" / site.file
        whole = file.read_text(encoding="utf-8")
        file.write_text(whole[: site.start] + text + whole[site.end :], encoding="utf-8")
    return folder


def unnoticed(folder: Path, found: Sequence[Site], *, noting: bool) -> list[Site]:
    """Return the checks without which every record is judged as before."""
    file = folder / "asks"
    asks = about_checks() if noting else about_members()
    file.write_text("".join(f"{ask}\n" for ask in asks), encoding="utf-8")
    noted = [(site, site.noting(number)) for number, site in enumerate(found)] if noting else []
    whole = copied(folder / ("noting" if noting else "whole"), noted)
    copies = [copied(folder / f"without-{number}", [(site, site.without)]) for number, site in enumerate(found)]
    command = [str(part) for part in (NODE, "--no-warnings", RUNNER, file, whole, *copies)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.stderr == ""
    return [found[int(name.rpartition("-")[2])] for name in json.loads(done.stdout)]


@pytest.mark.long
def test_no_check_can_be_left_out(tmp_path: Path) -> None:
    paths = [path for path in AUDITOR.rglob("*.js") if path.stem not in {"cli", "verdict", "hashing", "shared"}]
    names = sorted(path.relative_to(AUDITOR).as_posix() for path in paths)
    found = sites(CHECKS, names)
    assert {(site.file, site.line) for site in unnoticed(tmp_path, found, noting=True)} == EQUIVALENT.keys()


@pytest.mark.long
def test_no_member_can_be_left_unlooked_at(tmp_path: Path) -> None:
    assert unnoticed(tmp_path, sites(SHAPES, ["shapes.js"]), noting=False) == []
