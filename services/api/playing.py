"""Plays: what a body asks of a running match, done for whoever asks, whichever way it came."""

from __future__ import annotations

from typing import Any, Final, Protocol
from uuid import UUID

from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.match.signed_commands import may_be_handed_in
from domain.table.offers import BidMove, CallMove
from projections.saying import NotUnderstood, parse_command
from services.api.bodies import AnyPlay, Say, command_of, is_of_the_host
from services.api.dependencies import Reading
from services.api.requests import Asker
from services.http.problems import HttpProblem
from services.matches.requests import Answer, CommandMetadata
from services.matches.secrets.tokens import Holder

_ABOUT_CLAIMS: Final = frozenset({"claim_malformed", "face_not_biddable", "count_out_of_range", "claim_not_higher"})
"""Refusals of a claim, to which the legal minimum raises are the help."""


class HandsIn(Protocol):
    """Matches to which whoever has a command brings it."""

    async def hand_in(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command by its signature alone."""


async def answer_play(match_id: UUID, asked: AnyPlay, asker: Asker, everybody: HandsIn) -> Answer:
    """Do what a body asks for, and return what it came to; what another seat has signed, for whoever has it.

    Raises:
        HttpProblem: `not_a_seat`, `not_understood`.
        Refused: A rule says no; of a claim, with the least that might be claimed.
        UnknownMatch: There is no such match.
        VersionPassed: The asker named a version that has passed.
        KeyUsed: The idempotency key belongs to another request.
        Unavailable: The store cannot say yes now.
        Unreadable: This program cannot read the match.
    """
    ask, holder_seat = _signed(asker.ask, asked), None if asker.bearer.holder is None else asker.bearer.holder.seat
    if asked.signed is not None and asked.signed.seat not in {None, holder_seat}:
        return await answer_handed_in(match_id, asked, ask, everybody)
    if is_of_the_host(asked):
        return await asker.matches.submit(match_id, command_of(asked, 0), ask)
    holder = asker.holder()
    command = await _command_of(asker.matches, match_id, holder, asked)
    try:
        return await asker.matches.submit(match_id, command, ask)
    except Refused as refused:
        if not isinstance(command, commands.Bid | commands.ClaimHand) or refused.code not in _ABOUT_CLAIMS:
            raise
        raise Refused(refused.code, **(refused.facts | await _help(asker.matches, match_id, holder))) from refused


async def answer_handed_in(match_id: UUID, asked: AnyPlay, ask: CommandMetadata, everybody: HandsIn) -> Answer:
    """Do what a seat has signed, whoever brings it (CUP/1 section 4.14.7).

    Raises:
        HttpProblem: `no_token`: this takes more than a signature.
        Refused: `bad_signature`, or a rule says no.
        UnknownMatch: There is no such match.
        VersionPassed: The asker named a version that has passed.
        KeyUsed: The idempotency key belongs to another request.
        Unavailable: The store cannot say yes now.
        Unreadable: This program cannot read the match.
    """
    signature = asked.signed
    if signature is None or signature.seat is None or isinstance(asked, Say) or is_of_the_host(asked):
        raise HttpProblem("no_token")
    command = command_of(asked, signature.seat)
    if not may_be_handed_in(command, signature):
        raise HttpProblem("no_token")
    return await everybody.hand_in(match_id, command, replace(ask, signature=signature))


def _signed(ask: CommandMetadata, asked: AnyPlay) -> CommandMetadata:
    """Return the identity of a request with what its command is signed with.

    Raises:
        Refused: `bad_signature`: words are read first and signed after, never the words.
    """
    if asked.signed is None:
        return ask
    if isinstance(asked, Say):
        raise Refused("bad_signature", why="form")
    return replace(ask, signature=asked.signed)


async def _command_of(matches: Reading, match_id: UUID, holder: Holder, asked: AnyPlay) -> commands.MatchCommand:
    """Return what a body asks for; what a text does, the table tells.

    A repeat may be read otherwise; what was stored answers it all the same.

    Raises:
        HttpProblem: `not_understood`.
        Refused: `unknown_player`, as whoever has left the seat is refused everything.
    """
    if not isinstance(asked, Say):
        return command_of(asked, holder.seat)
    view = await matches.view(match_id, holder)
    if view.viewer is None:
        raise Refused("unknown_player")
    try:
        return parse_command(view, asked.text)
    except NotUnderstood as unsaid:
        raise HttpProblem("not_understood", str(unsaid)) from unsaid


async def _help(matches: Reading, match_id: UUID, holder: Holder) -> dict[str, Any]:
    """Return what the seat might claim instead: public facts, as its own view offers them."""
    moves = (await matches.view(match_id, holder)).moves
    for move in moves:
        if isinstance(move, BidMove):
            return {"minimum_raises": move.minimum}
        if isinstance(move, CallMove):
            return {"minimum_raises": [[move.minimum.shape, move.minimum.faces]]}
    return {}
