"""Lines an engine may say, taken apart one by one, as a host does, where a move is expected at version 9."""

from __future__ import annotations

from typing import Any

from services.engines.lines import Untold, command_of, greeting_of, line_of, move_of

VERSION, SEAT = 9, 1
NOT_UTF_8 = "<ff fe>"


def outcome(said: list[str]) -> str:
    raws = [b"\xff\xfe\n" if line == NOT_UTF_8 else f"{line}\n".encode() for line in said]
    try:
        lines = [line_of(raw) for raw in raws]
        end = next((place for place, line in enumerate(lines) if line.word == "tceok"), len(lines))
        greeting_of(lines[:end])
        moves = [move_of(line, VERSION) for line in lines[end:] if line.word == "move"]
    except Untold as fault:
        return f"error: {fault}"
    if not moves:
        return "ready"
    return "foul" if command_of(moves[-1], SEAT) is None else "command"


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    found, expected = outcome(case["engine_says"]), case["expect"].partition(" (")[0]
    assert found.startswith(expected)
