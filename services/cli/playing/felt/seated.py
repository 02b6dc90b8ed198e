"""A seat at work, as the table over the whole terminal needs it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Protocol, Self

from services.cli.playing.asking import Shielded
from services.cli.playing.names import Json
from services.client.proving import Proof


class Seated(Shielded, Protocol):
    """A seat at work, or somebody who watches and has none, as the table needs it."""

    @property
    def proof(self) -> Proof:
        """What is known of one's own dice."""

    async def __aenter__(self) -> Self:
        """Begin to follow the match."""

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of it."""

    def items(self) -> AsyncGenerator[Json, None]:
        """Yield what is said of the match."""

    async def ask(self, command: Json, *, host: bool = False) -> object:
        """Ask for something."""
