"""`truecup tournament` and what stands below it."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.manual import TOURNAMENTS
from services.cli.tournaments.simulate import simulate

commands: Final = App(name="tournament", help_epilogue="")
commands.command(simulate, name="simulate", help=TOURNAMENTS["simulate"])
