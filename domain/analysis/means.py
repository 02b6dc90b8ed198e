"""Means of an analysis: the policies it reads and weighs each round with, and how many profiles it draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from domain.analysis.report import UsedPolicy
from domain.ids import RoundNumber
from domain.strategy.level_params import LEVEL_ONE, LevelParams
from domain.strategy.policies.ahead import Ahead
from domain.strategy.policies.files import Policy

SAMPLES: Final = 512
SAMPLES_MIN: Final = 64
SAMPLES_MAX: Final = 65_536


class RoundMeans(Struct, frozen=True):
    """What a round is judged by.

    Attributes:
        play: The policy its moves are read and weighed with.
        table: The round model by which the states between rounds are worth something; None in sessions.
        reason: Why a better policy did not apply, for people; empty where none is better.
        ahead: The solved rounds of two that the match may still come to.
    """

    play: Policy
    table: Policy | None
    reason: str = ""
    ahead: tuple[Ahead, ...] = ()


class Means(Struct, frozen=True):
    """What an analysis is made with.

    Attributes:
        rounds: What each round is judged by that is to be told.
        params: The constants of level 1 by which it is learnt how far to doubt each seat.
        named: Policies that count as used though no round needs them, such as those somebody named.
        samples: How many profiles an estimate is made from.
    """

    rounds: Mapping[RoundNumber, RoundMeans]
    params: LevelParams = LEVEL_ONE
    named: tuple[Policy, ...] = ()
    samples: int = SAMPLES

    @property
    def used(self) -> tuple[UsedPolicy, ...]:
        """The policies of the whole analysis: those of moves as rounds use them first, then of rounds to come."""
        every = [self.rounds[number] for number in sorted(self.rounds)]
        plays = [each.play for each in every]
        tables = [each.table for each in every if each.table is not None]
        ahead = [policy for each in every for _, policy in each.ahead]
        return tuple(map(_used, _once([*plays, *tables, *ahead, *self.named])))


def _once(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    return tuple({policy.digest: policy for policy in policies}.values())


def _used(policy: Policy) -> UsedPolicy:
    proved = policy.certificate
    bounds = None if proved is None else {"lower": str(proved.lower), "upper": str(proved.upper)}
    return UsedPolicy(policy.id, policy.kind, bounds)
