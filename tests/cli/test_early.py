"""Lines that are typed while the cups are still being dealt: whoever waits is told for what, and once."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from services.cli.playing.lines import LineTable
from services.client import seating
from services.client.evidence import receipts_of
from services.client.seating import Newcoming, Wanted
from services.client.session import SeatSession
from tests.cli.conftest import Service

PATIENCE_S = 60


async def test_whoever_types_before_the_dice_are_there_is_told_once_whose_seed_the_table_waits_for(
    running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeps = partial(receipts_of, running.url, tmp_path, None, None)
    ada = await asyncio.to_thread(
        seating.open_table, running.url, keeps, Wanted(seats=2, bots=0), Newcoming("Ada", signs=False)
    )
    # Nobody follows the table for Ben, so that no seed of his comes.
    await asyncio.to_thread(seating.take_seat, running.url, ada.match, Newcoming("Ben", signs=False), keeps(ada.match))
    await asyncio.to_thread(seating.start, ada)
    said: list[str] = []
    monkeypatch.setattr("services.cli.playing.lines.say", lambda *lines: said.extend(lines))
    typed: asyncio.Queue[str | None] = asyncio.Queue()
    async with SeatSession(ada, lambda *_: None) as session, asyncio.timeout(PATIENCE_S):
        told = asyncio.create_task(LineTable(session, typed).play())
        while session.view is None or session.view["deal"] is None or session.view["deal"]["waiting_for"] != [2]:
            await asyncio.sleep(0.05)
        for line in ("1x2", "continue", "1x2", "dice"):
            typed.put_nowait(line)
        while not any("no dice" in line for line in said):
            await asyncio.sleep(0.05)
        told.cancel()
        await asyncio.wait([told])
        assert not any("playing/lines.py" in repr(task) for task in asyncio.all_tasks()), "nothing outlives it"
    early = [line for line in said if "being dealt" in line]
    assert early == [
        "- The cups are still being dealt: the table waits for the seed of Ben, and asks you when it is your turn."
    ]
    assert not [line for line in said if "at this point" in line]
