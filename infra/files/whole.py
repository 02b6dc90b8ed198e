"""Files that are there as a whole or not at all, whoever reads or writes them in that moment and whatever is killed.

What is written stands beside the file first, under a name that nobody looks for, and takes its name in one step:
rename(2) where it comes in the place of what was there, link(2) where what was there first stays.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Final

FOR_ALL: Final = 0o644
FOR_ITS_OWNER: Final = 0o600
SHOWN: Final = 40
"""Characters of a file's name in that of the one beside it, which has to fit into 255 bytes as well."""
CANNOT_BE_KEPT: Final = frozenset({errno.EACCES, errno.EBADF, errno.EINVAL, errno.EISDIR})
"""What a system says that lets no program write names to the disk; it does so by itself, sooner or later."""


def write_whole(path: Path, content: bytes, mode: int = FOR_ALL, *, durably: bool = True) -> None:
    """Write a file in the place of what was there.

    Args:
        path: The file.
        content: All of it.
        mode: Who may read it.
        durably: Whether it has to be there after the machine has failed. What was there before is left whole either
            way, unless the file system says otherwise.

    Raises:
        OSError: It cannot be written; what was there stays.
    """
    with _beside(path, content, mode, durably=durably) as new:
        new.replace(path)


def write_first(path: Path, content: bytes, mode: int = FOR_ALL) -> bytes:
    """Write a file if there is none, and return what is there then: of several who write it at once one is the first.

    Where the file system knows no links, the last of them is: what it returns to those before is not what stays.

    Raises:
        OSError: It cannot be written, or not be read.
    """
    with _beside(path, content, mode, durably=True) as new:
        try:
            path.hardlink_to(new)
        except FileExistsError:
            pass
        except OSError:
            if not path.exists():
                new.replace(path)
    return path.read_bytes()


@contextmanager
def _beside(path: Path, content: bytes, mode: int, *, durably: bool) -> Iterator[Path]:
    """Give a file beside this one that holds the content, gone afterwards; its folder is on the disk then."""
    # Whoever is stopped here leaves a file that nobody reads.
    number, name = mkstemp(prefix=f".{path.name[:SHOWN]}.", suffix=".new", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            os.fchmod(number, mode)
            file.write(content)
            file.flush()
            if durably:
                os.fsync(number)
        yield new
    finally:
        new.unlink(missing_ok=True)
    if durably:
        _keep_names(path.parent)


def _keep_names(folder: Path) -> None:
    """Have the names in a folder on the disk: a file whose name is not is as good as none."""
    try:
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as refused:
        if refused.errno not in CANNOT_BE_KEPT:
            raise
