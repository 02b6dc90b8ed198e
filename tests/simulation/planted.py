"""Planted bugs: faults of services as they are made in practice, each a small change that the simulation has to find.

A bug has a name, says what it breaks, and under which faults that shows. It is put in place of what is right for as
long as a schedule runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

from msgspec import Struct

from domain.match.ceremony import deal_secrets_of
from infra.entropy import draw
from infra.store import Append, Appended, Conflict, Outcome, PendingAnchor, Recorded, Repeated, Unavailable
from infra.store.memory import MemoryStore
from services.matches import optimistic
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.reads.frame_buffer import FrameBuffer
from services.matches.secrets.vault import Vault
from services.relay import tail
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.statistics_projector import StatisticsProjector
from tests.simulation.faults import ALL, GOSSIP, KILLER, LIAR, Profile
from tests.simulation.schedule import PATIENT

HARD: Final = Profile("hard", storm_s=12.0, refused=0.1, lied=0.1, late=0.1, hung_up=0.2, killed=0.2)
"""Lies enough that what rests on them shows soon."""
TORN: Final = Profile("torn", storm_s=20.0, late=0.2, refused=0.1, hung_up=0.3)
"""Refuses, and does it all the same, for as long as anybody plays."""
CLOSED: Final = Profile("closed", storm_s=15.0, refused=0.1)
"""Refuses a call in ten for as long as anybody plays."""
AWAY: Final = Profile("away", storm_s=8.0, killed=0.6)
"""Kills for as long as somebody is waited for."""
LEAPT: Final = Profile("leapt", leaps=4.0, killed=3.0)
"""Sets clocks by an hour, and kills whoever has written by them."""
Replaced = tuple[Any, str, Callable[..., Any]]


class Planted(Struct, frozen=True):
    """A bug.

    Attributes:
        name: What it is called.
        profile: The faults under which it shows.
        replaced: What it puts in whose place.
        rules: The rules at whose tables it shows; None for those of any.
    """

    name: str
    profile: Profile
    replaced: tuple[Replaced, ...]
    rules: dict[str, Any] | None = None

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the bug be there."""
        with ExitStack() as stack:
            for owner, name, other in self.replaced:
                stack.enter_context(patch.object(owner, name, other))
            yield


# ---- commands ------------------------------------------------------------------------------------

_append = optimistic.append
_against = MemoryStore._against  # noqa: SLF001 - a bug is planted where it would be
_stored = MemoryStore._append  # noqa: SLF001 - the same


async def _acknowledged_too_soon(store: Any, command: Append, kind: type[Any]) -> Any:
    """Take a command for stored where the store only did not say no."""
    try:
        return await _append(store, command, kind)
    except Unavailable:
        return Appended(command.expected + len(command.lines), 0)


async def _conflict_swallowed(store: Any, command: Append, kind: type[Any]) -> Any:
    outcome = await _append(store, command, kind)
    return Appended(outcome.version, 0) if isinstance(outcome, Conflict) else outcome


def _commands_forgotten(store: MemoryStore, append: Append) -> Outcome | None:
    """Look at the version alone: a command that comes again is stored again."""
    found = _against(store, append)
    version = store._grown(append.stream)[0]  # noqa: SLF001 - as above
    if isinstance(found, Repeated):
        return None if version == append.expected else Conflict(version)
    return found


def _any_version(*_asked: object) -> None:
    """Do a command at whatever version there is, though it names one."""


async def _no_stored_answer(*_asked: object) -> None:
    """Look for no stored answer."""


def _idempotency_row_lost(store: MemoryStore, append: Append) -> Outcome:
    """Store the row of a command in another transaction, which fails every fourth time."""
    outcome = _stored(store, append)
    if isinstance(outcome, Appended) and outcome.position % 4 == 0:
        store._commands.pop((append.stream, append.command), None)  # noqa: SLF001 - as above
    return outcome


async def _token_drawn_anew(*_asked: object) -> str:
    """Give whoever asks again another token than the first time."""
    return f"truecup_seat_{draw(32).hex()[:43]}"


# ---- deals ---------------------------------------------------------------------------------------

_unwrap = Vault._unwrap  # noqa: SLF001 - as above


async def _dealt_anew(vault: Vault, stream: str, ceremony: Any) -> Any:
    """Draw the secret of a deal again where it is not in memory, as after a crash."""
    kept = await _unwrap(vault, stream, ceremony)
    return deal_secrets_of(ceremony, draw(32), dict(kept.seeds))


# ---- followers of the log ------------------------------------------------------------------------

_take_rows = LobbyProjector.take


async def _cursor_before_rows(projector: LobbyProjector, shard: int, page: Sequence[Recorded]) -> int:
    """Save how far the rows have come before they are there."""
    await projector._store.save_projection(projector.name, shard, page[-1].position, ())  # noqa: SLF001 - as above
    return await _take_rows(projector, shard, page)


def _gap_skipped(window: Any, lines: Sequence[Recorded]) -> None:
    """Take lines for those that follow, whatever others have stored in between."""
    fresh = [line for line in lines if line.position > window.end]
    if fresh:
        window.begin = fresh[0].position - 1 if window.begin is None else window.begin
        window._lines += fresh  # noqa: SLF001 - as above
        window.end = fresh[-1].position


def _always_follows(log: tail.LogTail, shard: int, lines: Sequence[Recorded]) -> None:
    log._windows[shard].add(lines)  # noqa: SLF001 - as above
    log._ring(shard, lines[-1].position)  # noqa: SLF001 - as above


_start_counting = StatisticsProjector.start


async def _counted_from_the_first(projector: StatisticsProjector, shard: int) -> int:
    """Count all dice again after a restart, on top of what was counted."""
    await _start_counting(projector, shard)
    return 0


# ---- viewers -------------------------------------------------------------------------------------

_make_frame = Publisher._make_frame  # noqa: SLF001 - as above


async def _seat_frame_to_spectators(publisher: Publisher, line: Recorded, *, more: bool) -> bytes:
    """Send spectators what the first seat sees."""
    told: list[bytes] = []
    feed = publisher._feed  # noqa: SLF001 - as above
    tell = feed.tell

    async def overheard(match: str, seat: int, version: int, body: bytes) -> None:
        told.append(body)
        await tell(match, seat, version, body)

    with patch.object(feed, "tell", overheard):
        body = await _make_frame(publisher, line, more=more)
    return told[0] if told else body


def _any_frame_taken(buffer: FrameBuffer, version: int, body: bytes) -> None:
    """Take any frame that is new for the next one."""
    if body and version > buffer.version:
        buffer._add(body)  # noqa: SLF001 - as above


# ---- time ----------------------------------------------------------------------------------------


def _time_kept_by_nobody(_heart: Heart, _since: int) -> int:
    """Count the time in which nobody was there against whoever is waited for."""
    return 0


def _time_of_lines_not_heard(_heart: Heart, _at: int) -> None:
    """Wait until the clock on the wall has come up with what a clock that had leapt has written."""


# ---- the transparency log ------------------------------------------------------------------------


async def _size_not_compared(
    store: MemoryStore, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Any, _size: int
) -> bool:
    """Let the tree grow from whatever size it was thought to have."""
    store._entries.extend(entries)  # noqa: SLF001 - as above
    store._hashes.update(hashes)  # noqa: SLF001 - as above
    for anchor, _ in entries:
        store._outbox.pop(anchor, None)  # noqa: SLF001 - as above
    return True


BUGS: Final = (
    Planted("acknowledged before it is stored", TORN, ((optimistic, "append", _acknowledged_too_soon),)),
    Planted("conflict swallowed", TORN, ((optimistic, "append", _conflict_swallowed),)),
    Planted(
        "retry does not look whether it was stored",
        LIAR,
        ((MemoryStore, "_against", _commands_forgotten), (CommandHandler, "_find_answer", _no_stored_answer)),
    ),
    Planted("idempotency row in another transaction", LIAR, ((MemoryStore, "_append", _idempotency_row_lost),)),
    Planted("token drawn anew for a repeat", HARD, ((optimistic, "token_of_command", _token_drawn_anew),)),
    Planted("dice drawn anew after a crash", KILLER, ((Vault, "_unwrap", _dealt_anew),)),
    Planted("cursor saved before the rows", CLOSED, ((LobbyProjector, "take", _cursor_before_rows),)),
    Planted(
        "tail skips a gap",
        GOSSIP,
        ((tail._Window, "add", _gap_skipped), (tail.LogTail, "on_commit", _always_follows)),  # noqa: SLF001 - as above
    ),
    Planted("dice counted twice", KILLER, ((StatisticsProjector, "start", _counted_from_the_first),)),
    Planted("frame of a seat to spectators", ALL, ((Publisher, "_make_frame", _seat_frame_to_spectators),)),
    Planted("frames taken in any order", GOSSIP, ((FrameBuffer, "on_frame", _any_frame_taken),)),
    Planted("tree grown from a stale size", HARD, ((MemoryStore, "log_append", _size_not_compared),)),
    Planted("time of absence not given back", AWAY, ((Heart, "uncounted_ms", _time_kept_by_nobody),), PATIENT),
    Planted("time of lines not heard", LEAPT, ((Heart, "hear_time", _time_of_lines_not_heard),)),
    Planted("version not compared", HARD, ((optimistic, "check_version", _any_version),)),
)
