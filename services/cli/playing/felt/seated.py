"""A seat at work, as the table over the whole terminal needs it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Protocol, Self

from services.cli.playing.names import Json
from services.client.proving import Proof
from services.client.seating import Sitting
from services.client.signing import Shield


class Seated(Protocol):
    """A seat at work, or somebody who watches and has none, as the table needs it."""

    @property
    def sitting(self) -> Sitting | None:
        """The seat."""

    @property
    def proof(self) -> Proof:
        """What is known of one's own dice."""

    @property
    def shield(self) -> Shield:
        """Whether what is asked for is signed with the key of the seat."""

    @property
    def key(self) -> str | None:
        """The public key that is here for the seat, as hex."""

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
