"""Laws of every table, whatever its house rules: a machine plays random legal and illegal commands and looks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from domain import commands, events
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness.records import RecordLine
from domain.match.evolve import Match
from domain.match.record import fold
from domain.rules.orders import Count
from domain.table.moves import moves
from projections.view import view_of
from tests.domain.options import MATCHES
from tests.domain.playing import Played, commands_for
from tests.sizes import cases

QUIET = settings(
    deadline=None, suppress_health_check=list(HealthCheck), max_examples=cases(20, 400), stateful_step_count=60
)


class Table(RuleBasedStateMachine):
    """A table at which anything legal, and much that is not, is tried."""

    played: Played

    @initialize(
        options=MATCHES,
        seats=st.integers(2, 4),
        deal_per=st.sampled_from(["match", "round"]),
        clock=st.sampled_from(["clock", "none"]),
    )
    def open(self, options: dict[str, Any], seats: int, deal_per: str, clock: str) -> None:
        timed: dict[str, Any] = {"clock": {"bank_ms": 5_000, "increment_ms": 100}} if clock == "clock" else {}
        self.played = Played(options, seats, deal_per=deal_per, pause_ms=0, **timed)
        self.played.start()

    @precondition(lambda self: not self.played.match.ended)
    @rule(data=st.data())
    def do_something_offered(self, data: st.DataObject) -> None:
        offers = self.played.offers()
        assert offers, "somebody can always act"
        seat, move = data.draw(st.sampled_from(offers))
        command = data.draw(st.sampled_from(commands_for(seat, move)))
        standing = self.played.match.table.round.standing if self.played.match.table else None
        self.played.do(command)
        if isinstance(command, commands.Bid) and standing is not None:
            assert Count(command.quantity, command.face) != standing, "every round climbs"
        self.played.go_on()

    @precondition(lambda self: not self.played.match.ended)
    @rule(
        seat=st.integers(-1, 300),
        quantity=st.integers(-(2**63), 2**63),
        face=st.integers(-2, 9),
        kind=st.sampled_from([commands.Bid, commands.Challenge, commands.SpotOn, commands.Pass, commands.Arrange]),
        positions=st.lists(st.integers(-1, 6), max_size=4),
    )
    def try_anything(self, seat: int, quantity: int, face: int, kind: type, positions: list[int]) -> None:
        command: Any = commands.Bid(seat, quantity, face) if kind is commands.Bid else kind(seat)
        if kind is commands.Arrange:
            command = commands.Arrange(seat, tuple(positions[:1]), (), tuple(positions[1:]))
        before = self.played.match
        with suppress(Refused):
            self.played.do(command)
            self.played.go_on()
            return
        assert self.played.match is before, "a refused command changes nothing"

    @precondition(lambda self: not self.played.match.ended and self.played.match.clocks is not None)
    @rule()
    def let_the_time_run_out(self) -> None:
        clocks = self.played.match.clocks
        assert clocks is not None
        assert clocks.due_at is not None, "while somebody has to act, a clock runs"
        self.played.do(commands.Advance(self.played.chance()), max(0, clocks.due_at - self.played.at))
        self.played.go_on()

    @precondition(lambda self: not self.played.match.ended)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        state = self.played.match.table
        assert state is not None
        if data.draw(st.integers(0, 9)) == 0:
            self.played.do(commands.Forfeit(data.draw(st.sampled_from(state.remaining))))
            self.played.go_on()

    @precondition(lambda self: self.played.match.ended)
    @rule(kind=st.sampled_from([commands.Challenge, commands.Forfeit, commands.Leave]))
    def try_after_the_end(self, kind: type) -> None:
        with pytest.raises(Refused, match="over"):
            self.played.do(kind(1))

    @invariant()
    def ledgers_balance(self) -> None:
        state = self.played.match.table
        assert state is not None
        for unit, held in state.balances.items():
            begun = state.rules.tokens.dice * len(state.seats) if unit == "die" else 0
            assert sum(held.values()) == begun, unit

    @invariant()
    def nobody_sees_what_he_may_not(self) -> None:
        played = self.played
        state = played.match.table
        assert state is not None
        gone = {event.seat for event in played.events if isinstance(event, events.Forfeited)}
        for viewer in (None, *state.seats):
            view = view_of(played.written, viewer, played.keeper, {})
            for seat in view.seats:
                place = state.places.get(seat.seat)
                for die, shown in zip(place.dice if place else (), seat.dice, strict=True):
                    assert shown.shown == (die.value is not None)
                    assert (shown.face is None) == (not shown.shown and (viewer != seat.seat or viewer in gone))
            assert view.moves == (() if viewer is None else moves(state).get(viewer, ()))

    def teardown(self) -> None:
        if not hasattr(self, "played"):
            return
        for written, _ in fold(self.played.lines):
            last = written
        assert last.match == self.played.match, "replaying the log gives the same state"
        assert last.head == self.played.head
        if self.played.match.ended:
            assert ruled(self.played.lines).line is None


def ruled(lines: list[bytes]) -> Any:
    documents = [msgspec.json.decode(line) for line in lines]
    return replay([RecordLine(n, d["type"], d["data"], d["at"]) for n, d in enumerate(documents, start=1)])


def test_the_laws_of_a_table() -> None:
    run_state_machine_as_test(Table, settings=QUIET)


def random_match(options: dict[str, Any], data: st.DataObject, **rules: Any) -> Played:
    played = Played(options, 3, pause_ms=0, **rules)
    played.start()
    while not played.match.ended:
        seat, move = data.draw(st.sampled_from(played.offers()))
        played.do(data.draw(st.sampled_from(commands_for(seat, move))))
        played.go_on()
    return played


@settings(QUIET, max_examples=cases(8, 150))
@given(MATCHES, st.data())
def test_every_match_ends_and_the_referee_agrees(options: dict[str, Any], data: st.DataObject) -> None:
    played = random_match({**options, "dice_per_player": 2}, data)
    found = ruled(played.lines)
    assert (found.judged, found.line, found.upto) == (True, None, len(played.lines))
    assert played.match.table is not None
    winner = next(event.seat for event in played.events if isinstance(event, events.Won))
    assert played.events[-1] == events.MatchEnded(winner)


@settings(QUIET, max_examples=cases(8, 150))
@given(MATCHES, st.data())
def test_a_spectator_receives_the_same_bytes_whatever_the_hidden_dice_are(
    options: dict[str, Any], data: st.DataObject
) -> None:
    def told(seed: str) -> list[bytes]:
        played = Played({**options, "push": False}, 3, seed=seed, pause_ms=0)
        played.start()
        state = played.match.table
        assert state is not None
        seen = view_of(played.written, None, played.keeper, {})
        public = msgspec.structs.replace(seen, head="", turn=None, deal=None)
        return [msgspec.json.encode([seat.dice for seat in public.seats]), msgspec.json.encode(public.last)]

    assert told(data.draw(st.text(max_size=3))) == told(data.draw(st.text(max_size=3)))


def test_a_match_cannot_go_on_after_its_end() -> None:
    played = Played({"dice_per_player": 1}, 2, pause_ms=0)
    played.start()
    while not played.match.ended:
        seat, move = played.offers()[-1]
        played.do(commands_for(seat, move)[0])
        played.go_on()
    over: Match = played.match
    with pytest.raises(Refused, match="over"):
        played.do(commands.Challenge(1))
    assert played.match is over
