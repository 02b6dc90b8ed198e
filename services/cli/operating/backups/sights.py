"""Sights of a log: what each witness has seen of it, held against the tree that a database has.

A witness answers for the transparency log and nothing else: what was stored behind the last entry that it saw, it knows
nothing of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from msgspec import Struct

from domain.log.policies import Policy, is_quorum

SightState = Literal["agrees", "saw_more", "forked", "silent"]
"""Of a log of 100 entries: saw at most these; saw more; saw other ones; cannot be asked."""
Freshness = Literal["newest", "older", "forked", "unknown"]


class WitnessWord(Struct, frozen=True):
    """What a witness has said.

    Attributes:
        name: The name of its key.
        size: How many entries it has signed for; None where it did not say.
        root: The root that it has signed; None where it only said how many.
        refuses: Whether it says that it has signed another root for a checkpoint that it was shown.
        why: What it said instead of a number.
        answers: Whether it said anything.
    """

    name: str
    size: int | None
    root: bytes | None = None
    refuses: bool = False
    why: str = ""
    answers: bool = True


class WitnessSight(Struct, frozen=True):
    """What came of asking a witness.

    Attributes:
        name: The name of its key.
        state: How that fits what there is.
        size: How many entries it has seen; None where it did not say.
        why: What it said instead; empty where it said how many.
    """

    name: str
    state: SightState
    size: int | None
    why: str = ""


def sight_of(answer: WitnessWord, size: int, root: bytes | None) -> WitnessSight:
    """Return how what a witness has said fits a tree.

    Args:
        answer: What it has said.
        size: How many entries there are.
        root: The root of as many of them as it has seen; None where it has seen more, or did not say how many.
    """
    if answer.size is None:
        return WitnessSight(answer.name, "silent", None, answer.why)
    if answer.size > size:
        return WitnessSight(answer.name, "saw_more", answer.size)
    if answer.refuses or answer.root not in {None, root}:
        return WitnessSight(answer.name, "forked", answer.size, "it has signed another history")
    return WitnessSight(answer.name, "agrees", answer.size)


def freshness(sights: Collection[WitnessSight], policy: Policy | None) -> Freshness:
    """Return what witnesses together say of a database.

    Those that were not heard, asked or not, may have seen more: nothing is wrong with that unless they are as many as
    the policy asks for, since what no quorum has seen was never published. The policy is as old as the database: who
    was named to be asked, and is not in it, may be of a later one, which he makes a quorum of alone.
    """
    states = {one.state for one in sights}
    if "forked" in states:
        return "forked"
    if "saw_more" in states:
        return "older"
    heard = {one.name for one in sights if one.state != "silent"}
    if not heard or policy is None:
        return "newest" if heard and len(heard) == len(sights) else "unknown"
    unheard = [name for name, key in policy.witnesses.items() if key.name not in heard]
    is_known = {one.name for one in sights} - heard <= {key.name for key in policy.witnesses.values()}
    return "unknown" if not is_known or (unheard and is_quorum(policy, unheard)) else "newest"


def missing(sights: Iterable[WitnessSight], size: int) -> int:
    """Return how many entries somebody has seen that are not there."""
    return max((one.size - size for one in sights if one.size is not None and one.size > size), default=0)
