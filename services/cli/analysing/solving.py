"""`truecup policy solve`: duels solved one after the other, each kept as soon as it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.progress import Progress

from domain.rules.orders import ORDERS
from domain.rules.rules import Aces, Counting, Faces, Wild
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.duel import CLAIMS_MAX, Duel
from domain.strategy.policies.headers import PolicyHeader
from services.cli.analysing.blueprints import LearningAsked, learn_all
from services.cli.analysing.shelves import keep_policy, shelf
from services.cli.exits import FINE
from services.cli.screen import bar, say, say_aside
from services.client.house import CannotDo
from services.policies.shelf import Shelf
from services.solver.beside import Gone, solving
from services.solver.effort import PAIRS_MAX, pairs_of, seconds_for

System = Literal["face_first", "quantity_first", "highest_number", "product", "no_decrease", "all"]
TICK_S: Final = 0.2
"""How often the bar moves."""
DICE_MAX: Final = 5
PASSES: Final = 400
"""How often a round is gone through for a blueprint, if nothing is said."""
SEED: Final = re.compile(r"([0-9a-fA-F]{2}){1,32}")
NEARLY: Final = 0.99
"""The bar stops there if a duel takes longer than it was thought to."""


def solve(
    *,
    dice: tuple[str, ...] = ("1v1",),
    system: tuple[System, ...] = ("quantity_first",),
    wild: Wild = "always",
    aces: Aces | Literal["auto"] = "auto",
    natural: bool = False,
    rank: Literal["natural", "ace_high"] = "natural",
    faces: Annotated[int, Parameter(validator=Number(gte=2, lte=10))] = 6,
    again: bool = False,
    blueprint: bool = False,
    passes: Annotated[int, Parameter(validator=Number(gte=1, lte=1_000_000))] = PASSES,
    seed: str = "00",
    once_in: Annotated[int | None, Parameter(validator=Number(gte=1, lte=1_000_000_000))] = None,
) -> int:
    """Solve rounds of two seats, and keep the policies.

    Args:
        dice: What opener and other have, such as `1v2`; several are solved one after the other.
        system: When a bid beats another, as in common hand; `all` for each of them.
        wild: Whether ones are wild.
        aces: Whether ones may be named; `auto` as in common hand.
        natural: Whether a claim needs a die that shows the face itself.
        rank: Whether ones rank lowest, or above all others.
        faces: How many faces a die has.
        again: Solve what is there already once more.
        blueprint: Learn how to play them instead, by the last three claims; nothing is proved of that.
        passes: Of a blueprint, how often each round is gone through.
        seed: Of a blueprint, what hands are drawn from where there are too many to go through them all, in hex.
        once_in: Of a blueprint, leave out what a seat comes to with its hand less than once in so many rounds.
    """
    named = aces if aces != "auto" else "no" if wild == "always" else "as_ones"
    systems = tuple(ORDERS) if "all" in system else system
    countings = [Counting(order, rank, wild, natural, named) for order in systems]
    duels = [Duel(_dice(size), Faces(1, faces), counting) for size in dice for counting in countings]
    if blueprint:
        learn_all(duels, _there(shelf()), LearningAsked(passes, _seed(seed), once_in), again=again)
    else:
        _solve_all(duels, shelf(), again=again)
    return FINE


def _solve_all(duels: Sequence[Duel], policies: Shelf, *, again: bool) -> None:
    """Solve the rounds that are not there yet, and tell all of them; each is kept before the next one is begun."""
    for duel in duels:
        _check(duel)
    if find_spec("scipy") is None:
        raise CannotDo("to solve rounds takes the extra solve: pip install 'truecup[solve]'")
    there = _there(policies)
    todo = [duel for duel in duels if again or duel.name not in there]
    for duel in duels:
        if duel not in todo:
            _tell(there[duel.name])
    if todo:
        say_aside(f"{len(todo)} to solve, about {sum(map(seconds_for, todo))} s on one core; Ctrl-C keeps what is done")
    with bar() as progress:
        for duel in todo:
            _tell(keep_policy(_solved(duel, progress)))


def _there(policies: Shelf) -> dict[str, PolicyHeader]:
    """Return what all policies there are say of themselves, by name."""
    return {one.name: one for one in _all_of(policies)}


def _all_of(policies: Shelf) -> Iterator[PolicyHeader]:
    yield from policies.shipped()
    try:
        yield from policies.kept()
    except BadPolicy as fault:
        raise CannotDo(f"a policy that this machine keeps is damaged: {fault}") from fault


def _dice(size: str) -> tuple[int, int]:
    parts = size.split("v")
    if len(parts) != 2 or not all(part.isdecimal() and 1 <= int(part) <= DICE_MAX for part in parts):  # noqa: PLR2004 - two seats
        raise CannotDo(f"dice are written 1v2, at most {DICE_MAX} each: {size} is not")
    return int(parts[0]), int(parts[1])


def _seed(text: str) -> bytes:
    if not SEED.fullmatch(text):
        raise CannotDo("a seed is 1 to 32 bytes as hex")
    return bytes.fromhex(text)


def _check(duel: Duel) -> None:
    if duel.tokens * duel.faces.count > CLAIMS_MAX:
        raise CannotDo(f"{duel.name} has more claims than {CLAIMS_MAX}")
    pairs = pairs_of(duel)
    if pairs > PAIRS_MAX:
        raise CannotDo(f"{duel.name} is too large: {pairs:,} claims times hands, of at most {PAIRS_MAX:,}")


def _solved(duel: Duel, progress: Progress) -> bytes:
    """Return the policy of a duel, with a bar for the seconds it was thought to take."""
    total = seconds_for(duel)
    task = progress.add_task(duel.name, total=total)
    try:
        with solving(duel) as under_way:
            while (policy := under_way.wait(TICK_S)) is None:
                elapsed = next(each.elapsed for each in progress.tasks if each.id == task) or 0
                progress.update(task, completed=min(int(elapsed), int(total * NEARLY)))
    except Gone as trouble:
        raise CannotDo(f"{duel.name} is not solved: {trouble}") from trouble
    progress.update(task, completed=total)
    return policy


def _tell(one: PolicyHeader) -> None:
    bounds = one.certificate
    assert bounds is not None
    say(f"{one.id}  {bounds.lower} to {bounds.upper}")
