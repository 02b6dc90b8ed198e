"""`truecup up`, `serve` and `migrate`: settings in, the service runs, its address is printed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Annotated

import asyncpg
import structlog
from cyclopts import Parameter
from msgspec.structs import replace

from domain.log.receipts import AnotherHistory
from infra import telemetry
from infra.config import HOME, Config, primaries_of
from infra.store import Unavailable
from infra.store.primaries.naming import join_primaries
from services.cli.exits import FINE, FOUND
from services.cli.operating.reaching import tell_others
from services.cli.operating.until_stopped import event_loop, is_free, until_told_to_stop
from services.cli.screen import say, say_aside
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.matches.witnesses import witnesses_of
from services.program.grounds import Where
from services.program.member import Ready
from services.program.processes import supervisor
from services.program.processes.process import BrokenProcess
from services.program.roles import roles_of
from services.work.startup import CannotStart

log = structlog.get_logger(__name__)


def up(
    *,
    port: int | None = None,
    host: str | None = None,
    data: Path | None = None,
    processes: int | None = None,
    demo: Annotated[bool, Parameter(negative="--no-demo")] = True,
) -> int:
    """Start everything on this machine.

    Args:
        port: The port to listen on; 0 takes a free one. 8000 if nothing is said, or a free one if that is taken.
        host: The address to listen on: 0.0.0.0 lets others on your network play, at the addresses it then prints.
        data: The folder for everything Truecup keeps.
        processes: How many processes answer requests; one a core if nothing is said.
        demo: Whether three bots play at a demo table.
    """
    level = None if "TRUECUP_LOG_LEVEL" in os.environ else "warning"
    config = settings(port=port, host=host, data=data, processes=processes, demo=demo, log_level=level)
    if port is None and "TRUECUP_PORT" not in os.environ and not is_free(config.host, config.port):
        config = replace(config, port=0)
    return _run(config, lambda folder, told: supervisor.up(config, folder, told))


def serve(
    *, port: int | None = None, host: str | None = None, data: Path | None = None, processes: int | None = None
) -> int:
    """Run the service.

    Args:
        port: The port to listen on; 0 takes a free one.
        host: The address to listen on.
        data: The folder for what this machine keeps.
        processes: How many processes answer requests; one a core if nothing is said.
    """
    config = settings(port=port, host=host, data=data, processes=processes)
    if config.database_url is None or config.nats_url is None:
        raise CannotDo(
            "set TRUECUP_DATABASE_URL and TRUECUP_NATS_URL, or use `truecup up`, which starts servers of its own"
        )
    try:
        where = Where(config.database_url, config.nats_url, witnesses_of(config.witnesses or ""))
    except CannotStart as trouble:
        raise CannotDo(str(trouble)) from trouble
    return _run(config, lambda folder, told: supervisor.run(config, folder, where, told))


def migrate() -> int:
    """Bring the database, and all other primaries, to the newest schema."""
    config = settings()
    if config.database_url is None:
        raise CannotDo("set TRUECUP_DATABASE_URL to the database that is to be migrated")
    try:
        found = asyncio.run(join_primaries(config.database_url, primaries_of(config.shards)))
    except (OSError, TimeoutError, asyncpg.PostgresError, Unavailable) as trouble:
        raise CannotDo(f"the database could not be migrated: {trouble}") from trouble
    for name, applied in found.items():
        where = "" if name == HOME else f"{name}: "
        say(where + (f"applied {', '.join(applied)}" if applied else "nothing to do: the schema is the newest"))
    return FINE


def _run(config: Config, running: Callable[[Path, Ready], Coroutine[None, None, None]]) -> int:
    """Run until interrupted: Ctrl-C is how the service is meant to end."""
    if config.port != 0 and not is_free(config.host, config.port):
        raise CannotDo(f"port {config.port} of {config.host} is taken: choose another with --port, or 0 for a free one")
    folder = folder_of(config)
    telemetry.set_up(config.log_level, config.log_format)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with asyncio.Runner(loop_factory=event_loop) as runner:
            runner.run(
                until_told_to_stop(
                    running(folder, partial(_tell, config) if "api" in roles_of(config) else _tell_health)
                )
            )
    except (CannotStart, OSError, TimeoutError) as trouble:
        raise CannotDo(f"Truecup cannot run: {trouble}") from trouble
    except (Unavailable, asyncpg.PostgresError) as trouble:
        # From the second line on a database says what stands in a row.
        raise CannotDo(f"Truecup cannot run: {str(trouble).partition(chr(10))[0]}") from trouble
    except AnotherHistory as trouble:
        say_aside(f"ALARM: the database shows another history than the one that was signed: {trouble}")
        return FOUND
    except BrokenProcess:
        raise CannotDo("Truecup is broken; the line before says where") from None
    except Exception:
        # What a fault says may quote what the service holds; its type and place do not.
        log.critical("program.broken", exc_info=True)
        raise CannotDo("Truecup is broken; the line before says where") from None
    return FINE


def _tell(config: Config, url: str) -> None:
    say(f"Truecup is running at {url}")
    tell_others(config, url)
    say_aside("Open it in a browser to watch and play; `truecup --help` says what else there is. Ctrl-C stops it all.")


def _tell_health(url: str) -> None:
    say(f"Truecup is running, without pages; {url}/health/ready says how it is")
