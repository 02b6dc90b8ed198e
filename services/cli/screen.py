"""What the command prints: words for people, one JSON document a line for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

T = TypeVar("T")


def say(text: str = "") -> None:
    """Print a line for people."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say_aside(text: str) -> None:
    """Print a line beside the data, on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def say_json(document: object) -> None:
    """Print a JSON document on a line of its own."""
    say(msgspec.json.encode(document).decode())


def bar() -> Progress:
    """Return a progress bar on stderr, invisible where nobody looks at a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def counted(work: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield the work, so many pieces in all, and show how much of it is done."""
    with bar() as progress:
        yield from progress.track(work, total=total, description=what)
