"""The limit on open files, of which every connection takes one.

A shell's usual limit is 1,024, and a program may raise its own as far as the hard limit allows (getrlimit(2)). The soft
one is low for the sake of programs that use select(2), which this one does not.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import Final

FILES_WANTED: Final = 65_536
"""More than any bound of ours asks for. Some systems refuse what they could not keep, so nobody asks for no limit."""
FILES_OF_OURS: Final = 256
"""What is left for connections to the database and the bus, for logs and for the libraries' own files."""


def raise_limit() -> int:
    """Let this process open as many files as it is allowed to, and return how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # A container may forbid even this; then what there is has to do, and the bounds follow it.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return limit()


def limit() -> int:
    """Return how many files this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return FILES_WANTED if soft == resource.RLIM_INFINITY else soft


def sockets_within(files: int) -> int:
    """Return how many sockets have room among so many files, at least one."""
    return max(1, files - FILES_OF_OURS)
