"""A relay as a process of its own, to be killed: `python process.py DATABASE_URL NATS_URL`."""

from __future__ import annotations

import asyncio
import sys

from infra.feed.nats import NatsFeed
from infra.store.postgres import opened
from services.relay.commit_signals import Pokes
from services.relay.relay import Relay


async def main(database_url: str, nats_url: str) -> None:
    store = await opened(database_url, "truecup_relay")
    feed = await NatsFeed.connect(nats_url, wait_s=60)
    pokes = Pokes(store, feed)
    async with asyncio.TaskGroup() as group:
        group.create_task(pokes.run())
        group.create_task(Relay(store, feed, pokes).run())


asyncio.run(main(*sys.argv[1:]))
