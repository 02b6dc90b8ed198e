"""`truecup bench` and what stands below it."""

from __future__ import annotations

from typing import Final

from cyclopts import App

from services.cli.bench.abuse.abuse import abuse
from services.cli.bench.analysis.analysis import analysis
from services.cli.bench.bench import bench
from services.cli.bench.clients.signing import signing
from services.cli.bench.event.event import tournament
from services.cli.bench.fanout import fanout
from services.cli.bench.growth import growth
from services.cli.bench.http import http
from services.cli.bench.manual import ABUSE, BENCHES
from services.cli.bench.replay import replay
from services.cli.bench.rules import rules
from services.cli.bench.socket import socket
from services.cli.bench.store import store

commands: Final = App(name="bench", help_epilogue="")
commands.default(bench)
commands.command(http, name="http", help=BENCHES["http"])
commands.command(socket, name="socket", help=BENCHES["socket"])
commands.command(store, name="store", help=BENCHES["store"])
commands.command(rules, name="rules", help=BENCHES["rules"])
commands.command(signing, name="signing", help=BENCHES["signing"])
commands.command(replay, name="replay", help=BENCHES["replay"])
commands.command(fanout, name="fanout", help=BENCHES["fanout"])
commands.command(growth, name="growth", help=BENCHES["growth"])
commands.command(tournament, name="tournament", help=BENCHES["tournament"])
commands.command(analysis, name="analysis", help=BENCHES["analysis"])
commands.command(abuse, name="abuse", help=ABUSE)
