"""Two sights of a log, held against each other: `truecup monitor --compare`, and `truecup audit --seen`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from msgspec import to_builtins

from domain.log.outside.sights import SightComparison, SightDifference, SightSource, compare
from domain.log.policies import Policy
from services.cli.auditing.sources import read
from services.cli.exits import FINE, FOUND, INCOMPLETE
from services.cli.screen import say as say_lines
from services.cli.screen import say_json
from services.client.house import CannotDo
from services.monitor.folders import SeenFolder
from services.words.catalogue import CATALOGUE, say


def compare_folders(one: Path, other: Path, policy: Policy, *, json: bool) -> int:
    """Hold what lies in two folders against each other, tell what came of it, and return the exit code."""
    return _tell(_seen_in(one, policy), _seen_in(other, policy), json=json)


def compare_records(names: Iterable[str], receipts: Path | None, folder: Path, policy: Policy, *, json: bool) -> int:
    """Hold records, and receipts, against what lies in a folder, tell what came of it, and return the exit code."""
    seen, records = _seen_in(folder, policy), SeenFolder(policy)
    for name in names:
        records.take_record(read(name), name)
    if receipts is not None:
        records.take_receipts(receipts.read_bytes(), str(receipts))
    return _tell(records, seen, json=json)


def _seen_in(folder: Path, policy: Policy) -> SeenFolder:
    found = SeenFolder(policy)
    try:
        found.read(folder)
    except (OSError, sqlite3.Error) as trouble:
        raise CannotDo(f"the folder {folder} cannot be read: {trouble}") from trouble
    if not found.files:
        raise CannotDo(f"the folder {folder} holds nothing that counts: no notebook of a monitor, record or receipt")
    return found


def _tell(one: SeenFolder, other: SeenFolder, *, json: bool) -> int:
    found, passed = compare(one.sight, other.sight), [*one.passed_over, *other.passed_over]
    nothing = not found.logs and not found.streams
    if json:
        say_json({**to_builtins(found), "passed_over": [{"where": where, "why": why} for where, why in passed]})
    else:
        say_lines(*_words(found, nothing=nothing), *(_sentence("passed", where=one, why=why) for one, why in passed))
    if found.differences:
        return FOUND
    return INCOMPLETE if found.unjoined or nothing or passed else FINE


def _words(found: SightComparison, *, nothing: bool) -> list[str]:
    lines = [_differs(each) for each in found.differences]
    lines += [_sentence("unjoined", origin=each.origin, count=str(each.checkpoints)) for each in found.unjoined]
    if nothing:
        lines.append(_sentence("nothing"))
    elif not found.differences:
        counts = {name: _sentence(name, **{name: str(getattr(found, name))}) for name in ("logs", "streams")}
        lines.append(_sentence("joined", **counts))
    return lines


def _differs(one: SightDifference) -> str:
    facts = {"of": one.of, "number": str(one.number), "one": _source(one.one), "other": _source(one.other)}
    return _sentence(one.kind, **facts)


def _source(source: SightSource) -> str:
    return _sentence("source", what=source.what, where=source.where)


def _sentence(key: str, **facts: str) -> str:
    return say(CATALOGUE["terminal"]["sights"][key], facts)
