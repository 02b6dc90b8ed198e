"""The attacker, as a program: carries one attack out, then says what it came to."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from contextlib import suppress
from typing import Final

import msgspec
from msgspec import Struct

from services.cli.bench.abuse.attacks import attack_of
from services.cli.bench.abuse.attempt import Attempt, Session, Sizes
from services.cli.exits import FINE
from services.cli.operating.until_stopped import event_loop
from services.cli.screen import say, say_json

BEGUN: Final = "begun"
"""Printed when the attack begins; what it came to follows on the last line."""
MODEST: Final = 10
"""How nice this program is to others: what is measured is a busy service, not a machine with too few cores."""
SOCKETS_SPARE: Final = 64
"""Files this program needs beside its sockets."""


class AttackOrder(Struct, frozen=True):
    """What the attacker is to do, for so many seconds."""

    attack: str
    url: str
    seconds: float
    sizes: Sizes
    session: Session


def main() -> None:
    """Attack as the argument says, and leave the rest of the time to what was left behind."""
    order = msgspec.json.decode(sys.argv[1], type=AttackOrder)
    os.nice(MODEST)
    with asyncio.Runner(loop_factory=event_loop) as runner:
        say_json(runner.run(_attack(msgspec.structs.replace(order, sizes=_possible(order.sizes)))))
    sys.exit(FINE)


async def _attack(order: AttackOrder) -> dict[str, int]:
    loop = asyncio.get_running_loop()
    attempt = Attempt(order.url, order.sizes, order.session, loop.time() + order.seconds)
    say(BEGUN)
    with suppress(TimeoutError):
        async with asyncio.timeout_at(attempt.until):
            await attack_of(order.attack).run(attempt)
    await asyncio.sleep(max(0.0, attempt.until - loop.time()))
    return dict(attempt.tally)


def _possible(sizes: Sizes) -> Sizes:
    """Return these sizes with no more sockets than this process may open, which is made as many as can be."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    room = most - SOCKETS_SPARE
    names = ("sockets", "streams", "readers", "viewers")
    return msgspec.structs.replace(sizes, **{name: min(room, getattr(sizes, name)) for name in names})


if __name__ == "__main__":
    main()
