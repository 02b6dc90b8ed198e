"""Laws of the table, for every set of options."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands, events
from domain.errors import Refused
from domain.rules.orders import Count
from domain.table import decide as table
from domain.table.evolve import evolve
from domain.table.moves import legal_moves
from domain.table.offers import BidMove
from domain.table.state import next_seat
from tests.domain.options import MATCHES, SESSIONS
from tests.domain.playing import commands_for
from tests.domain.seeded import Game
from tests.sizes import cases

QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=cases(25, 1_000))
ANY = MATCHES | SESSIONS
STEPS = 40


def some_game(options: dict[str, Any], data: st.DataObject, seed: str = "a", steps: int = STEPS) -> Game:
    """Return a game some way on, after commands drawn from what was on offer."""
    game = Game(options, data.draw(st.integers(2, 5)), seed, None)
    game.deal_if_due()
    for _ in range(data.draw(st.integers(0, steps))):
        game.deal_if_due()
        if game.state.phase == "finished":
            break
        game.do(drawn(game, data))
    return game


def drawn(game: Game, data: st.DataObject) -> commands.Play:
    seat, move = data.draw(st.sampled_from(game.offers()))
    return data.draw(st.sampled_from(commands_for(seat, move)))


def accepted(game: Game, command: commands.TableCommand) -> bool:
    try:
        return bool(table.decide(game.state, command, game.dealer))
    except Refused:
        return False


@QUIET
@given(ANY, st.data())
def test_whatever_is_offered_is_accepted_and_whatever_is_not_is_refused(
    options: dict[str, Any], data: st.DataObject
) -> None:
    game = some_game(options, data)
    offered = table.moves(game.state)
    for seat in (*game.state.seats, 99):
        kinds = {type(move).__struct_config__.tag for move in offered.get(seat, ())}
        for command in (commands.Challenge(seat), commands.SpotOn(seat), commands.Pass(seat)):
            accepts = accepted(game, command)
            assert accepts == (type(command).__struct_config__.tag in kinds), command


@QUIET
@given(ANY, st.data())
def test_the_bounds_of_a_bid_are_exactly_the_bids_that_are_accepted(
    options: dict[str, Any], data: st.DataObject
) -> None:
    game = some_game(options, data)
    seat = game.state.turn or 1
    bids = [move for move in table.moves(game.state).get(seat, ()) if isinstance(move, BidMove)]
    lowest = {face: quantity for move in bids for quantity, face in move.lowest}
    legal = 0
    for face in range(-1, 8):
        for quantity in range(-1, game.state.dice_in_play + 2):
            within = face in lowest and lowest[face] <= quantity <= bids[0].quantity_max
            assert accepted(game, commands.Bid(seat, quantity, face)) == within, (quantity, face)
            legal += within
    assert sum(legal_moves(game.state, move) for move in bids) == legal
    for quantity, face in bids[0].minimum if bids else ():
        assert accepted(game, commands.Bid(seat, quantity, face))


@QUIET
@given(ANY, st.data())
def test_replaying_what_happened_gives_the_same_state(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    state = game.begun
    for event in game.events:
        state = evolve(state, cast(events.TableEvent, event))
    assert game.state == state


@QUIET
@given(ANY, st.data())
def test_what_a_bid_does_to_wild_ones_is_known_before_it(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    state = game.begun
    for event in game.events:
        before, state = state, evolve(state, cast(events.TableEvent, event))
        assert before.wild == before.wild_after(None)
        if isinstance(event, events.Bid):
            assert before.wild_after(Count(event.quantity, event.face)) == state.wild


@QUIET
@given(ANY, st.data())
def test_hidden_dice_decide_nothing_before_they_are_shown(options: dict[str, Any], data: st.DataObject) -> None:
    one, other = Game(options, 3, "one"), Game(options, 3, "other")
    for game in (one, other):
        game.deal_if_due()
    for _ in range(STEPS):
        assert one.events == other.events
        assert one.state == other.state
        assert table.moves(one.state) == table.moves(other.state)
        command = drawn(one, data)
        one.do(command)
        other.do(command)
        if any(isinstance(event, events.Revealed) for event in one.events):
            return


@QUIET
@given(ANY, st.data())
def test_no_value_is_in_the_state_but_those_that_were_shown(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    since = next(i for i in reversed(range(len(game.events))) if isinstance(game.events[i], events.RoundOpened))
    shown = {
        (event.cup, event.roll, slot, value)
        for event in game.events[since:]
        if isinstance(event, events.Revealed)
        for slot, value in event.values
    }
    known = {
        (place.cup, *die.at, die.value)
        for place in game.state.places.values()
        for die in place.dice
        if die.value is not None and die.at is not None
    }
    assert shown == known


@QUIET
@given(ANY, st.data())
def test_every_unit_is_conserved(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    if game.state.phase != "finished" and data.draw(st.booleans()):
        game.do(commands.Forfeit(data.draw(st.sampled_from(game.state.remaining))))
    for unit, held in game.state.balances.items():
        begun = sum(game.begun.balances.get(unit, {}).values())
        assert begun == sum(held.values()), unit
    assert game.state.balance("chip", "pot") >= 0
    assert all(game.state.balance("die", seat) >= 0 for seat in game.state.seats)
    if game.state.phase == "finished":
        assert game.state.balance("chip", "pot") == 0, "whoever wins takes the pot"


@QUIET
@given(ANY, st.data())
def test_somebody_can_act_unless_the_table_has_to(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    acting = set(table.moves(game.state))
    assert bool(acting) == (game.state.phase in {"claiming", "responding"})
    assert game.state.turn is None or game.state.turn in acting
    assert accepted(game, commands.DealRound()) == (game.state.phase == "between_rounds")


@QUIET
@given(ANY, st.data())
def test_who_runs_out_of_time_does_something_that_was_on_offer(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    if game.state.turn is None:
        return
    offered = table.moves(game.state)[game.state.turn]
    command = table.timeout_command(game.state)
    if isinstance(command, commands.Bid):
        (bid,) = [move for move in offered if isinstance(move, BidMove)]
        assert (command.quantity, command.face) == bid.minimum[0]
        assert game.state.round.standing is None or game.state.round.bound
    game.do(command)


@QUIET
@given(ANY, st.data())
def test_a_forfeit_ends_the_round_and_never_shows_a_die(options: dict[str, Any], data: st.DataObject) -> None:
    game = some_game(options, data)
    if game.state.phase == "finished":
        assert not accepted(game, commands.Forfeit(1))
        return
    due = game.state.next_starter
    flags = game.state.flags if game.state.phase == "between_rounds" else ()
    seat = data.draw(st.sampled_from(game.state.remaining))
    happened = game.do(commands.Forfeit(seat))
    assert not any(isinstance(event, events.Revealed | events.Bid) for event in happened)
    assert game.state.out[-1] == seat
    assert not accepted(game, commands.Forfeit(seat)), "nobody leaves twice"
    if len(game.state.remaining) == 1:
        assert happened[-1] == events.Won(game.state.remaining[0])
    else:
        assert game.state.next_starter == (next_seat(game.state, seat) if due in {seat, None} else due)
        assert game.state.flags == flags


@settings(QUIET, max_examples=cases(10, 400))
@given(MATCHES, st.data())
def test_a_match_in_which_every_round_costs_a_die_ends(options: dict[str, Any], data: st.DataObject) -> None:
    game = Game({**options, "spot_on": False}, 3)
    rounds = 3 * game.begun.rules.tokens.dice - 1
    while game.state.phase != "finished":
        game.deal_if_due()
        assert game.state.round_number <= rounds
        game.do(table.timeout_command(game.state) if data.draw(st.booleans()) else drawn(game, data))
    assert game.state.remaining == (game.state.winner,)
