"""Checks of the doctor that take other machines: how the database keeps its word, who else is there, the log.

What a process can see is looked at with its own login, so one that may see little is told little. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg

from infra.config import Config
from infra.posting import Poster
from infra.store.logins import connect
from infra.store.postgres import POOL_MAX, PostgresStore, open_store
from services.cli.operating.backups.asking import ask_all
from services.cli.operating.backups.sights import WitnessWord
from services.cli.operating.checkup.checks import DRIFT_MAX_MS, LOST, WAIT_S, CheckFinding
from services.matches.reads.transparency import PublishedLog
from services.matches.secrets.keys import keys_of, public_keys_of
from services.matches.witnesses import WitnessAddress, policy_text, witnesses_of
from services.program.roles import ConnectedProcess, node_of, rights_of, roles_of
from services.program.sets import processes_of
from services.work.startup import CannotStart, program_version

SETTINGS: Final = ("fsync", "full_page_writes", "synchronous_commit", "max_connections")
RESERVED: Final = 10
"""Connections of a database that are nobody's of ours: those kept for its owner, a backup, a `psql`."""
NODES: Final = (
    "select application_name from pg_stat_activity where datname = current_database() and application_name like $1"
)
BEAT: Final = "select at - (extract(epoch from clock_timestamp()) * 1000)::bigint from heartbeat"


async def cluster_findings(config: Config, folder: Path) -> list[CheckFinding]:
    """Return what is found beyond this machine: nothing where the servers are its own, or do not answer."""
    found = []
    if config.database_url is not None:
        found += await _of_database(config.database_url, config)
        found += await _of_log(config.database_url, config, folder)
    return found


# ---- the database, and who else is at it ------------------------------------------------------


async def _of_database(url: str, config: Config) -> list[CheckFinding]:
    try:
        connection = await connect(url, within_s=WAIT_S)
    except LOST:
        return []  # said by the check of the database
    try:
        settings = {name: await connection.fetchval(f"show {name}") for name in SETTINGS}
        names = [row[0] for row in await connection.fetch(NODES, "truecup/%")]
        ahead = await _ahead_ms(connection)
    finally:
        await connection.close()
    there = [node for node in map(node_of, names) if node is not None]
    return [durability(settings), connections(settings, config, there), *others(there, config), *_beats(ahead)]


async def _ahead_ms(connection: asyncpg.Connection[Any]) -> int | None:
    """Return by how many ms the latest time a dealer has written is ahead; None where there is none to be seen."""
    try:
        ahead: int | None = await connection.fetchval(BEAT)
    except asyncpg.PostgresError:
        return None  # no schema, or no right to it: said by other checks
    return ahead


def durability(settings: Mapping[str, str]) -> CheckFinding:
    """Return whether the database keeps what it acknowledges, by its settings."""
    off = [name for name in SETTINGS[:3] if settings[name] == "off"]
    if off:
        told = f"{', '.join(off)} off: what was acknowledged may be lost or broken when its machine fails"
        return CheckFinding("durability", "wrong", told, "turn on what is off, in postgresql.conf, the role or the URL")
    return CheckFinding("durability", "ok", f"synchronous_commit is {settings['synchronous_commit']}")


def connections(settings: Mapping[str, str], config: Config, there: Sequence[ConnectedProcess]) -> CheckFinding:
    """Return whether the database has room for this program beside those that are there."""
    processes = processes_of(config)
    mine, most = POOL_MAX * (processes + (processes > 1)), int(settings["max_connections"])
    found = f"{most} at most; this program takes up to {mine}, and {len(there)} are taken by programs that run"
    if mine + RESERVED > most:
        return CheckFinding("connections", "wrong", found, f"let max_connections be {mine + RESERVED} or more")
    return CheckFinding("connections", "ok", found)


def others(there: Sequence[ConnectedProcess], config: Config) -> list[CheckFinding]:
    """Return what is to be said of the programs at this database: their releases, and roles that nobody has."""
    if not there:
        return [CheckFinding("nodes", "ok", "no program is at this database")]
    releases = sorted({node.release for node in there})
    mine = program_version()
    found = f"{len({(node.release, node.roles) for node in there})} kinds, of {', '.join(releases)}"
    asked = {role for node in there for role in node.roles} | roles_of(config)
    lacking = [role for role in ("api", "relay", "dealer") if role not in asked]
    told = [CheckFinding("nodes", "ok", found)]
    if releases != [mine]:
        to_do = "dealers first, then relays and api nodes; while an upgrade lasts two releases are as they should be"
        told = [CheckFinding("nodes", "missing", f"{found}; this one is {mine}", to_do)]
    if lacking:
        start = f"start a process with TRUECUP_ROLES={','.join(lacking)}"
        told.append(CheckFinding("roles", "wrong", f"nobody is {' or '.join(lacking)}", start))
    return told


def _beats(ahead: int | None) -> list[CheckFinding]:
    """Return whether somebody has said a time that has not come yet, by the database's clock."""
    if ahead is None:
        return []
    if ahead > DRIFT_MAX_MS:
        told = f"a dealer has written a time {ahead} ms ahead of the database's"
        return [CheckFinding("clocks", "wrong", told, "synchronise the clocks of all machines; run this on each")]
    return [CheckFinding("clocks", "ok", "no dealer is ahead of the database")]


# ---- the log ----------------------------------------------------------------------------------


async def _of_log(url: str, config: Config, folder: Path) -> list[CheckFinding]:
    try:
        witnesses = witnesses_of(config.witnesses or "")
    except CannotStart as trouble:
        return [CheckFinding("witnesses", "wrong", str(trouble), "write each as `vkey address`, between commas")]
    try:
        async with _store(url, config) as store:
            newest = await store.log_checkpoint()
            words = await _ask(witnesses, config.origin, None if newest is None else newest[1])
            # Read behind that: a log that grows meanwhile is longer than what they have seen.
            size = await store.log_size()
            found = await _of_key(store, config, folder, witnesses)
    except LOST:
        return []
    return [*found, *(seen(word, size) for word in words)]


@asynccontextmanager
async def _store(url: str, config: Config) -> AsyncIterator[PostgresStore]:
    store = await open_store(url, rights_of(roles_of(config)))
    try:
        yield store
    finally:
        await store.close()


async def _of_key(
    store: PostgresStore, config: Config, folder: Path, witnesses: Sequence[WitnessAddress]
) -> list[CheckFinding]:
    """Return whether the key is the log's, and the policy in force is what the settings say; without a key, nothing."""
    if "dealer" not in roles_of(config) or not (config.key or (folder / "key").exists()):
        return []
    keys = public_keys_of(keys_of(config, folder))
    if not await PublishedLog(store, config.origin, keys).is_ours():
        told = "the log in this database was signed with another key, or under another origin"
        return [CheckFinding("log", "wrong", told, "give this process the key and the origin of the others")]
    policies = await store.log_policies()
    if policies and policies[-1] != policy_text(config.origin, keys, [one.key for one in witnesses], config.quorum):
        told = "the policy in force is another than these settings make"
        to_do = "give all dealers the same TRUECUP_WITNESSES, TRUECUP_QUORUM and keys: this one would put in its own"
        return [CheckFinding("log", "wrong", told, to_do)]
    return [CheckFinding("log", "ok", "signed with this key, under the policy that these settings make")]


async def _ask(witnesses: Sequence[WitnessAddress], origin: str, note: str | None) -> list[WitnessWord]:
    poster = Poster()
    try:
        return await ask_all(witnesses, origin, note, poster)
    finally:
        await poster.close()


def seen(word: WitnessWord, size: int) -> CheckFinding:
    """Return whether a witness answers, knows the log, and has seen no more of it than these entries."""
    name = f"witness {word.name}"
    if word.size is None and word.answers and not size:
        return CheckFinding(name, "ok", "it answers, and this log has no entry yet")
    if word.size is None:
        told = f"it did not say what it has seen: {word.why}"
        return CheckFinding(name, "wrong", told, "see that it runs, and let it know the log: `truecup witness --log`")
    if word.refuses:
        told = "it has signed another history"
        return CheckFinding(name, "wrong", told, "find out which database this is: see `The log forks` in the guide")
    if word.size > size:
        told = f"it has seen {word.size} entries of this log, and there are {size}"
        return CheckFinding(name, "wrong", told, "the database is an older one: see `The log forks` in the guide")
    if not word.size:
        told = "it has signed nothing of this log"
        return CheckFinding(name, "missing" if size else "ok", told, "let it know the log: `truecup witness --log`")
    return CheckFinding(name, "ok", f"it has seen {word.size} entries of {size}")
