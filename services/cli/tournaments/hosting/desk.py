"""The desk of a host in a terminal: a tournament of a service, and the token that speaks for its host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from infra.entropy import draw
from services.cli.house import address, house
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo, answer_or_fail, match_id, read_reply

FOLDER: Final = "tournaments"
"""In the data folder: a file for each tournament that was announced from here, with the token of its host and, on a
second line, the address of the house that gave it."""
Json = dict[str, Any]


class HostDesk:
    """A tournament, as whoever has the token may ask things of it.

    Attributes:
        tournament: Its id.
    """

    def __init__(self, client: httpx.Client, tournament: str, token: str) -> None:
        """Ask through this client."""
        self._client, self.tournament = client, tournament
        self._headers = {"Authorization": f"Bearer {token}"}

    def post(self, path: str, body: Json) -> Json:
        """Ask for something, and return the answer.

        Raises:
            CannotDo: The service says no.
        """
        key = {"Idempotency-Key": draw(16).hex()}
        address = f"/tournaments/{self.tournament}{path}"
        return _read(answer_or_fail(self._client.post(address, json=body, headers=self._headers | key)))

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
        return _read(answer_or_fail(self._client.get(f"/tournaments/{self.tournament}")))

    def entrants(self) -> list[Json]:
        """Return who has entered."""
        answer = answer_or_fail(self._client.get(f"/tournaments/{self.tournament}/entrants"))
        with read_reply():
            return msgspec.json.decode(answer.content, type=list[Json])


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
    shown = token or _kept(tournament, address(url))
    with house(url) as client:
        yield HostDesk(client, tournament, shown)


def announce(client: httpx.Client, base: str, body: Json) -> Json:
    """Announce a tournament at the house of this address, keep the token of its host, and return the answer.

    Raises:
        CannotDo: The service says no, or the token cannot be kept: then it is in the message, since it is shown once.
    """
    answer = _read(answer_or_fail(client.post("/tournaments", json=body, headers={"Idempotency-Key": draw(16).hex()})))
    with read_reply():
        tournament, token = match_id(answer["tournament"]), str(answer["token"])
    try:
        _keep(tournament, token, base)
    except OSError as trouble:
        raise CannotDo(f"it is announced; its token, {token}, cannot be kept: {trouble.strerror}") from trouble
    return answer


def place_of_token(tournament: str) -> Path:
    """Return where the token of a tournament's host is kept."""
    return folder_of(settings()) / FOLDER / tournament


def _keep(tournament: str, token: str, base: str) -> None:
    """Keep a token where nobody else of this machine reads it."""
    place = place_of_token(tournament)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n{base}\n")


def _kept(tournament: str, base: str) -> str:
    """Return the token that was kept, for the house that gave it and no other.

    Raises:
        CannotDo: There is none, or another house gave it.
    """
    try:
        token, _, giver = place_of_token(tournament).read_text(encoding="utf-8").strip().partition("\n")
    except FileNotFoundError as error:
        raise CannotDo(f"tournament {tournament} was not announced from here: give the token with --token") from error
    except OSError as error:
        raise CannotDo(f"{place_of_token(tournament)} cannot be read: {error.strerror}") from error
    if giver.casefold() != base.casefold():
        whose = f"is for {giver}" if giver else "says no address"
        raise CannotDo(f"the token in {place_of_token(tournament)} {whose} and is not shown to {base}: give --token")
    return token


def _read(answer: httpx.Response) -> Json:
    with read_reply():
        return msgspec.json.decode(answer.content, type=Json)
