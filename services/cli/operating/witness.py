"""`truecup witness`: one small process that signs what a log says of itself, and never two histories."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from domain.log.notes import ED25519, Key, Malformed, key_of
from infra import telemetry
from infra.config import networks_of
from services.cli.exits import FINE
from services.cli.operating.until_stopped import event_loop, is_free, until_told_to_stop
from services.cli.screen import say, say_aside
from services.cli.settings import settings
from services.client.house import CannotDo
from services.http.front.proxies import Proxies
from services.witness.application import NotOurs, run

PORT_MAX: Final = 65_535


def witness(
    *,
    folder: Path,
    name: str,
    listen: str = "127.0.0.1:0",
    log: Annotated[tuple[str, ...], Parameter(negative=())] = (),
) -> int:
    """Be a witness.

    Args:
        folder: Where its key and what it has signed are kept.
        name: Its name, which goes into its key: an address without its scheme.
        listen: The address and port to listen on; port 0 takes a free one.
        log: The verifier key of a log to know; may be given several times.
    """
    host, port = _address(listen)
    keys = [_log_key(vkey) for vkey in log]
    _check_name(name)
    config = settings(log_level=None if "TRUECUP_LOG_LEVEL" in os.environ else "warning")
    telemetry.set_up(config.log_level, config.log_format)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with asyncio.Runner(loop_factory=event_loop) as runner:
            proxies = Proxies(networks_of(config.proxies))
            runner.run(until_told_to_stop(run(host, port, folder, name, keys, _tell, proxies)))
    except (NotOurs, OSError, ValueError, sqlite3.Error) as trouble:
        raise CannotDo(f"the witness cannot run: {trouble}") from trouble
    return FINE


def _tell(url: str, vkey: str) -> None:
    say(f"The witness is running at {url}")
    say_aside(f"Its verifier key, for policies: {vkey}")


def _address(listen: str) -> tuple[str, int]:
    host, _, digits = listen.rpartition(":")
    if not host or not (digits.isascii() and digits.isdecimal()) or int(digits) > PORT_MAX:
        raise CannotDo(f"{listen} is no address to listen on: one looks like 127.0.0.1:7380, or 127.0.0.1:0")
    host, port = host.removeprefix("[").removesuffix("]"), int(digits)
    if port != 0 and not is_free(host, port):
        raise CannotDo(f"port {port} of {host} is taken: choose another, or 0 for a free one")
    return host, port


def _log_key(vkey: str) -> Key:
    try:
        key = key_of(vkey)
    except Malformed as trouble:
        raise CannotDo(f"--log {vkey}: {trouble}") from trouble
    if key.kind != ED25519:
        raise CannotDo(f"--log {vkey}: this is the key of a witness, not of a log")
    return key


def _check_name(name: str) -> None:
    if not name or "+" in name or any(character.isspace() or character < " " for character in name):
        raise CannotDo(f"{name!r} is no name for a key: it has no blank and no plus sign, like witness.example/w1")
