"""A gauntlet: block after block, every player in every seat with the same dice, until enough is known.

The law of the file: nobody plays dice that it may have seen. A program of others can keep what a match of a block has
shown it, so where one plays each match has dice and an id of its own, unless whoever asks trusts it.

Source: the laws of analysis, section on the gauntlet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from services.engines.hosting import BUDGET_MS
from services.gauntlet.adjusting import luck_of_match
from services.gauntlet.contenders import Contender, PolicyPlayer
from services.gauntlet.duels import Duel, TurnsTaken, rules_of_block
from services.gauntlet.measuring import Result, Score, Scored
from services.gauntlet.named import check_applies
from services.gauntlet.plans import alone_in, plan_of

SEED_BYTES_MIN: Final = 16
"""Bytes of a seed that a program of others cannot find by trying them all against the id of a match."""
LOOKS_MIN: Final = 30
"""Blocks before a gauntlet is ended because it knows enough: an interval of few says little."""


class Gauntlet(Struct, frozen=True):
    """What is played.

    Attributes:
        rules: The rules object, but for the seats.
        seats: How many sit at a table.
        blocks: How many blocks at most.
        seed: What all dice and all chance follow from.
        until: The half width at which it is enough, for everybody, of the interval with the luck taken out where that
            is asked for; None to play all blocks.
        budget_ms: What a player may take over a move.
        duplicate: Whether the matches of a block have the same dice; None for: unless somebody there remembers them.
        adjusted: Whether results are told with the luck of the dice taken out as well.
    """

    rules: dict[str, Any]
    seats: int
    blocks: int
    seed: bytes
    until: float | None = None
    budget_ms: int = BUDGET_MS
    duplicate: bool | None = None
    adjusted: bool = False


class SeedTooShort(ValueError):  # noqa: N818 - named for what is the matter
    """A program of others could find the seed, and with it all dice; the sentence says how long it has to be."""


def has_duplicate_dice(asked: Gauntlet, players: Sequence[Contender]) -> bool:
    """Report whether the matches of a block have the same dice."""
    return asked.duplicate if asked.duplicate is not None else not any(player.remembers for player in players)


def check_seed(seed: bytes, players: Sequence[Contender]) -> None:
    """Check that nobody who plays can find the seed.

    Raises:
        SeedTooShort: A program of others can.
    """
    if len(seed) < SEED_BYTES_MIN and any(player.remembers for player in players):
        raise SeedTooShort(f"where a program of others plays, the seed has {SEED_BYTES_MIN} bytes or more")


def check_policies(asked: Gauntlet, players: Sequence[Contender]) -> None:
    """Check that each policy that plays is for a round that may be played.

    Raises:
        BadPolicy: One is for none.
    """
    for player in players:
        if isinstance(player, PolicyPlayer):
            check_applies(player.policy, rules_of_block(asked.rules), asked.seats)


async def run_gauntlet(
    asked: Gauntlet, players: Sequence[Contender], played: Callable[[int], None] = lambda _: None
) -> tuple[Result, ...]:
    """Play, and return what each player came to.

    Args:
        asked: What is played.
        players: Who.
        played: Told how many blocks there have been, after each.

    Raises:
        NoPlan: So many players cannot sit there.
        SeedTooShort: A program of others could find the seed.
        BadPolicy: A policy is for no round that may be played.
        Endless: A match did not come to an end.
    """
    plan = plan_of(len(players), asked.seats)
    check_seed(asked.seed, players)
    check_policies(asked, players)
    tallies = [Score(player.name, TurnsTaken()) for player in players]
    for number in range(asked.blocks):
        await _play_block(asked, players, tallies, plan, number)
        played(number + 1)
        if asked.until is not None and looks_at(number + 1) and _is_known(tallies, asked.until):
            break
    return tuple([tally.result() for tally in tallies])


async def _play_block(
    asked: Gauntlet,
    players: Sequence[Contender],
    tallies: Sequence[Score],
    plan: Sequence[tuple[int, ...]],
    number: int,
) -> None:
    block = hashlib.sha256(asked.seed + number.to_bytes(8, "big")).digest()
    scored: list[list[Scored]] = [[] for _ in players]
    same = has_duplicate_dice(asked, players)
    for place, lineup in enumerate(plan):
        dice = block if same else hashlib.sha256(block + place.to_bytes(8, "big")).digest()
        duel = Duel(asked.rules, dice, asked.budget_ms)
        turns = [tallies[player].turns for player in lineup]
        scores = await duel.play([players[player] for player in lineup], turns)
        luck = luck_of_match(duel.lines) if asked.adjusted else None
        for player, found in enumerate(scored):
            seat = alone_in(lineup, player)
            if seat is not None:
                found.append(Scored(seat, scores, luck))
    for tally, found in zip(tallies, scored, strict=True):
        tally.add(found)


def looks_at(blocks: int) -> bool:
    """Report whether a gauntlet looks how sure it is: after thirty blocks, and a thirtieth more each time.

    The more often one looks, the sooner chance alone makes an interval look narrow.
    """
    return blocks >= LOOKS_MIN and blocks % (blocks // LOOKS_MIN) == 0


def _is_known(tallies: Sequence[Score], until: float) -> bool:
    widths = [tally.result().known_to for tally in tallies]
    return all(width is not None and width <= until for width in widths)
