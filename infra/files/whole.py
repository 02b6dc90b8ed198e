"""Files that are there as a whole or not at all, whoever reads or writes them in that moment and whatever is killed.

What is written stands beside the file first, under a name that nobody looks for, and takes its name in one step:
rename(2) where it comes in the place of what was there, link(2) where what was there first stays. A symbolic link
stays, and the file that it leads to is written. What comes behind what a file holds is written there, and taken back
where there is no room for all of it; only a machine that fails in that moment leaves a part.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from infra.entropy import draw

AS_USUAL: Final = 0o666
"""Whoever the umask of this program lets read a new file."""
FOR_ITS_OWNER: Final = 0o600
SHOWN: Final = 40
"""Characters of a file's name in that of the one beside it, which has to fit into 255 bytes as well."""


def write_whole(path: Path, content: bytes, mode: int = AS_USUAL, *, durably: bool = True) -> None:
    """Write a file in the place of what was there.

    Args:
        path: The file.
        content: All of it.
        mode: Who may read and write it, as far as the umask of this program lets them.
        durably: Whether it has to be there after the machine has failed. What was there before is left whole either
            way, unless the file system says otherwise.

    Raises:
        OSError: It cannot be written; what was there stays. It names the file.
    """
    with _of(path):
        file = path.resolve()
        with _beside(file, content, mode, durably=durably) as new:
            new.replace(file)


def write_first(path: Path, content: bytes, mode: int = AS_USUAL) -> bytes:
    """Write a file if there is none, and return what is there then: of several who write it at once one is the first.

    Where the file system knows no links, the last of them is: what it returns to those before is not what stays.

    Raises:
        OSError: It cannot be written, or not be read. It names the file.
    """
    with _of(path):
        file = path.resolve()
        with _beside(file, content, mode, durably=True) as new:
            try:
                file.hardlink_to(new)
            except FileExistsError:
                pass
            except OSError:
                if not file.exists():
                    new.replace(file)
        return file.read_bytes()


def append_whole(path: Path, content: bytes, mode: int = AS_USUAL) -> None:
    """Write something behind what a file holds, so that it is there after the machine has failed.

    Raises:
        OSError: It cannot be written; what was there is all there is. It names the file.
    """
    with _of(path), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode), "ab", buffering=0) as file:
        before, left = os.fstat(file.fileno()).st_size, memoryview(content)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            if os.fstat(file.fileno()).st_size == before + len(content) - len(left):
                file.truncate(before)
            raise
        os.fsync(file.fileno())


@contextmanager
def _of(path: Path) -> Iterator[None]:
    """Let what goes wrong name this file, and none that nobody knows of."""
    try:
        yield
    except OSError as trouble:
        raise OSError(trouble.errno, trouble.strerror, str(path)) from trouble


@contextmanager
def _beside(file: Path, content: bytes, mode: int, *, durably: bool) -> Iterator[Path]:
    """Give another file of the same folder, with this content, for as long as it needs to take the name of the first.

    Whoever is killed meanwhile leaves it there, where nobody reads it.
    """
    new = file.with_name(f".{file.name[:SHOWN]}.{draw(8).hex()}.new")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
            opened.write(content)
            opened.flush()
            if durably:
                os.fsync(opened.fileno())
        yield new
    finally:
        new.unlink(missing_ok=True)
    if durably:
        # Some systems let nobody do so, and keep names by themselves, sooner or later.
        with suppress(OSError):
            _keep_names(file.parent)


def _keep_names(folder: Path) -> None:
    """Have the names in a folder on the disk: a file whose name is not is as good as none."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
