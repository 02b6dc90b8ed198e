"""Bugs of those who hold tournaments: what is done twice, on what was there before, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from msgspec.structs import replace

from domain.log import canonical
from domain.tournaments.events import TablesPaired
from domain.tournaments.matches import match_outcome
from domain.tournaments.record import lines_of, step
from infra.entropy import draw
from infra.store import Append, Conflict
from services.dealer import steps
from services.dealer.director import Director
from services.dealer.steps import TournamentSteps
from services.matches import optimistic
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata
from services.tournaments import deciding
from services.tournaments.deciding import TournamentDecisions
from services.tournaments.requests import TournamentAnswer
from tests.simulation.faults import CALM, KILLER
from tests.simulation.planted.bug import HARD, Planted
from tests.simulation.schedule import Shape

HELD: Final = Shape(holds=True)
"""A house that holds a tournament."""
HELD_BY_TWO: Final = Shape(layout=("api,relay,dealer,bots", "api,relay,dealer,bots"), holds=True)
"""One that two directors look after."""

_append = optimistic.append
_ask = steps._ask
_open_table = CommandHandler.open_table
_record = TournamentSteps._record
_begin = Director.begin
_look = TournamentSteps.look
_store_together = TournamentDecisions._store_together


def _another_each_time(tournament: Any, key: str, _version: int | None = None) -> CommandMetadata:
    """Ask for a step as somebody who has never asked for it, at whatever version there is."""
    return _ask(tournament, f"{key}/{draw(8).hex()}")


async def _written_behind(store: Any, command: Append) -> Append:
    """Return what was decided on what was there before, as lines behind those that are there now."""
    there = await store.read(command.stream)
    before = there[: command.expected]
    written = None
    happened = []
    for line in (*before, *command.lines):
        written, event = step(written, line)
        happened.append(event)
    at = canonical.decode(there[-1])["at"] + 1
    name = UUID(command.stream.partition("/")[2])
    lines, _ = lines_of(name, len(there), canonical.head(there[-1]), at, happened[len(before) :])
    return replace(command, expected=len(there), lines=lines, anchors=(), secrets=())


async def _mended(store: Any, command: Append, kind: type[Any]) -> Any:
    """Where somebody else was first, store behind it what was decided before."""
    outcome = await _append(store, command, kind)
    if isinstance(outcome, Conflict) and command.stream.startswith("tournament/"):
        return await _append(store, await _written_behind(store, command), kind)
    return outcome


async def _mended_together(decisions: TournamentDecisions, made: Sequence[Any]) -> bool:
    """The same for what was decided together."""
    for asked, one in made:
        outcome = await _mended(decisions._store, one.append, TournamentAnswer)
        asked.tell(outcome if isinstance(outcome, TournamentAnswer) else one.answer)
    return True


async def _opened_again(handled: CommandHandler, match_id: UUID, rules: Any, players: Any) -> None:
    """Open a table that is open already under another name."""
    there = await handled._store.read(f"match/{match_id}", 0, 1)
    await _open_table(handled, UUID(bytes=draw(16), version=4) if there else match_id, rules, players)


async def _line_before(held: TournamentSteps, tournament: Any, at: Any, match: Any) -> bool:
    """Put on record the line before the last of a match."""

    async def submit(of: Any, place: Any, command: Any, version: Any = None) -> bool:
        lines = await held._matches._store.read(f"match/{match.id}")
        other = replace(command, version=match.version - 1, head=canonical.head(lines[-2]))
        return bool(await TournamentSteps._submit_result(held, of, place, other, version))

    held.__dict__["_submit_result"] = submit
    try:
        return bool(await _record(held, tournament, at, match))
    finally:
        del held.__dict__["_submit_result"]


async def _begins_with_nothing(director: Director) -> None:
    """Look, after a restart, at what moves from then on."""
    await _begin(director)
    director._due.clear()


async def _never_answered(*_asked: object) -> None:
    """Look for no stored answer."""


def _last_first(match: Any, seats: tuple[int, ...]) -> Any:
    """Take whoever went out first for the winner."""
    came = match_outcome(match, seats)
    return replace(came, ranking=came.ranking[::-1])


def _seated_as_they_came(event_id: UUID, version: int, head: str, at: int, happened: Sequence[Any]) -> Any:
    """Seat those of a table by their numbers, whatever was drawn."""
    seated = [
        replace(event, tables=tuple((number, tuple(sorted(seats))) for number, seats in event.tables))
        if isinstance(event, TablesPaired)
        else event
        for event in happened
    ]
    return lines_of(event_id, version, head, at, seated)


BUGS: Final = (
    Planted(
        "round paired twice",
        "has rounds with ",
        HARD,
        ((steps, "_ask", _another_each_time), (optimistic, "append", _mended)),
        HELD_BY_TWO,
    ),
    Planted(
        "table counted twice",
        "has a result twice",
        CALM,
        ((steps, "_ask", _another_each_time), (TournamentDecisions, "_store_together", _mended_together)),
        HELD_BY_TWO,
    ),
    Planted(
        "table opened twice",
        "streams that nobody has begun",
        KILLER,
        ((CommandHandler, "open_table", _opened_again),),
        HELD_BY_TWO,
    ),
    Planted(
        "result of another line",
        "a result names a line that ends no match",
        CALM,
        ((TournamentSteps, "_record", _line_before),),
        HELD,
    ),
    Planted(
        "tournaments that went on are forgotten",
        "is not closed",
        KILLER,
        ((Director, "begin", _begins_with_nothing),),
        HELD,
    ),
    Planted(
        "entry that is asked for again is refused",
        "somebody met Refused",
        HARD,
        ((TournamentDecisions, "answered", _never_answered),),
        HELD,
    ),
    Planted(
        "last of a table counted as its first",
        "does not say what its matches do",
        CALM,
        ((steps, "match_outcome", _last_first),),
        HELD,
    ),
    Planted(
        "table seated otherwise than was drawn",
        "who sits where does not follow from the law",
        CALM,
        ((deciding, "lines_of", _seated_as_they_came),),
        HELD,
    ),
)
