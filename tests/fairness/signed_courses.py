"""Matches whose seats sign, as both auditors are asked of them, and what servers do that lie about handled dice."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain import commands, events
from domain.fairness.deal import Policy
from domain.table.offers import CallMove
from services.audit.verdict import Verdict
from tests.domain.truth_oracle import played_out
from tests.fairness.javascript_auditor import Ask
from tests.fairness.record_files import access_beside
from tests.fairness.signed_play import SignedPlay
from tests.fairness.test_beside import LAYERS, judged

POLICIES: tuple[Policy, ...] = ("shown", "all")
CLOCK = {"bank_ms": 1_000, "increment_ms": 100}


def found(*played: SignedPlay) -> list[Verdict]:
    """Return what both auditors say of these matches, which is the same."""
    files = [one.file() for one in played]
    return judged([Ask(file, layers=LAYERS, access=access_beside(file)) for file in files])


def begun(
    game: str = "common_hand", policy: Policy = "all", kind: type[SignedPlay] = SignedPlay, **more: Any
) -> SignedPlay:
    """Return a match of a seat with a key and seeds of its own, one with a key alone, and a third with neither."""
    seats = 2 if game in {"individual_hand", "german_liar_dice"} else 3
    played = kind(more.pop("options", {}), seats, "signed", game, policy, pause_ms=more.pop("pause_ms", 0), **more)
    played.start()
    return played


def whole(game: str, policy: Policy = "all", kind: type[SignedPlay] = SignedPlay, **more: Any) -> SignedPlay:
    """Return such a match, played out."""
    played = begun(game, policy, kind, **more)
    played_out(played, 1, last=(commands.Forfeit,))
    return played


def at(played: SignedPlay, kind: type[events.Event], which: int = 0) -> int:
    """Return the line, from 1, of an event of this type."""
    return [seq for seq, event in enumerate(played.events, start=1) if isinstance(event, kind)][which]


def is_found(played: SignedPlay, code: str, line: int) -> None:
    """Check that both auditors find just this."""
    (verdict,) = found(played)
    assert (verdict.code, verdict.line) == (code, line), verdict


def reported(verdict: Verdict) -> dict[str, Any]:
    """Return what is proved of each seat with a key."""
    assert isinstance(verdict.seats, dict), verdict
    return verdict.seats


class OtherDice(SignedPlay):
    """A server that rolls other dice than the seat has sealed, as many."""

    def positions(self, command: commands.Arrange) -> dict[str, list[int]]:
        said = super().positions(command)
        rolled = said["roll_inside"]
        free = [place for place in range(5) if place not in rolled]
        return {**said, "roll_inside": (free + rolled)[: len(rolled)]}


class NoDice(SignedPlay):
    """A seat that seals dice that it does not have."""

    def positions(self, command: commands.Arrange) -> dict[str, list[int]]:
        said = super().positions(command)
        return {**said, "roll_inside": [2**53 - 1 - place for place in said["roll_inside"]]}


class Unasked(SignedPlay):
    """A server that opens what no seat has sealed."""

    salt = "0" * 64

    def told(self, command: commands.MatchCommand, event: events.Event) -> events.Event:
        if not isinstance(event, events.ChoicesRevealed):
            return super().told(command, event)
        return replace(event, choices=tuple([replace(choice, salt=self.salt) for choice in event.choices]))


class NoSalt(Unasked):
    salt = "none"


def handled(policy: Policy, kind: type[SignedPlay], **more: Any) -> SignedPlay:
    """Return a round in which dice were rolled anew unseen, and shown."""
    played = begun("individual_hand", policy, kind, **more)
    _call(played)
    played.do(commands.Arrange(played.turn, roll_inside=(3, 4)))
    _call(played)
    played.do(commands.Challenge(played.turn))
    played.go_on()
    played.do(commands.Forfeit(1))
    played.go_on()
    return played


def _call(played: SignedPlay) -> None:
    seat = played.turn
    move = next(move for who, move in played.offers() if who == seat and isinstance(move, CallMove))
    played.do(commands.ClaimHand(seat, move.minimum.shape, move.minimum.faces))


class Quiet(SignedPlay):
    """A server that opens no salt where it need not."""

    def told(self, command: commands.MatchCommand, event: events.Event) -> events.Event:
        return event if isinstance(event, events.ChoicesRevealed) else super().told(command, event)
