"""The laws of the abuse bench: all that must hold for everybody else while somebody does his worst."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from services.cli.bench.abuse.honest import RequestKind
from services.cli.bench.sheets.figures import Figure

WORSE_MAX: Final = 5
"""How many times as long others may wait at most: what 1 in 100 waits for longer."""
WAIT_MS_MAX: Final = 100.0
"""And how long in all: what is shorter still seems immediate. Source: R. B. Miller, Response time in man-computer
conversational transactions, AFIPS 1968."""
KEPT_MB_MAX: Final = 50.0
"""What may stay in memory afterwards: caches fill, and an allocator keeps some of what it had."""
BROKEN: Final = "500"


class Waited(Struct, frozen=True):
    """How others fared with one kind of thing they ask for.

    Attributes:
        without: How long it took before the attack.
        beside: How long it took during the attack.
        granted: How many came, during the attack.
        missed: How many did not, or were refused.
    """

    without: Figure
    beside: Figure
    granted: int
    missed: int


class MemoryUse(Struct, frozen=True):
    """What the service's process held, in megabytes; None once the process has ended."""

    before: float | None
    most: float | None
    after: float | None


class Found(Struct, frozen=True):
    """What an attack came to.

    Attributes:
        attack: Its name.
        what: What it is.
        without: How long others waited for anything before it.
        beside: How long others waited for anything during it.
        kinds: The same for each kind of thing.
        memory: What the service held.
        load: How many programs wanted a core in the minute before: others' on this machine, if it was more than one.
        did: What the attack itself came to: answers by status, what it opened, what was cut off.
    """

    attack: str
    what: str
    without: Figure
    beside: Figure
    kinds: dict[RequestKind, Waited]
    memory: MemoryUse
    load: float
    did: dict[str, int]


class BenchLaw(Struct, frozen=True):
    """Something that must hold."""

    name: str
    what: str
    holds: Callable[[Found], bool]


def _in_time(found: Found) -> bool:
    return found.beside.p99_ms <= WORSE_MAX * found.without.p99_ms and found.beside.p99_ms < WAIT_MS_MAX


def _gives_memory_back(found: Found) -> bool:
    before, after = found.memory.before, found.memory.after
    return before is not None and after is not None and after <= before + KEPT_MB_MAX


def _seats_are_served(found: Found) -> bool:
    return found.kinds["return"].missed == found.kinds["frame"].missed == 0


def _everybody_is_answered(found: Found) -> bool:
    asked: tuple[RequestKind, ...] = ("health", "view", "command")
    return not any(found.kinds[kind].missed for kind in asked) and not found.did.get(BROKEN)


LAWS: Final = (
    BenchLaw("time", f"p99 of others at most {WORSE_MAX} times what it was, and below {WAIT_MS_MAX:.0f} ms", _in_time),
    BenchLaw(
        "memory", f"the process holds at most {KEPT_MB_MAX:.0f} MB more than before, soon after", _gives_memory_back
    ),
    BenchLaw("seats", "every seat gets its stream when it asks, and every frame of it", _seats_are_served),
    BenchLaw(
        "answers",
        "every request of others is granted, and no answer says that the service is broken",
        _everybody_is_answered,
    ),
)


def broken(found: Found) -> tuple[str, ...]:
    """Return the names of the laws that did not hold."""
    return tuple(law.name for law in LAWS if not law.holds(found))
