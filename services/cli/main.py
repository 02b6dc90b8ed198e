"""Truecup's command line: finds the command, runs it, and ends with a sentence instead of a traceback."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Final

from cyclopts import App, CycloptsError

from services.cli.exits import CANNOT, FINE, INTERRUPTED
from services.cli.manual import COMMANDS, EPILOGUE, HELP
from services.cli.screen import say_aside, say_fault
from services.cli.tongue import language_of
from services.client.house import CannotDo
from services.words.catalogue import speaking
from services.work.startup import program_version

PLACES: Final = {
    "up": "services.cli.operating.running:up",
    "serve": "services.cli.operating.running:serve",
    "migrate": "services.cli.operating.running:migrate",
    "backup": "services.cli.operating.backups.backup:backup",
    "restore": "services.cli.operating.backups.restore:restore",
    "verify": "services.cli.operating.backups.restore:verify",
    "rewrap": "services.cli.operating.rewrap:rewrap",
    "move-shard": "services.cli.operating.moving:move_shard",
    "withdraw": "services.cli.operating.withdrawing:withdraw",
    "erase": "services.cli.operating.erasing:erase",
    "play": "services.cli.playing.play:play",
    "key": "services.cli.playing.keyed.keys:commands",
    "watch": "services.cli.playing.watch:watch",
    "open": "services.cli.opening:open_tables",
    "replay": "services.cli.playing.replay:replay",
    "export": "services.cli.auditing.export:export",
    "audit": "services.cli.auditing.audit:audit",
    "witness": "services.cli.operating.witness:witness",
    "monitor": "services.cli.auditing.outside.monitor:monitor",
    "statistics": "services.cli.auditing.statistics:statistics",
    "prove": "services.cli.auditing.prove:prove",
    "odds": "services.cli.auditing.odds:odds",
    "analyse": "services.cli.analysing.analyse:analyse",
    "gauntlet": "services.cli.analysing.gauntlet:gauntlet",
    "engine": "services.cli.analysing.engine:engine",
    "policy": "services.cli.analysing.policies:commands",
    "doctor": "services.cli.operating.checkup.doctor:doctor",
    "tournament": "services.cli.tournaments.commands:commands",
    "season": "services.cli.seasons.commands:seasons",
    "player": "services.cli.seasons.commands:players",
    "bench": "services.cli.bench.commands:commands",
}
"""Where each command is. It is loaded only when it is asked for, so that help is quick."""

GROUPS: Final = frozenset({"bench", "policy", "tournament", "season", "player", "key"})
"""Commands with others below them, which bring their own settings of how they are told."""

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What is no fault of this program's wherever it comes up: a disk that is full, or that nobody may write to."""


def app() -> App:
    """Return the command with all its commands."""
    found = App(
        name="truecup",
        help=HELP,
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version=program_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for order, (name, text) in enumerate(COMMANDS.items()):
        more = {} if name in GROUPS else {"help_epilogue": ""}
        found.command(PLACES[name], name=name, help=text, sort_key=order, **more)
    return found


def run(arguments: Sequence[str]) -> int:
    """Run the command these arguments name and return its exit code."""
    try:
        language, rest = language_of(arguments, os.environ)
        with speaking(language):
            code = app()(rest, exit_on_error=False, print_error=False)
    except (CycloptsError, CannotDo) as trouble:
        say_aside(f"truecup: {sentence(trouble)}")
        return CANNOT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us, such as `head`, has seen enough; Python would complain once more at its own exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as trouble:
        if trouble.errno not in NO_ROOM:
            raise
        say_aside(f"truecup: {'' if trouble.filename is None else f'{trouble.filename}: '}{trouble.strerror}")
        return CANNOT
    return code if isinstance(code, int) else FINE


def sentence(trouble: Exception) -> str:
    """Return what went wrong, on one line."""
    text = " ".join(str(trouble).split())
    if isinstance(trouble, CycloptsError):
        return f"{text[:1].lower()}{text[1:].rstrip('.')}; `truecup --help` lists what there is"
    return text


def main() -> None:
    """Be the program."""
    sys.excepthook = say_fault
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal of another alphabet shows what it cannot write as it shows what it must not.
        sys.stdout.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    # What is there is not gone through for rings of garbage once more, which takes longer than the rest of the end.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
