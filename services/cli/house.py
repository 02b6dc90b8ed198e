"""The house as the command line reaches it: where it is, and what it says over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import httpx
import msgspec

from services.cli.exits import CannotDo
from services.cli.settings import folder_of, settings

ADDRESS_FILE: Final = "url"
"""In the data folder: where the service that runs on it can be reached. A stale one is harmless: nobody answers."""
CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0


def address(given: str | None) -> str:
    """Return where the service is: as given, or as the last `truecup up` on this machine noted.

    Raises:
        CannotDo: Nothing was given and nothing is noted, or it is no address.
    """
    base = _note() if given is None else given.rstrip("/")
    try:
        known = httpx.URL(base).scheme in {"http", "https"}
    except httpx.InvalidURL:
        known = False
    if not known:
        raise CannotDo(f"{base} is no address: one looks like http://127.0.0.1:8000")
    return base


def _note() -> str:
    try:
        return (folder_of(settings()) / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise CannotDo("no `truecup up` has run here: say where the service is, with --url") from error


def match_id(text: str) -> str:
    """Return the id of a match, from itself or from the address of its page.

    Raises:
        CannotDo: It is neither.
    """
    for part in text.partition("?")[0].split("/"):
        try:
            return str(UUID(part))
        except ValueError:
            continue
    raise CannotDo(f"{text} is not the id of a match: it looks like 018f4e6a-7c00-4000-8000-000000000001")


@contextmanager
def house(url: str | None) -> Iterator[httpx.Client]:
    """Lend a client of the service.

    Raises:
        CannotDo: The service cannot be reached, or says no.
    """
    base = address(url)
    try:
        with httpx.Client(base_url=f"{base}/api/v1", timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S)) as client:
            yield client
    except httpx.TransportError as error:
        raise CannotDo(f"nobody answers at {base}: is `truecup up` running? ({type(error).__name__})") from error


@contextmanager
def read_reply() -> Iterator[None]:
    """Lend a place in which what a server said is read and put into words.

    Raises:
        CannotDo: It is not what this program knows; whatever is missing or of another kind in it comes out as one of
            these faults.
    """
    try:
        yield
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as trouble:
        raise CannotDo("the server says what this program does not understand") from trouble


def answer_or_fail(answer: httpx.Response) -> httpx.Response:
    """Return the answer if it is one.

    Raises:
        CannotDo: The service said no; in its own words.
    """
    if answer.is_success:
        return answer
    answer.read()
    try:
        problem: dict[str, Any] = msgspec.json.decode(answer.content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        problem = {}
    raise _refusal(problem, answer.reason_phrase)


def accepted(said: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the socket if it is a yes.

    Raises:
        CannotDo: The service said no; in its own words.
    """
    if said.get("status") == HTTPStatus.OK:
        return said
    raise _refusal(said, "for no reason")


def _refusal(problem: dict[str, Any], otherwise: str) -> CannotDo:
    said = problem.get("detail") or problem.get("title") or otherwise
    why = f" ({problem['option']}: {problem['why']})" if {"option", "why"} <= problem.keys() else ""
    return CannotDo(f"the service said no: {said}{why}")
