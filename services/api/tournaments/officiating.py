"""Routes of officials: words that they erase, and what stands still until they do something."""

from __future__ import annotations

from uuid import UUID

from litestar import Response, delete, get
from litestar.params import FromPath
from msgspec import Struct

from domain.errors import Refused
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.entering import HEADERS, TOKENS
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.tournaments.requests import TournamentBearer


class ErasedNote(Struct, frozen=True):
    """What became of a reason in words.

    Attributes:
        note: The hash by which lines name it.
        erased: Whether there was one; it is gone in any case.
    """

    note: str
    erased: bool


@delete(
    "/tournaments/{tournament_id:uuid}/notes/{note:str}",
    operation_id="erase_note",
    summary="Erase a reason in words",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": ErasedNote, "problems": (*HEADERS, *TOKENS, "not_an_official", "own_ruling")},
)
async def erase_note(
    tournament_id: FromPath[UUID],
    note: FromPath[str],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Erase a text with its salt, for officials. The line that names its hash stays, and so does every proof.

    What an open appeal says against a ruling is erased by another official than who ruled, if there is one.
    """
    erased = await parts.tournaments.erase_note(tournament_id, note, tournament_asker.bearer.by)
    return json_of(ErasedNote(note, erased), headers={"Cache-Control": "no-store"})


class TableTrouble(Struct, frozen=True, tag_field="why", tag="another_match"):
    """A table at which nobody can play: somebody else has opened its match, under other rules.

    The round does not start; tables that are taken back get matches of other ids.

    Attributes:
        match: The match that has its place.
        why: That it has.
    """

    stage: int
    round: int
    table: int
    match: UUID


class PairingTrouble(Struct, frozen=True, tag_field="why", tag="cannot_pair"):
    """A round that cannot be paired as things stand: by the law two would meet who may not, or no table is filled.

    It is tried again whenever something changes: a pair is allowed, tables are fixed by hand (smaller where too few are
    left for any), somebody comes back. A stage in which fewer than two are left ends of itself.

    Attributes:
        pairs: Who may not meet, and would.
        sizes: How many sit at a table, where too few are left for any.
        entrants: Who is left then, by number.
        why: That the round cannot be paired.
    """

    stage: int
    round: int
    pairs: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    entrants: tuple[int, ...]


@get(
    "/tournaments/{tournament_id:uuid}/troubles",
    operation_id="troubles_of_tournament",
    summary="Tables and rounds that wait for officials",
    security=[{"bearer": []}],
    opt={
        "answers": list[TableTrouble | PairingTrouble],
        "problems": ("unknown_tournament", "no_token", "bad_token", "foreign_token", "not_an_official"),
    },
)
async def troubles_of_tournament(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return, for officials, what the director cannot do: open tables whose place is taken, or pair the next round."""
    if tournament_viewer is None:
        raise HttpProblem("no_token")
    if tournament_viewer.by not in (await parts.tournaments.load(tournament_id)).tournament.officials:
        raise Refused("not_an_official")
    found: list[TableTrouble | PairingTrouble] = [
        TableTrouble(at.stage, at.held.number, at.table.number, at.id)
        for at in await parts.tournaments.taken_places(tournament_id)
    ]
    met = await parts.tournaments.hindrance(tournament_id)
    if met is not None:
        found.append(PairingTrouble(met.stage, met.round, met.pairs, met.sizes, met.entrants))
    return json_of(found, headers={"Cache-Control": "no-store"})
