"""Dropping root: running a program that refuses to run as root, when we are root.

Two ways, and neither adds a user to the system or changes the mode of a folder that is not ours: as nobody, keeping the
one capability to pass through closed folders (works in ordinary containers, too), or in a user namespace, where root's
files stay root's and the program's user is called nobody.

Without `no_setuid_fixup` the capability opens files, but access(2), by which Postgres looks for its own programs, is
asked without it (capabilities(7)): below a closed folder, as root's home is, initdb would not find postgres.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from services.work.startup import CannotStart

NOBODY: Final = 65_534


class Ordinary(Struct, frozen=True):
    """A way to run as an ordinary user.

    Attributes:
        prefix: What stands before the command.
        owner: The user, as we see it from outside, who owns what the program writes.
    """

    prefix: tuple[str, ...]
    owner: int

    def command(self, argv: Sequence[str]) -> list[str]:
        """Return the command that runs a program in this way."""
        return [*self.prefix, *argv]

    def own(self, folder: Path) -> None:
        """Give a folder of ours to the program, when another way, or another user, has made it."""
        if os.geteuid() != 0 or folder.stat().st_uid == self.owner:
            return
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.owner, -1, follow_symlinks=False)


AS_NOBODY: Final = Ordinary(
    (
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
        "--securebits=+no_setuid_fixup",
        "--pdeathsig=keep",
    ),
    owner=NOBODY,
)
IN_A_NAMESPACE: Final = Ordinary(("unshare", "--user", f"--map-user={NOBODY}"), owner=0)


def ordinary(program: Path) -> Ordinary:
    """Return how to run a program as an ordinary user: as ourselves, unless we are root.

    Raises:
        CannotStart: We are root, and this system lets us do neither.
    """
    if os.geteuid() != 0:
        return Ordinary((), os.geteuid())
    for way in (AS_NOBODY, IN_A_NAMESPACE):
        if works(way, program):
            return way
    raise CannotStart(
        f"{program.name} refuses to run as root, and here it can run neither as nobody (setpriv) nor in a user"
        " namespace (unshare): start truecup as another user, or set TRUECUP_DATABASE_URL to a Postgres that runs"
    )


def works(way: Ordinary, program: Path) -> bool:
    """Report whether a program can be reached and run in this way, without a complaint."""
    if shutil.which(way.prefix[0]) is None:
        return False
    tried = subprocess.run(way.command([str(program), "--version"]), capture_output=True, check=False)  # noqa: S603 - ours
    return tried.returncode == 0 and not tried.stderr
