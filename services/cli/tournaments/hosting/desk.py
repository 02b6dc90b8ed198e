"""The desk of a host in a terminal: a tournament of a service, and the token that speaks for its host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from services.cli.asking import AskedHouse, asked_house
from services.cli.kept import keep, kept, place_of
from services.client.house import match_id, read_reply

FOLDER: Final = "tournaments"
"""In the data folder: a file for each tournament that was announced from here, with the token of its host."""
Json = dict[str, Any]


class HostDesk:
    """A tournament, as whoever has the token may ask things of it.

    Attributes:
        tournament: Its id.
    """

    def __init__(self, at: AskedHouse, tournament: str, token: str) -> None:
        """Ask this house."""
        self._at, self.tournament, self._token = at, tournament, token

    def post(self, path: str, body: Json) -> Json:
        """Ask for something, and return the answer.

        Raises:
            CannotDo: The service says no.
        """
        return _read(self._at.ask("POST", f"/tournaments/{self.tournament}{path}", body=body, token=self._token))

    def ask(self, kind: str, **members: object) -> Json:
        """Ask for a command; members that are None are left out.

        Raises:
            CannotDo: The service says no.
        """
        said = {name: value for name, value in members.items() if value is not None}
        return self.post("/commands", {"type": kind, **said})

    def view(self) -> Json:
        """Return the tournament as everybody sees it.

        Raises:
            CannotDo: There is none.
        """
        return _read(self._at.get(f"/tournaments/{self.tournament}"))

    def entrants(self) -> list[Json]:
        """Return who has entered."""
        answer = self._at.get(f"/tournaments/{self.tournament}/entrants")
        with read_reply():
            return msgspec.json.decode(answer, type=list[Json])


@contextmanager
def desk(named: str, url: str | None, token: str | None) -> Iterator[HostDesk]:
    """Lend the desk of a tournament.

    Args:
        named: Its id, or the address of a page of it.
        url: Where the service is.
        token: The token of an official; the one that was kept when it was announced from here if nothing is said.

    Raises:
        CannotDo: Nobody answers, or there is no token for whoever would.
    """
    tournament = match_id(named)
    with asked_house(url) as at:
        yield HostDesk(at, tournament, token or kept(place_of_token(tournament), at.base))


def announce(at: AskedHouse, body: Json, token: str | None = None) -> Json:
    """Announce a tournament, keep the token of its host, and return the answer.

    Args:
        at: The house.
        body: What is announced.
        token: That of the host of the season that it is held for, if it is for one.

    Raises:
        CannotDo: The service says no, or the token cannot be kept.
    """
    answer = _read(at.ask("POST", "/tournaments", body=body, token=token))
    with read_reply():
        tournament, earned = match_id(answer["tournament"]), str(answer["token"])
    keep(place_of_token(tournament), earned, at.base)
    return answer


def place_of_token(tournament: str) -> Path:
    """Return where the token of a tournament's host is kept."""
    return place_of(FOLDER, tournament)


def _read(answer: bytes) -> Json:
    with read_reply():
        return msgspec.json.decode(answer, type=Json)
