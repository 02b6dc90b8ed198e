"""No check of what comes of a refusal can be left out unnoticed, in either auditor: each is, one at a time."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from domain.log.policies import policy_of
from infra.keys import ed25519_verify
from tests.fairness.javascript_auditor import NODE, STATIC
from tests.fairness.kept_programs import SECONDS
from tests.fairness.mutants import Modules, Site, Sources, Suite, sites_of
from tests.fairness.refusal_stories import Story, stories
from tests.fairness.scripted_server import POLICY_TEXT
from tests.sizes import spread

MODULES = ["domain.audit.signing.kept", "domain.audit.signing.refused"]
POLICY = policy_of(POLICY_TEXT)
SAME: dict[str, str] = {"each.line or 0 => each.line": "what is contradicted is so in a line"}
"""Checks whose absence nobody can tell from what comes of a note, each with its reason."""
RUNNER = Path(__file__).with_name("refusalless.js")
SAME_IN_JAVASCRIPT: dict[str, str] = {}
"""The same of the second auditor."""


def came(story: Story, modules: Modules) -> str:
    """Return what an auditor says comes of the notes of a story; the name of the exception if it stumbles."""
    policy = POLICY if story.judged else None
    try:
        held = modules["domain.audit.signing.refused"].hold_refusals
        return repr(held(story.raw, story.moments, story.notes, policy, ed25519_verify))
    except Exception as error:  # noqa: BLE001 - a mutant may stumble over anything
        return type(error).__name__


def conditions(sources: Sources, module: str) -> Iterator[Site]:
    """Yield every condition that something hangs on, be it only an answer: one that is never so, or one of several."""
    for node in ast.walk(sources.trees[module]):
        for field, value in ast.iter_fields(node):
            for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                for instead in _without(node, field, child):
                    text = f"{ast.unparse(child)} => {ast.unparse(instead)}"
                    yield Site(module, child.lineno, text, node, field, at, instead)


def _without(node: ast.AST, field: str, child: object) -> Iterator[ast.expr]:
    if isinstance(node, ast.If | ast.IfExp) and field == "test":
        yield ast.Constant(value=isinstance(node, ast.IfExp))
    if isinstance(child, ast.BoolOp):
        for left in range(len(child.values)):
            rest = [each for at, each in enumerate(child.values) if at != left]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(child.op, rest)


def test_no_check_of_a_refusal_can_be_taken_out_unseen() -> None:
    sources = Sources(MODULES)
    suite = Suite(sources, list(stories()), came)
    sites = [site for module in MODULES for site in (*sites_of(sources, module), *conditions(sources, module))]
    assert len(sites) > 40, "the checks are found"
    some = spread([site for site in sites if site.text not in SAME], 12)
    unseen = [f"{site.line} {site.text}" for site in some if not suite.notices(site)]
    assert unseen == [], "\n".join(unseen)
    assert SAME.keys() <= {site.text for site in sites}


# ---- the second auditor ----------------------------------------------------------------------------


class Check(NamedTuple):
    """A condition of the second auditor, where it stands, and what is put there instead."""

    start: int
    end: int
    text: str
    instead: str

    @property
    def name(self) -> str:
        return f"{self.text} => {self.instead}"


CONDITION = re.compile(
    r"\bif \((?P<all>.+)\) return|\breturn (?P<of>[^;{]+ (?:&&|\|\|) [^;{]+);|= (?P<so>[^=;?]+[!=]==? [^=;?]+) \?"
)


def checks(text: str) -> Iterator[Check]:
    """Yield every condition that something hangs on: one that is never so, and one of several that is left out."""
    for found in CONDITION.finditer(text):
        name = str(found.lastgroup)
        start, said = found.start(name), found[name]
        yield Check(start, start + len(said), said, "true" if name == "so" else "false")
        for sign in ("||", "&&"):
            parts = re.split(rf" {re.escape(sign)} (?![^(]*\))", said)
            if len(parts) > 1 and ("||" if sign == "&&" else "&&") not in said:
                for left in range(len(parts)):
                    rest = f" {sign} ".join(part for at, part in enumerate(parts) if at != left)
                    yield Check(start, start + len(said), said, rest)


def copied(folder: Path, text: str) -> Path:
    """Make a copy of the scripts with another file of refusals; all others are as they are."""
    folder.mkdir()
    for path in STATIC.iterdir():
        if path.name != "signing":
            (folder / path.name).symlink_to(path)
    shutil.copytree(STATIC / "signing", folder / "signing")
    (folder / "signing" / "refusals.js").write_text(text, encoding="utf-8")
    return folder


def test_no_check_of_a_refusal_can_be_left_out_of_the_second_auditor(tmp_path: Path) -> None:
    text = (STATIC / "signing" / "refusals.js").read_text(encoding="utf-8")
    found = list(checks(text))
    assert len(found) > 20, "the checks are found"
    assert SAME_IN_JAVASCRIPT.keys() <= {check.name for check in found}
    some = spread([check for check in found if check.name not in SAME_IN_JAVASCRIPT], 12)
    asks = [
        {"record": b64encode(one.record).decode(), "policy": POLICY_TEXT if one.judged else None, "notes": one.notes}
        for one in stories()
    ]
    (tmp_path / "asks").write_text(json.dumps(asks), encoding="utf-8")
    copies = [
        copied(tmp_path / f"without-{at}", text[: check.start] + check.instead + text[check.end :])
        for at, check in enumerate(some)
    ]
    command = [str(part) for part in (NODE, "--no-warnings", RUNNER, STATIC, tmp_path / "asks", *copies)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.stderr == ""
    unseen = [some[int(name.rpartition("-")[2])].name for name in json.loads(done.stdout)]
    assert unseen == [], "\n".join(unseen)
