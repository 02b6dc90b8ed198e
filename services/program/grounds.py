"""The ground a program stands on: the servers, witnesses, beacon and bounds that the settings name, or its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from domain.log.notes import ED25519, Key, key_of
from infra.config import Config
from infra.feed import Feed
from infra.handoff.shares import SharedHandoff
from infra.store import EventStore
from services.audit.beacons import BadChain, BeaconSource, beacon_of_house, source_of
from services.dealer.witness_client import Post
from services.http.bounds import Bounds
from services.http.front.sockets import Terms
from services.local.servers import LocalServers
from services.local.witness import EmbeddedWitness
from services.matches.secrets.keys import keys_of, public_keys_of
from services.matches.witnesses import WitnessAddress, witnesses_of
from services.work.startup import CannotStart


class HouseStore(EventStore, Protocol):
    """The store of a program, which also says whether it takes what is written."""

    async def check_writes(self) -> str | None:
        """Return why a write would wait or be refused just now; None if none of late was."""

    async def refusal(self) -> str | None:
        """Return why the last write was refused; None if it was taken."""


class HouseFeed(Feed, Protocol):
    """The feed of a program, which also says what it lacks."""

    async def trouble(self) -> str | None:
        """Return what an operator should know of the frames that are kept, if anything."""


class Where(Struct, frozen=True):
    """The servers this program stands on, and the witnesses it asks."""

    database_url: str
    nats_url: str
    witnesses: tuple[WitnessAddress, ...] = ()


class Ground(Struct, frozen=True):
    """What one program stands on, once it is connected.

    Attributes:
        store: Its way to the database.
        feed: Its way to the bus.
        handoff: Its way to those who deal, or to those who ask.
        witnesses: Who is asked to see the log.
        post: How they are.
    """

    store: HouseStore
    feed: HouseFeed
    handoff: SharedHandoff
    witnesses: tuple[WitnessAddress, ...]
    post: Post


@asynccontextmanager
async def servers(config: Config, folder: Path) -> AsyncIterator[Where]:
    """Give the servers the settings name, starting those they do not."""
    named = None if config.witnesses is None else witnesses_of(config.witnesses)
    if config.database_url is not None and config.nats_url is not None and named is not None:
        yield Where(config.database_url, config.nats_url, named)
        return
    own = own_witnesses(config, folder) if named is None else ()
    local = LocalServers(folder, postgres=config.database_url is None, nats=config.nats_url is None, witnesses=own)
    async with local:
        witnesses = tuple(WitnessAddress(key_of(one.vkey), one.url) for one in own) or named or ()
        yield Where(config.database_url or local.database_url, config.nats_url or local.nats_url, witnesses)


def own_witnesses(config: Config, folder: Path) -> tuple[EmbeddedWitness, ...]:
    """Return two witnesses for a log that names none: with one of two, each half could be shown another history."""

    def logs() -> list[str]:
        return [str(Key(config.origin, ED25519, public)) for public in public_keys_of(keys_of(config, folder))]

    host = config.origin.partition("/")[0]
    return tuple(EmbeddedWitness(folder / f"witness-{number}", f"{host}/witness-{number}", logs) for number in (1, 2))


def bounds_within(terms: Terms) -> Bounds:
    """Return the usual bounds, with no more streams than three quarters of the sockets: requests need some, too."""
    usual = Bounds()
    streams = min(usual.streams_max, terms.sockets_max * 3 // 4)
    of_network = min(usual.streams_of_network_max, terms.sockets_of_network_max * 3 // 4)
    return replace(usual, streams_max=max(1, streams), streams_of_network_max=max(1, of_network))


def beacon_named_by(config: Config, policy: str | None = None) -> BeaconSource:
    """Return the beacon that this house speaks of; with a policy, only if deals may wait for it under that.

    Raises:
        CannotStart: What describes it describes none, or deals may not wait for it.
    """
    file = None if config.beacon_chain is None else Path(config.beacon_chain)
    try:
        return source_of(file) if policy is None else beacon_of_house(file, policy)
    except BadChain as trouble:
        raise CannotStart(str(trouble)) from trouble
