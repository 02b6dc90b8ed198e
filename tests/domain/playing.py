"""A match played by whoever chooses among the moves it offers: for laws, playthroughs and benches of our own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from domain import commands, events
from domain.commands import Chance
from domain.fairness.deal import Policy
from domain.fairness.openings import DealSecrets
from domain.match.absence import Absence
from domain.match.ceremony import Ceremony
from domain.match.decide import Decision, decide
from domain.match.dues import beacon_due_at, continue_awaited, due_at, ready_awaited
from domain.match.evolve import Match, new_match, open_match, table_deals
from domain.match.record import GENESIS, MatchAtHead, lines_of
from domain.table.moves import moves, plain_command
from domain.table.offers import ArrangeMove, BidMove, CallMove, ChooseFirstMove, DeclareMove, Move
from domain.table.state import State

MATCH = UUID("6f1de1ce-0000-4000-8000-000000000001")


def chance(seed: str, seats: range = range(1, 13)) -> Chance:
    """Return secrets that are the same for the same seed."""

    def drawn(name: str) -> bytes:
        return hashlib.sha256(f"{seed} {name}".encode()).digest()

    return Chance(drawn("secret"), {seat: drawn(f"seat {seat}") for seat in seats})


class Played:
    """A match on its way, with its lines, as a server would have it."""

    def __init__(
        self,
        options: dict[str, Any] | None = None,
        seats: int = 3,
        seed: str = "x",
        game: str = "common_hand",
        policy: Policy = "all",
        **rules: Any,
    ) -> None:
        self.seed = seed
        self.at = 1_000_000
        event = open_match(MATCH, {"game": game, "options": options or {}, "seats": seats, **rules}, policy)
        lines, self.head = lines_of(MATCH, 0, GENESIS, self.at, [event])
        self.lines = list(lines)
        self.events: list[events.Event] = [event]
        self.match: Match = new_match(event, self.at)
        self.steps: list[Match] = [self.match]
        self.keeper: DealSecrets | None = None

    @property
    def written(self) -> MatchAtHead:
        return MatchAtHead(self.match, self.head)

    @property
    def table(self) -> State:
        """The table, from the start of the match on."""
        assert self.match.table is not None
        return self.match.table

    @property
    def turn(self) -> int:
        """The seat in turn, where there is one."""
        assert self.table.turn is not None
        return self.table.turn

    @property
    def absence(self) -> Absence:
        """What is known of those who stop, under rules that ask for it."""
        assert self.match.absence is not None
        return self.match.absence

    @property
    def ceremony(self) -> Ceremony:
        """The current or the last deal, where there was one."""
        assert self.match.ceremony is not None
        return self.match.ceremony

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        """Decide a command a little later, and remember what it leads to."""
        made = decide(self.match, command, self.at + after_ms, self.keeper)
        self.at += after_ms
        lines, self.head = lines_of(MATCH, self.match.version, self.head, self.at, made.events)
        self.lines += lines
        self.events += made.events
        self.steps += made.steps
        self.match, self.keeper = made.match, made.keeper
        return made

    def start(self) -> None:
        """Seat everybody, in the server's custody, and deal."""
        event = self.match.settings.event is not None
        for seat in range(1, self.match.settings.seats + 1):
            self.do(commands.Join(f"p{seat}", "server"), 0 if event else 10)
        for seat in ready_awaited(self.match) or ():
            self.do(commands.SayReady(seat))
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
            elif ceremony is not None and ceremony.beacon is not None and not ceremony.waiting_for and self.hears():
                continue
            elif self.table_is_looked_at() and (awaited := continue_awaited(self.match)):
                self.do(commands.Continue(awaited[0]))
            elif self.match.table is not None and (table_deals(self.match) or not moves(self.match.table)):
                due = due_at(self.match)
                assert due is not None, "nobody may act, and the table has nothing to do"
                self.do(commands.Advance(self.chance()), max(0, due - self.at))
            else:
                return

    def table_is_looked_at(self) -> bool:
        """Report whether all who may end a pause between rounds do so now: in every other round."""
        return self.match.table is not None and self.match.table.round_number % 2 == 1

    def hears(self) -> bool:
        """Take a deal that waits for its beacon a step on; report whether it did wait."""
        ceremony, due = self.match.ceremony, beacon_due_at(self.match)
        assert ceremony is not None
        if ceremony.stage == "logged":
            self.do(commands.FixDeal(ceremony.deal, 0, (), "checkpoint"))
        elif ceremony.stage == "fixed" and ceremony.beacon is not None and due is not None:
            number = ceremony.beacon.round
            self.do(commands.HearBeacon(ceremony.deal, number, self.answer(number)), due - self.at)
        else:
            return False
        return True

    def answer(self, number: int) -> str:
        """Return what a beacon says in a round, as hex: any 48 bytes."""
        return hashlib.sha384(f"{self.seed} {number}".encode()).hexdigest()

    def offers(self) -> list[tuple[int, Move]]:
        """Return every move on offer with its seat, in a stable order."""
        assert self.match.table is not None
        return [(seat, move) for seat, offered in sorted(moves(self.match.table).items()) for move in offered]


def commands_for(seat: int, move: Move) -> list[commands.Play]:
    """Return some of the commands a move allows, the tamest first."""
    plain = plain_command(move)
    return MADE[type(move)](seat, move) if plain is None else [plain(seat)]


def _bids(seat: int, move: BidMove) -> list[commands.Play]:
    return [commands.Bid(seat, quantity, face) for quantity, face in (*move.minimum, *move.lowest)]


def _calls(seat: int, move: CallMove) -> list[commands.Play]:
    lowest = [commands.ClaimHand(seat, offer.shape, offer.lowest) for offer in move.shapes]
    return [commands.ClaimHand(seat, move.minimum.shape, move.minimum.faces), *lowest]


def _declarations(seat: int, move: Any) -> list[commands.Play]:
    imposed = [commands.Declare(seat, "impose", to) for to in move.targets]
    return [*(commands.Declare(seat, name) for name in move.specials if name != "impose"), *imposed]


def _arrangements(seat: int, move: ArrangeMove) -> list[commands.Play]:
    """Return handlings of every kind the law knows; which of them fit the dice, only the table can tell."""
    inside, outside, can = move.inside, move.outside, move.placements
    found: list[commands.Arrange] = []
    if "roll_inside" in can and inside and not (move.whole and "outside" in can):
        found.append(commands.Arrange(seat, roll_inside=inside))
    if "roll_inside" in can and "outside" in can:
        found += [
            commands.Arrange(seat, outside=(one,), roll_inside=tuple(p for p in inside if p != one)) for one in inside
        ]
    if "outside" in can and (not move.whole or not move.rolls_left):
        found += [commands.Arrange(seat, outside=(one,)) for one in inside]
    if "roll_inside" in can and not move.whole:
        found += [commands.Arrange(seat, roll_inside=(one,)) for one in inside]
        found += [commands.Arrange(seat, roll_inside=(one,)) for one in outside]
    if "roll_outside" in can:
        found += [commands.Arrange(seat, roll_outside=inside[1:]), commands.Arrange(seat, roll_outside=outside)]
        found += [commands.Arrange(seat, outside=inside[:1], roll_outside=inside[1:2])]
    if "inside" in can and outside:
        found += [
            commands.Arrange(seat, inside=outside[:1]),
            commands.Arrange(seat, inside=outside[:1], roll_outside=inside),
        ]
    return list(found)


MADE: dict[type[Move], Callable[[int, Any], list[commands.Play]]] = {
    BidMove: _bids,
    CallMove: _calls,
    DeclareMove: _declarations,
    ArrangeMove: _arrangements,
    ChooseFirstMove: lambda seat, move: [commands.ChooseFirst(seat, who) for who in move.seats],
}
