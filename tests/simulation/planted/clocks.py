"""Bugs of time: who is waited for, what is due, and who is still there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from domain.errors import Refused
from infra.store import WordsLeft
from infra.store.memory import MemoryStore
from services.dealer.scheduler import MatchScheduler
from services.matches.heart import Heart
from services.matches.looks import Looks
from services.matches.requests import CommandMetadata, VersionPassed
from services.relay.tail import LogTail
from tests.simulation.faults import CALM, KILLER
from tests.simulation.planted.bug import ALONE, AWAY, FALLEN, STEPPED, TWO, Planted
from tests.simulation.schedule import CLOCKED, DESERTED, PATIENT, Shape

WAITS: Final = Shape(rules=(PATIENT,))
"""A table at which somebody stops."""


def _time_kept_by_nobody(_heart: Heart, _since: int) -> int:
    """Count the time in which nobody was there against whoever is waited for."""
    return 0


async def _gap_of_its_own(store: MemoryStore, at: int, since: int = 0) -> WordsLeft:
    """Tell whoever leaves word what went by before it, and nobody else ever."""
    before, store._heartbeat = store._heartbeat or at, max(at, store._heartbeat or at)
    return WordsLeft(store._heartbeat, ((before, since),) if since > before else ())


async def _none_live(_log: LogTail) -> list[str]:
    """Know of no match that goes on, after a restart."""
    return []


async def _asked_once(scheduler: MatchScheduler, due: Any) -> None:
    """Let a table act, and forget about it where it has moved meanwhile."""
    ask = CommandMetadata("table", f"advance-{due.match}-{due.version}", b"", (due.version - 1,))
    with suppress(Refused, VersionPassed):
        await scheduler._matches.advance(due.match, ask)


def _nothing_lost(_heart: Heart, _at: int) -> int:
    """Give no match back the time in which nobody was there."""
    return 0


def _always_there(_looks: Looks, _what: str, _for_s: float) -> bool:
    """Take it that whoever has looked still does."""
    return False


BUGS: Final = (
    Planted(
        "time of absence not given back",
        "whoever was waited for was granted",
        AWAY,
        ((Heart, "uncounted_ms", _time_kept_by_nobody),),
        WAITS,
    ),
    Planted(
        "a gap that only its finder knows",
        "whoever was waited for was granted",
        FALLEN,
        ((MemoryStore, "heartbeat", _gap_of_its_own),),
        replace(ALONE, rules=(CLOCKED,)),
    ),
    Planted(
        "time of clocks not given back",
        "whoever was waited for was granted",
        STEPPED,
        ((Heart, "lost_ms", _nothing_lost),),
        replace(TWO, rules=(CLOCKED,)),
    ),
    Planted("matches that went on are forgotten", "has not ended", KILLER, ((LogTail, "streams_live", _none_live),)),
    Planted("what is due is forgotten", "has not ended", CALM, ((MatchScheduler, "_advance", _asked_once),)),
    Planted(
        "presence never expires",
        "has not ended",
        CALM,
        ((Looks, "is_unseen", _always_there),),
        Shape(rules=(DESERTED,), layout=("api,relay,dealer,bots",)),
    ),
)
