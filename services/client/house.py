"""A house as its clients reach it: what it says over HTTP, and what cannot be done with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import httpx
import msgspec

CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0


class CannotDo(Exception):  # noqa: N818 - named for what happened
    """What was asked cannot be done; the message is the sentence for whoever asked.

    Attributes:
        code: The code of the problem, as `/problems` lists them; None if it was not the service that said no.
        refusal: The note of the log that a signed command was heard and refused, where there is one.
    """

    def __init__(self, message: str, code: str | None = None, refusal: str | None = None) -> None:
        """Say what cannot be done."""
        super().__init__(message)
        self.code = code
        self.refusal = refusal


class SeatLost(CannotDo):
    """A seat is no longer ours: it was given up while the table waited for players, or the host has taken it out.

    Attributes:
        reason: Why the host did, as `game.kicked` has it; None where it was given up.
        is_open: Whether somebody may sit down there again.
    """

    def __init__(self, reason: str | None, *, is_open: bool) -> None:
        """Say that the seat is gone."""
        super().__init__("the seat was given up" if reason is None else f"the host took the seat out ({reason})")
        self.reason = reason
        self.is_open = is_open


def base_of(given: str) -> str:
    """Return the address of a house as requests need it.

    Raises:
        CannotDo: It is no address.
    """
    base = given.rstrip("/")
    try:
        known = httpx.URL(base).scheme in {"http", "https"}
    except httpx.InvalidURL:
        known = False
    if not known:
        raise CannotDo(f"{base} is no address: one looks like http://127.0.0.1:8000")
    return base


def origin_of(page: str) -> str | None:
    """Return the address of the house of which a page is; None if it is no address."""
    found = re.match(r"https?://[^/]+", page)
    return None if found is None else found[0]


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
def house(base: str) -> Iterator[httpx.Client]:
    """Lend a client of the service at this address.

    Raises:
        CannotDo: The service cannot be reached, or says no.
    """
    try:
        with httpx.Client(base_url=f"{base}/api/v1", timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S)) as client:
            yield client
    except httpx.TransportError as error:
        raise CannotDo(f"nobody answers at {base}: is `truecup up` running? ({type(error).__name__})") from error


@contextmanager
def kept_here(*, after: str = "") -> Iterator[None]:
    """Lend a place in which something is kept on this device.

    Args:
        after: What is to be said before that it cannot be.

    Raises:
        CannotDo: It cannot be kept: a disk may be full.
    """
    try:
        yield
    except OSError as trouble:
        raise CannotDo(f"{after}{trouble.filename} cannot be written: {trouble.strerror}") from trouble


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


def members_or_fail(answer: httpx.Response) -> dict[str, Any]:
    """Return the members of a document that the house answers with.

    Raises:
        CannotDo: The house said no, or what nobody understands.
    """
    with read_reply():
        return msgspec.json.decode(answer_or_fail(answer).content, type=dict[str, Any])


def accepted(said: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the socket if it is a yes.

    Raises:
        CannotDo: The service said no; in its own words.
    """
    if said.get("status") == HTTPStatus.OK:
        return said
    raise _refusal(said, "for no reason")


def _refusal(problem: dict[str, Any], otherwise: str) -> CannotDo:
    title, detail = problem.get("title"), problem.get("detail")
    # A house of before says its title twice.
    said = title or detail or otherwise
    more = f" ({detail})" if title and detail and detail != title else ""
    code, refusal = problem.get("code"), problem.get("refusal")
    noted = refusal if isinstance(refusal, str) else None
    return CannotDo(f"the service said no: {said}{more}", code if isinstance(code, str) else None, noted)
