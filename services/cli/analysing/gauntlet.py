"""`truecup gauntlet`: players measured against each other, with the same dice in every seat."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import DecodeError
from rich.table import Column, Table

from domain.errors import Refused
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.policies.files import Policy
from infra.entropy import draw
from infra.files.whole import write_whole
from services.cli import screen
from services.cli.analysing.shelves import find_policy
from services.cli.exits import FINE
from services.cli.playing.play import options_of
from services.cli.screen import bar, plain, say, say_aside, say_json
from services.client.house import CannotDo
from services.engines.hosting import BUDGET_MS
from services.engines.levels import UnknownLevel
from services.engines.lines import Untold
from services.engines.process import MEMORY_MIB, NoProgram
from services.gauntlet.contenders import Contender, EnginePlayer, contender_of
from services.gauntlet.duels import Endless, rules_of_block
from services.gauntlet.gauntlet import Gauntlet, SeedTooShort, check_seed, has_duplicate_dice, run_gauntlet
from services.gauntlet.ladder import (
    SETTINGS,
    StrengthLadder,
    asked_rungs,
    measure_all,
    measured_anew,
    read_ladder,
    write_ladder,
)
from services.gauntlet.measuring import Result
from services.gauntlet.named import PlaysNothing
from services.gauntlet.plans import NoPlan

HEADS: Final = ("share", "fair", "difference", "turns", "fouls", "late", "ms p50", "p99")
BLOCKS: Final = 100
UNTIL_BLOCKS: Final = 100_000
"""Blocks after which it is enough, where somebody has said how sure it is to be and not how long that may take."""
SEED: Final = re.compile(r"[0-9a-fA-F]{2,64}")


@dataclass(frozen=True)
class GauntletAsked:
    """What is played.

    Attributes:
        game: The game.
        option: A house rule, such as `dice_per_player=3`; it may be given more than once.
        seats: How many sit at a table; as many as there are players if nothing is said.
        blocks: How many blocks are played; each is one seed, and every player has every seat with its dice; a
            hundred if nothing is said.
        duplicate: Play all matches of a block with the same dice; so it is, unless a program of others plays, which
            could remember them from one match to the next: say it if you trust the program.
        until: Stop at this half width of everybody's interval, in shares of a match or units; not before thirty
            blocks, and without `--blocks` after 100,000.
        adjusted: Tell the difference with the luck of the dice taken out as well: narrower, and as true. It takes an
            analysis of each match.
        seed: What all dice and all chance follow from, in hex; drawn if nothing is said, and told. A program of others
            on this machine could read it here.
        budget: Milliseconds a player may take over a move.
        memory: Mebibytes a program may take.
    """

    game: str = "common_hand"
    option: tuple[str, ...] = ()
    seats: Annotated[int | None, Parameter(validator=Number(gte=2, lte=254))] = None
    blocks: Annotated[int | None, Parameter(validator=Number(gte=1, lte=1_000_000))] = None
    duplicate: bool | None = None
    until: Annotated[float | None, Parameter(validator=Number(gt=0))] = None
    adjusted: bool = False
    seed: str | None = None
    budget: Annotated[int, Parameter(validator=Number(gte=1, lte=600_000))] = BUDGET_MS
    memory: Annotated[int, Parameter(validator=Number(gte=32, lte=1_048_576))] = MEMORY_MIB


def gauntlet(
    *players: str,
    asked: Annotated[GauntletAsked, Parameter(name="*")] = GauntletAsked(),
    json: bool = False,
    ladder: Path | None = None,
    setting: tuple[str, ...] = (),
) -> int:
    """Measure players.

    Args:
        players: Who: `L2`, `L1.bold`, `policy:ID` for a policy by its name, hash or file, or `engine:CMD` for a program
            that speaks TCE/1.
        asked: What is played.
        json: Print one JSON document.
        ladder: Measure every level of the house against the one below wherever it is more, and write it to this file.
            `--blocks` plays as many in each setting; half an hour, if nothing is said.
        setting: Of a ladder that is in its file already, measure these settings alone, such as `2x5`, by its seed.
    """
    if ladder is not None:
        return _climb(asked, players, ladder, setting)
    given = _asked(asked, len(players))
    folder = Path(mkdtemp(prefix="truecup-gauntlet-"))
    try:
        contenders = [contender_of(name, folder, asked.memory, _policy) for name in players]
        check_seed(given.seed, contenders)
        if any(isinstance(each, EnginePlayer) for each in contenders):
            say_aside(f"what programs say beside their moves, and as errors, is kept in {folder}")
        results = asyncio.run(_run(given, contenders))
    except (UnknownLevel, PlaysNothing, NoPlan, SeedTooShort, NoProgram, Untold, Endless) as trouble:
        raise CannotDo(str(trouble)) from None
    except BadPolicy as fault:
        raise CannotDo(f"{fault.code}: {fault}") from None
    duplicate = has_duplicate_dice(given, contenders)
    if json:
        how = {"rules": given.rules, "seats": given.seats, "seed": given.seed.hex(), "duplicate": duplicate}
        say_json({**how, "players": results})
    else:
        _tell(given, results, duplicate=duplicate)
    return FINE


def _policy(asked: str) -> Policy:
    return find_policy(asked).policy


def _asked(asked: GauntletAsked, players: int) -> Gauntlet:
    """Return what is played, once it is known that it can be.

    Raises:
        CannotDo: It cannot be.
    """
    seats = asked.seats or max(2, players)
    rules = {"game": asked.game, "options": options_of(asked.option)}
    try:
        rules_of_block({**rules, "seats": seats})
    except Refused as refused:
        raise CannotDo(f"{refused.facts.get('option', asked.game)}: {refused.facts.get('why', refused.code)}") from None
    blocks = asked.blocks or (BLOCKS if asked.until is None else UNTIL_BLOCKS)
    seed = _seed_of(asked)
    return Gauntlet(rules, seats, blocks, seed, asked.until, asked.budget, asked.duplicate, asked.adjusted)


def _seed_of(asked: GauntletAsked) -> bytes:
    if asked.seed is not None and (SEED.fullmatch(asked.seed) is None or len(asked.seed) % 2):
        raise CannotDo(f"`{asked.seed}` is no seed: 1 to 32 bytes in hex")
    return draw(16) if asked.seed is None else bytes.fromhex(asked.seed)


def _known(file: Path, asked: GauntletAsked, setting: tuple[str, ...]) -> StrengthLadder:
    """Return the ladder in a file, of which these settings are measured anew.

    Raises:
        CannotDo: There is none, it follows from another seed, or nothing is called so.
    """
    unknown = sorted(set(setting) - {each.name for each in SETTINGS})
    if unknown:
        raise CannotDo(f"there is no setting {unknown[0]}: they are {', '.join(each.name for each in SETTINGS)}")
    try:
        known = read_ladder(file.read_bytes())
    except (OSError, DecodeError) as fault:
        raise CannotDo(f"{file} is no ladder of which some settings could be measured anew: {fault}") from None
    if asked.seed not in {None, known.seed}:
        raise CannotDo(f"{file} follows from the seed {known.seed}, and so does what is measured of it anew")
    return known


def _climb(asked: GauntletAsked, players: tuple[str, ...], file: Path, setting: tuple[str, ...]) -> int:
    if players or asked.game != GauntletAsked.game or asked.option or asked.seats or asked.until or asked.adjusted:
        raise CannotDo("the ladder has players, games and seats of its own: only --blocks and --seed go with it")
    known = _known(file, asked, setting) if setting else None
    seed = _seed_of(asked) if known is None else bytes.fromhex(known.seed)
    rungs = asked_rungs(seed, asked.blocks, [each for each in SETTINGS if not setting or each.name in setting])
    with bar() as progress:
        task = progress.add_task("rungs", total=len(rungs))
        measured = measure_all(rungs, seed, lambda done: progress.update(task, completed=done))
    found = measured if known is None else measured_anew(known, measured)
    try:
        write_whole(file, write_ladder(found))
    except OSError as fault:
        raise CannotDo(f"{file} cannot be written: {fault.strerror}") from None
    table = Table(*[Column(head, no_wrap=True) for head in ("level", "below", "setting", "difference", "claims")])
    for rung in measured.rungs:
        row = (rung.level, rung.below, rung.setting, f"{rung.difference:+.3f} ±{rung.half_width:.3f}")
        table.add_row(*row, "yes" if rung.claims else "no")
    screen.draw(table)
    say(f"{file}: seed {seed.hex()}; intervals are of 95 %, with the luck of the dice in them")
    return FINE


async def _run(asked: Gauntlet, contenders: list[Contender]) -> tuple[Result, ...]:
    try:
        # A program that does not start is known before the first dice are thrown.
        for each in contenders:
            if isinstance(each, EnginePlayer):
                await each.greet()
        with bar() as progress:
            task = progress.add_task("blocks", total=asked.blocks)
            return await run_gauntlet(asked, contenders, lambda done: progress.update(task, completed=done))
    finally:
        for each in contenders:
            await each.end()


def _tell(asked: Gauntlet, results: tuple[Result, ...], *, duplicate: bool) -> None:
    table = Table(
        Column("player", min_width=8, overflow="fold"), *[Column(head, no_wrap=True, justify="right") for head in HEADS]
    )
    for one in results:
        row: list[Any] = [f"{one.share:.3f}", f"{one.fair:.3f}", _interval(one.difference, one.half_width)]
        row += [str(one.decisions), str(one.fouls), str(one.late), f"{one.ms_p50:.2f}", f"{one.ms_p99:.2f}"]
        table.add_row(plain(one.player), *row)
    screen.draw(table)
    dice = "the same dice in every match of a block" if duplicate else "other dice in every match"
    say(f"{results[0].blocks} blocks, {dice}, seed {asked.seed.hex()}; intervals are of 95 %")
    if asked.adjusted:
        say(*[_adjusted_line(one) for one in results])


def _interval(difference: float, half_width: float | None) -> str:
    return f"{difference:+.3f}" + ("" if half_width is None else f" ±{half_width:.3f}")


def _adjusted_line(one: Result) -> str:
    found = one.adjusted
    if found is None:
        return f"{one.player}: no luck can be told, as in no round dice decided that are known"
    told = f"{one.player}: {_interval(found.difference, found.half_width)} with the luck of the dice taken out"
    return (
        f"{told}, but for {found.untold} of {found.rounds} rounds, of which none can be told" if found.untold else told
    )
