"""The log as anybody may walk through it: the root of a checkpoint rebuilt from tiles and entries alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from domain.log import merkle
from domain.log.checkpoints import Checkpoint, checkpoint_of
from domain.log.policies import accept, policy_of
from domain.log.tiles import WIDTH, Tile, entries_of, hashes_of, tiles_of
from infra.keys import ed25519_verify
from infra.store.memory import MemoryStore
from services.dealer.notary import Notary
from services.matches.reads.transparency import PublishedLog
from tests.notary.jury import ORIGIN, SIGNER
from tests.store.lines import append, chain, stream

Fetch = Callable[[str], Awaitable[bytes]]


async def walked(checkpoint: Checkpoint, fetch: Fetch) -> list[str]:
    """Return the entries of a log, having rebuilt its root twice: from the entries, and from every tile of hashes."""
    tiles = tiles_of(checkpoint.size)
    known: dict[merkle.Place, bytes] = {}
    for tile in tiles:
        known.update(hashes_of(await fetch(str(tile)), tile))
    entries: list[bytes] = []
    for tile in tiles:
        if tile.level == 0:
            entries += entries_of(await fetch(str(Tile(None, tile.index, tile.width))), tile.width)
    leaves = merkle.subtrees([merkle.leaf_hash(entry) for entry in entries])
    assert {place: leaves[place] for place in known} == known, "each tile says what the entries say"
    assert merkle.hash_of((0, checkpoint.size), leaves) == checkpoint.root
    return [entry.decode() for entry in entries]


async def logged(count: int) -> tuple[MemoryStore, PublishedLog]:
    """Return a log of so many entries."""
    store = MemoryStore()
    lines = chain(stream(), count)
    anchors = tuple((seq, f"{seq:064x}", "sealed") for seq in range(count))
    if count:
        await store.append(append(stream(), lines, anchors=anchors))
    await Notary(store, ORIGIN, (SIGNER,)).work()
    return store, PublishedLog(store, ORIGIN, (SIGNER.public_key,))


@pytest.mark.parametrize("count", [0, 1, WIDTH - 1, WIDTH, WIDTH + 1, 3 * WIDTH + 7])
async def test_the_root_of_any_log_is_rebuilt_from_its_tiles(count: int) -> None:
    _, published = await logged(count)

    async def fetch(path: str) -> bytes:
        found = await published.tile(path)
        assert found is not None, path
        return found

    note = await published.checkpoint()
    assert note is not None
    checkpoint = checkpoint_of(note.decode())
    assert checkpoint.size == count
    assert [entry.split("\n")[2] for entry in await walked(checkpoint, fetch)] == [str(seq) for seq in range(count)]


@pytest.mark.parametrize(
    "path",
    [
        *("0/000", "0/000.p/8", "0/001.p/1", "1/000.p/1", "entries/000", "entries/000.p/8", "entries/x999/x999/999"),
        *("0/x999/x999/x999/x999/x999/999", "5/000.p/1", "6/000", "", "entries/", "0/000.p/0", "../checkpoint"),
        *("0/000.p/7/", "/0/000.p/7", "0//000.p/7", "entries/000.p/7/", "0/%30%30%30.p/7"),
    ],
)
async def test_a_tile_that_is_none_or_not_there_yet_is_not_served(path: str) -> None:
    _, published = await logged(7)
    assert await published.tile(path) is None


async def test_every_partial_tile_the_tree_covers_is_served_for_ever() -> None:
    _, published = await logged(WIDTH + 2)
    whole = await published.tile("0/000")
    for width in (1, 2, 100, 255):
        assert await published.tile(f"0/000.p/{width}") == (whole or b"")[: 32 * width]
        found = await published.tile(f"entries/000.p/{width}")
        assert len(entries_of(found or b"", width)) == width


def test_anybody_can_walk_through_the_log_of_the_house(service_url: str) -> None:
    with httpx.Client(base_url=service_url, timeout=60) as client:
        assert client.get("/log/checkpoint").headers["content-type"] == "text/plain; charset=utf-8"
        before, head, after = (client.request(how, "/log/checkpoint").headers for how in ("GET", "HEAD", "GET"))
        lengths = [int(one["content-length"]) for one in (before, head, after)]
        assert lengths == sorted(lengths), "it only grows, also while one looks"
        lost = client.get("/log/tile/0/x999/999")
        assert (lost.status_code, lost.json()["code"]) == (404, "no_tile")
        assert lost.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("private", [False, True])
async def test_the_log_of_the_house_holds_what_happened_in_it(service_url: str, *, private: bool) -> None:
    async with httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        assert "its address stands in the public log" in (await client.get("/")).text, "whoever opens a table is told"
        match = await dealt(client, private=private)

        async def fetch(path: str) -> bytes:
            answer = (await client.get(f"/log/tile/{path}")).raise_for_status()
            assert answer.headers["content-type"] == "application/octet-stream"
            assert "immutable" in answer.headers["cache-control"]
            return answer.content

        note = (await client.get("/log/checkpoint")).raise_for_status().text
        policy = policy_of((await client.get("/api/v1/log/policy")).text)
        assert len(accept(policy, checkpoint_of(note), ed25519_verify)) == len(policy.witnesses) == 2
        entries = await walked(checkpoint_of(note), fetch)
        assert len(set(entries)) == len(entries)
        assert any(
            entry.startswith(f"CUP1 anchor\nmatch/{match}\n") and entry.endswith("\nsealed\n") for entry in entries
        )


async def dealt(client: httpx.AsyncClient, *, private: bool) -> str:
    """Return a match whose deal is logged."""

    async def post(path: str, body: Any = None, token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return (await client.post(f"/api/v1/matches{path}", json=body, headers=headers)).raise_for_status().json()

    opened = await post("", {"rules": {"game": "common_hand", "seats": 2, "pause_ms": 0}, "private": private})
    path, host = f"/{opened['match']}", opened["token"]
    await post(f"{path}/bots", {"count": 2}, host)
    await post(f"{path}/start", None, host)
    while '"deal.logged"' not in (await client.get(f"/api/v1/matches{path}/record")).text:
        await asyncio.sleep(0.1)
    return str(opened["match"])
