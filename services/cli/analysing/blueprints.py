"""`truecup policy solve --blueprint`: rounds learnt one after the other, each kept however far it has come."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import FrameType

from msgspec import Struct
from rich.progress import Progress

from domain.strategy.duels.blueprint import blueprint_name
from domain.strategy.duels.duel import Duel
from domain.strategy.policies.headers import PolicyHeader
from services.cli.analysing.shelves import keep_policy
from services.cli.screen import bar, say, say_aside
from services.client.house import CannotDo
from services.solver.blueprint import blueprint_of
from services.solver.contexts import Contexts, contexts_of
from services.solver.effort import ENTRIES_MAX, entries_of, seconds_for_pass
from services.solver.regrets import Regrets


class LearningAsked(Struct, frozen=True):
    """How rounds are learnt.

    Attributes:
        passes: How often each is gone through.
        seed: What hands are drawn from, where there are many.
        once_in: What a seat comes to with its hand less than once in so many rounds is left out; None for nothing.
    """

    passes: int
    seed: bytes
    once_in: int | None


def learn_all(duels: Sequence[Duel], there: dict[str, PolicyHeader], asked: LearningAsked, *, again: bool) -> None:
    """Learn the rounds that are not there yet, and tell all of them.

    Raises:
        CannotDo: One of them has no blueprint, or is too large.
        KeyboardInterrupt: Somebody pressed Ctrl-C; the round that was being learnt is kept as far as it has come.
    """
    todo = []
    for duel in duels:
        known = there.get(blueprint_name(duel.name))
        if known is not None and not again:
            _tell(known)
        else:
            todo.append(_checked(duel))
    # Noted before anybody is told of it.
    with _interrupts_noted() as interrupted:
        if todo:
            seconds = sum([1 + int(asked.passes * seconds_for_pass(contexts)) for contexts in todo])
            say_aside(f"{len(todo)} to learn, about {seconds} s on one core; Ctrl-C keeps how far it has come")
        with bar() as progress:
            for contexts in todo:
                _learn(Regrets(contexts, asked.seed), asked, progress, interrupted)


def _checked(duel: Duel) -> Contexts:
    if duel.counting.wild == "unless_opened":
        raise CannotDo("a blueprint forgets how a round was opened, which decides here whether ones are wild")
    contexts = contexts_of(duel)
    entries = entries_of(contexts)
    if entries > ENTRIES_MAX:
        raise CannotDo(f"{duel.name} is too large: {entries:,} moves times hands, of at most {ENTRIES_MAX:,}")
    return contexts


def _learn(regrets: Regrets, asked: LearningAsked, progress: Progress, interrupted: Event) -> None:
    """Go through a round so many times, or until somebody interrupts, and keep what was learnt."""
    task = progress.add_task(blueprint_name(regrets.contexts.duel.name), total=asked.passes)
    while regrets.passes < asked.passes:
        regrets.go_through()
        progress.update(task, completed=regrets.passes)
        if interrupted.is_set():
            break
    _tell(keep_policy(blueprint_of(regrets, asked.once_in)))
    if interrupted.is_set():
        raise KeyboardInterrupt


@contextmanager
def _interrupts_noted() -> Iterator[Event]:
    """Note a first Ctrl-C for whoever works here to look at; a second one ends it at once."""
    noted = Event()

    def note(_number: int, _frame: FrameType | None) -> None:
        if noted.is_set():
            raise KeyboardInterrupt
        noted.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _tell(one: PolicyHeader) -> None:
    say(f"{one.id}  a model, {one.size:,} bytes")
