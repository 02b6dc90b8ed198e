"""A process of a set, started by `services.program.processes.process` and by nobody else; people use `truecup up`."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Final

import asyncpg
import msgspec
import structlog

from domain.log.receipts import AnotherHistory
from infra import telemetry
from infra.store import Unavailable
from services.cli.exits import FINE
from services.cli.operating.until_stopped import event_loop, until_told_to_stop
from services.program.line import Down, encode
from services.program.processes.joining import take_part
from services.program.processes.process import Charge
from services.work.startup import CannotStart

log = structlog.get_logger(__name__)

DOWN: Final = 1


def main(fds: list[int]) -> int:
    """Do the part that is told at the first of these files, answering at the others; return the exit code."""
    end, *listening = (socket.socket(fileno=fd) for fd in fds)
    with end.makefile("rb", buffering=0) as told:
        charge = msgspec.json.decode(told.readline(), type=Charge)
    telemetry.set_up(charge.config.log_level, charge.config.log_format, charge.part.name)
    with end.dup() as last_words:
        down = _run(charge, end, tuple(listening))
        if down is not None:
            last_words.sendall(encode(down))
    return FINE if down is None else DOWN


def _run(charge: Charge, end: socket.socket, listening: tuple[socket.socket, ...]) -> Down | None:
    """Do it until told to stop; return why it ended where it was not."""
    try:
        with asyncio.Runner(loop_factory=event_loop) as runner:
            runner.run(until_told_to_stop(take_part(charge, end, listening)))
    except AnotherHistory as trouble:
        return Down("history", str(trouble))
    except (CannotStart, OSError, TimeoutError) as trouble:
        return Down("start", str(trouble))
    except (Unavailable, asyncpg.PostgresError) as trouble:
        # From the second line on a database says what stands in a row.
        return Down("start", str(trouble).partition("\n")[0])
    except Exception:
        log.critical("program.broken", exc_info=True)
        return Down("broken")
    return None


if __name__ == "__main__":
    sys.exit(main([int(each) for each in sys.argv[2:]]))  # the name before them is for whoever lists processes
