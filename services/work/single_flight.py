"""Single flight: what many ask for at the same moment is made once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Once:
    """What is being made just now, by name.

    Whoever comes while it is made gets what is made, or the trouble that came of it; so a store that does not answer
    keeps all of them waiting together, and not one after the other. Nothing is remembered.
    """

    def __init__(self) -> None:
        """Begin with nothing being made."""
        self._making: dict[Hashable, asyncio.Task[Any]] = {}

    async def get(self, name: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what is made under this name, which may have begun before the call.

        A caller that goes away takes nothing from the others: it is made to the end.
        """
        making: asyncio.Task[T] | None = self._making.get(name)
        if making is None:
            making = asyncio.create_task(make())
            self._making[name] = making
            making.add_done_callback(partial(self._forget, name))
        return await asyncio.shield(making)

    async def after(self, name: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what is made under this name by somebody who began after the call.

        So whoever has just stored something finds it, and of any number who ask at once two make it at most.
        """
        making = self._making.get(name)
        if making is not None:
            await asyncio.wait([making])
        return await self.get(name, make)

    def _forget(self, name: Hashable, made: asyncio.Task[Any]) -> None:
        del self._making[name]
        if not made.cancelled():
            # Taken note of here, since all who asked may have gone away by now.
            made.exception()
