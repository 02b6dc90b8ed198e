"""Structured logging: one line an event, JSON for machines or colours for a terminal, on stderr.

The law of the file: a log line never holds a request body, a response body, a token, a query string, an address that
is asked or a die. Faults are told by type and place only, since the message of an exception may quote what it failed
on.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import MutableMapping
from functools import partial
from pathlib import PurePath
from types import TracebackType
from typing import Any, Final, Literal

import structlog
from structlog.typing import Processor

from infra.printable import printable

Level = Literal["debug", "info", "warning", "error"]
Form = Literal["json", "console"]

FRAMES_MAX: Final = 30
_BEFORE_VALUES: Final = re.compile(r"[^(<\n]*")
_QUIET: Final = {
    "nats": "WARNING",
    "asyncio": "WARNING",
    "uvicorn.access": "WARNING",
    "asyncpg": "ERROR",
    "httpx": "WARNING",
    "httpcore": "WARNING",
    "urllib3": "CRITICAL",
}
"""Libraries that say in detail what the program says in short, and from which level on they are heard.

Those that ask say which address, and an address may be as good as a key: that of a webhook is, and a witness or a
collector may have a password in its.
"""


def set_up(level: Level, form: Form, process: str = "") -> None:
    """Let everything from this level on be told, our own lines and those of libraries alike.

    Each line bears the name of the process, where it has one among others.
    """
    lowest = logging.getLevelNamesMapping()[level.upper()]
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        partial(_of_process, process),
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        place_of_fault,
    ]
    structlog.configure(
        processors=[*before, *_renderers(form)],
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    _take_in_libraries(lowest, before, _renderers(form))


def _of_process(
    process: str, _logger: object, _method: str, line: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    if process:
        line["process"] = process
    return line


def place_of_fault(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace `exc_info` by the type of the fault and where it happened, innermost last; of several, of the first.

    What asyncio says of a fault that nobody took goes on with what the fault says, or with what a callback was given.
    """
    line.pop("stack_info", None)
    if line.get("logger") == "asyncio":
        line["event"] = _BEFORE_VALUES.findall(str(line["event"]))[0].strip()
    fault = _fault(line.pop("exc_info", None))
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    if fault is not None:
        line["fault"] = type(fault).__name__
        line["where"] = _places(fault.__traceback__)
    return line


def _fault(given: object) -> BaseException | None:
    if isinstance(given, tuple):
        return _fault(given[1])
    if isinstance(given, BaseException):
        return given
    return sys.exc_info()[1] if given else None


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-FRAMES_MAX:]
    return [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]


def printable_values(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Make the texts of a line printable: a path, or what another server said, must not write to our terminal."""
    return {name: printable(value) if isinstance(value, str) else value for name, value in line.items()}


def _renderers(form: Form) -> tuple[Processor, ...]:
    """Return what makes the text of a line. JSON is written in ASCII, where nothing is left to be obeyed."""
    if form == "json":
        return (structlog.processors.JSONRenderer(),)
    return (printable_values, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()))


def _take_in_libraries(lowest: int, before: list[Processor], renderers: tuple[Processor, ...]) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(), *before],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(lowest, logging.INFO))
    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(level)
