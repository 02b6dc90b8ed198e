"""Findings of the doctor about other machines: each thing is broken once, and found."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import nats
import pytest
from nats.js.api import StreamConfig

from domain.log.checkpoints import cosign, sign_checkpoint
from domain.log.notes import COSIGNATURE, Key
from infra.bus import INBOX
from infra.config import Config
from infra.feed.messages import stream_of
from infra.keys import Ed25519Signer
from infra.store.postgres import open_store
from services.cli.operating.backups.sights import WitnessWord
from services.cli.operating.checkup.bus import KeptFrames, behind_bus, bus_of, kept_frames
from services.cli.operating.checkup.checks import CheckFinding
from services.cli.operating.checkup.cluster import cluster_findings, connections, durability, others, seen
from services.dealer.notary import Notary
from services.matches.secrets.keys import keys_of
from services.program.roles import ConnectedProcess, node_name, node_of
from services.work.startup import program_version

SOUND = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "max_connections": "200"}
MINE = program_version()
ALL = frozenset({"api", "relay", "dealer"})
ORIGIN = "truecup.local/log"
SIGNER = Ed25519Signer(bytes(32))
ANN = Key("ann.example", COSIGNATURE, SIGNER.public_key)


@pytest.fixture(scope="session")
def postgres_dsn(shared: Callable[[str], Any]) -> str:
    """A Postgres with which a doctor finds nothing wrong: the run's waits for no disk."""
    return shared("sound")["postgres"]


# ---- what is judged ---------------------------------------------------------------------------


def test_a_database_that_may_lose_what_it_acknowledged_is_wrong() -> None:
    assert durability(SOUND).state == "ok"
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        found = durability({**SOUND, name: "off"})
        assert found.state == "wrong"
        assert name in found.found
    assert durability({**SOUND, "synchronous_commit": "remote_apply"}).state == "ok"


def test_connections_have_to_be_enough_for_all_processes() -> None:
    assert connections(SOUND, Config(processes=8), []).state == "ok"
    found = connections({**SOUND, "max_connections": "100"}, Config(processes=8), [])
    assert (found.state, found.to_do) == ("wrong", "let max_connections be 118 or more")


@pytest.mark.parametrize(
    ("there", "states"),
    [
        ([], ["ok"]),
        ([ConnectedProcess(MINE, ALL)], ["ok"]),
        ([ConnectedProcess(MINE, ALL), ConnectedProcess("0.0.9", ALL)], ["missing"]),
        ([ConnectedProcess(MINE, frozenset({"relay"}))], ["ok", "wrong"]),
    ],
)
def test_programs_of_another_release_and_roles_that_nobody_has_are_found(
    there: list[ConnectedProcess], states: list[str]
) -> None:
    found = others(there, Config(roles="api"))
    assert [one.state for one in found] == states
    assert all(one.to_do for one in found if one.state != "ok")


def test_a_process_is_known_by_the_name_of_its_connections() -> None:
    assert node_of(node_name({"dealer", "relay"})) == ConnectedProcess(MINE, frozenset({"dealer", "relay"}))
    assert len(node_name({"api", "bots", "dealer", "relay"})) < 64, "Postgres cuts longer names"
    for other in ("truecup", "psql", "truecup/1", "truecup/1/api/more", "other/1/api"):
        assert node_of(other) is None


@pytest.mark.parametrize(
    ("streams", "state"),
    [
        ([], "ok"),
        ([KeptFrames(3, led=True)], "ok"),
        ([KeptFrames(3, led=True), KeptFrames(1, led=True)], "wrong"),
        ([KeptFrames(3, led=False, behind=("n1", "n2"))], "wrong"),
        ([KeptFrames(3, led=True, behind=("n1",))], "missing"),
    ],
)
def test_frames_are_kept_at_as_many_servers_as_are_wanted(streams: list[KeptFrames], state: str) -> None:
    found = kept_frames(streams, 3)
    assert found.state == state
    assert bool(found.to_do) == (state != "ok")


@pytest.mark.parametrize(
    ("word", "entries", "state"),
    [
        (WitnessWord("w", 5, b"root"), 5, "ok"),
        (WitnessWord("w", 4), 5, "ok"),
        (WitnessWord("w", 6), 5, "wrong"),
        (WitnessWord("w", 5, refuses=True), 5, "wrong"),
        (WitnessWord("w", 0), 5, "missing"),
        (WitnessWord("w", 0), 0, "ok"),
        (WitnessWord("w", None, why="it answers 404"), 0, "ok"),
        (WitnessWord("w", None, why="it answers 404"), 5, "wrong"),
        (WitnessWord("w", None, why="no", answers=False), 0, "wrong"),
    ],
)
def test_a_witness_is_well_that_has_seen_no_more_than_there_is(word: WitnessWord, entries: int, state: str) -> None:
    found = seen(word, entries)
    assert found.state == state
    assert found.to_do or state == "ok"


# ---- what is found ----------------------------------------------------------------------------


def told(found: list[CheckFinding]) -> dict[str, CheckFinding]:
    return {one.name: one for one in found}


@contextmanager
def witness(shown: str | None) -> Iterator[str]:
    """Serve as a witness that has signed this checkpoint, or none; yield its entry in the settings."""
    name = hashlib.sha256(ORIGIN.encode()).hexdigest()
    signed = None if shown is None else cosign(shown, ANN.name, 1_700_000_000, SIGNER)

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = signed is not None and self.path == f"/{name}/checkpoint"
            self._say(200 if known else 404, signed or "")

        def do_POST(self) -> None:
            self._say(409, "0\n")

        def _say(self, status: int, text: str) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_told: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Answers) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"{ANN} http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


async def log_begun(url: str, folder: Path) -> None:
    """Begin the log of a database with the key in this folder, under a policy without witnesses."""
    store = await open_store(url, "truecup_dealer")
    await Notary(store, ORIGIN, keys_of(Config(), folder).signers).work()
    await store.close()


async def test_a_cluster_that_is_well_is_said_to_be(database: str, nats_url: str, tmp_path: Path) -> None:
    await log_begun(database, tmp_path)
    running = await open_store(database, "truecup_dealer", node_name(ALL))
    config = Config(database_url=database, nats_url=nats_url)
    async with bus_of(config) as bus:
        found = told([*await cluster_findings(config, tmp_path), *await behind_bus(bus, config)])
    await running.close()
    assert {"durability", "connections", "nodes", "log", "frames"} <= found.keys()
    assert {one.state for one in found.values()} == {"ok"}
    assert MINE in found["nodes"].found


async def test_each_thing_that_is_broken_is_found(database: str, tmp_path: Path) -> None:
    await log_begun(database, tmp_path / "another")
    connection = await asyncpg.connect(database)
    name = await connection.fetchval("select current_database()")
    await connection.execute(f'alter database "{name}" set synchronous_commit = off')
    await connection.execute(
        "insert into heartbeat (at) values ((extract(epoch from clock_timestamp()) * 1000)::bigint + 60000)"
    )
    await connection.close()
    running = await open_store(database, "truecup_api", "truecup/0.0.9/api")
    keys_of(Config(), tmp_path)
    larger = sign_checkpoint(ORIGIN, 7, bytes(32), *keys_of(Config(), tmp_path / "another").signers)
    with witness(larger) as entry:
        config = Config(database_url=database, witnesses=entry, roles="dealer,relay")
        found = told(await cluster_findings(config, tmp_path))
    await running.close()
    wrong = {one for one, each in found.items() if each.state == "wrong"}
    assert wrong == {"durability", "clocks", "log", "witness ann.example"}
    assert all(found[one].to_do for one in wrong)
    assert found["nodes"].state == "missing"
    assert "another key" in found["log"].found
    assert "7 entries" in found["witness ann.example"].found


async def test_another_policy_and_witnesses_that_are_away_are_found(database: str, tmp_path: Path) -> None:
    await log_begun(database, tmp_path)
    with witness(None) as entry:
        config = Config(database_url=database, witnesses=entry)
        known = told(await cluster_findings(config, tmp_path))
    away = told(await cluster_findings(config, tmp_path))
    assert known["log"].found == away["log"].found == "the policy in force is another than these settings make"
    assert known["witness ann.example"].found == "it has signed nothing of this log"
    assert away["witness ann.example"].state == "wrong"
    nonsense = told(await cluster_findings(Config(database_url=database, witnesses="nobody"), tmp_path))
    assert nonsense["witnesses"].state == "wrong"


async def test_what_a_witness_has_signed_and_the_house_not_yet_stored_makes_no_older_log(
    database: str, tmp_path: Path
) -> None:
    await log_begun(database, tmp_path)
    connection = await asyncpg.connect(database)
    await connection.execute("update log_state set size = 7")
    await connection.close()
    with witness(sign_checkpoint(ORIGIN, 7, bytes(32), *keys_of(Config(), tmp_path).signers)) as entry:
        found = told(await cluster_findings(Config(database_url=database, witnesses=entry), tmp_path))
    assert found["witness ann.example"].found == "it has seen 7 entries of 7"


async def test_streams_at_fewer_servers_than_are_wanted_are_found(nats_url: str) -> None:
    jetstream = (client := await nats.connect(nats_url, inbox_prefix=f"{INBOX}.dealer")).jetstream()
    await jetstream.add_stream(StreamConfig(name=stream_of(3), subjects=["truecup.frames.3.*"]))
    config = Config(nats_url=nats_url, bus_replicas=3)
    async with bus_of(config) as bus:
        found = told(await behind_bus(bus, config))
    await jetstream.delete_stream(stream_of(3))
    await client.close()
    assert found["frames"].found == "1 streams are kept at 1 servers, and 3 are wanted"


async def test_servers_that_do_not_answer_are_left_to_other_checks(tmp_path: Path) -> None:
    away = Config(database_url="postgres://nobody@127.0.0.1:1/none", nats_url="nats://127.0.0.1:1")
    assert await cluster_findings(away, tmp_path) == []
    async with bus_of(away) as bus:
        assert await behind_bus(bus, away) == []
