"""Checks of the doctor that take the bus, over one connection: NATS itself, dealers' clocks, how frames are kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import nats
import nats.errors
import nats.js.errors
from msgspec import Struct
from nats.aio.client import Client
from nats.js.api import StreamInfo

from infra.bus import replicas_at
from infra.config import Config, servers_of
from infra.feed.messages import stream_of
from infra.handoff.clocks import ahead_ms
from infra.store import SHARDS
from services.cli.operating.checkup.checks import WAIT_S, CheckFinding, why
from services.program.roles import inbox_of, roles_of

AGAIN_S: Final = 0.1
"""How long the library waits before it gives up as well."""
LISTEN_S: Final = 0.6
"""How long dealers are listened to: each has said twice by then that it is there."""
APART_MAX_MS: Final = 1_000
"""How far the clocks of two dealers may be apart."""
LOST_BUS: Final = (OSError, TimeoutError, ValueError, nats.errors.Error)


class BusFound(Struct, frozen=True):
    """The bus of the settings: a connection to it, or why there is none."""

    client: Client | None
    trouble: str = ""


@asynccontextmanager
async def bus_of(config: Config) -> AsyncIterator[BusFound]:
    """Give the bus that the settings name; one that they do not is not asked."""
    if config.nats_url is None:
        yield BusFound(None)
        return
    try:
        async with asyncio.timeout(WAIT_S):
            client = await nats.connect(
                servers_of(config.nats_url),
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=AGAIN_S,
                error_cb=_quiet,
                inbox_prefix=inbox_of(roles_of(config)),
            )
    except LOST_BUS as trouble:
        yield BusFound(None, why(trouble))
        return
    try:
        yield BusFound(client)
    finally:
        await client.close()


async def _quiet(_trouble: Exception) -> None:
    """Say nothing: what is wrong is said once, by the check."""


async def of_bus(bus: BusFound, config: Config) -> CheckFinding:
    """Return whether the bus answers."""
    to_do = "see that TRUECUP_NATS_URL is right and NATS runs with -js"
    if config.nats_url is None:
        return CheckFinding("nats", "ok", "`truecup up` starts its own")
    if bus.client is None:
        return CheckFinding("nats", "wrong", bus.trouble, to_do)
    version = bus.client.connected_server_version
    found = f"NATS {version.major}.{version.minor}.{version.patch}"
    try:
        # Only the relay keeps anything there, and only it has to be let.
        if "relay" in roles_of(config):
            async with asyncio.timeout(WAIT_S):
                found += f", {(await bus.client.jetstream().account_info()).streams} streams"
    except LOST_BUS as trouble:
        return CheckFinding("nats", "wrong", why(trouble), to_do)
    return CheckFinding("nats", "ok", found)


async def behind_bus(bus: BusFound, config: Config) -> list[CheckFinding]:
    """Return what is found of those who are at the bus, and of what it keeps; nothing where it does not answer."""
    if bus.client is None:
        return []
    found = await _of_clocks(bus.client, config)
    return found + (await _of_frames(bus.client, config) if "relay" in roles_of(config) else [])


# ---- dealers' clocks --------------------------------------------------------------------------


async def _of_clocks(client: Client, config: Config) -> list[CheckFinding]:
    if not roles_of(config) & {"api", "dealer"}:
        return []  # nobody else may hear who is there
    try:
        return dealers_clocks(await ahead_ms(client, LISTEN_S))
    except LOST_BUS:
        return []


def dealers_clocks(ahead: Mapping[str, int]) -> list[CheckFinding]:
    """Return whether dealers agree on the time, by how far the clock of each is ahead of this machine's."""
    if not ahead:
        return []
    fastest, slowest = max(ahead.values()), min(ahead.values())
    told = f"{len(ahead)} dealers, {fastest - slowest} ms apart, {slowest} to {fastest} ms ahead of this machine"
    if fastest - slowest > APART_MAX_MS:
        return [CheckFinding("dealers' clocks", "wrong", told, "synchronise the clocks of all machines")]
    if max(fastest, -slowest) > APART_MAX_MS:
        return [CheckFinding("dealers' clocks", "wrong", told, "synchronise the clock of this machine with theirs")]
    return [CheckFinding("dealers' clocks", "ok", told)]


# ---- frames that are kept ---------------------------------------------------------------------


class KeptFrames(Struct, frozen=True):
    """How the frames of a shard are kept.

    Attributes:
        replicas: At how many servers they should be.
        led: Whether one of these leads, without which nothing is kept.
        behind: The servers that are away or behind.
    """

    replicas: int
    led: bool
    behind: tuple[str, ...] = ()


async def _of_frames(client: Client, config: Config) -> list[CheckFinding]:
    try:
        async with asyncio.timeout(WAIT_S):
            infos = [await _info(client.jetstream(timeout=WAIT_S), stream_of(shard)) for shard in range(SHARDS)]
    except LOST_BUS:
        told = "JetStream does not answer: too few servers of the cluster are there"
        return [CheckFinding("frames", "wrong", told, "bring back as many servers as make a majority")]
    wanted = config.bus_replicas or replicas_at(servers_of(config.nats_url or ""))
    return [kept_frames([one for one in infos if one is not None], wanted)]


async def _info(jetstream: Any, name: str) -> KeptFrames | None:  # noqa: ANN401 - the library's context
    try:
        info: StreamInfo = await jetstream.stream_info(name)
    except nats.js.errors.NotFoundError:
        return None
    cluster = info.cluster
    if cluster is None:
        return KeptFrames(info.config.num_replicas or 1, led=True)
    behind = tuple(peer.name or "one" for peer in cluster.replicas or () if peer.offline or not peer.current)
    return KeptFrames(info.config.num_replicas or 1, led=bool(cluster.leader), behind=behind)


def kept_frames(streams: Sequence[KeptFrames], wanted: int) -> CheckFinding:
    """Return whether the frames of all shards are kept at as many servers as they should be."""
    if any(not one.led for one in streams):
        told = f"{sum(not one.led for one in streams)} streams have no leader: too few of their servers are there"
        return CheckFinding("frames", "wrong", told, "bring back as many servers as make a majority")
    behind = sorted({name for one in streams for name in one.behind})
    if behind:
        told = f"{', '.join(behind)} away or behind"
        return CheckFinding("frames", "missing", told, "bring them back before another one goes")
    few = [one for one in streams if one.replicas < wanted]
    if few:
        told = f"{len(few)} streams are kept at {min(one.replicas for one in few)} servers, and {wanted} are wanted"
        to_do = "`nats stream edit NAME --replicas N`, or delete them: they are made again from the log"
        return CheckFinding("frames", "wrong", told, to_do)
    return CheckFinding("frames", "ok", f"{len(streams)} streams, at {wanted} servers each" if streams else "none yet")
