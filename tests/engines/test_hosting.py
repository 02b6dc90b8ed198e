"""Engines of others against their host: whatever they do the match goes on, and it is known why."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path

import msgspec
import pytest

from domain import commands
from services.engines import hosting, process
from services.engines.hosting import EngineHost, Go, TurnNote
from services.engines.lines import Untold
from services.engines.process import Died, EngineCommand, NoProgram, start_engine

HOSTILE = Path(__file__).parent / "hostile.py"
GO = Go(version=9, budget_ms=300, chance="00" * 32)


async def takes_challenges(command: commands.Play) -> str | None:
    return None if isinstance(command, commands.Challenge) else "too_low"


def engine(tmp_path: Path, *ways: str, memory: int = 512) -> EngineHost:
    words = shlex.join([sys.executable, str(HOSTILE), *ways])
    return EngineHost(EngineCommand(words, tmp_path / "engine.log", memory))


async def turn_of(tmp_path: Path, *ways: str) -> hosting.Engaged:
    host = engine(tmp_path, *ways)
    await host.start()
    try:
        await host.new_match("match", {"game": "common_hand"}, 1, 2)
        return await host.choose(GO, 1, takes_challenges)
    finally:
        await host.end()


@pytest.mark.parametrize(
    ("way", "fate"),
    [
        ("honest", "move"),
        ("slow", "move"),
        ("silent", "late"),
        ("babbling", "foul"),
        ("spilling", "foul"),
        ("endless", "foul"),
        ("dying", "died"),
        ("illegal", "late"),
        ("seat", "late"),
        ("earlier", "late"),
        ("bytes", "move"),
        ("long", "move"),
    ],
)
async def test_a_turn_of_an_engine_comes_to_an_end_whatever_it_does(tmp_path: Path, way: str, fate: str) -> None:
    async with asyncio.timeout(60):
        engaged = await turn_of(tmp_path, way)
    assert engaged.fate == fate, engaged.why


async def test_an_engine_that_died_once_is_told_the_match_again_and_asked_again(tmp_path: Path) -> None:
    assert (await turn_of(tmp_path, "dying-once", str(tmp_path / "died"))).fate == "move"


async def test_who_floods_is_ended_and_started_once_more_before_it_forfeits(tmp_path: Path) -> None:
    host = engine(tmp_path, "spilling")
    await host.start()
    fates = [(await host.choose(Go(version, 5_000, "00" * 32), 1, takes_challenges)).fate for version in (9, 12, 15)]
    await host.end()
    assert fates == ["foul", "foul", "died"]


async def test_what_is_said_beside_moves_is_stored_and_no_more_of_it_than_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "engine.ndjson"
    host = engine(tmp_path, "weighing")
    await host.start()
    await host.new_match("m", {"game": "common_hand"}, 1, 2)
    for version in (9, 12):
        await host.choose(Go(version, 5_000, "00" * 32), 1, takes_challenges)
    assert notes.read_text().splitlines() == [
        f'{{"match":"m","version":{version},"seat":1,"fate":"move","info":{{"weights":{{"challenge":{version}}}}}}}'
        for version in (9, 12)
    ]
    size = notes.stat().st_size
    monkeypatch.setattr(hosting, "NOTES_MAX", size)
    await host.choose(Go(15, 5_000, "00" * 32), 1, takes_challenges)
    await host.end()
    assert notes.stat().st_size == size
    notes.unlink()
    monkeypatch.undo()
    assert (await turn_of(tmp_path, "wordy")).fate == "move"
    note = msgspec.json.decode(notes.read_bytes(), type=TurnNote)
    assert (note.info, note.size) == ({}, 131_143)
    notes.unlink()
    # A disk that takes nothing holds nobody up, and who says nothing leaves no file.
    notes.mkdir()
    assert (await turn_of(tmp_path, "weighing")).fate == "move"
    notes.rmdir()
    assert (await turn_of(tmp_path, "honest")).fate == "move"
    assert not notes.exists()


async def test_two_moves_that_are_refused_are_a_foul_and_the_reason_is_told(tmp_path: Path) -> None:
    host = engine(tmp_path, "corrected")
    await host.start()
    asked: list[commands.Play] = []

    async def refuses(command: commands.Play) -> str | None:
        asked.append(command)
        return "not_your_turn"

    engaged = await host.choose(GO, 1, refuses)
    await host.end()
    assert (engaged.fate, engaged.why, len(asked)) == ("foul", "not_your_turn", 2)


async def test_a_move_that_comes_too_late_is_not_taken_for_the_next(tmp_path: Path) -> None:
    host = engine(tmp_path, "silent")
    await host.start()
    assert (await host.choose(Go(9, 50, "00" * 32), 1, takes_challenges)).fate == "late"
    assert (await host.choose(Go(12, 50, "00" * 32), 1, takes_challenges)).fate == "late"
    await host.end()


async def test_an_engine_has_no_environment_and_no_descriptors_of_its_host(tmp_path: Path) -> None:
    inherited = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(inherited, True)  # noqa: FBT003 - the standard library's own
    try:
        engaged = await turn_of(tmp_path, "telling")
    finally:
        os.close(inherited)
    assert set(engaged.info["environment"]) <= {"LC_CTYPE"}
    # What it looks with is open meanwhile.
    assert len(engaged.info["files"]) == 4


@pytest.mark.parametrize("way", ["mute", "rude"])
async def test_who_gives_no_greeting_is_not_hosted(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "GREETING_S", 0.5)
    with pytest.raises(Untold):
        await engine(tmp_path, way).start()


async def test_an_engine_that_stays_is_ended(tmp_path: Path) -> None:
    host = engine(tmp_path, "staying")
    await host.start()
    async with asyncio.timeout(60):
        await host.end()


async def test_an_engine_takes_no_more_memory_than_it_may(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, "-c", "x = bytearray(2**30)"])
    with pytest.raises(Untold, match="ended"):
        await EngineHost(EngineCommand(words, tmp_path / "engine.log", 256)).start()
    assert "MemoryError" in (tmp_path / "engine.log").read_text()


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match="no-such-engine"):
        await EngineHost(EngineCommand("no-such-engine --fast", tmp_path / "engine.log")).start()


@pytest.mark.parametrize(("last", "why"), [("", "has ended"), ("time.sleep(9)", "takes nothing any more")])
async def test_who_tells_an_engine_something_hears_what_became_of_it(
    tmp_path: Path, last: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "has ended":
        monkeypatch.setattr(process, "GONE_S", 60.0)  # a busy machine may take long to end a program
    program = f"import os, time; os.close(0); print('closed', flush=True); {last}"
    running = await start_engine(EngineCommand(shlex.join([sys.executable, "-c", program]), tmp_path / "engine.log"))
    try:
        await running.hear()
        with pytest.raises(Died, match=why):
            await asyncio.gather(*(running.tell(b"go\n") for _ in range(9)))
    finally:
        await running.end()
