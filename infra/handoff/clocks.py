"""The clocks of dealers, as anybody hears them who may hear that they are there."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg

from infra.clock import now_ms
from infra.handoff.nats import BEAT, CLOCK, DEALERS_THERE
from infra.handoff.rota import MEMBERS_MAX

_MS: Final = re.compile("[0-9]{1,15}")


async def ahead_ms(client: Client, listen_s: float) -> dict[str, int]:
    """Return by how many milliseconds the clock of each dealer is ahead of this machine's, by its name.

    What is on its way makes a clock look slow, so that of several words of one dealer the highest counts.

    Args:
        client: The connection to hear them over.
        listen_s: For how long: a dealer says that it is there once in `BEAT_S`. Those of before say no time.

    Raises:
        nats.errors.Error: The bus does not answer.
    """
    found: dict[str, int] = {}

    async def hear(message: Msg) -> None:
        beat, said = BEAT.fullmatch(message.data), _MS.fullmatch((message.headers or {}).get(CLOCK, ""))
        if beat is None or said is None:
            return
        name, ahead = beat[1].decode(), int(said[0]) - now_ms()
        if name in found or len(found) < MEMBERS_MAX:
            found[name] = max(found.get(name, ahead), ahead)

    subscription = await client.subscribe(DEALERS_THERE, cb=hear)
    await asyncio.sleep(listen_s)
    await subscription.unsubscribe()
    return found
