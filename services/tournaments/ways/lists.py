"""Lists of people to enter: all of them or none, decided one on the other and stored as one.

Each line says what a single entry would, so a record does not tell a list from people who came one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.ids import UnixMs
from domain.tournaments import commands, events
from domain.tournaments.deciding.decide import TournamentDecision, decide
from infra.store import EventStore
from services.matches import optimistic
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.tournaments.cached import CachedTournament
from services.tournaments.requests import Entered

Custody = Literal["client", "server"]
"""Who draws the seeds of a seat: the player's own program, or the house."""


class EntryRow(Struct, frozen=True):
    """A row of a list: somebody to be entered.

    Attributes:
        name: In its normal form.
        seed: The place among the seeds, where the host sets them by hand.
    """

    name: str
    club: str | None = None
    seed: int | None = None
    custody: Custody = "server"


class EntryList(Struct, frozen=True):
    """What a list asks for, row by row."""

    rows: tuple[commands.Register, ...]


def row_name(ask: CommandMetadata, row: int) -> bytes:
    """Return what stands for a row of a list where a single command has its id."""
    return hashlib.sha256(ask.command + b"row" + row.to_bytes(4)).digest()


def decide_list(cached: CachedTournament, asked: EntryList, at: UnixMs) -> TournamentDecision:
    """Decide each row on what those before it led to.

    Raises:
        Refused: A rule says no to one of them, and so to all.
    """
    tournament, happened = cached.tournament, list[events.TournamentEvent]()
    for command in asked.rows:
        made = decide(tournament, command, at, cached.written.head, cached.keeper)
        tournament = made.tournament
        happened += made.events
    # Nobody looks between people who enter, and thousands of folds would take half a gigabyte.
    return TournamentDecision(tuple(happened), tournament, cached.keeper, {}, (tournament,) * len(happened))


def entered_in(made: TournamentDecision) -> tuple[Entered, ...]:
    """Return who was entered, in the order of the list."""
    registered = (event for event in made.events if isinstance(event, events.PlayerRegistered))
    return tuple(Entered(event.number, event.player) for event in registered)


async def with_tokens(
    store: EventStore, tokens: TokenIssuer, tournament_id: UUID, entered: tuple[Entered, ...], ask: CommandMetadata
) -> tuple[Entered, ...]:
    """Return who was entered with their tokens, which were all issued under one key.

    Cost: as that of one token.
    """
    known = await optimistic.token_of_command(store, tokens, tournament_id, "entrant", entered[0].number, ask)
    which = tokens.possible_tokens(tournament_id, "entrant", entered[0].number, ask.command).index(known)

    def each() -> Iterator[Entered]:
        for one in entered:
            possible = tokens.possible_tokens(tournament_id, "entrant", one.number, ask.command)
            yield replace(one, token=possible[which])

    return tuple(each())
