"""The second auditor, in JavaScript, run by the Node that comes with Playwright, as an outside program."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import playwright

from domain.fairness.audit import audit_lines
from domain.fairness.beacons import CHAINS
from domain.log.notes import Malformed
from domain.log.policies import policy_of
from infra.keys import ed25519_verify
from services.audit.tables import shared_of
from tests.fairness.kept_programs import SECONDS, kept_program
from tests.fairness.scripted_server import POLICY_TEXT

NODE = Path(playwright.__file__).parent / "driver" / "node"
STATIC = Path(__file__).parents[2] / "services" / "web" / "static"
PROGRAM = STATIC / "auditor" / "cli.js"
AUDITED = Path(__file__).with_name("audited_runner.js")
VECTORS = Path(__file__).parent / "vectors"
PUBLISHED = json.loads((VECTORS / "bundles.json").read_text(encoding="utf-8"))
PUBLISHED_POLICY = (VECTORS / PUBLISHED["policy"]).read_text(encoding="utf-8")
WORDS = {
    *("message", "rules", "seeds", "layers", "voids", "record", "seen", "receipts", "policy", "witnessed", "beacons"),
    *("shared", "keyless", "refusals", "names"),
}
"""What the two say in words of their own, or what is not of layers 1 and 2."""


class Ask(msgspec.Struct, frozen=True):
    """A record to be judged by a policy, or by none."""

    record: bytes
    policy: str | None = POLICY_TEXT
    layers: tuple[int, ...] = (1, 2)
    access: bytes | None = None
    receipts: tuple[str, ...] = ()
    board: bytes | None = None
    names: bytes | None = None

    def written(self, **more: Any) -> str:
        """Return the record as the programs in JavaScript read it, with more members."""
        record = b64encode(self.record).decode()
        files = {"access": self.access, "board": self.board, "names": self.names}
        beside: dict[str, Any] = {name: b64encode(file).decode() for name, file in files.items() if file is not None}
        beside |= {"receipts": self.receipts} if self.receipts else {}
        return json.dumps({"record": record, "policy": self.policy, "layers": self.layers, **beside, **more})


def published() -> dict[str, Ask]:
    """Return every published record, by its name."""
    files = [VECTORS / bundle["file"] for bundle in PUBLISHED["bundles"]]
    return {file.stem: Ask(file.read_bytes(), PUBLISHED_POLICY) for file in files}


def published_signed() -> dict[str, tuple[Ask, dict[str, Any]]]:
    """Return every published record of seats with keys, by its name, with the result that was published."""
    told = json.loads((VECTORS / "seat_keys.json").read_text(encoding="utf-8"))
    policy = (VECTORS / told["policy"]).read_text(encoding="utf-8")
    files = {VECTORS / bundle["file"]: bundle["result"] for bundle in told["bundles"]}
    return {file.stem: (Ask(file.read_bytes(), policy), result) for file, result in files.items()}


def run(*given: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program with these arguments."""
    command = [str(NODE), str(PROGRAM), *given]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False)


def in_javascript(asks: Sequence[Ask], *options: str) -> list[dict[str, Any]]:
    """Return what layers 1 and 2 of the second auditor find in each record."""
    return [_compared(one) for one in told_in_javascript(asks, *options)]


def told_in_javascript(asks: Sequence[Ask], *options: str) -> list[dict[str, Any]]:
    """Return all that the second auditor says of each record."""
    program = kept_program(str(NODE), str(PROGRAM), "--batch", *options)
    found = program.answers([ask.written(id=number).encode() for number, ask in enumerate(asks)])
    answers = [json.loads(line) for line in found]
    assert [one.pop("id") for one in answers] == list(range(len(asks)))
    return answers


def sentences_in_javascript(found: Sequence[dict[str, Any]], asks: Sequence[Ask]) -> list[dict[str, Any]]:
    """Return what the page says of each of these verdicts of the second auditor."""
    lines = [
        json.dumps({"verdict": one, "judged": ask.policy is not None}).encode()
        for one, ask in zip(found, asks, strict=True)
    ]
    said = kept_program(str(NODE), "--no-warnings", str(AUDITED), str(STATIC / "words")).answers(lines)
    return [json.loads(line) for line in said]


def in_python(asks: Iterable[Ask]) -> list[dict[str, Any]]:
    """Return what the first auditor finds in each record."""
    return [_judged(ask) for ask in asks]


def _judged(ask: Ask) -> dict[str, Any]:
    try:
        policy = None if ask.policy is None else policy_of(ask.policy)
    except Malformed:
        return {"status": "MALFORMED"}
    shared = shared_of(ask.record, ask.board, policy, CHAINS)
    dice = None if shared is None else shared.dice
    audited = audit_lines(ask.record, policy, ed25519_verify, ask.layers, shared=dice)
    return _compared(msgspec.to_builtins(audited.report))


def _compared(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in WORDS}
