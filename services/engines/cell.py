"""A cell for a program of others: run as a script, it gives up what it can, and becomes that program.

    python -I cell.py MEMORY_MIB PROGRAM [ARGUMENT ...]

No network where the system lets it be taken away, no more memory than that, no core files, and few descriptors. The
script imports nothing of this house: it starts with an empty environment.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from typing import Final

NEW_USER: Final = 0x10000000
NEW_NETWORK: Final = 0x40000000
"""`CLONE_NEWUSER` and `CLONE_NEWNET` of Linux (`unshare(2)`): not even the loopback of a new network is up."""
FILES_MAX: Final = 256


def leave_network() -> bool:
    """Give the network up; report whether the system allowed it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        return False
    # The superuser needs no user of its own for that, and keeps the rights to its files.
    return any(libc.unshare(flags) == 0 for flags in (NEW_NETWORK, NEW_USER | NEW_NETWORK))


def main(memory: str, *command: str) -> None:
    """Become the program."""
    bytes_max = int(memory) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_MAX, FILES_MAX))
    if not leave_network():
        sys.stderr.write("this system does not take the network away from a program\n")
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606 - the program that somebody has asked for


if __name__ == "__main__":
    main(*sys.argv[1:])
