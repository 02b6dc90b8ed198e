"""Live worths: what a match is worth to each seat while a round is bid, as everybody may believe it.

The law of the file: a worth is a function of a public moment and of what is shipped, and of nothing else. It is worked
out beside whoever answers, be it in a process of its own: a round of six seats with five dice each takes some seventy
milliseconds when it is first seen, and each of its moments some six.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

import msgspec
from cachetools import LRUCache

from domain.analysis.joining import stands_under
from domain.analysis.worths.equity import told_public
from domain.analysis.worths.scenes import Sampling, Scene
from domain.ids import Version
from domain.strategy.folding.verdicts import AtStake
from domain.strategy.hands import all_hands
from domain.strategy.reading.beliefs import Belief
from domain.table.state import State
from infra.store import Unavailable
from projections.casting.reads import PublicMoment, TableEquity
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import LEVEL
from services.policies.usual import usual_stakes
from services.work.worker import Worker

DEALS: Final = 64
"""Deals that are drawn where there are more than are gone through."""
DEALS_MAX: Final = 256
"""Deals that are gone through one and all, such as those of a die each."""
ROUNDS_KEPT: Final = 16
"""Rounds whose positions are kept."""
Worths = Callable[[UUID, PublicMoment], Awaitable[TableEquity | None]]
"""What works a moment of a match out, wherever it does; None where that cannot be done.

It may raise `Overtaken`.
"""
_ROUNDS: Final[LRUCache[bytes, AtStake]] = LRUCache(ROUNDS_KEPT)


class Overtaken(Exception):  # noqa: N818 - named for what happened
    """A newer moment of the same match waits, and this one is not worked out now."""


def equity_of(moment: PublicMoment) -> TableEquity:
    """Return what a moment is worth to each seat of its round, over deals that its own digest draws."""
    faces, stakes = moment.state.rules.tokens.faces, _at_stake(moment.begun, moment.dealt)
    dice = {seat: len(moment.state.places[seat].inside) for seat in moment.chances}
    beliefs = {seat: Belief(all_hands(dice[seat], faces), chances) for seat, chances in moment.chances.items()}
    sampling = Sampling(moment.digest, LEVEL, DEALS, DEALS_MAX)
    scene = Scene(stakes, moment.state, beliefs, moment.version, sampling, evaluate)
    found = told_public(scene)
    deals = len(scene.deals({}, "public").deals)
    return TableEquity(dict(sorted(found.items())), deals, stands_under(moment.state.rules))


def _at_stake(begun: State, dealt: State) -> AtStake:
    key = msgspec.msgpack.encode((begun, dealt))
    if key not in _ROUNDS:
        _ROUNDS[key] = usual_stakes(begun, dealt)
    return _ROUNDS[key]


async def worths_here(_match_id: UUID, moment: PublicMoment) -> TableEquity:
    """Work a moment out in a thread."""
    return await asyncio.to_thread(equity_of, moment)


class _Asked:
    """A moment that waits, and whether a newer one has come meanwhile."""

    def __init__(self, version: Version) -> None:
        self.version, self.overtaken = version, False


class _Line:
    """The moments of one match: one that is worked out, and those that wait for that."""

    def __init__(self) -> None:
        self.turn, self.asked, self.waiting = asyncio.Lock(), 0, list[_Asked]()

    def stand(self, version: Version) -> _Asked:
        """Let a moment wait, as the only one that is still to be worked out.

        Raises:
            Overtaken: A newer one waits.
        """
        if any(each.version > version for each in self.waiting):
            raise Overtaken
        for each in self.waiting:
            each.overtaken = True
        self.waiting.append(_Asked(version))
        return self.waiting[-1]


def worths_beside(worker: Worker) -> Worths:
    """Return what works moments out in a process of its own, one after the other, and nothing where there is none.

    Of a match one moment at a time stands in line there, so that whoever follows another match waits for each match
    once, however many follow this one and from wherever. The next one is the newest: those that waited with it and are
    older are `Overtaken`.

    Never here: a process has a limit of memory, and whoever plays has not to wait for whoever watches.
    """
    every: dict[UUID, _Line] = {}

    async def worths(match_id: UUID, moment: PublicMoment) -> TableEquity | None:
        line = every.setdefault(match_id, _Line())
        own = line.stand(moment.version)
        line.asked += 1
        try:
            async with line.turn:
                line.waiting.remove(own)
                if own.overtaken:
                    raise Overtaken
                return await worker.do(equity_of, moment)
        except (Unavailable, MemoryError):
            return None
        finally:
            if own in line.waiting:  # whoever asked has gone away
                line.waiting.remove(own)
            line.asked -= 1
            if not line.asked:
                del every[match_id]

    return worths
