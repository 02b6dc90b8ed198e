"""Request headers: who asks, and under which idempotency key.

The rate is counted before a token is looked up, and the token is looked up before the match.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final
from uuid import UUID

from litestar import Request
from litestar.params import FromPath
from msgspec import Struct

from infra.entropy import draw
from services.api.dependencies import Acting, Dependencies, Reading
from services.http import bodies
from services.http.etags import expected_versions
from services.http.fields import field_of
from services.http.front.addresses import network_of
from services.http.front.rates import Rate, Rates
from services.http.problems import HttpProblem
from services.matches.requests import ANONYMOUS, CommandMetadata, scope_of
from services.matches.secrets.tokens import Bearer, Holder

AnyRequest = Request[Any, Any, Any]

_KEY: Final = re.compile(r"[\x21-\x7e]{16,128}")
VARIETY_MIN: Final = 8
"""How many different characters a key has that earns a token. Whoever sends the same key and body gets the same token,
so `aaaaaaaaaaaaaaaa` would be a password that everybody knows. Of the random keys people send hardly any has fewer: one
in 28 million of 128 bits in hexadecimal, fewer of UUIDs, and of the same bits in base64."""
_FORM: Final = "truecup_(?:host|seat|arbiter|entrant|player)_[A-Za-z0-9_-]{43}"
_TOKEN: Final = re.compile(rf"Bearer ({_FORM})", re.IGNORECASE)
_BARE: Final = re.compile(_FORM)


class Newcomer(Struct, frozen=True):
    """Who asks without a token.

    Attributes:
        ask: The request's identity.
        body: What was sent.
    """

    ask: CommandMetadata
    body: bytes


class Asker(Struct, frozen=True):
    """Who asks, with what they have seen.

    Attributes:
        ask: The request's identity.
        bearer: Who the token speaks for.
        matches: The matches of the house, as whoever shows this token may change them.
        body: What was sent.
    """

    ask: CommandMetadata
    bearer: Bearer
    matches: Acting
    body: bytes

    def holder(self) -> Holder:
        """Return the asker's seat, and who holds it.

        Raises:
            HttpProblem: `not_a_seat`.
        """
        return _holder_of(self.bearer)


class ViewerOf(Struct, frozen=True):
    """Who looks.

    Attributes:
        bearer: Who the token speaks for; None without one.
        matches: The matches of the house, as whoever shows this token, or none, may see them.
    """

    bearer: Bearer | None
    matches: Reading

    @property
    def holder(self) -> Holder | None:
        """Whose seat looks; None for the host and whoever shows no token, who see what spectators see."""
        return None if self.bearer is None else self.bearer.holder

    def own_seat(self) -> Holder:
        """Return whose seat looks, where only a seat may.

        Raises:
            HttpProblem: `no_token`, `not_a_seat`.
        """
        return _holder_of(self.bearer)


def _holder_of(bearer: Bearer | None) -> Holder:
    if bearer is None:
        raise HttpProblem("no_token")
    if bearer.holder is None:
        raise HttpProblem("not_a_seat")
    return bearer.holder


async def newcomer(request: AnyRequest) -> Newcomer:
    """Return the asker of a request that needs no token; a token shown anyway is not looked at.

    Raises:
        HttpProblem: `too_many_requests`, `weak_idempotency_key`, or a header that cannot be read.
    """
    found = await stranger(request)
    check_earning(found.ask)
    return found


async def stranger(request: AnyRequest) -> Newcomer:
    """Return the asker of a request that shows no token, and takes what it brings instead.

    Raises:
        HttpProblem: `too_many_requests`, or a header that cannot be read.
    """
    parts, rates = house_of(request)
    rates.check("writes", Rate(parts.bounds.writes_per_s), network_of(request.scope))
    return Newcomer(*await identity_of(request, ANONYMOUS))


def check_earning(ask: CommandMetadata) -> None:
    """Check that the key of a request that earns a token is as hard to guess as one.

    Raises:
        HttpProblem: `weak_idempotency_key`.
    """
    if len(set(ask.key)) < VARIETY_MIN:
        raise HttpProblem("weak_idempotency_key", characters=len(set(ask.key)), least=VARIETY_MIN)


async def asker(request: AnyRequest, match_id: FromPath[UUID]) -> Asker:
    """Return the asker of a request on a match.

    Raises:
        HttpProblem: `too_many_requests`, `no_token`, `bad_token`, `foreign_token`, or a header that cannot be read.
        UnknownMatch: There is no such match.
    """
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    return await asker_by(token, request, match_id)


async def asker_by(token: str, request: AnyRequest, match_id: UUID) -> Asker:
    """Return the asker of a request on a match, given the token that it shows; otherwise as `asker`."""
    (parts, rates), scope = house_of(request), scope_of(token)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope)
    bearer = await bearer_of(token, match_id, network_of(request.scope), parts, rates)
    ask, body = await identity_of(request, scope, bearer)
    return Asker(ask, bearer, parts.matches.for_token(token), body)


async def viewer(request: AnyRequest, match_id: FromPath[UUID]) -> ViewerOf:
    """Return who looks at a match. Looking spends nothing of what the token may write.

    Raises:
        HttpProblem: `bad_token`, `foreign_token`.
        UnknownMatch: The token is foreign, and there is no such match.
    """
    token, (parts, rates) = token_of(request), house_of(request)
    if token is None:
        return ViewerOf(None, parts.matches)
    bearer = await bearer_of(token, match_id, network_of(request.scope), parts, rates)
    return ViewerOf(bearer, parts.matches.for_token(token))


def house_of(request: AnyRequest) -> tuple[Dependencies, Rates]:
    """Return the parts of the interface and its rates, which the application keeps for all its requests."""
    state = request.app.state
    return state.parts, state.rates


async def bearer_of(token: str, match_id: UUID, network: str, parts: Dependencies, rates: Rates) -> Bearer:
    """Return who a token of this form speaks for in a match; guesses are counted by network.

    Raises:
        HttpProblem: `bad_token`, `foreign_token`, `too_many_requests`.
        UnknownMatch: The token is foreign, and there is no such match.
    """
    bearer = await parts.matches.bearer(token)
    if bearer is None:
        rates.check("guesses", Rate(parts.bounds.writes_per_s), network)
        raise HttpProblem("bad_token")
    if bearer.match != match_id:
        await parts.matches.view(match_id, None)
        raise HttpProblem("foreign_token")
    return bearer


def token_of(request: AnyRequest) -> str | None:
    """Return the token that a request shows; None where it shows none.

    Raises:
        HttpProblem: `bad_token`: this has not the form of one.
    """
    shown = _field(request, b"authorization")
    if shown is None:
        return None
    found = _TOKEN.fullmatch(shown.strip())
    if found is None:
        raise HttpProblem("bad_token")
    return found[1]


def checked_token(token: str) -> str:
    """Return a token if it has the form of one.

    Raises:
        HttpProblem: `bad_token`.
    """
    if _BARE.fullmatch(token) is None:
        raise HttpProblem("bad_token")
    return token


async def identity_of(
    request: AnyRequest, scope: str, bearer: Bearer | None = None, most: int = bodies.BODY_MAX
) -> tuple[CommandMetadata, bytes]:
    """Return the identity of a request, and its body of at most so many bytes."""
    expected, key = expected_versions(_field(request, b"if-match")), _key(request)
    body = await bodies.receive(request, most)
    fingerprint = fingerprint_of(request.method, request.scope["path"], body)
    return metadata_of(scope, key, fingerprint, expected, bearer, network_of(request.scope)), body


def metadata_of(
    scope: str,
    key: str,
    fingerprint: bytes,
    expected: tuple[int, ...] | None,
    bearer: Bearer | None,
    network: str | None,
) -> CommandMetadata:
    """Return the identity of a request that came with a token of this bearer, or with none."""
    holder = None if bearer is None else bearer.holder
    opener = bearer is not None and bearer.role == "host"
    return CommandMetadata(scope, key, fingerprint, expected, holder, network, opener)


def _key(request: AnyRequest) -> str:
    key = _field(request, b"idempotency-key")
    if key is None:
        return draw(32).hex()
    return checked_key(key)


def checked_key(key: str) -> str:
    """Return a key if it is an idempotency key.

    Raises:
        HttpProblem: `bad_idempotency_key`.
    """
    if _KEY.fullmatch(key) is None:
        raise HttpProblem("bad_idempotency_key")
    return key


def _field(request: AnyRequest, name: bytes) -> str | None:
    value = field_of(request.scope, name)
    return None if value is None else value.decode("latin-1")


def fingerprint_of(method: str, path: str, body: bytes) -> bytes:
    """Return what tells a repeat of a request from another one with its key."""
    return hashlib.sha256(f"{method}\n{path}\n".encode() + body).digest()
