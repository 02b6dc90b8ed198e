"""Requests about seasons and players: sent again as the same where no answer comes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import Event
from typing import Any, Final, Literal

import httpx
import msgspec
from msgspec import Struct

from infra.entropy import draw
from services.cli.house import address, house
from services.client.house import answer_or_fail, read_reply

TRIES: Final = 4
WAIT_S: Final = 0.4
"""How long to wait before something is sent again; longer each time."""


class AskedHouse(Struct, frozen=True):
    """A house that is asked.

    Attributes:
        base: Its address.
    """

    base: str
    client: httpx.Client

    def get(self, path: str) -> bytes:
        """Return what there is at a path.

        Raises:
            CannotDo: The service says no.
        """
        return answer_or_fail(self.client.get(path)).content

    def ask(
        self,
        method: Literal["POST", "DELETE"],
        path: str,
        *,
        body: dict[str, Any] | None = None,
        token: str | None = None,
        key: str | None = None,
    ) -> bytes:
        """Ask for something to happen, and return the answer. Where none comes it is asked for again, and happens once.

        Args:
            method: How.
            path: Where.
            body: What is sent.
            token: Whose word it is.
            key: What makes it the same request as another; a new one if nothing is said.

        Raises:
            CannotDo: The service says no.
            httpx.TransportError: Nobody answers.
        """
        headers = {"Idempotency-Key": key or draw(16).hex()}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        for number in range(1, TRIES):
            try:
                answer = self.client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                    return answer_or_fail(answer).content
            Event().wait(number * WAIT_S)
        return answer_or_fail(self.client.request(method, path, json=body, headers=headers)).content


@contextmanager
def asked_house(url: str | None) -> Iterator[AskedHouse]:
    """Lend a house to ask.

    Raises:
        CannotDo: It cannot be reached.
    """
    with house(url) as client:
        yield AskedHouse(address(url), client)


class Earned(Struct, frozen=True):
    """An id, and the token that came with it."""

    name: str
    token: str


def earned(answer: bytes, member: str) -> Earned:
    """Return what an answer brings: the id below this name, and the token.

    Raises:
        CannotDo: It is no such answer.
    """
    with read_reply():
        said = msgspec.json.decode(answer, type=dict[str, Any])
        return Earned(str(said[member]), str(said["token"]))
