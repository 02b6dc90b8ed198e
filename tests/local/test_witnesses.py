"""The two witnesses of `truecup up`: they come back, where they were and as who they were, and never stay behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from domain.log.notes import COSIGNATURE, ED25519, Key, key_of
from infra.config import Config
from infra.keys import Ed25519Signer
from services.local.servers import LocalServers
from services.local.witness import EmbeddedWitness
from services.program.grounds import own_witnesses, servers
from services.work.startup import CannotStart
from tests.hosting import told_address
from tests.local.running import ROOT, WAIT_S, none_of

LOG = str(Key("local.example/log", ED25519, Ed25519Signer(bytes(32)).public_key))


def witness(folder: Path, name: str = "local.example/w", log: str = LOG) -> EmbeddedWitness:
    return EmbeddedWitness(folder / "a witness", name, lambda: [log])


async def said(url: str) -> dict[str, object]:
    """Return what a witness says of itself, which may be coming back just now."""
    async with httpx.AsyncClient(timeout=60) as client:
        for _ in range(WAIT_S * 10):
            try:
                return (await client.get(f"{url}/health")).raise_for_status().json()
            except httpx.TransportError:
                await asyncio.sleep(0.1)
    pytest.fail("the witness did not come back")


async def test_a_witness_that_dies_comes_back_with_its_key_and_address(tmp_path: Path) -> None:
    one = witness(tmp_path)
    async with LocalServers(tmp_path, postgres=False, nats=False, witnesses=(one,)):
        key, url, pid = key_of(one.vkey), one.url, one.pid
        assert (key.name, key.kind) == ("local.example/w", COSIGNATURE)
        assert (await said(url))["vkey"] == one.vkey
        os.kill(pid, signal.SIGKILL)
        while one.pid == pid or not one.alive:
            await asyncio.sleep(0.05)
        assert (await said(url))["vkey"] == str(key)
        assert (one.url, str(key)) == (url, one.vkey)
    assert await none_of(tmp_path)


async def test_a_witness_holds_none_of_our_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUECUP_KEY", "ab" * 32)
    one = witness(tmp_path)
    await one.start()
    try:
        assert [name for name in psutil.Process(one.pid).environ() if name.startswith("TRUECUP_")] == []
    finally:
        await one.stop()


async def test_a_witness_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="--log nonsense"):
        await witness(tmp_path, log="nonsense").start()
    assert await none_of(tmp_path)


async def test_a_house_that_names_no_witness_has_two_of_its_own(tmp_path: Path) -> None:
    config = Config(database_url="elsewhere", nats_url="elsewhere", origin="dice.example/log")
    async with servers(config, tmp_path) as where:
        names = [one.key.name for one in where.witnesses]
        assert names == ["dice.example/witness-1", "dice.example/witness-2"]
        for one in where.witnesses:
            assert (await said(one.url))["logs"] == [{"origin": "dice.example/log", "size": 0, "forks": 0}]
    assert await none_of(tmp_path)
    assert [key_of(one.vkey) for one in own_witnesses(config, tmp_path)] == [one.key for one in where.witnesses]


@pytest.mark.long
@pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux ends children with their parent")
async def test_a_house_that_is_killed_takes_its_witnesses_with_it_and_finds_them_again(tmp_path: Path) -> None:
    first = await policy_of_a_house(tmp_path, processes="2")
    assert await none_of(tmp_path)
    assert first.count("\nwitness ") == 2
    assert await policy_of_a_house(tmp_path, processes="1") == first
    assert await none_of(tmp_path)


async def policy_of_a_house(data: Path, processes: str) -> str:
    """Return the policy of a `truecup up` on this folder, in so many processes, which is killed then."""
    around = os.environ | {"TRUECUP_PROCESSES": processes}
    (data / "url").unlink(missing_ok=True)
    argv = [sys.executable, "-m", "services.cli.main", "up", "--port", "0", "--no-demo", "--data", str(data)]
    with (data / "service.log").open("wb") as output:
        program = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, env=around, stdout=output, stderr=output)
    try:
        async with httpx.AsyncClient(base_url=await told_address(program, data), timeout=60) as client:
            return (await client.get("/api/v1/log/policy")).raise_for_status().text
    finally:
        program.kill()
        await program.wait()


async def test_a_house_that_names_its_witnesses_starts_none(tmp_path: Path) -> None:
    named = f"{Key('w.example', COSIGNATURE, bytes(32))} http://127.0.0.1:1"
    for text, count in ((named, 1), ("", 0)):
        config = Config(database_url="elsewhere", nats_url="elsewhere", witnesses=text)
        async with servers(config, tmp_path) as where:
            assert len(where.witnesses) == count
    assert not os.listdir(tmp_path)  # noqa: PTH208 - what pathlib would say, too
