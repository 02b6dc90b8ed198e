"""A duplicate evening over HTTP, at the real service: held by its director, and audited by anybody from its bundle."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import httpx

from services.cli.main import run
from tests.director.test_boards import MATCH
from tests.director.test_over_http import PATIENCE_S, TIME, Organiser, client

__all__ = ["client"]


async def test_a_duplicate_evening_of_bots_is_held_over_http_and_its_bundle_audits(
    client: httpx.AsyncClient,
    tmp_path: Path,
) -> None:
    event = Organiser(client)
    stage = {"format": "duplicate", "rounds": 2, "size": 2}
    rules = {"match": MATCH, "time": TIME, "entry": {"bots": "only"}, "stages": [stage]}
    await event.announce(rules=rules, title="The same dice")
    await event.ask("open_entry")
    await event.post("/bots", {"count": 4}, good=201)
    await event.ask("open_check_in")
    async with asyncio.timeout(PATIENCE_S):
        while (await event.get())["counts"]["here"] < 4:
            await asyncio.sleep(0.05)
    await event.ask("proceed")
    await event.until("closed")
    standings = await event.get("/standings")
    assert len(standings["rows"]) == 4
    async with asyncio.timeout(PATIENCE_S):
        while not await is_whole(event, tmp_path):
            await asyncio.sleep(0.2)


async def is_whole(event: Organiser, folder: Path) -> bool:
    """Report whether an audit finds nothing, and nothing missing: final proofs come a moment after the last lines."""
    answer = await event.client.get(f"{event.path}/bundle")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        names = packed.namelist()
        assert sum(name.endswith(".cup") for name in names) == 1 + 4 + 2, names
        packed.extractall(folder)
    return await asyncio.to_thread(run, ["audit", str(folder), "--policy", str(folder / "policy.txt")]) == 0
