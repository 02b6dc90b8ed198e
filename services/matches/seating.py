"""Seating: who may sit down at a table, and who still sits there.

An invitation opens a private table to whoever has it. It follows from the key of the service and the match's id, so
that it is stored nowhere, and a repeat of what opened the table is given the same one.
"""

from __future__ import annotations

from typing import Final, get_args
from uuid import UUID

from domain import commands, events
from domain.errors import Refused
from domain.match.decide import Decision
from domain.match.evolve import Match
from domain.match.record import stream_of
from infra.store import Card, Cards
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed, VersionPassed
from services.matches.secrets.tokens import TokenIssuer


class Invitations:
    """Cards of tables as they are opened, and the invitations to those that are private."""

    def __init__(self, cards: Cards, tokens: TokenIssuer) -> None:
        """Keep cards here, and make invitations with the key of tokens."""
        self._cards = cards
        self._tokens = tokens

    async def keep(self, match_id: UUID, card: Card) -> None:
        """Keep the card of a match that is about to be opened. A crash behind it leaves the card of no match.

        Raises:
            KeyUsed: The match was opened, or was to be, with another card: so the request is not the same.
        """
        if card != PLAIN and await self._cards.keep_card(stream_of(match_id), card) != card:
            raise KeyUsed

    def of(self, match_id: UUID, card: Card) -> str | None:
        """Return the invitation to a match; None where nobody needs one."""
        return None if card.listed else self._tokens.invite(match_id)

    def check(self, match_id: UUID, card: Card, said: str | None) -> None:
        """Let those sit down who have the invitation, where one is needed.

        Raises:
            Refused: `needs_invite`.
        """
        if not card.listed and (said is None or not self._tokens.is_invite(match_id, said)):
            raise Refused("needs_invite")


PLAYS: Final = get_args(commands.Play)
"""What a seat asks for in play, which a house bot does where it stands in."""


OF_THE_HOST: Final = (
    commands.Start,
    commands.CloseSession,
    commands.EndMatch,
    commands.NameKey,
    commands.HostCommand,
)
"""What only the host asks for, or the house itself."""


def check_asker(match: Match, command: commands.MatchCommand, ask: CommandMetadata) -> None:
    """Let nobody ask for a seat that was given up, play one that a house bot plays, or ask for what only the host may.

    The append is at the version of this match, so that nobody comes or goes in between.

    Raises:
        Refused: `unknown_player`, `not_the_host`, `stood_in`.
        VersionPassed: It is meant for another turn.
    """
    if ask.turn is not None and ask.turn != match.begun.version:
        raise VersionPassed(match.version)
    if match.ended:
        return
    if ask.holder is not None and not ask.holder.sits_in(match):
        raise Refused("unknown_player")
    if isinstance(command, OF_THE_HOST):
        check_host(match, ask)
    if ask.holder is None:
        return
    if match.seated[ask.holder.seat].stand_in and isinstance(command, PLAYS):
        raise Refused("stood_in")


def check_host(match: Match, ask: CommandMetadata) -> None:
    """Let nobody ask for what the host may who is not the host at this version. The house itself may.

    Raises:
        Refused: `not_the_host`.
    """
    theirs = ask.opener if match.host is None else ask.holder is not None and ask.holder.seat == match.host
    if (ask.opener or ask.holder is not None) and not theirs:
        raise Refused("not_the_host")


def seat_taken(made: Decision) -> int | None:
    """Return the seat that somebody takes with a decision."""
    return next((event.seat for event in made.events if isinstance(event, events.SeatJoined)), None)
