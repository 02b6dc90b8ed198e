"""`truecup tournament` and what stands below it."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.manual import TOURNAMENTS
from services.cli.tournaments.looking import certificate, export, standings, why
from services.cli.tournaments.manual import LOOKING
from services.cli.tournaments.simulate import simulate

commands: Final = App(name="tournament", help_epilogue="")
commands.command(simulate, name="simulate", help=TOURNAMENTS["simulate"])
commands.command(standings, name="standings", help=LOOKING["standings"])
commands.command(why, name="why", help=LOOKING["why"])
commands.command(certificate, name="certificate", help=LOOKING["certificate"])
commands.command(export, name="export", help=LOOKING["export"])
