"""`truecup season` and `truecup player`, and what stands below them."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.seasons import holding, people
from services.cli.seasons.manual import PLAYER, SEASON

seasons: Final = App(name="season", help_epilogue="")
seasons.command(holding.new, name="new", help=SEASON["new"])
seasons.command(holding.show, name="show", help=SEASON["show"])
seasons.command(holding.end, name="end", help=SEASON["end"])
seasons.command(holding.export, name="export", help=SEASON["export"])

players: Final = App(name="player", help_epilogue="")
players.command(people.new, name="new", help=PLAYER["new"])
players.command(people.show, name="show", help=PLAYER["show"])
players.command(people.renew, name="renew", help=PLAYER["renew"])
players.command(people.erase, name="erase", help=PLAYER["erase"])
