"""Five aces in the German game: the screen goes up, and the other seat may throw on for as long as it has throws."""

from __future__ import annotations

from typing import Any, Final

from domain import commands, events
from domain.table.decide import decide
from domain.table.evolve import evolve
from domain.table.interludes import chase
from domain.table.judging import values_of
from domain.table.places import handful
from tests.domain.seeded import Game, SeededDealer

ACES: Final = (5, 5, 5, 5, 5)
NINES: Final = (0, 0, 0, 0, 1)


class ScriptedDealer(SeededDealer):
    """A dealer whose rolls are written down, by cup and roll; all others come to four nines and a ten."""

    def __init__(self, rolls: dict[tuple[int, int], tuple[int, ...]]) -> None:
        super().__init__("five aces")
        self.rolls = rolls

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return self.rolls.get((cup, roll), NINES)[slot] if m > 1 else 0


def dealt(rolls: dict[tuple[int, int], tuple[int, ...]], **options: Any) -> Game:
    game = Game(options, 2, game="german_liar_dice")
    game.dealer = ScriptedDealer(rolls)
    game.deal_if_due()
    return game


def test_five_aces_of_both_at_the_deal_are_nobodys_and_the_same_seat_opens_again() -> None:
    game = dealt({(1, 0): ACES, (2, 0): ACES})
    assert game.state.last is not None
    assert (game.state.last.kind, game.state.last.winners) == ("five_aces", ())
    assert game.state.next_starter == 1
    assert all(not place.inside for place in game.state.places.values())


def test_five_aces_at_the_deal_are_chased_by_the_other_seat_in_the_open() -> None:
    game = dealt({(2, 0): ACES})
    assert (game.state.phase, game.state.turn) == ("chase", 1)
    game.do(commands.Arrange(1, roll_inside=(0, 1)))
    assert not game.state.places[1].inside, "what is thrown in a chase is thrown for all to see"
    assert (game.state.phase, game.state.turn) == ("chase", 1)
    game.do(commands.Arrange(1, roll_outside=(0,)))
    assert game.state.balance("win", 2) == 1, "no throw is left"


def test_what_is_thrown_in_a_chase_is_known_line_by_line() -> None:
    game = dealt({(2, 1): ACES}, rerolls=3)
    game.do(commands.ClaimHand(1, "pair", (9, 14, 13, 12)))
    game.do(commands.Arrange(2, roll_inside=(0, 1, 2, 3, 4)))
    state, read = game.state, list[tuple[tuple[int, int], ...]]()
    for position in (3, 0):
        for event in decide(state, commands.Arrange(1, roll_outside=(position,)), game.dealer):
            state = evolve(state, event)
            values_of(state.places[1], state, game.dealer)
            if isinstance(event, events.Rolled):
                read.append(handful(state.places[1], game.dealer).outside)
    assert read == [((0, 0), (0, 1), (0, 2), (0, 4), (1, 0)), ((0, 1), (0, 2), (0, 4), (1, 0), (2, 0))]


def test_where_no_throw_is_left_five_aces_win_at_once() -> None:
    game = dealt({(1, 0): ACES}, rerolls=0)
    assert game.state.balance("win", 1) == 1


def test_five_aces_thrown_in_the_round_are_chased_as_well_and_a_chase_can_be_given_up() -> None:
    game = dealt({(2, 1): ACES})
    game.do(commands.ClaimHand(1, "pair", (9, 14, 13, 12)))
    happened = game.do(commands.Arrange(2, roll_inside=(0, 1, 2, 3, 4)))
    assert chase.ChaseBegun(2) in happened
    assert (game.state.phase, game.state.turn) == ("chase", 1)
    assert chase.ChaseStopped(1) in game.do(chase.Stop(1))
    assert chase.ChaseStopped(1).command() == chase.Stop(1)
    assert game.state.balance("win", 2) == 1


def test_who_comes_to_five_aces_in_the_chase_voids_the_deal() -> None:
    game = dealt({(2, 0): ACES, (1, 1): ACES})
    game.do(commands.Arrange(1, roll_outside=(0, 1, 2, 3, 4)))
    assert game.state.balances.get("win", {}) == {}
    assert game.state.next_starter == 1
