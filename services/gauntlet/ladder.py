"""The ladder: every level of the house measured against the one below, wherever it is more, and what it may claim.

A level claims to be the stronger one in a setting only where the whole interval of 95 % lies above a fair share. What
was measured is a file of the programs (`ladder.json` among the policies), so that nobody has to believe a sentence.

Source: the laws of analysis, sections on bots and on the gauntlet.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from itertools import pairwise
from multiprocessing import get_context
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, structs

from infra.clock import now_ms
from services.engines.level_names import LEVELS, Level
from services.gauntlet.contenders import HousePlayer
from services.gauntlet.gauntlet import Gauntlet, run_gauntlet

FORMAT: Final = "truecup-ladder/1"
PROCESSES: Final = 2
CLAIM_BLOCKS: Final = 10
"""Blocks without which nothing is claimed: a few that came out alike have an interval of no width."""
_FILE: Final = resources.files("services") / "policies" / "ladder.json"


class Setting(Struct, frozen=True):
    """Where levels are measured.

    Attributes:
        name: What it is called, the same in every release.
        game: The game.
        options: Its house rules.
        seats: How many sit there.
        blocks: How many blocks say enough in some minutes.
    """

    name: str
    game: str
    options: dict[str, Any]
    seats: int
    blocks: int


SETTINGS: Final = (
    Setting("2x1", "common_hand", {"dice_per_player": 1}, 2, 300),
    Setting("2x2", "common_hand", {"dice_per_player": 2}, 2, 1_500),
    Setting("2x3", "common_hand", {"dice_per_player": 3}, 2, 400),
    Setting("2x5", "common_hand", {}, 2, 100),
    Setting("3x3", "common_hand", {"dice_per_player": 3}, 3, 60),
    Setting("6x5", "common_hand", {}, 6, 36),
    Setting("finska", "finska", {}, 3, 20),
    Setting("mexican", "mexican", {}, 2, 40),
    Setting("liars_poker", "liars_poker", {}, 3, 10),
)
"""The settings of the ladder; a number by a number is seats by dice in common hand."""
PLAYED: Final[dict[Level, tuple[str, ...]]] = {
    "L2": ("2x1", "2x2", "2x3", "2x5", "3x3", "6x5", "mexican", "liars_poker"),
    "L3": ("2x1", "2x2", "2x3", "2x5", "3x3", "6x5", "mexican"),
    "L4": ("2x2", "2x3"),
    "L5": ("2x1", "2x2", "2x3", "mexican"),
}
"""Where a level is more than the one below it; in other settings it falls back to that, and is not measured."""


class Rung(Struct, frozen=True):
    """What a level came to against the one below it.

    Attributes:
        level: The level.
        below: Whom it was measured against.
        setting: Where.
        seats: How many sat there.
        session: Whether nobody wins there; then shares are units over the rounds of a session.
        share: What it scored on average.
        fair: What everybody there scored on average.
        difference: The one less the other.
        half_width: Of the interval of 95 % around that.
        blocks: How many observations.
        claims: Whether it claims to be the stronger one here: the whole interval lies above 0.
    """

    level: Level
    below: Level
    setting: str
    seats: int
    session: bool
    share: float
    fair: float
    difference: float
    half_width: float
    blocks: int
    claims: bool


class StrengthLadder(Struct, frozen=True):
    """What was measured.

    Attributes:
        format: `truecup-ladder/1`.
        measured_at: The day, `YYYY-MM-DD`; that of what is oldest in it.
        seed: What all dice and all chance followed from, in hex.
        luck_adjusted: Whether the luck of the dice was taken out of the differences.
        rungs: By level, then by setting.
    """

    format: Literal["truecup-ladder/1"]
    measured_at: str
    seed: str
    luck_adjusted: bool
    rungs: tuple[Rung, ...]

    def of(self, level: str) -> tuple[Rung, ...]:
        """Return what a level came to."""
        return tuple([rung for rung in self.rungs if rung.level == level])

    @property
    def offered(self) -> tuple[Level, ...]:
        """The levels a host may choose of: the lowest, and whichever claims to be the stronger one somewhere."""
        claiming = {rung.level for rung in self.rungs if rung.claims}
        return tuple([level for level in LEVELS if level == LEVELS[0] or level in claiming])


@cache
def ladder() -> StrengthLadder:
    """Return what was measured of this release."""
    return read_ladder(_FILE.read_bytes())


def read_ladder(data: bytes) -> StrengthLadder:
    """Return the ladder of a file.

    Raises:
        msgspec.DecodeError: It is none.
    """
    return msgspec.json.decode(data, type=StrengthLadder)


# ---- measuring ------------------------------------------------------------------------------------


class RungAsked(Struct, frozen=True):
    """A level to be measured in a setting, in so many blocks, with what follows from this seed."""

    level: Level
    below: Level
    setting: Setting
    blocks: int
    seed: bytes


def asked_rungs(seed: bytes, blocks: int | None, settings: Sequence[Setting] = SETTINGS) -> list[RungAsked]:
    """Return what a ladder is made of: each level against the one below, in each setting, with dice of its own."""
    return [
        RungAsked(level, below, setting, blocks or setting.blocks, hashlib.sha256(seed + name.encode()).digest())
        for below, level in pairwise(LEVELS)
        for setting in settings
        if setting.name in PLAYED.get(level, (setting.name,))
        for name in (f"{level} {setting.name}",)
    ]


def measure(asked: RungAsked) -> Rung:
    """Measure one."""
    setting = asked.setting
    rules = {"game": setting.game, "options": setting.options}
    players = [HousePlayer(asked.level), HousePlayer(asked.below)]
    found, _ = asyncio.run(run_gauntlet(Gauntlet(rules, setting.seats, asked.blocks, asked.seed), players))
    width = found.half_width or 0.0
    return Rung(
        level=asked.level,
        below=asked.below,
        setting=setting.name,
        seats=setting.seats,
        session=found.fair != 1 / setting.seats,
        share=round(found.share, 4),
        fair=round(found.fair, 4),
        difference=round(found.difference, 4),
        half_width=round(width, 4),
        blocks=found.blocks,
        claims=found.beats and found.blocks >= CLAIM_BLOCKS,
    )


def measure_all(
    asked: Sequence[RungAsked], seed: bytes, measured: Callable[[int], None] = lambda _: None
) -> StrengthLadder:
    """Measure them side by side in two processes, and return the ladder.

    Args:
        asked: What is measured.
        seed: What it all follows from.
        measured: Told how many rungs there are, after each.
    """
    found: dict[int, Rung] = {}
    # Processes of their own, started anew: what runs here has threads, which a fork would cut off.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        waited = {pool.submit(measure, each): place for place, each in enumerate(asked)}
        for future in as_completed(waited):
            found[waited[future]] = future.result()
            measured(len(found))
    return ladder_of([found[place] for place in sorted(found)], seed)


def ladder_of(rungs: Iterable[Rung], seed: bytes) -> StrengthLadder:
    """Return the ladder of these rungs, measured today."""
    today = datetime.fromtimestamp(now_ms() / 1_000, UTC).date().isoformat()
    return StrengthLadder(FORMAT, today, seed.hex(), luck_adjusted=False, rungs=tuple(rungs))


def measured_anew(known: StrengthLadder, found: StrengthLadder) -> StrengthLadder:
    """Return a ladder with what was measured anew in place of what it had; both follow from one seed."""
    rungs = {(rung.level, rung.setting): rung for rung in (*known.rungs, *found.rungs)}
    settings = [setting.name for setting in SETTINGS]
    order = sorted(rungs.values(), key=lambda rung: (LEVELS.index(rung.level), settings.index(rung.setting)))
    return structs.replace(known, rungs=tuple(order))


def write_ladder(found: StrengthLadder) -> bytes:
    """Return the file of a ladder: JSON that people can read, the same bytes for the same ladder."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"
