"""One attack, measured from a quiet service to a quiet one: others, the attacker and the service each in a process."""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar, get_args

import msgspec
from msgspec import Struct

from services.cli.bench.abuse import attacker, honest
from services.cli.bench.abuse.attempt import Attack, Session, Sizes
from services.cli.bench.abuse.honest import RequestKind, Sample
from services.cli.bench.abuse.laws import KEPT_MB_MAX, Found, MemoryUse, Waited
from services.cli.bench.rig.rig import RigPlace, program, service
from services.cli.bench.sheets.figures import Figure, figure
from services.client.house import CannotDo
from services.local.child import Child

LIMITED: Final = ("sh", "-c", 'ulimit -S -n 1024; exec "$@"', "sh")
"""Starts the service with as many files as most shells and service managers allow a program that says nothing."""
LOOK_S: Final = 0.05
WARM_S: Final = 1.0
"""How long others play before anything is timed: first requests load templates and fill caches."""
SETTLE_S: Final = 15.0
"""How long memory may take to come back: keep-alive ends, buffers are let go."""
REPORT_S: Final = 30.0
"""How long the honest client may take to say what it saw, on a machine that is busy."""
LATE_S: Final = 20.0
"""How long an attacker may take to report, with everything it has open, before it is ended."""
MB: Final = 1 << 20
T = TypeVar("T")
NOTHING: Final = Figure(0.0, 0.0, 0.0)


class Times(Struct, frozen=True):
    """When what happened, in seconds of the machine's monotonic clock: the quiet before, then the attack.

    Attributes:
        load: How many programs wanted a core in the minute before the quiet.
        quiet: When the quiet began.
        over: When it was over. What is due from then on, until the attacker is ready, counts for neither: it could be
            answered when the attack has begun.
    """

    load: float
    quiet: float
    over: float
    begun: float
    ended: float


async def measure(place: RigPlace, attack: Attack, seconds: float, sizes: Sizes, session: Session) -> Found:
    """Carry an attack out against a service of its own, beside an honest client, and return what it came to.

    Raises:
        CannotDo: The attacker or the honest client did not do what they are for.
    """
    name = attack.name.replace(" ", "-")
    async with service(place, f"{name}-service", LIMITED) as serving:
        others = _client(honest.__name__, serving.url, place.folder / f"{name}-others.log")
        try:
            await others.ready(lambda: honest.PLAYING in _lines(others.log))
            await asyncio.sleep(WARM_S)
            load, quiet = os.getloadavg()[0], _now()
            await asyncio.sleep(seconds)
            over = _now()
            order = attacker.AttackOrder(attack.name, serving.url, seconds * attack.times, sizes, session)
            begun, ended, memory, did = await _attack(place.folder / f"{name}-attacker.log", serving.pid, order)
        finally:
            await others.stop(REPORT_S)
        return _found(attack, _report(others, list[Sample]), Times(load, quiet, over, begun, ended), memory, did)


async def _attack(log: Path, pid: int, order: attacker.AttackOrder) -> tuple[float, float, MemoryUse, dict[str, int]]:
    """Let the attacker work; return when it began and ended, what the service held, and what the attacker says."""
    before, most = memory_mb(pid), 0.0
    child = _client(attacker.__name__, msgspec.json.encode(order).decode(), log)
    try:
        await child.ready(lambda: attacker.BEGUN in _lines(log))
        begun = _now()
        while child.alive and _now() < begun + order.seconds + LATE_S:
            most = max(most, memory_mb(pid) or 0.0)
            await asyncio.sleep(LOOK_S)
    finally:
        await child.stop()
    ended = min(_now(), begun + order.seconds)
    while _kept(before, pid) and _now() < ended + SETTLE_S:
        most = max(most, memory_mb(pid) or 0.0)
        await asyncio.sleep(LOOK_S)
    return begun, ended, MemoryUse(before, most, memory_mb(pid)), _report(child, dict[str, int])


def _kept(before: float | None, pid: int) -> bool:
    now = memory_mb(pid)
    return before is not None and now is not None and now > before + KEPT_MB_MAX


def memory_mb(pid: int) -> float | None:
    """Return how much memory a process holds, in megabytes; None if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None
    return pages * resource.getpagesize() / MB or None


def _client(module: str, argument: str, log: Path) -> Child:
    return Child(log.stem, program(module, [argument], {}), log)


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def _report(child: Child, kind: type[T]) -> T:
    """Return what a program has printed on its last line.

    Raises:
        CannotDo: It has not.
    """
    try:
        return msgspec.json.decode(_lines(child.log)[-1], type=kind)
    except (IndexError, msgspec.DecodeError) as trouble:
        raise CannotDo(f"{child.name} did not report; the end of its log says why:\n{child.last_words()}") from trouble


def _found(attack: Attack, samples: Sequence[Sample], times: Times, memory: MemoryUse, did: dict[str, int]) -> Found:
    without = [one for one in samples if times.quiet <= one.due < times.over]
    beside = [one for one in samples if times.begun <= one.due < times.ended]
    return Found(
        attack.name,
        attack.what,
        _figure(without, times.over - times.quiet),
        _figure(beside, times.ended - times.begun),
        {kind: _waited(kind, without, beside, times) for kind in get_args(RequestKind)},
        memory,
        times.load,
        did,
    )


def _waited(kind: RequestKind, without: Sequence[Sample], beside: Sequence[Sample], times: Times) -> Waited:
    quiet, loud = ([one for one in some if one.kind == kind] for some in (without, beside))
    missed = sum(not one.granted for one in loud)
    return Waited(
        _figure(quiet, times.over - times.quiet), _figure(loud, times.ended - times.begun), len(loud) - missed, missed
    )


def _figure(samples: Sequence[Sample], elapsed_s: float) -> Figure:
    """Return how long these took; what was refused or never came counts with how long it was waited for."""
    return figure([one.took_s for one in samples], elapsed_s) if samples else NOTHING


def _now() -> float:
    return asyncio.get_running_loop().time()
