"""Holdings of a node: every text and every row of numbers that its program can reach, in whatever object it lies."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextvars import Context
from functools import _lru_cache_wrapper
from random import Random
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from infra.feed import memory
from tests.simulation.bus import NodeFeed, NodeHandoff, SharedFeed, Takers
from tests.simulation.link import Link, Weather
from tests.simulation.loop import VirtualLoop
from tests.simulation.store import NodeStore, SharedStore
from tests.simulation.world import Life, World

ELSEWHERE: Final = (SharedFeed, SharedStore, Takers, VirtualLoop, Weather, World)
"""The ground that a node stands on with others: what it knows of it, it has asked for."""
CODE: Final = (type, ModuleType, CodeType, Context, Random, _lru_cache_wrapper)
"""What a process has once, whatever it does."""
BEYOND: Final[frozenset[type]] = frozenset({*CODE, *ELSEWHERE})
OWNED: Final = (Link, NodeFeed, NodeHandoff, NodeStore)
"""What a node has of that ground."""
PLAIN: Final = frozenset({str, bytes, int, float, bool, type(None)})
"""What refers to nothing."""
TELLING: Final[frozenset[type]] = frozenset({str, bytes, bytearray, tuple, list, dict})
"""What may say something by itself, besides structs."""
SHORT: Final = 4
"""Texts and rows that are shorter say nothing: each is somewhere in any program."""


def held_by(node: Any) -> frozenset[object]:
    """Return what a node holds: its program, and all that goes on in its life."""
    roots = [node.program, node.life.tasks]
    return frozenset(_told_by(each) for each in _reached(roots, node.life) if _may_tell(each)) - {None}


def _reached(roots: list[object], life: object) -> Iterator[object]:
    seen, left = set[int](), list(roots)
    while left:
        found = left.pop()
        if id(found) in seen or _is_code(found) or _is_elsewhere(found, life):
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, FunctionType):
            left += [found.__closure__, found.__defaults__]
        elif isinstance(found, asyncio.Task):
            left += [found.get_coro()]
        elif type(found) not in PLAIN:
            left += gc.get_referents(found)


def _is_code(found: object) -> bool:
    return not BEYOND.isdisjoint(type(found).__mro__)


def _may_tell(found: object) -> bool:
    return hasattr(type(found), "__struct_fields__") or not TELLING.isdisjoint(type(found).__mro__)


def _is_elsewhere(found: object, life: object) -> bool:
    """Report whether this is no part of a node: another one, which is reached by what all share."""
    if type(found) in PLAIN:
        return False
    if isinstance(found, FunctionType):
        return found.__module__ == memory.__name__
    owner = found if isinstance(found, Life) else vars(found).get("_life") if isinstance(found, OWNED) else life
    return owner is not life


def _told_by(found: object) -> object:
    """Return what an object says by itself; None if nothing."""
    fields = getattr(type(found), "__struct_fields__", None)
    if fields is not None:
        numbers = [(name, getattr(found, name)) for name in fields if isinstance(getattr(found, name), int)]
        return (type(found).__name__, *numbers)
    match found:
        case str() | bytes() | bytearray():
            return bytes(found) if isinstance(found, bytearray) else found if len(found) >= SHORT else None
        case tuple() | list() if len(found) >= SHORT and all(isinstance(each, int) for each in found):
            return tuple(found)
        case dict() if len(found) >= SHORT and all(isinstance(each, int) for each in found.values()):
            return tuple(sorted((str(key), value) for key, value in found.items()))
        case _:
            return None
