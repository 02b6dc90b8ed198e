"""Live worths: what a match is worth to each seat while a round is bid, as everybody may believe it.

The law of the file: a worth is a function of a public moment and of what is shipped, and of nothing else. It is worked
out beside whoever answers, be it in a process of its own: a round of six seats with five dice each takes some seventy
milliseconds when it is first seen, and each of its moments some six.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from cachetools import LRUCache

from domain.analysis.joining import stands_under
from domain.analysis.worths.equity import told_public
from domain.analysis.worths.scenes import Sampling, Scene
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
Worths = Callable[[PublicMoment], Awaitable[TableEquity | None]]
"""What works a moment out, wherever it does; None where that cannot be done."""
_ROUNDS: Final[LRUCache[bytes, AtStake]] = LRUCache(ROUNDS_KEPT)


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


async def worths_here(moment: PublicMoment) -> TableEquity:
    """Work a moment out in a thread."""
    return await asyncio.to_thread(equity_of, moment)


def worths_beside(worker: Worker) -> Worths:
    """Return what works moments out in a process of its own, one after the other, and nothing where there is none.

    Never here: a process has a limit of memory, and whoever plays has not to wait for whoever watches.
    """

    async def worths(moment: PublicMoment) -> TableEquity | None:
        try:
            return await worker.do(equity_of, moment)
        except (Unavailable, MemoryError):
            return None

    return worths
