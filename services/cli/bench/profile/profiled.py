"""The service with a sampler in it, as a program: `python -m` this module, a file for the figures, a command.

No setting of the service reaches a sampler, and no module of the service imports one: it is there only in a process
that was started by the name of this module, as `truecup bench` does.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from services.cli.bench.profile.sampler import Sampler
from services.cli.bench.rig.rig import COMMAND


def main() -> None:
    """Be the command that the arguments name, sampled."""
    file = Path(sys.argv.pop(1))
    Sampler(file).install()
    runpy.run_module(COMMAND, run_name="__main__")


if __name__ == "__main__":
    main()
