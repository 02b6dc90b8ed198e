"""The bench of abuse: attacks that end, an honest client that notes everything, laws that can be broken.

How fast anything was, and whether the laws held on this machine, is not tested.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest
from msgspec.structs import replace

from services.cli.bench.abuse.attacks import ATTACKS
from services.cli.bench.abuse.attempt import BREATH_S, Attempt, Session, Sizes
from services.cli.bench.abuse.honest import EVERY_S, PLAYING, Sample
from services.cli.bench.abuse.laws import LAWS, Found, MemoryUse, Waited, broken
from services.cli.bench.sheets.figures import Figure
from tests.cli.conftest import PROGRAM, ROOT, environment

FEW = Sizes().tenth().tenth()
LASTS_S = 0.5
HANGS_S = 60.0
"""No attack of half a second takes so long, unless it does not end."""
BUSY_S = 300
"""Nor does the bench with four servers and three clients, however busy the machine is."""
SESSION = Session("/api/v1/matches/00000000-0000-4000-8000-000000000000", 9, {1: "t", 2: "t"})
BY_NAME = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "_"))


# ---- attacks ----------------------------------------------------------------------------------


def test_attacks_have_names_of_their_own():
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert len({attack.run for attack in ATTACKS}) == len(ATTACKS)


@asynccontextmanager
async def door(*, greets: bool) -> AsyncIterator[tuple[str, list[int]]]:
    """Give the address of a server that hangs up on everybody, or never says a word, and a count of who came."""
    came: list[int] = []
    held: list[asyncio.StreamWriter] = []

    async def met(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(1)
        if greets:
            writer.transport.abort()
        held.append(writer)

    server = await asyncio.start_server(met, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", came
    finally:
        for writer in held:
            writer.transport.abort()
        server.close()
        await server.wait_closed()


@BY_NAME
@pytest.mark.parametrize("greets", [True, False], ids=["hangs_up", "says_nothing"])
async def test_an_attack_ends_in_time_whatever_it_meets(attack, greets):
    """On a machine that is busy nobody may have come in so short a time: then it lasts longer."""
    async with door(greets=greets) as (url, came):
        for lasts_s in (LASTS_S / 5, LASTS_S, 10 * LASTS_S):
            attempt = Attempt(url, FEW, SESSION, asyncio.get_running_loop().time() + lasts_s)
            async with asyncio.timeout(HANGS_S):
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(attempt.until):
                        await attack.run(attempt)
            if came:
                break
        assert came


async def test_who_is_hung_up_on_takes_a_breath_before_the_next_try():
    async with door(greets=True) as (url, came):
        attempt = Attempt(url, FEW, SESSION, asyncio.get_running_loop().time() + LASTS_S)
        await attempt.again_and_again(lambda: _knock(attempt))
        assert 1 <= len(came) <= 1 + LASTS_S / BREATH_S
        assert attempt.tally["cut off"] == len(came)


async def _knock(attempt: Attempt) -> None:
    async with attempt.dial() as (reader, _):
        await reader.readexactly(1)


def test_a_tenth_is_at_least_one():
    assert set(msgspec.structs.astuple(FEW.tenth().tenth().tenth().tenth())) == {1}


# ---- others -----------------------------------------------------------------------------------


def test_an_honest_client_notes_all_it_waits_for(service_url):
    argv = [sys.executable, "-m", "services.cli.bench.abuse.honest", service_url]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == f"{PLAYING}\n"
        with pytest.raises(subprocess.TimeoutExpired):
            client.wait(2)
        client.send_signal(signal.SIGINT)
        samples = msgspec.json.decode(client.stdout.readline(), type=list[Sample])
        assert client.wait(HANGS_S) == 0
    assert {sample.kind for sample in samples} == {*EVERY_S, "frame"}
    assert [sample for sample in samples if not sample.granted] == []
    assert all(sample.took_s >= 0 for sample in samples)


# ---- laws -------------------------------------------------------------------------------------

QUIET = Figure(100.0, 2.0, 8.0)
FINE = Found(
    attack="nothing",
    what="nothing at all",
    without=QUIET,
    beside=QUIET,
    kinds={kind: Waited(QUIET, QUIET, 9, 0) for kind in ("health", "view", "command", "return", "frame")},
    memory=MemoryUse(80.0, 300.0, 130.0),
    load=0.0,
    did={"200": 5, "503": 1},
)


def test_all_laws_hold_when_nothing_happens():
    assert broken(FINE) == ()


@pytest.mark.parametrize(
    ("law", "found"),
    [
        ("time", replace(FINE, beside=Figure(100.0, 2.0, 40.1))),
        ("time", replace(FINE, without=Figure(1.0, 50.0, 60.0), beside=Figure(1.0, 50.0, 100.0))),
        ("memory", replace(FINE, memory=MemoryUse(80.0, 300.0, 130.1))),
        ("memory", replace(FINE, memory=MemoryUse(80.0, 300.0, None))),
        ("seats", replace(FINE, kinds={**FINE.kinds, "return": Waited(QUIET, QUIET, 9, 1)})),
        ("seats", replace(FINE, kinds={**FINE.kinds, "frame": Waited(QUIET, QUIET, 9, 1)})),
        ("answers", replace(FINE, kinds={**FINE.kinds, "command": Waited(QUIET, QUIET, 9, 1)})),
        ("answers", replace(FINE, did={"500": 1})),
    ],
)
def test_each_law_is_broken_by_what_it_forbids_and_by_nothing_else(law, found):
    assert law in {one.name for one in LAWS}
    assert broken(found) == (law,)


# ---- the command ------------------------------------------------------------------------------


@pytest.mark.long
def test_the_bench_says_what_others_waited_for_and_which_laws_broke(tmp_path):
    asked = ["bench", "abuse", "--quick", "--seconds", "1", "--only", "odd headers", "--json"]
    said = subprocess.run(
        [*PROGRAM, *asked],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=BUSY_S,
        check=False,
    )
    found = json.loads(said.stdout)
    assert list(found["laws"]) == [law.name for law in LAWS]
    (one,) = found["attacks"]
    assert one["found"]["attack"] == "odd headers"
    assert one["found"]["without"].keys() == one["found"]["beside"].keys() == {"per_s", "p50_ms", "p99_ms"}
    assert one["found"]["memory"].keys() == {"before", "most", "after"}
    assert sum(one["found"]["did"].values()) > 0
    assert said.returncode == (1 if one["broke"] else 0), said.stderr


def test_the_help_of_the_bench_names_its_exit_codes_and_gives_examples(truecup):
    said = truecup("bench", "abuse", "--help")
    assert said.returncode == 0
    assert "1 one was broken" in said.stdout
    assert "\n  truecup bench abuse --only" in said.stdout


def test_an_attack_nobody_knows_is_named_with_those_there_are(truecup):
    said = truecup("bench", "abuse", "--only", "good manners")
    assert said.returncode == 3
    assert "good manners" in said.stderr
    assert "endless header" in said.stderr
