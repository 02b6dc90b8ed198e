"""The command's output: words for people, one JSON document a line for programs.

The law of the file: text leaves for a terminal here and nowhere else, and leaves printable. A server, a record or the
name of a file may say what it likes: it stays on its line, and the terminal obeys none of it.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from threading import Timer
from types import TracebackType
from typing import Final, Protocol, TypeVar

import msgspec
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from infra.printable import printable, printable_json

LATE_S: Final = 1.0
"""So long nobody asks what takes so long."""
T = TypeVar("T")
Given_co = TypeVar("Given_co", covariant=True)


class Showable(Protocol[Given_co]):
    """A program that takes the whole terminal, as Textual has it, and gives something back when it ends."""

    async def run_async(self) -> Given_co | None:
        """Take the terminal."""


def say(*lines: str) -> None:
    """Print lines for people, each of them one line whatever is in it; without any, an empty one."""
    for line in lines or ("",):
        sys.stdout.write(f"{printable(line)}\n")
    sys.stdout.flush()


def say_aside(text: str) -> None:
    """Print a line beside the data, on stderr."""
    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()


def say_json(document: object) -> None:
    """Print a JSON document on a line of its own.

    The standard library writes it, since it can write the name of any file: bytes that are no UTF-8 are lone surrogates
    in Python, which stay escapes.
    """
    text = json.dumps(msgspec.to_builtins(document, str_keys=True), ensure_ascii=False, separators=(",", ":"))
    sys.stdout.write(f"{printable_json(text)}\n")
    sys.stdout.flush()


def say_document(document: bytes) -> None:
    """Print a document byte by byte; to a terminal, what it must not obey stays an escape."""
    if sys.stdout.isatty():
        sys.stdout.write(printable_json(document.decode()))
    else:
        sys.stdout.buffer.write(document)
    sys.stdout.flush()


def draw(drawing: RenderableType) -> None:
    """Print a table, whose texts are `plain` where others have a say in them."""
    Console(highlight=False).print(drawing)


def draw_dark_on_light(lines: Sequence[str]) -> None:
    """Print lines of equal length in black on white, whatever colours the terminal has, if it is wide enough."""
    console = Console(highlight=False)
    if console.width >= len(lines[0]):
        for line in lines:
            console.print(Text(printable(line), style="#000000 on #ffffff", no_wrap=True))


def shows(signs: str) -> bool:
    """Report whether somebody looks at a terminal that has these signs."""
    if not sys.stdout.isatty():
        return False
    try:
        signs.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def is_terminal() -> bool:
    """Report whether somebody types at a terminal and looks at it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def takes_screens() -> bool:
    """Report whether a program may take the whole terminal: somebody is there, and the extra `tui` is."""
    able = is_terminal() and os.environ.get("TERM", "dumb") != "dumb"
    return able and find_spec("textual") is not None


async def show(app: Showable[T]) -> T | None:
    """Hand the terminal over to a program, which shows what `plain` has made printable; return what it gives back."""
    return await app.run_async()


def plain(text: str) -> Text:
    """Return a text for a table, in which square brackets are no markup."""
    return Text(printable(text))


def say_fault(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback on stderr, where the message of a fault may quote what somebody else wrote."""
    for line in "".join(traceback.format_exception(kind, fault, trace)).splitlines():
        say_aside(line)


def bar() -> Progress:
    """Return a progress bar on stderr, invisible where nobody looks at a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def show_parts(progress: Progress, what: str) -> Callable[[str, int, int], None]:
    """Return what is told of a work in parts: which part it is at, how far it has come there, and how far it goes."""
    task = progress.add_task(what, total=None)

    def tell(part: str, done: int, total: int) -> None:
        progress.update(task, description=part, completed=done, total=total)

    return tell


def show_progress_late(work: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield the work as `show_progress` does, and show nothing of it before a second has gone by."""
    progress = bar()
    task = progress.add_task(what, total=total)
    # It is time even where the first piece is still on its way.
    late = Timer(LATE_S, progress.start)
    late.daemon = True
    late.start()
    try:
        for done in work:
            progress.advance(task)
            yield done
    finally:
        late.cancel()
        late.join()
        progress.stop()


def show_progress(work: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield the work, so many pieces in all, and show how much of it is done."""
    with bar() as progress:
        yield from progress.track(work, total=total, description=what)
