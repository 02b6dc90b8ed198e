"""Answers of seasons and of players: what an accepted command came to, and what there is not."""

from __future__ import annotations

from msgspec import Struct

from domain.ids import Version
from services.matches.secrets.tokens import Role


class SeasonAnswer(Struct, frozen=True, omit_defaults=True):
    """What an accepted command of a season came to.

    Attributes:
        version: The version it led to.
        head: The hash of the last line it wrote.
        role: What the token lets somebody do, if one was earned.
        token: What the host is known by from now on; never stored.
        receipt: The log's signed note of that line, as matches have it.
    """

    season: str
    version: Version
    head: str
    role: Role | None = None
    token: str | None = None
    receipt: str | None = None


class PlayerAnswer(Struct, frozen=True):
    """A player, and the token that the player is known by from now on; it is never stored."""

    player: str
    token: str


class UnknownSeason(Exception):  # noqa: N818 - named for what happened
    """No season has this id."""


class UnknownPerson(Exception):  # noqa: N818 - named for what happened
    """Nobody is a player of this id."""
