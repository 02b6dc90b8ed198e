"""`truecup audit`: records checked, on any machine, without asking anybody."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from msgspec import to_builtins

from domain.fairness.beacons import Beacons
from domain.log import policies
from domain.log.notes import Malformed
from services.beacons import BadChain, known_beacons, source_of
from services.cli.exits import CANNOT, FINE, FOUND, INCOMPLETE, CannotDo
from services.cli.reports import report
from services.cli.screen import counted, say, say_aside, say_json
from services.cli.settings import policy_file
from services.verdict import LAYERS, Verdict, verdict_of

STDIN: Final = "-"
CODES: Final = {"OK": FINE, "FAULT": FOUND, "INCOMPLETE": INCOMPLETE}


def audit(
    files: Annotated[tuple[str, ...], Parameter(allow_leading_hyphen=True, negative=(), required=True)],
    /,
    *,
    policy: Path | None = None,
    layers: str = "1,2,3",
    json: bool = False,
    beacon_chain: Path | None = None,
) -> int:
    """Check records.

    Args:
        files: The record files; - reads one from stdin.
        policy: The file that names the keys of the log and of its witnesses.
        layers: Which layers to check, separated by commas.
        json: Print one JSON document a file.
        beacon_chain: A file that describes one more public beacon to believe, as drand's /info does.
    """
    asked, believed, known = _layers(layers), _policy(policy_file(policy)), _known(beacon_chain)
    worst, unread = FINE, False
    for name in counted(_names(files), "audit"):
        try:
            record = _read(name)
        except OSError as trouble:
            say_aside(f"truecup: {name} cannot be read: {trouble.strerror}")
            unread = True
            continue
        verdict = verdict_of(record, believed, asked, known)
        say_json(document(name, verdict)) if json else say(report(name, verdict, judged_log=believed is not None))
        worst = _worse(worst, CODES[verdict.status])
    return CANNOT if unread else worst


def document(name: str, verdict: Verdict) -> dict[str, Any]:
    """Return the JSON document of a file's audit; it stays as it is, since others script against it."""
    found: dict[str, Any] = {"file": name, **to_builtins(verdict)}
    return found


def _worse(one: int, other: int) -> int:
    """Return the worse of two exit codes: a fault outweighs what is missing."""
    return next((code for code in (FOUND, INCOMPLETE) if code in {one, other}), FINE)


def _names(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files, unless one of them was meant as an option."""
    unknown = next((name for name in files if name.startswith("-") and name != STDIN), None)
    if unknown is not None:
        raise CannotDo(f"{unknown} is no option of `truecup audit`; a file of that name is ./{unknown}")
    return files


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()


def _layers(text: str) -> tuple[int, ...]:
    asked = tuple(sorted({int(part) for part in text.split(",") if part.strip() in {"1", "2", "3"}}))
    if not asked or len(asked) != len(text.split(",")) or asked != LAYERS[: len(asked)]:
        raise CannotDo(
            f"--layers {text}: there are 1, 2 and 3, and each stands on those before it: 1, or 1,2, or 1,2,3"
        )
    return asked


def _known(path: Path | None) -> Beacons:
    try:
        return known_beacons(None if path is None else source_of(path))
    except BadChain as trouble:
        raise CannotDo(str(trouble)) from trouble


def _policy(path: Path | None) -> policies.Policy | None:
    if path is None:
        return None
    try:
        return policies.parse(path.read_bytes())
    except OSError as trouble:
        raise CannotDo(f"the policy {path} cannot be read: {trouble.strerror}") from trouble
    except Malformed as trouble:
        raise CannotDo(f"the policy {path} is not one: {trouble}") from trouble
