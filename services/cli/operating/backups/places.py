"""The database and the witnesses that a command means: those of the settings, or those that `truecup up` has."""

from __future__ import annotations

import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from domain.log.notes import key_of
from infra.config import Config, primaries_of
from services.local.postgres import address_at, state_of
from services.local.servers import LocalServers
from services.local.witness import EmbeddedWitness
from services.matches.witnesses import WitnessAddress, witnesses_of
from services.work.startup import CannotStart


class HousePlace(Struct, frozen=True):
    """A house: its database, the witnesses of its log, and the other primaries by their names."""

    database_url: str
    witnesses: tuple[WitnessAddress, ...]
    others: dict[str, str]


@asynccontextmanager
async def place_of(config: Config, folder: Path, *, asks: bool = True) -> AsyncIterator[HousePlace]:
    """Give the database of these settings; the one in the data folder is started unless a `truecup up` has it.

    Witnesses are those of the settings. Without any, and with a database of the data folder, they are those that have
    signed something there: none is made, for a new one has seen nothing. Unless they are to be asked, they sleep on.

    Raises:
        CannotStart: The servers in the folder do not come up.
    """
    others = primaries_of(config.shards)
    named = None if config.witnesses is None else witnesses_of(config.witnesses)
    if config.database_url is not None:
        yield HousePlace(config.database_url, named or (), others)
    elif _is_running(folder):
        witnesses = _running_witnesses(folder) if named is None else named
        yield HousePlace(_running_database(folder), witnesses, others)
    else:
        asked = asks and named is None
        own = [_sleeping(path) for path in _folders_of_witnesses(folder)] if asked else []
        async with LocalServers(folder, nats=False, witnesses=own) as servers:
            awake = tuple(WitnessAddress(key_of(one.vkey), one.url) for one in own)
            yield HousePlace(servers.database_url, awake if asked else named or (), others)


def _is_running(folder: Path) -> bool:
    """Report whether another program holds the data folder."""
    try:
        with (folder / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _running_database(folder: Path) -> str:
    said = state_of(folder / "postgres" / "data")
    if said is None or not said.is_ready:
        raise CannotStart(f"another truecup is running on {folder}, and its database is not ready: try again")
    return address_at(said.socket)


def _running_witnesses(folder: Path) -> tuple[WitnessAddress, ...]:
    there = [path for path in _folders_of_witnesses(folder) if (path / "url").exists()]
    return tuple(WitnessAddress(key_of(_line(path / "vkey")), _line(path / "url")) for path in there)


def _folders_of_witnesses(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("witness-*/witness.db"))


def _sleeping(folder: Path) -> EmbeddedWitness:
    """Return a witness as it is: it knows its logs, and is told of none."""
    return EmbeddedWitness(folder, key_of(_line(folder / "vkey")).name, lambda: ())


def _line(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
