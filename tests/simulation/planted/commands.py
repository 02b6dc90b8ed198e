"""Bugs of those who take commands: what is stored, with what, and what is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.match.evolve import is_halted
from infra.entropy import draw
from infra.store import Append, Appended, Conflict, KeyReused, Outcome, Recorded, Repeated, Unavailable, shard_of
from infra.store.memory import MemoryStore
from services.bots import player
from services.bots.agenda import BotTurn
from services.bots.playing import level_of
from services.matches import handler, optimistic
from services.matches.handler import CommandHandler
from services.matches.requests import Answer
from services.matches.secrets import tokens
from tests.simulation.faults import CALM, KILLER, LIAR
from tests.simulation.planted.bug import ALONE, HARD, LEAPT, TORN, TWO, Planted
from tests.simulation.schedule import RULES

_append = optimistic.append
_against = MemoryStore._against
_stored = MemoryStore._append
_digest = tokens.digest
_answer = CommandHandler._answer
_find_answer = CommandHandler._find_answer


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
    version = store._grown(append.stream)[0]
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
        store._commands.pop((append.stream, append.command), None)
    return outcome


async def _token_drawn_anew(*_asked: object) -> str:
    """Give whoever asks again another token than the first time."""
    return f"truecup_seat_{draw(32).hex()[:43]}"


def _without(member: str, nothing: object) -> Callable[[MemoryStore, Append], Outcome]:
    """Return a store that has a part of every fourth command in another transaction, which is never made."""

    def stored(store: MemoryStore, append: Append) -> Outcome:
        lost = len(store._streams.get(append.stream, ())) % 4 == 3 or member == "tokens"
        return _stored(store, replace(append, **{member: nothing}) if lost else append)

    return stored


async def _published_before_commit(store: Any, command: Append, kind: type[Any]) -> Any:
    """Tell followers of lines before they are stored, at the places that they are going to have."""
    shard = shard_of(command.stream)
    end = (await store.positions())[shard]
    lines = [
        Recorded(end + place, command.stream, command.expected + place - 1, line)
        for place, line in enumerate(command.lines, start=1)
    ]
    store.on_commit(shard, lines)
    return await _append(store, command, kind)


async def _key_of_another(store: Any, command: Append, kind: type[Any]) -> Any:
    """Answer whoever comes with the key of another request as that one was answered."""
    outcome = await store.append(command)
    if isinstance(outcome, KeyReused):
        outcome = Repeated((await store.answer(command.stream, command.command))[1])
    return msgspec.json.decode(outcome.answer, type=kind) if isinstance(outcome, Repeated) else outcome


async def _repeat_without_token(_handler: CommandHandler, _match: object, answer: Answer, _ask: object) -> Answer:
    """Answer a repeat as it is stored, which is without the token."""
    return answer


def _receipt_of_the_line_before(
    handled: CommandHandler, match_id: Any, version: int, head: str, seat: Any = None
) -> Answer:
    """Sign a receipt for the place before."""
    receipt = None if handled._signs is None else handled._signs(f"match/{match_id}", max(0, version - 2), head)
    return replace(_answer(handled, match_id, version, head, seat), receipt=receipt)


async def _memory_says_no(
    cached: Callable[[], Awaitable[Any]], load: Callable[[], Awaitable[Any]], attempt: Any
) -> Any:
    """Refuse by what is in memory, which may be behind what others have stored."""
    for _ in range(optimistic.TRIES_MAX):
        made = await attempt(await cached())
        if made is not None:
            return made
        await load()
    raise Unavailable("others were first too often")


async def _refused_though_stored(handled: CommandHandler, match_id: Any, ask: Any) -> Any:
    """Look for a stored answer in matches that others have not moved meanwhile: where it is needed, it is not found."""
    found = await _find_answer(handled, match_id, ask)
    return None if found is not None and found.version == (await handled.load_match(match_id)).version else found


def _now_alone(now: int, _before: int = 0) -> int:
    """Stamp a line with the time that it is, be it before that of the last line."""
    return now


def _anybodys_turn(match: Any, pause_ms: int) -> BotTurn | None:
    """Let a bot of the house play whoever's turn it is."""
    if match.table is None or match.ended or match.table.turn is None or is_halted(match):
        return None
    seat, at = match.table.turn, match.begun.at
    level = level_of(match.seated[seat])
    return BotTurn(at, at + pause_ms, match.id, seat, match.begun.version, level, began_at=at)


BUGS: Final = (
    Planted("bot that plays for a person", "whom nobody played", CALM, ((player, "turn_of", _anybodys_turn),), ALONE),
    Planted(
        "acknowledged before it is stored",
        "was acknowledged and is not there",
        TORN,
        ((optimistic, "append", _acknowledged_too_soon),),
    ),
    Planted(
        "conflict swallowed",
        "a token that was given out is not known",
        CALM,
        ((optimistic, "append", _conflict_swallowed),),
        replace(TWO, rules=(RULES[2],)),
    ),
    Planted(
        "retry does not look whether it was stored",
        "was refused and is there",
        LIAR,
        ((MemoryStore, "_against", _commands_forgotten), (CommandHandler, "_find_answer", _no_stored_answer)),
    ),
    Planted(
        "idempotency row in another transaction",
        "is not in its place",
        LIAR,
        ((MemoryStore, "_append", _idempotency_row_lost),),
    ),
    Planted(
        "token drawn anew for a repeat",
        "was answered otherwise when it was sent again",
        HARD,
        ((optimistic, "token_of_command", _token_drawn_anew),),
    ),
    Planted("version not compared", "a command for version", HARD, ((optimistic, "check_version", _any_version),)),
    Planted(
        "tokens in another transaction",
        "a token that was given out is not known",
        CALM,
        ((MemoryStore, "_append", _without("tokens", ())),),
    ),
    Planted(
        "secrets in another transaction",
        "KeyError('deal/0')",
        KILLER,
        ((MemoryStore, "_append", _without("secrets", ())),),
    ),
    Planted(
        "anchors in another transaction",
        "an anchor is not in the log",
        CALM,
        ((MemoryStore, "_append", _without("anchors", ())),),
    ),
    Planted(
        "access lines in another transaction", "INCOMPLETE", CALM, ((MemoryStore, "_append", _without("access", None)),)
    ),
    Planted(
        "published before it is stored",
        "was asked for what cannot be",
        TORN,
        ((optimistic, "append", _published_before_commit),),
        TWO,
    ),
    Planted(
        "key of another request", "a key was taken for two requests", CALM, ((optimistic, "append", _key_of_another),)
    ),
    Planted(
        "repeat without its token",
        "was answered otherwise when it was sent again",
        HARD,
        ((CommandHandler, "_with_token", _repeat_without_token),),
    ),
    Planted(
        "receipt of another line",
        "the server signed another line here",
        CALM,
        ((CommandHandler, "_answer", _receipt_of_the_line_before),),
    ),
    Planted(
        "memory says no",
        "was refused by an older match than was shown",
        CALM,
        ((optimistic, "decide_with_retries", _memory_says_no),),
        TWO,
    ),
    Planted(
        "refused though it is stored",
        "was refused and is there",
        TORN,
        ((CommandHandler, "_find_answer", _refused_though_stored),),
    ),
    Planted("time goes back", "time runs backwards", LEAPT, ((handler, "max", _now_alone),)),
)
