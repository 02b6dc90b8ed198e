"""A relay as a process of its own, to be killed: `python process.py DATABASE_URL NATS_URL`."""

from __future__ import annotations

import asyncio
import sys

from infra.feed.nats import NatsFeed
from infra.store.postgres import open_store
from services.relay.relay import Relay
from services.relay.tail import LogTail


async def main(database_url: str, nats_url: str) -> None:
    store = await open_store(database_url, "truecup_relay")
    feed = await NatsFeed.connect(nats_url, wait_s=60)
    tail = LogTail(store, feed)
    async with asyncio.TaskGroup() as group:
        group.create_task(tail.run())
        group.create_task(Relay(store, feed, tail).run())


asyncio.run(main(*sys.argv[1:]))
