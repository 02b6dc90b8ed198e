"""Answers and askers of tournaments: what an accepted command came to, and who a token speaks for."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.ids import Version
from services.matches.secrets.tokens import Role


class Entered(Struct, frozen=True, omit_defaults=True):
    """Somebody of a list that was entered.

    Attributes:
        number: The number of the entrant.
        by: The entrant's id, as lines have it.
        token: What the entrant is known by from now on; never stored.
    """

    number: int
    by: str
    token: str | None = None


class TournamentAnswer(Struct, frozen=True, omit_defaults=True):
    """What an accepted command of a tournament came to.

    Attributes:
        version: The version it led to.
        head: The hash of the last line it wrote.
        role: What the token lets somebody do, if one was earned.
        number: The number of the entrant it is for.
        by: The id of whom it is for, as lines have it.
        token: What the entrant or the official is known by from now on; never stored.
        receipt: The log's signed note of that line, as matches have it.
        entered: Of a list, who was entered, in its order.
    """

    tournament: str
    version: Version
    head: str
    role: Role | None = None
    number: int | None = None
    by: str | None = None
    token: str | None = None
    receipt: str | None = None
    entered: tuple[Entered, ...] = ()


class BoardAnswer(Struct, frozen=True):
    """What a step of a board came to.

    Attributes:
        version: The version it led to.
        head: The hash of the last line it wrote.
    """

    board: str
    version: Version
    head: str


class Beside(Struct, frozen=True):
    """What is stored beside the lines of a command.

    Attributes:
        people: Display names of those it enters, by id.
        called: What people whom it enters are called, which nobody else may be; bots bring names that are the house's.
        note: The text that its line names by a hash.
        restricted: Whether that text is for officials only.
    """

    people: tuple[tuple[str, str], ...] = ()
    called: tuple[str, ...] = ()
    note: str | None = None
    restricted: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What those are called whom it enters."""
        return self.called or tuple(name for _, name in self.people)


NOTHING: Final = Beside()


def named(player: str, name: str | None, *, kept: bool) -> Beside:
    """Return what is stored of what somebody is called who enters, unless that is kept already, or was erased."""
    return Beside(people=() if kept or name is None else ((player, name),), called=() if name is None else (name,))


class TournamentBearer(Struct, frozen=True):
    """Who a token speaks for in a tournament.

    Attributes:
        by: The id of the official or the entrant, as lines have it.
        number: The entrant's number.
    """

    tournament: UUID
    role: Role
    by: str
    number: int | None = None


class UnknownTournament(Exception):  # noqa: N818 - named for what happened
    """No tournament has this id."""


class UnknownBoard(Exception):  # noqa: N818 - named for what happened
    """No board has this id."""
