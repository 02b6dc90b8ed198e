"""A witness of our own: a program beside the service, with its own folder, key and register.

Run by the same hands as the log it makes a fork visible, not impossible: for that, name witnesses of others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from infra.config import PREFIX
from services.local.child import Child

CODE = Path(__file__).parents[2]
"""Where this very program is: its witnesses are of the same version."""


class EmbeddedWitness:
    """A `truecup witness` in a data folder. After a restart it listens on the same port."""

    def __init__(self, folder: Path, name: str, logs: Callable[[], Sequence[str]]) -> None:
        """Keep everything below this folder, which need not exist.

        Args:
            folder: The folder.
            name: The name of the witness's key.
            logs: Gives the verifier keys of the log, once the folder is ours.
        """
        self._folder = folder
        self._name = name
        self._logs = logs
        self._port = 0
        self._child: Child | None = None

    @property
    def vkey(self) -> str:
        """Its verifier key."""
        return (self._folder / "vkey").read_text(encoding="utf-8").strip()

    @property
    def url(self) -> str:
        """Where it is asked."""
        assert self._port, "not started"
        return f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._child is not None, "not started"
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child is not None and self._child.alive

    async def start(self) -> None:
        """Start it.

        Raises:
            CannotStart: It does not come up.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder / "url").unlink(missing_ok=True)
        known = [word for vkey in self._logs() for word in ("--log", vkey)]
        place = ["--listen", f"127.0.0.1:{self._port}", "--folder", str(self._folder), "--name", self._name]
        # Settings are ours, not its: the key that wraps our secrets is nothing a witness should hold.
        unset = [word for name in os.environ if name.startswith(PREFIX) for word in ("-u", name)]
        path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH")]))
        python = ["env", *unset, f"PYTHONPATH={path}", sys.executable, "-P", "-m", "services.cli.main"]
        self._child = Child(self._name, [*python, "witness", *place, *known], self._folder / "witness.log")
        await self._child.ready(self._says_ready)

    def _says_ready(self) -> bool:
        try:
            told = (self._folder / "url").read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        if not told.endswith("\n"):
            return False
        self._port = int(told.strip().rpartition(":")[2])
        return True

    async def stop(self) -> None:
        """Stop it."""
        if self._child is not None:
            await self._child.stop()
