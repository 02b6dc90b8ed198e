"""Requests to a house, sent again as the same where no answer comes, or the house is too busy for one.

A token is shown once, in the answer to a request: asked for anew, it would be another one, of another thing.
"""

from __future__ import annotations

import math
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
"""How long to wait before something is sent again, unless the house says how long; longer each time."""
WAIT_S_MAX: Final = 10.0
BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


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
            httpx.TransportError: Nobody answers.
        """
        return answer_or_fail(self._answer(self.client.build_request("GET", path))).content

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
        return answer_or_fail(self._answer(self.client.build_request(method, path, json=body, headers=headers))).content

    def send_list(self, path: str, content: bytes, media_type: str) -> httpx.Response:
        """Send a list, and return the answer, be it a no. Where none comes it is sent again, and counts once.

        Raises:
            httpx.TransportError: Nobody answers.
        """
        headers = {"Content-Type": media_type, "Idempotency-Key": draw(16).hex()}
        return self._answer(self.client.build_request("POST", path, content=content, headers=headers))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        for number in range(1, TRIES):
            wait_s = number * WAIT_S
            try:
                answer = self.client.send(request)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code not in BUSY:
                    return answer
                wait_s = _wait_of(answer, wait_s)
            Event().wait(wait_s)
        return self.client.send(request)


def _wait_of(answer: httpx.Response, usual: float) -> float:
    """Return how many seconds a busy house wants to be left alone, as far as anybody waits for it."""
    try:
        asked = float(answer.headers["Retry-After"])
    except (KeyError, ValueError):
        return usual
    return min(max(asked, 0.0), WAIT_S_MAX) if math.isfinite(asked) else usual


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
