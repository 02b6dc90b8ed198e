"""Toasts: an interlude that no game of the house has, as anybody would write one. All there is to it stands here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from msgspec.structs import replace

from domain import events
from domain.ids import Seat
from domain.table.dealer import Dealer
from domain.table.interlude import Interlude, InterludeCommand, InterludeEvent
from domain.table.offers import Move
from domain.table.phases import CLAIMING, Phase
from domain.table.state import MatchMemory, State

TOASTING: Final[Phase] = "toasting"


class Toasts(MatchMemory, frozen=True):
    """How often each seat has drunk to the others."""

    by_seat: tuple[Seat, ...] = ()


class ToastMove(Move, frozen=True, tag="toast"):
    """Drink to the others."""


class ToastOpened(InterludeEvent, frozen=True, tag="game.toast_opened"):
    """Whoever opens the round drinks to the others first."""

    def change(self, state: State) -> State:
        return replace(state, phase=TOASTING)


class Toasted(InterludeEvent, frozen=True, tag="game.toasted"):
    """A seat drank to the others."""

    seat: Seat

    def change(self, state: State) -> State:
        before = state.remembered(Toasts) or Toasts()
        return replace(state.remember(Toasts((*before.by_seat, self.seat))), phase=CLAIMING)

    def command(self) -> Toast:
        return Toast(self.seat)


class Toast(InterludeCommand, frozen=True, tag="toast"):
    """Drink to the others."""

    words: ClassVar[tuple[str, ...]] = ("cheers", "toast")

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        if state.phase != TOASTING:
            return "wrong_phase"
        return None if state.turn == seat else "not_your_turn"

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        return ToastMove()

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        yield Toasted(self.seat)


class Toasting(Interlude, frozen=True, tag=True):
    """Whoever opens a round drinks to the others before the first claim."""

    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = (Toast,)
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = (ToastOpened, Toasted)
    phases: ClassVar[tuple[Phase, ...]] = (TOASTING,)

    def after_deal(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        yield ToastOpened()

    def timeout_command(self, state: State, seat: Seat) -> Toast | None:
        return Toast(seat) if state.phase == TOASTING else None
