"""Bugs of what nobody may know yet: secrets of deals, tokens, and who was served which dice."""

from __future__ import annotations

from typing import Any, Final

import structlog

from domain import commands
from domain.match.ceremony import deal_secrets_of
from infra.entropy import draw
from infra.sealing import Sealing
from infra.store import Unavailable
from services.matches import handler, optimistic
from services.matches.handler import CommandHandler
from services.matches.reads import queries
from services.matches.reads.access_log import AccessLog
from services.matches.reads.queries import MatchQueries
from services.matches.secrets.vault import Vault
from services.relay.publisher import Publisher
from services.tournaments import deciding
from tests.simulation.faults import CALM, KILLER
from tests.simulation.planted.bug import CLOSED, Planted
from tests.simulation.schedule import RULES, Shape

log = structlog.get_logger(__name__)

_unwrap = Vault._unwrap
_wrap = Vault.wrap
_sealed, _unsealed = Sealing.wrap, Sealing.unwrap
_submit = CommandHandler._append
_bearer = MatchQueries.bearer
_ensure_recorded = AccessLog.ensure_recorded
DEALS: Final = Shape(rules=(next(rules for rules in RULES if rules.get("deal_per") == "round"),))
"""A table with a deal for each round."""


async def _dealt_anew(vault: Vault, stream: str, ceremony: Any) -> Any:
    """Draw the secret of a deal again where it is not in memory, as after a crash."""
    kept = await _unwrap(vault, stream, ceremony)
    return deal_secrets_of(ceremony, draw(32), dict(kept.seeds))


def _plain(_sealing: Sealing, secret: bytes, _name: bytes) -> bytes:
    """Store a secret as it is."""
    return secret


def _of_any_deal(sealing: Sealing, secret: bytes, _name: bytes) -> bytes:
    """Wrap a secret, and bind it to nothing."""
    return _sealed(sealing, secret, b"secret")


def _opened_for_any_deal(sealing: Sealing, wrapped: bytes, _name: bytes) -> bytes:
    return _unsealed(sealing, wrapped, b"secret")


def _one_secret(command: Any, match: Any) -> Any:
    """Let all deals have one secret."""
    chance = commands.Chance(b"one secret for all of the deals!", {seat: draw(32) for seat in match.seated})
    return type(command)(chance)


def _token_itself(token: str) -> bytes:
    """Store a token, and not a hash of it."""
    return token.encode()


async def _token_logged(matches: MatchQueries, token: str) -> Any:
    """Say in the log who asks, by the token."""
    log.info("seat.asks", token=token)
    return await _bearer(matches, token)


def _noted_secrets(vault: Vault, stream: str, secrets: dict[str, bytes]) -> Any:
    if secrets:
        vault.__dict__["_noted"] = secrets
    return _wrap(vault, stream, secrets)


async def _secrets_in_a_fault(handled: CommandHandler, *given: Any, **named: Any) -> Any:
    """Say in a fault what could not be stored."""
    try:
        return await _submit(handled, *given, **named)
    except Unavailable as trouble:
        raise Unavailable(f"not stored: {handled._sealing.__dict__.get('_noted')}") from trouble


async def _dice_logged(_publisher: Publisher, step: Any, private: Any, *_given: Any, **_named: Any) -> None:
    """Say in the log what seats are told."""
    keeper = await private.keeper(step[0].match)
    log.info("relay.tells", version=step[0].match.version, dice=None if keeper is None else keeper.seeds)


async def _nothing_on_record(*_given: object) -> tuple[None, None]:
    """Let a seat know its dice, and put nothing on record."""
    return None, None


async def _not_recorded(*_given: object) -> None:
    """Serve dice that are not on record."""


_DIGESTS: Final = tuple((module, "digest", _token_itself) for module in (handler, queries, optimistic, deciding))
BUGS: Final = (
    Planted("dice drawn anew after a crash", "was shown another frame", KILLER, ((Vault, "_unwrap", _dealt_anew),)),
    Planted(
        "secret stored as it is",
        "a secret is stored so that others can read it",
        CALM,
        ((Sealing, "wrap", _plain), (Sealing, "unwrap", _plain)),
    ),
    Planted(
        "secret that is bound to no deal",
        "a secret is stored so that others can read it",
        CALM,
        ((Sealing, "wrap", _of_any_deal), (Sealing, "unwrap", _opened_for_any_deal)),
    ),
    Planted(
        "one secret for all deals", "two deals have one secret", CALM, ((handler, "with_chance", _one_secret),), DEALS
    ),
    Planted("token stored as it is", "a token is stored as it is", CALM, _DIGESTS),
    Planted("token in a log line", "a line of the log tells a token", CALM, ((MatchQueries, "bearer", _token_logged),)),
    Planted(
        "secret of a deal in an exception",
        "a line of the log tells a secret",
        CLOSED,
        ((Vault, "wrap", _noted_secrets), (CommandHandler, "_append", _secrets_in_a_fault)),
        DEALS,
    ),
    Planted(
        "dice in a log line", "a line of the log speaks of dice", CALM, ((Publisher, "_tell_seats", _dice_logged),)
    ),
    Planted(
        "dice that are served and not on record",
        "INCOMPLETE",
        CALM,
        ((CommandHandler, "_access_lines", _nothing_on_record), (AccessLog, "ensure_recorded", _not_recorded)),
    ),
)
