"""`truecup bench abuse`: others' p50 and p99 while one client does its worst, and whether the laws held."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import to_builtins

from services.cli.bench.abuse.attacks import ATTACKS
from services.cli.bench.abuse.attempt import Attack, Session, Sizes
from services.cli.bench.abuse.laws import Found
from services.cli.bench.abuse.measuring import measure
from services.cli.bench.abuse.results import Abuse, judge, table_of
from services.cli.bench.abuse.sessions import NONE, session_of
from services.cli.bench.rig.rig import RigPlace, servers, service
from services.cli.bench.sheets.machine import machine
from services.cli.exits import FINE, FOUND
from services.cli.screen import bar, draw, say_json
from services.cli.settings import settings
from services.client.house import CannotDo
from services.work.startup import CannotStart

NAMES: Final = tuple(attack.name for attack in ATTACKS)


def abuse(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 10.0,
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    quick: Annotated[bool, Parameter(negative="")] = False,
    json: bool = False,
) -> int:
    """Attack a service of this machine, and see how others fare.

    Args:
        seconds: How long each attack goes on.
        only: An attack to run, by its name; may be said again.
        quick: Use a tenth of everything.
        json: Print one JSON document.
    """
    unknown = [name for name in only if name not in NAMES]
    if unknown:
        raise CannotDo(f"there is no attack {unknown[0]!r}; there are {', '.join(NAMES)}")
    if not Path("/proc/self/statm").exists():
        raise CannotDo("this bench reads /proc and asks from many addresses of 127.0.0.0/8: it needs Linux")
    sizes = Sizes().tenth() if quick else Sizes()
    wanted = [attack for attack in ATTACKS if not only or attack.name in only]
    try:
        found = asyncio.run(_abuse(wanted, seconds, sizes))
    except (CannotStart, OSError) as trouble:
        raise CannotDo(f"the benchmark cannot run: {trouble or type(trouble).__name__}") from trouble
    if json:
        say_json(to_builtins(found))
    else:
        draw(table_of(found))
    return FOUND if any(one.broke for one in found.attacks) else FINE


async def _abuse(attacks: Sequence[Attack], seconds: float, sizes: Sizes) -> Abuse:
    found: list[Found] = []
    with bar() as progress:
        task = progress.add_task("starting", total=len(attacks))
        async with servers(settings()) as place:
            sessions = await _sessions(place, attacks, sizes)
            for attack in attacks:
                progress.update(task, description=attack.name)
                found.append(await measure(place, attack, seconds, sizes, sessions[attack.session]))
                progress.advance(task)
            return judge(await machine(place.database_url, place.nats_url), seconds, sizes, found)


async def _sessions(place: RigPlace, attacks: Sequence[Attack], sizes: Sizes) -> dict[str, Session]:
    """Return the sessions that these attacks need, played before anything is measured."""
    lengths = {"long": sizes.long_events, "storm": sizes.storm_events}
    wanted = {attack.session for attack in attacks} & lengths.keys()
    if not wanted:
        return {"none": NONE}
    async with service(place, "sessions") as serving:
        return {"none": NONE, **{name: await session_of(serving.url, lengths[name]) for name in sorted(wanted)}}
