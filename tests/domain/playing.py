"""A match played by whoever chooses among the moves it offers: for laws, playthroughs and benches of our own."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from domain import commands, events
from domain.ceremony import Keeper
from domain.commands import Chance
from domain.deciding import Decision, decide
from domain.match import Match, created, due_at, open_match
from domain.moves import ArrangeMove, BidMove, ChallengeMove, Move, PassMove, SpotOnMove, moves
from domain.record import GENESIS, Written, lines_of

MATCH = UUID("6f1de1ce-0000-4000-8000-000000000001")


def chance(seed: str, seats: range = range(1, 11)) -> Chance:
    """Return secrets that are the same for the same seed."""

    def drawn(name: str) -> bytes:
        return hashlib.sha256(f"{seed} {name}".encode()).digest()

    return Chance(drawn("secret"), {seat: drawn(f"seat {seat}") for seat in seats})


class Played:
    """A match on its way, with its lines, as a server would have it."""

    def __init__(self, options: dict[str, Any] | None = None, seats: int = 3, seed: str = "x", **rules: Any) -> None:
        self.seed = seed
        self.at = 1_000_000
        event = open_match(MATCH, {"game": "common_hand", "options": options or {}, "seats": seats, **rules})
        lines, self.head = lines_of(MATCH, 0, GENESIS, self.at, [event])
        self.lines = list(lines)
        self.events: list[events.Event] = [event]
        self.match: Match = created(event, self.at)
        self.keeper: Keeper | None = None

    @property
    def written(self) -> Written:
        return Written(self.match, self.head)

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        """Decide a command a little later, and remember what it leads to."""
        made = decide(self.match, command, self.at + after_ms, self.keeper)
        self.at += after_ms
        lines, self.head = lines_of(MATCH, self.match.version, self.head, self.at, made.events)
        self.lines += lines
        self.events += made.events
        self.match, self.keeper = made.match, made.keeper
        return made

    def start(self) -> None:
        """Seat everybody, in the server's custody, and deal."""
        for seat in range(1, self.match.settings.seats + 1):
            self.do(commands.Join(f"p{seat}", "server"))
        self.do(commands.Start(self.chance()))
        self.go_on()

    def chance(self) -> Chance:
        return chance(f"{self.seed} {self.match.version}")

    def go_on(self) -> None:
        """Let the table do what nobody else has to be asked for."""
        while not self.match.ended:
            ceremony = self.match.ceremony
            if ceremony is not None and ceremony.stage == "sealed":
                self.do(commands.LogDeal(ceremony.deal, 0, (), "checkpoint"))
            elif self.match.table is not None and not moves(self.match.table):
                due = due_at(self.match)
                assert due is not None, "nobody may act, and the table has nothing to do"
                self.do(commands.Advance(self.chance()), max(0, due - self.at))
            else:
                return

    def offers(self) -> list[tuple[int, Move]]:
        """Return every move on offer with its seat, in a stable order."""
        assert self.match.table is not None
        return [(seat, move) for seat, offered in sorted(moves(self.match.table).items()) for move in offered]


def commands_for(seat: int, move: Move) -> list[commands.Play]:
    """Return some of the commands a move allows, the tamest first."""
    match move:
        case BidMove():
            return [commands.Bid(seat, quantity, face) for quantity, face in (*move.minimum, *move.lowest)]
        case ChallengeMove():
            return [commands.Challenge(seat)]
        case SpotOnMove():
            return [commands.SpotOn(seat)]
        case PassMove():
            return [commands.Pass(seat)]
        case ArrangeMove(positions=positions):
            return [
                commands.Arrange(seat, outside=(one,), roll_inside=tuple(p for p in positions if p != one))
                for one in positions
            ]
        case other:
            raise AssertionError(other)
