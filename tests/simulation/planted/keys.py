"""Bugs of seats with keys: who may act for them, and who draws their seeds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from domain import commands
from domain.match.record import lines_of
from services.matches import handler
from services.matches.secrets import signatures
from services.matches.secrets.repeats import SignedCommands
from tests.simulation.faults import CALM, LIAR
from tests.simulation.planted.bug import Planted
from tests.simulation.schedule import RULES, Shape

KEYED: Final = Shape(rules=(RULES[0],), holds=False, keys=2)
"""A table at which everybody has a key."""
ONE: Final = Shape(rules=(RULES[0],), holds=False, keys=1)
"""One at which one of two draws the seeds of the own seat."""

_deal_secrets = commands.Chance.deal_secrets


def _any_signature(_key: bytes, _message: bytes, _signature: bytes) -> bool:
    """Take any signature for a good one."""
    return True


def _unsigned_as_well(*_asked: object) -> None:
    """Ask for no signature."""


async def _found_nowhere(*_asked: object) -> None:
    """Look nowhere whether a signed command stands in the record."""


def _all_in_custody(chance: commands.Chance, number: int, ctx: bytes, cups: Any, _custody: Iterable[int]) -> Any:
    """Draw the seeds of all seats."""
    return _deal_secrets(chance, number, ctx, cups, tuple(chance.seeds))


def _without_signature(*given: Any) -> Any:
    """Store what a seat has signed, and not that it has."""
    return lines_of(*given[:5])


BUGS: Final = (
    Planted(
        "signature that nobody verifies",
        "was taken that the key of its seat has not signed",
        CALM,
        ((signatures, "ed25519_verify", _any_signature),),
        KEYED,
    ),
    Planted(
        "command without a signature",
        "was taken that the key of its seat has not signed",
        CALM,
        ((signatures, "check_asked", _unsigned_as_well),),
        KEYED,
    ),
    Planted(
        "signed command that comes again is refused",
        "somebody met Refused",
        LIAR,
        ((SignedCommands, "find", _found_nowhere),),
        KEYED,
    ),
    Planted(
        "seed of a player drawn by the house",
        "that its player has not drawn",
        CALM,
        ((commands.Chance, "deal_secrets", _all_in_custody),),
        ONE,
    ),
    Planted(
        "signature that is not stored", "somebody met Untrue", CALM, ((handler, "lines_of", _without_signature),), KEYED
    ),
)
