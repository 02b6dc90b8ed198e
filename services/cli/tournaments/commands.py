"""`truecup tournament` and what stands below it."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.tournaments.hosting.holding import add, check_in, finish, new, pair, rule, start
from services.cli.tournaments.hosting.watching import watch
from services.cli.tournaments.looking import certificate, export, standings, why
from services.cli.tournaments.manual import HOLDING, LOOKING, PLAYING
from services.cli.tournaments.simulate import simulate

commands: Final = App(name="tournament", help_epilogue="")
commands.command(simulate, name="simulate", help=PLAYING["simulate"])
commands.command(standings, name="standings", help=LOOKING["standings"])
commands.command(why, name="why", help=LOOKING["why"])
commands.command(certificate, name="certificate", help=LOOKING["certificate"])
commands.command(export, name="export", help=LOOKING["export"])
commands.command(new, name="new", help=HOLDING["new"])
commands.command(add, name="add", help=HOLDING["add"])
commands.command(check_in, name="check-in", help=HOLDING["check-in"])
commands.command(start, name="start", help=HOLDING["start"])
commands.command(pair, name="pair", help=HOLDING["pair"])
commands.command(rule, name="rule", help=HOLDING["rule"])
commands.command(finish, name="finish", help=HOLDING["finish"])
commands.command(watch, name="watch", help=HOLDING["watch"])
