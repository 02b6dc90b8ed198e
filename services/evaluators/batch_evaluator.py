"""The batch evaluator: many deals of a round folded back at once, in int64.

The law of the file: the same integers as `domain.strategy.folding.fold_back`, to the last bit. Only sums, products,
shifts and look-ups, every one of them below 2^63; no float is ever made, and no matrix is multiplied, which might make
one. Deals come in batches whose arrays fit into a core's own cache.

Arrays are of seats in turn or of claimants, in the order of play; then of the seats asked about; then of deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.strategy.folding.fold_back import Deal, FoldStep, Position, Questions, Shares, steps_of
from domain.strategy.folding.positions import Bidding, Node, Row
from domain.strategy.folding.verdicts import SHARE_BITS, AtStake, Contest

Integers = NDArray[np.int64]
BATCH: Final = 16_384
"""Integers of an array of a batch: 128 KiB, of which a core's cache holds a few."""
HALF: Final = 1 << SHARE_BITS - 1
POWERS: Final[Integers] = np.left_shift(1, np.arange(SHARE_BITS, dtype=np.int64))
"""Powers of two up to more than any sum of weights: the place of a number among them is its length in bits."""


def evaluate(stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
    """Return the shares that are asked for; an `Evaluator`. Cost: a fiftieth of folding deal by deal, from 64 on."""
    plan = _Plan(stakes, asked)
    size = max(1, BATCH // (len(stakes.bidding.seats) * len(asked.seats)))
    batches = [_Batch(plan, deals[start : start + size]).shares() for start in range(0, len(deals), size)]
    together = [np.concatenate(parts, axis=1) for parts in zip(*batches, strict=True)]
    return [shares.tolist() for shares in together]


class _Rows:
    """Rows of a bidding as arrays, each made when it is first asked for.

    An array has the hands of all sizes, those of each size after those of the one before.
    """

    def __init__(self, bidding: Bidding) -> None:
        lengths = [len(hands) for hands in bidding.sizes]
        starts = [sum(lengths[:size]) for size in range(len(lengths))]
        self.bidding = bidding
        self.starts = np.array([starts[size] for size in bidding.size_of], dtype=np.int64)
        self.counts = [joined(tally.counts) for tally in bidding.tallies]
        self.naturals = [joined(tally.naturals) for tally in bidding.tallies]
        self._links: dict[int, Integers] = {}
        self._nodes: dict[int, _NodeRows] = {}

    def link(self, link: int) -> Integers:
        """Return the weights of a bid."""
        if link not in self._links:
            self._links[link] = joined(self.bidding.links[link].rows)
        return self._links[link]

    def node(self, place: int) -> _NodeRows:
        """Return the rows of a claim to beat."""
        if place not in self._nodes:
            self._nodes[place] = _NodeRows(self.bidding.nodes[place])
        return self._nodes[place]


class _NodeRows:
    """The weights of what is said to a claim, and what turns weighted sums into means: `reciprocals`, as arrays."""

    def __init__(self, node: Node) -> None:
        self.challenge, self.spot_on, totals = joined(node.challenge), joined(node.spot_on), joined(node.totals)
        self.cut = np.searchsorted(POWERS, totals, side="right") - 1
        self.times = np.left_shift(1, self.cut + SHARE_BITS) // totals


def joined(rows: Iterable[Row]) -> Integers:
    """Return the rows of all sizes of hands as one."""
    return np.array([entry for row in rows for entry in row], dtype=np.int64)


@lru_cache(maxsize=2)
def _rows_of(bidding: Bidding) -> _Rows:
    # A round is asked about event by event, and rounds come one after the other.
    return _Rows(bidding)


class _Plan:
    """All of a fold that hangs on no deal."""

    def __init__(self, stakes: AtStake, asked: Questions) -> None:
        self.stakes, self.asked, self.bidding = stakes, asked, stakes.bidding
        self.rows = _rows_of(stakes.bidding)
        self.steps = steps_of(stakes.bidding, asked.nodes)
        self.last_uses = _last_uses(self.bidding, asked.nodes)
        self.seats = len(stakes.bidding.seats)
        claimants, doubts = range(self.seats), range(stakes.bidding.doubts)
        self.tests = self.shares([stakes.test(claimant) for claimant in claimants])
        spots = doubts if stakes.bidding.has_spot_on else ()
        self.spots = [self.shares([stakes.spot_on(claimant, step) for claimant in claimants]) for step in spots]
        self.doubts = [(node, doubt.spot_on, self.shares([doubt])) for node, doubt in asked.doubts]

    def shares(self, doubts: Sequence[Contest]) -> Integers:
        """Return the shares of doubts, of the seats asked about, by outcome."""
        rows = [self.stakes.shares(doubt) for doubt in doubts]
        return np.array([[[row[seat] for row in each] for seat in self.asked.seats] for each in rows], dtype=np.int64)


@lru_cache(maxsize=4)
def _last_uses(bidding: Bidding, nodes: frozenset[int]) -> list[tuple[list[int], list[int]]]:
    """Return, for each step, the links and the runs that no later one needs."""
    steps = steps_of(bidding, nodes)
    links = {link: place for place, step in enumerate(steps) for run in step.runs for link in bidding.runs[run]}
    runs = {run: place for place, step in enumerate(steps) for run in step.node.runs}
    found: list[tuple[list[int], list[int]]] = [([], []) for _ in steps]
    for index, last in enumerate((links, runs)):
        for one in sorted(last):
            found[last[one]][index].append(one)
    return found


class _Batch:
    """The fold of a batch of deals."""

    def __init__(self, plan: _Plan, deals: Sequence[Deal]) -> None:
        self.plan, self.rows = plan, plan.rows
        self.width = len(deals)
        self.hands = np.array(deals, dtype=np.int64).T + plan.rows.starts[:, None]
        # By how many have doubted, the hands of who is in turn then, by claimant.
        self.turns = [np.roll(self.hands, -1 - step, axis=0) for step in range(plan.bidding.doubts)]
        self.counts = [row[self.hands].sum(axis=0) for row in plan.rows.counts]
        self.naturals = [row[self.hands].any(axis=0) for row in plan.rows.naturals]
        self.shape = (plan.seats, len(plan.asked.seats), self.width)
        self.bids = np.zeros(self.shape, dtype=np.int64)
        self.in_bids: tuple[int, ...] = ()
        self.done: list[int] = []
        self.links: dict[int, Integers] = {}
        self.runs: dict[int, Integers] = {}
        # Arrays that are done with are written over: fresh ones would come from the system, page by page.
        self.free: list[Integers] = []
        self.found: dict[Position, Integers] = {}

    def shares(self) -> list[Integers]:
        """Return by what is asked the shares, of the seats asked about, by deal."""
        plan = self.plan
        for step, (links, runs) in zip(plan.steps, plan.last_uses, strict=True):
            for run in step.runs:
                self.runs[run] = self.sum_of([self.links[link] for link in plan.bidding.runs[run]])
            self.free += [self.links.pop(link) for link in links]
            self.add_bids(step.node.runs)
            if step.node.claim is None:
                self.found[Position(step.place, plan.seats - 1)] = self.open(step)
                continue
            worths = self.claim(step)
            for link in step.links:
                weights = self.rows.link(link)[self.hands]
                self.links[link] = np.multiply(worths, weights[:, None, :], out=self.fresh())
            self.free.append(worths)
            self.done += runs
        judged = [self.judged(*self.claim_at(node), exactly, shares) for node, exactly, shares in plan.doubts]
        return [self.found[position] for position in plan.asked.positions] + judged

    def claim_at(self, node: int) -> tuple[int, int]:
        return self.plan.bidding.claim_at(node)

    def fresh(self) -> Integers:
        """Return an array to be written over."""
        return self.free.pop() if self.free else np.empty(self.shape, dtype=np.int64)

    def sum_of(self, some: Sequence[Integers]) -> Integers:
        total = self.fresh()
        if len(some) == 1:
            np.copyto(total, some[0])
            return total
        np.add(some[0], some[1], out=total)
        for each in some[2:]:
            total += each
        return total

    def add_bids(self, runs: tuple[int, ...]) -> None:
        """Make the sum of these runs out of the last one, from which it differs in little."""
        for run in self.in_bids:
            if run not in runs:
                self.bids -= self.runs[run]
        for run in runs:
            if run not in self.in_bids:
                self.bids += self.runs[run]
        self.free += [self.runs.pop(run) for run in self.done if run not in runs]
        self.done = [run for run in self.done if run in runs]
        self.in_bids = runs

    def open(self, step: FoldStep) -> Integers:
        """Return what the round is worth before its opening, which is the first seat's."""
        first = self.bids[:1].copy()
        worths: Integers = self.mean(first, self.rows.node(step.place), self.hands[:1])[0]
        return worths

    def claim(self, step: FoldStep) -> Integers:
        """Return, by claimant, what a claim is worth that was just made."""
        plan, rows = self.plan, self.rows.node(step.place)
        worths = plan.tests.take(self.tested(step.tally, step.quantity), axis=2, out=self.fresh(), mode="clip")
        for doubts in reversed(range(plan.bidding.doubts)):
            hands = self.turns[doubts]
            worths *= rows.challenge[hands][:, None, :]
            if step.node.spot_on:
                exact = self.exact(step.tally, step.quantity)
                worths += plan.spots[doubts][:, :, exact] * rows.spot_on[hands][:, None, :]
            first = 1 + doubts
            worths[: plan.seats - first] += self.bids[first:]
            worths[plan.seats - first :] += self.bids[:first]
            self.mean(worths, rows, hands)
            if step.keeps:
                self.keep(step.place, doubts, worths)
        return worths

    def mean(self, sums: Integers, rows: _NodeRows, hands: Integers) -> Integers:
        """Turn weighted sums into means, where they stand."""
        sums >>= rows.cut[hands][:, None, :]
        sums *= rows.times[hands][:, None, :]
        sums += HALF
        sums >>= SHARE_BITS
        return sums

    def keep(self, place: int, doubts: int, worths: Integers) -> None:
        for position in self.plan.asked.positions:
            if (position.node, position.doubters) == (place, doubts):
                self.found[position] = worths[position.claimant].copy()

    def judged(self, tally: int, quantity: int, exactly: bool, shares: Integers) -> Integers:  # noqa: FBT001
        found: Integers = shares[0][:, self.exact(tally, quantity) if exactly else self.tested(tally, quantity)]
        return found

    def tested(self, tally: int, quantity: int) -> Integers:
        """Return what the dice say to a claim, as the index of the outcome of a test."""
        width, count = self.plan.stakes.width, self.counts[tally]
        holds: Integers = (self.naturals[tally] & (count >= quantity)).astype(np.int64)
        return holds if width == 1 else holds * width + np.abs(count - quantity)

    def exact(self, tally: int, quantity: int) -> Integers:
        """Return what they say to spot on."""
        found: Integers = (self.counts[tally] == quantity).astype(np.int64) * self.plan.stakes.width
        return found
