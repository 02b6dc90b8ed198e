"""A duel to the bytes of a policy: solved, rounded, proved, and only then written."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Final

from domain.strategy.duels.best_reply import Guarantees, guarantees_of
from domain.strategy.duels.duel import Duel
from domain.strategy.duels.solved import read_table, write_table
from domain.strategy.policies.facts import facts_of_duel
from domain.strategy.policies.files import write_policy
from services.solver.rounding import tables_of
from services.solver.sequence_form import METHODS, Method, solve

DIGITS_MAX: Final = 40
"""Fractions with longer parts are rounded in a certificate, away from the other bound."""


def policy_of(duel: Duel) -> bytes:
    """Return the policy of a duel, with what was proved of it. Cost: `services.solver.effort`.

    Raises:
        NoSolution: The solver gave up.
    """
    found: list[tuple[Guarantees, bytes]] = []
    for method in METHODS:
        found.append(_proved(duel, method))
        # One corner is as good as another if its fractions were found; else the next one may have simpler ones.
        if not _width(found[-1][0]):
            break
    certificate, table = min(found, key=lambda one: _width(one[0]))
    return write_policy(
        "solved", duel.name, {}, applies=facts_of_duel(duel), certificate=_short(certificate), table=table
    )


def _proved(duel: Duel, method: Method) -> tuple[Guarantees, bytes]:
    table = write_table(tables_of(duel, solve(duel, method)))
    return guarantees_of(read_table(duel, table)), table


def _width(certificate: Guarantees) -> Fraction:
    return certificate.upper - certificate.lower


def _short(certificate: Guarantees) -> Guarantees:
    parts = (certificate.lower, certificate.upper)
    if all(len(str(part)) <= DIGITS_MAX for part in parts):
        return certificate
    scale = 10**9
    return Guarantees(Fraction(floor(parts[0] * scale), scale), Fraction(ceil(parts[1] * scale), scale))
