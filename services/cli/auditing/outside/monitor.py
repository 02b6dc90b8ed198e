"""`truecup monitor`: a log followed by somebody who does not keep it."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Final

from msgspec import UnsetType, to_builtins

from domain.log.policies import Policy
from services.cli.auditing.outside.pins import policy_in
from services.cli.auditing.outside.sights import compare_folders
from services.cli.exits import FINE, FOUND, INCOMPLETE
from services.cli.house import address
from services.cli.operating.until_stopped import until_told_to_stop
from services.cli.screen import say, say_json
from services.cli.settings import policy_file
from services.client.house import CannotDo
from services.monitor.monitor import AnotherLog, Monitor, MonitorLook
from services.monitor.reading import LogHouse
from services.monitor.store import MonitorStore

EVERY_S: Final = 5.0
TOLD_MAX: Final = 10_000
"""Sentences that are remembered, so that each is said once."""


def monitor(
    url: str | None = None,
    /,
    *,
    folder: Path | None = None,
    compare: tuple[Path, Path] | None = None,
    policy: Path | None = None,
    once: bool = False,
    every: float = EVERY_S,
    patience: float = 7.0,
    streams: bool = False,
    statistics: bool = False,
    json: bool = False,
) -> int:
    """Follow the log of a house.

    Args:
        url: The address of the house.
        folder: Where to keep what was seen; each log has its own.
        compare: Follow nothing, and hold what lies in two folders against each other.
        policy: The file that names the keys of the log and of its witnesses.
        once: Look once, and end.
        every: Seconds between looks.
        patience: Days a match may go on before it counts as never ended.
        streams: Compare every stream at every look, and not a few in turn.
        statistics: Count anew what the house's own statistics say of the matches compared.
        json: Print one JSON document a look.
    """
    believed = _believed(policy)
    if compare is not None:
        if url is not None or folder is not None:
            raise CannotDo("--compare holds two folders against each other, and follows no house")
        return compare_folders(*compare, believed, json=json)
    if url is None or folder is None:
        raise CannotDo("name the address of a house and a folder with --folder, or two folders with --compare")
    if not (every > 0 and patience >= 0):
        raise CannotDo("--every is a number of seconds above 0, and --patience a number of days")
    following = _Following(address(url), believed, patience, every_stream=streams, counts=statistics, json=json)
    _run(following, folder, None if once else every)
    return following.code


def _believed(policy: Path | None) -> Policy:
    found = policy_in(policy_file(policy))
    if found is None:
        raise CannotDo("name the policy with --policy: it says whom to believe, and comes from somewhere else")
    return found


def _run(following: _Following, folder: Path, every: float | None) -> None:
    try:
        notebook = MonitorStore(folder)
        try:
            asyncio.run(until_told_to_stop(following.run(notebook, every)))
        finally:
            notebook.close()
    except AnotherLog as trouble:
        raise CannotDo(str(trouble)) from trouble
    except (OSError, sqlite3.Error) as trouble:
        raise CannotDo(f"the folder {folder} cannot be used: {trouble}") from trouble


class _Following:
    """Looks again and again, and says each thing once.

    Attributes:
        code: The exit code as of the last look; what was found wrong once stays wrong.
    """

    def __init__(
        self, url: str, policy: Policy, patience: float, *, every_stream: bool, counts: bool, json: bool
    ) -> None:
        """Follow the log of the house at this address."""
        self.code = FINE
        self._url = url
        self._policy = policy
        self._patience = patience
        self._every_stream = every_stream
        self._counts = counts
        self._json = json
        self._told: set[str] = set()

    async def run(self, notebook: MonitorStore, every: float | None) -> None:
        """Look once, or every so many seconds until told to stop."""
        async with LogHouse(self._url) as house:
            monitor = Monitor(house, notebook, self._policy, self._patience)
            while True:
                look = await monitor.look(every_stream=self._every_stream, counts=self._counts)
                if self.code != FOUND:
                    self.code = FOUND if look.findings else INCOMPLETE if look.unanswered else FINE
                self._tell(look)
                if every is None:
                    return
                await asyncio.sleep(every)

    def _tell(self, look: MonitorLook) -> None:
        if self._json:
            say_json({"log": f"{self._url}/log", **to_builtins(look)})
            return
        if len(self._told) > TOLD_MAX:
            self._told.clear()
        lines = [f"wrong, {one.code}: {one.text}" for one in look.findings]
        lines += [f"not checked: {one}" for one in look.unanswered]
        if look.followed and (look.grown or not self._told):
            lines.append(
                f"{look.size} entries are one history and lead to the signed root, {look.grown} of them new;"
                f" {look.compared} streams compared"
            )
        if not isinstance(look.statistics, UnsetType):
            counted = look.statistics
            lines.append(
                f"{counted.sheets} matches are in the statistics, {counted.held} of them counted anew;"
                f" {counted.private} are private by the word of the house;"
                f" {counted.dealt.counts.voided} of {counted.dealt.counts.logged} deals were thrown away,"
                f" and in {counted.dealt.counts.drawn} the house drew the seed of a player"
            )
        for line in lines:
            if line not in self._told:
                self._told.add(line)
                say(line)
