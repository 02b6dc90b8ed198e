"""A mishap that happens again and again to one house, while people play there: each time they have to get on."""

from __future__ import annotations

import asyncio
import random
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import Final

from infra.store.migrate import migrate
from services.local.servers import LocalServers
from tests.adversity.house import SERVERS, Besieged, besieged
from tests.adversity.ledger import Account
from tests.adversity.mishaps import MISHAPS, Mishap
from tests.adversity.people import Playing
from tests.adversity.writers import CROWDS, written_by_a_crowd

TABLES: Final = 2
APART_MS: Final = 60
"""How long a house has its peace at most between two mishaps: some commands are sent in it."""
DISK: Final = "size=192m"
"""Room for a database, some files of its write-ahead log, a bus, and some hundreds of matches."""


class NoDisk(Exception):  # noqa: N818 - named for what happened
    """This system does not let us have a small disk."""


@contextmanager
def small_disk(at: Path) -> Iterator[None]:
    """Put a disk of little room at a folder.

    Raises:
        NoDisk: It takes rights that we do not have.
    """
    at.mkdir(parents=True, mode=0o700)
    try:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", at], capture_output=True, check=False)
    except FileNotFoundError as trouble:
        raise NoDisk(str(trouble)) from trouble
    if made.returncode != 0:
        raise NoDisk(made.stderr.decode().strip())
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)


@contextmanager
def any_disk(_at: Path) -> Iterator[None]:
    """Leave a folder on the disk it is on."""
    yield


async def run(
    names: Sequence[str], times: int, folder: Path, *, within_s: float = float("inf"), seed: int = 1, dice: int = 1
) -> Account:
    """Let these happen in turn in a house of its own, so often in all; return what came of it.

    Args:
        names: Which.
        times: How often in all.
        folder: Everything is below it.
        within_s: After so many seconds nothing more happens.
        seed: Draws the moments.
        dice: How many a seat has: with more of them matches are longer, and fewer.

    Raises:
        AssertionError: A promise was broken.
        NoDisk: There is no disk that could be full.
    """
    mishaps = [MISHAPS[name] for name in names]
    disk = small_disk if any(one.small for one in mishaps) else any_disk
    account, began, chance = Account(mishap=" ".join(names)), process_time(), random.Random(seed)
    with disk(folder / SERVERS):
        async with besieged(folder, leaps=any(one.leaps for one in mishaps)) as house:
            playing = Playing(house, TABLES, dice)
            await playing.go_on()
            until = monotonic() + within_s
            while account.times < times and monotonic() < until:
                await _once(mishaps[account.times % len(mishaps)], house, playing, chance, account)
            await playing.end()
    tries = playing.tries
    account.commands, account.repeats = tries.answered, tries.asked - tries.sent
    account.matches, account.frames = playing.checked, playing.frames
    account.slowest_ms, account.cpu_s = house.slowest_ms, process_time() - began
    account.broken = sorted(set(house.wrong))
    return account


async def _once(mishap: Mishap, house: Besieged, playing: Playing, chance: random.Random, account: Account) -> None:
    """Let it happen once, at a moment nobody chose, and wait until everybody goes on."""
    await asyncio.sleep(chance.uniform(0, APART_MS) / 1_000)
    async with mishap.strike(house, chance):
        await asyncio.sleep(chance.uniform(*mishap.lasts_ms) / 1_000)
    over_at = monotonic()
    await playing.go_on()
    account.times += 1
    account.back_ms = max(account.back_ms, (monotonic() - over_at) * 1_000)


async def crowd(name: str, times: int, folder: Path) -> Account:
    """Let a hundred write to one table until each was answered so often; return what came of it."""
    began = process_time()
    async with LocalServers(folder / SERVERS, nats=False) as servers:
        await migrate(servers.database_url)
        account = (await written_by_a_crowd(servers.database_url, CROWDS[name], times)).account(name)
    account.cpu_s = process_time() - began
    return account
