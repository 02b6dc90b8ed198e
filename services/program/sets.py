"""Sets: the processes of one program on one machine, and what each of them does.

Those with `api` answer requests, one a core, and take commands themselves where the program deals: what they store is
told apart by versions, as that of machines is. Whatever follows the log is done once, by the one process that answers
nobody: frames, lobby and statistics, the clocks of matches, the transparency log, the bots, the end of what nobody is
at. A program that is a set of one is one process, which does all of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace as replace_terms
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from infra.config import Config
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from services.http.front.sockets import Terms
from services.program.roles import roles_of

PROCESSES_MAX: Final = 8
"""How many answer requests if nothing is said, however many cores there are: one process follows what all of them
store, and each has connections to the database."""
HOUSE: Final = "house"
"""The process that answers nobody."""
ANSWERING: Final = frozenset({"api", "dealer"})
"""What is done by each process that answers: all that takes no following of the log."""


class Part(Struct, frozen=True):
    """What one process of a set is.

    Attributes:
        name: What it is called in log lines, health and metrics; empty where it is alone.
        answers: Whether it listens.
        keeps: Whether it does what one process of a house has to do for all matches.
        answering: How many processes of the set listen.
    """

    name: str = ""
    answers: bool = True
    keeps: bool = True
    answering: int = 1


ALONE: Final = Part()


def processes_of(config: Config) -> int:
    """Return how many processes answer requests: what is asked for, or one a core, and one where none has `api`."""
    if "api" not in roles_of(config):
        return 1
    return config.processes or min(PROCESSES_MAX, _cores())


def parts_of(config: Config) -> list[tuple[Part, Config]]:
    """Return the processes of the set, the one that keeps house first, each with its settings."""
    count, roles = processes_of(config), roles_of(config)
    if count == 1:
        return [(ALONE, config)]
    answering = _with_roles(config, [role for role in config.roles.split(",") if role in ANSWERING])
    parts = [(Part(f"api-{number}", keeps=False, answering=count), answering) for number in range(1, count + 1)]
    if roles == {"api"}:
        parts[0] = (replace(parts[0][0], keeps=True), answering)
    else:
        house = _with_roles(config, [role for role in config.roles.split(",") if role != "api"])
        parts.insert(0, (Part(HOUSE, answers=False, answering=count), house))
    return parts


def share_of_terms(terms: Terms, part: Part) -> Terms:
    """Return what one of several processes may let in, so that all of them let in no more than one would.

    A network's connections are spread over the processes, and so is what it asks.
    """
    return replace_terms(
        terms,
        sockets_max=_share(terms.sockets_max, part),
        sockets_of_network_max=_share(terms.sockets_of_network_max, part),
        requests=_share_of_rate(terms.requests, part),
    )


def share_of_bounds(bounds: Bounds, part: Part) -> Bounds:
    """Return the same of streams and dear reads."""
    return replace_terms(
        bounds,
        streams_max=_share(bounds.streams_max, part),
        streams_of_network_max=_share(bounds.streams_of_network_max, part),
        dear=_share_of_rate(bounds.dear, part),
    )


def _share(bound: int, part: Part) -> int:
    return -(-bound // part.answering)


def _share_of_rate(rate: Rate, part: Part) -> Rate:
    return replace(rate, burst=_share(rate.burst, part))


def _with_roles(config: Config, roles: Sequence[str]) -> Config:
    return replace(config, roles=",".join(roles))


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
