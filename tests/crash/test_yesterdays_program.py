"""A rolling upgrade for real: the program of a day before beside the one of now, over one database, under play."""

from __future__ import annotations

import asyncio
import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from tests.crash.conftest import Lasting
from tests.crash.house import ROOT, Service, Table, health_of
from tests.crash.test_killed import assert_kept

pytestmark = pytest.mark.long
OLDER = Path(__file__).with_name("older.py")
RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3}
KEY = "d4" * 32
DAY_S = 86_400
PATIENCE_S = 240


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


@pytest.fixture
def yesterday(tmp_path: Path) -> Path:
    """The code as it was a day before the newest commit, or as it was first."""
    at = int(git("log", "-1", "--format=%ct"))
    commit = git("rev-list", "-1", f"--before={at - DAY_S}", "HEAD").decode().strip()
    assert commit, "a clone without its history cannot tell what was before"
    folder = tmp_path / "code"
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit, "domain", "projections", "infra", "services"))) as code:
        code.extractall(folder, filter="data")
    return folder


@pytest.fixture
def nodes(lasting: Lasting, yesterday: Path, tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """Return the node of the day before and that of now, over the same servers, under one key."""
    found: list[Service] = []
    for name, program in (("before", (str(OLDER), str(yesterday))), ("now", ())):
        (tmp_path / name).mkdir()
        found.append(Service(lasting.database_url, lasting.nats_url, tmp_path / name, *program, key=KEY))
    try:
        for node in found:
            node.start()
        yield found[0], found[1]
    finally:
        for node in found:
            node.kill()


def played_at_both(table: Table, nodes: tuple[Service, Service]) -> None:
    """Play a match to its end, each step at the other node; one that is busy is asked again."""
    is_over, deadline = False, monotonic() + PATIENCE_S
    while not is_over:
        assert monotonic() < deadline, "the match does not end"
        for node in nodes:
            try:
                with node.client() as client:
                    is_over = is_over or table.step(client)
            except httpx.HTTPStatusError as trouble:
                if trouble.response.json().get("code") != "unavailable":
                    raise


def read_at(node: Service, table: Table) -> tuple[bytes, Any]:
    with node.client() as client:
        return table.record(client), table.view(client)["phase"]


async def test_both_play_what_the_older_one_opened_and_either_goes_on_alone(nodes: tuple[Service, Service]) -> None:
    before, now = nodes
    older, newer = [await asyncio.to_thread(Table, node, RULES, seed) for seed, node in enumerate(nodes, start=1)]
    # What a newer program opens may have rules that an older one does not know, and is played at the newer one.
    await asyncio.gather(asyncio.to_thread(played_at_both, older, nodes), asyncio.to_thread(newer.finish))
    for table in (older, newer):
        await asyncio.to_thread(assert_kept, table)
    assert read_at(before, older) == read_at(now, older)
    assert [health_of(node)[0] for node in nodes] == [200, 200]

    # The upgrade is taken back in the middle of a match, and made once more.
    table = await asyncio.to_thread(Table, before, RULES, 3)
    now.kill()
    with before.client() as client:
        for _ in range(20):
            await asyncio.to_thread(table.step, client)
    now.start()
    before.kill()
    table.service = now
    await asyncio.to_thread(table.finish)
    await asyncio.to_thread(assert_kept, table)
