"""`truecup prove`: dice that a match kept secret, shown to an auditor one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from domain.events import Revealed
from domain.fairness.faults import Fault
from domain.fairness.proving import prove_opening
from services.cli.exits import FINE, FOUND
from services.cli.screen import say, say_json
from services.client.house import CannotDo


def prove(record: Path, openings: Path, /, *, json: bool = False) -> int:
    """Check openings against a record.

    Args:
        record: The record file of the match.
        openings: A file with one opening, or a list of them, as JSON.
        json: Print one JSON document an opening.
    """
    text, worst = _read(record), FINE
    for opening in _openings(openings):
        try:
            shown = prove_opening(text, opening)
        except Fault as fault:
            worst = FOUND
            say_json({"status": "FAULT", "code": fault.code, "why": fault.why}) if json else say(f"Not proved: {fault}")
        else:
            say_json({"status": "OK", **_proof_words(shown)}) if json else say(_words(shown))
    return worst


def _proof_words(shown: Revealed) -> dict[str, Any]:
    return {"deal": shown.deal, "cup": shown.cup, "roll": shown.roll, "values": shown.values}


def _words(shown: Revealed) -> str:
    dice = ", ".join(f"slot {slot} is {value}" for slot, value in shown.values)
    return f"Proved: deal {shown.deal}, cup {shown.cup}, roll {shown.roll}: {dice} (values count from 0)"


def _openings(path: Path) -> list[dict[str, Any]]:
    try:
        found = msgspec.json.decode(_read(path), type=dict[str, Any] | list[dict[str, Any]])
    except msgspec.DecodeError as trouble:
        raise CannotDo(f"{path} holds no openings: {trouble}") from trouble
    if not found:
        raise CannotDo(f"{path} holds no openings, so there is nothing to prove")
    return found if isinstance(found, list) else [found]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as trouble:
        raise CannotDo(f"{path} cannot be read: {trouble.strerror}") from trouble
