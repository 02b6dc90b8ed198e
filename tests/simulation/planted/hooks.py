"""Bugs of those who tell addresses of others: what is lost, told twice otherwise, signed wrongly, or says too much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from domain.log import canonical
from infra.clock import now_ms
from infra.entropy import draw
from infra.store.hooks import HookNote
from infra.store.memory import MemoryStore
from projections.tournaments.exports.hook_messages import HookMessage, hook_message
from projections.tournaments.exports.moments import iso_text
from services.matches.secrets.tokens import TokenIssuer
from services.webhooks import teller
from services.webhooks.messages import post_of
from services.webhooks.teller import Teller
from tests.simulation.faults import CALM, Profile
from tests.simulation.planted.bug import TWO, Planted
from tests.simulation.schedule import Shape

TOLD: Final = Shape(layout=TWO.layout, holds=True, hooks=2)
"""A house whose tournament two addresses are told of."""
DEAF: Final = Profile("deaf", deaf=0.5)
"""Addresses that hear every second time."""
CUT_OFF: Final = Profile("cut off", storm_s=20.0, killed=1.5, deaf=0.3)
"""Tellers that are killed while they tell."""

_tell_line = Teller._tell_line
_tell_until = Teller._tell_until
_failed = teller._failed
_lease_hooks = MemoryStore.lease_hooks
_note_told = MemoryStore.note_told
_let_go = Teller._let_go
_names = TokenIssuer.names


async def _noted_first(told: Teller, known: Any, line: dict[str, Any], cursor: int, tries: int) -> bool:
    """Note that a line is told, and tell it then."""
    if not tries:
        await told._store.note_told(known.hook.id, HookNote(cursor, now_ms() + teller.LEASE_MS))
    return await _tell_line(told, known, line, cursor, tries)


def _not_again(trouble: Any, seq: int, cursor: int, tries: int) -> HookNote:
    """Tell nothing again."""
    return replace(_failed(trouble, seq, cursor, tries), again=None)


def _off_at_once(trouble: Any, seq: int, cursor: int, tries: int) -> HookNote:
    """Tell an address nothing more that has not taken something."""
    return replace(_failed(trouble, seq, cursor, tries), state="off", why="gave_up")


async def _all_taken(store: MemoryStore, hook: UUID, told: HookNote) -> bool:
    """Take all for told that waited, when one of it is taken."""
    if told.taken is not None:
        store._retries[hook].clear()
    return await _note_told(store, hook, told)


async def _leased_for_good(store: MemoryStore, now: int, _until: int, limit: int) -> Any:
    """Lend a hook until it is given back."""
    return await _lease_hooks(store, now, now + 1_000_000_000, limit)


async def _over_with_the_last(told: Teller, hook: Any, cursor: int, *, slow: bool) -> None:
    """Take a hook for done that has been told the last line, whatever it has not taken."""
    (last,) = await told._store.read(hook.stream, cursor - 1, 1)
    if canonical.decode(last)["type"] == teller.ENDED:
        await told._store.note_told(hook.id, HookNote(cursor, 0, "over"))
    else:
        await _let_go(told, hook, cursor, slow=slow)


async def _over_whatever_waits(store: MemoryStore, hook: UUID, told: HookNote) -> bool:
    """Note that a hook is over, whatever waits to be told again."""
    noted = await _note_told(store, hook, told)
    if noted and told.state == "over":
        store._hooks[hook] = replace(store._hooks[hook], state="over")
    return noted


async def _last_first(told: Teller, known: Any, until: float) -> Any:
    """Tell what is new from its end."""
    store, hook = told._store, known.hook
    if await store.retries(hook.id):
        return await _tell_until(told, known, until)
    fresh = [canonical.decode(line) for line in await store.read(hook.stream, hook.seq, teller.LINES_MAX)]
    for line in reversed(fresh):
        if not await _tell_line(told, known, line, hook.seq + len(fresh), 0):
            return None
    return hook.seq + len(fresh)


def _told_now(line: Mapping[str, Any]) -> HookMessage | None:
    """Say when something is told, instead of when it happened."""
    told = hook_message(line)
    return None if told is None else replace(told, timestamp=iso_text(now_ms()))


def _whole_line(line: Mapping[str, Any]) -> HookMessage | None:
    """Tell all that a line says."""
    told = hook_message(line)
    return None if told is None else replace(told, data={**told.data, **line["data"]})


def _with_dice(line: Mapping[str, Any]) -> HookMessage | None:
    """Tell, of a table, what lies in its cups."""
    told = hook_message(line)
    return None if told is None else replace(told, type=f"{told.type} with dice {draw(1)[0] % 6 + 1}")


def _signed_before(kind: str, language: str, secret: bytes, name: str, told: Any, at: int, title: Any) -> Any:
    """Sign a message that is not the one that is sent."""
    post = post_of(kind, language, secret, name, told, at, title)
    return replace(post, body=post.body.replace(b"}}", b"} }"))


def _named_by_time(kind: str, language: str, secret: bytes, name: str, told: Any, at: int, title: Any) -> Any:
    """Call a message otherwise each time that it is sent."""
    return post_of(kind, language, secret, f"{at}-{name}", told, at, title)


def _any_names(_issuer: TokenIssuer, _command: bytes, match: UUID | None = None) -> list[bytes]:
    """Make another hook each time that one is asked for."""
    return _names(_issuer, draw(32), match)


BUGS: Final = (
    Planted(
        "cursor before the post", "was never told of lines", CUT_OFF, ((Teller, "_tell_line", _noted_first),), TOLD
    ),
    Planted(
        "what was refused is not told again", "was never told of lines", DEAF, ((teller, "_failed", _not_again),), TOLD
    ),
    Planted("address off at its first failure", "is told no more", DEAF, ((teller, "_failed", _off_at_once),), TOLD),
    Planted(
        "all taken with the first", "was never told of lines", DEAF, ((MemoryStore, "note_told", _all_taken),), TOLD
    ),
    Planted(
        "lease without an end",
        "still waits to be told",
        CUT_OFF,
        ((MemoryStore, "lease_hooks", _leased_for_good),),
        TOLD,
    ),
    Planted(
        "hook over with the last line",
        "still waits to be told",
        DEAF,
        ((Teller, "_let_go", _over_with_the_last), (MemoryStore, "note_told", _over_whatever_waits)),
        TOLD,
    ),
    Planted("last lines told first", "behind a later one", CALM, ((Teller, "_tell_until", _last_first),), TOLD),
    Planted(
        "time of telling in a message", "in other words than before", DEAF, ((teller, "hook_message", _told_now),), TOLD
    ),
    Planted(
        "whole line in a message", "what the line does not say", CALM, ((teller, "hook_message", _whole_line),), TOLD
    ),
    Planted("dice in a message", "something of dice", CALM, ((teller, "hook_message", _with_dice),), TOLD),
    Planted("another message signed", "with another signature", CALM, ((teller, "post_of", _signed_before),), TOLD),
    Planted(
        "message called otherwise each time", "under another name", CALM, ((teller, "post_of", _named_by_time),), TOLD
    ),
    Planted(
        "hook made again when asked for again",
        "a hook was made twice",
        CALM,
        ((TokenIssuer, "names", _any_names),),
        TOLD,
    ),
)
