"""`truecup policy`, and what stands below it."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.analysing import cups, fitting, shelves, solving
from services.cli.analysing.manual import POLICY
from services.cli.auditing.outside import pins

commands: Final = App(name="policy", help_epilogue="")
commands.command(shelves.list_policies, name="list", help=POLICY["list"])
commands.command(shelves.show, name="show", help=POLICY["show"])
commands.command(solving.solve, name="solve", help=POLICY["solve"])
commands.command(shelves.verify, name="verify", help=POLICY["verify"])
commands.command(fitting.fit, name="fit", help=POLICY["fit"])
commands.command(cups.cup, name="cup", help=POLICY["cup"])
commands.command(pins.pin, name="pin", help=POLICY["pin"])
