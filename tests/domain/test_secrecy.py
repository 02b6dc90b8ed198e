"""The secrecy of hidden dice: who may not know them receives the same bytes, whatever they are.

A random match is played. Then the same commands are played again by a dealer whose proofs are the same and whose dice
differ wherever nobody has shown them up to some moment and the viewer may not know them. All that the viewer has
received by then must be the same, byte by byte: every event line, the frame with its view, moves and due time, and why
whatever he asks for is refused.

And how long it is what those receive who do know the dice must not hang on them: neither frames nor openings get longer
or shorter with other dice, or with another choice of dice to roll again. Whoever sees them pass by, encrypted, learns
nothing.

Some numbers are public though the dice behind them are not, and only these are kept as they were: what was counted for
a claim (liar's poker, a mucked hand), whether the last digit on a slip is odd, and whether dice lie cocked that their
owner has looked at, since what he may do then tells it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.fairness.openings import OpenDeal
from domain.games import GAMES, rules_of
from domain.rules.laws import LAWS
from domain.table.decide import decide
from domain.table.interludes import chase
from domain.table.interludes.cocked import cocked_odds, lookers
from domain.table.interludes.slips import Slip
from domain.table.judging import opening_events
from domain.table.places import Place
from domain.table.state import PASSED_CUP, State
from projections.lengths import encode_openings, encode_view
from projections.view import view_of
from tests.domain.swapped_dice import OpaqueDealer, OtherDealer, Watched, trees_kept
from tests.domain.test_every_game import OPTIONS, close, step
from tests.domain.test_refusals import attempts, plain
from tests.sizes import cases

PLAYED: Final[dict[str, list[dict[str, Any]]]] = {
    **OPTIONS,
    "common_hand": [
        {"dice_per_player": 3, "push": True, "pass_once": True, "spot_on": True, "challenge_by": "anyone"},
        *OPTIONS["common_hand"],
    ],
    "stud_liars": [{}],
    "liars_poker": [*OPTIONS["liars_poker"], {"reveal": "full", "numbers": "slips"}],
    "german_liar_dice": [*OPTIONS["german_liar_dice"], {"five_aces": False}],
}
STEPS = 30
MATCHES = cases(6, 30)
MOMENTS = cases(2, 4)
"""How many matches are played with each set of options, and how many moments of each are compared."""


@cache
def watched(game: str, which: int, number: int, policy: Policy = "all") -> Watched:
    return played_on(game, PLAYED[game][which], number, policy)


def played_on(game: str, options: dict[str, Any], number: int, policy: Policy = "all") -> Watched:
    """Play a random match some way on."""
    drawn = random.Random(f"{game} {options} {number}")
    low, high = rules_of(game, options).seats
    seats = drawn.randint(low, max(low, min(3, high)))
    played = Watched(options, seats, str(drawn.random()), game, policy, pause_ms=0)
    played.start()
    for _ in range(STEPS):
        if played.match.ended:
            break
        step(played, drawn, closing=False)
        if drawn.random() < 0.03 and len(played.table.remaining) > 2 and not played.match.ended:
            played.do(commands.Forfeit(drawn.choice(played.table.remaining)))
            played.go_on()
    close(played)
    return played


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    with trees_kept():
        yield


CASES: Final = [(game, which) for game in GAMES for which in range(len(PLAYED[game]))]


@pytest.mark.parametrize(("game", "which"), CASES)
def test_who_may_not_know_hidden_dice_receives_the_same_whatever_they_are(game: str, which: int) -> None:
    differed = 0
    for played, moment, _ in compared(game, which):
        differed += unseen(played, moment)
    assert differed, "whoever knows the dice receives what they are"


def compared(game: str, which: int) -> Iterator[tuple[Watched, int, State]]:
    for number in range(MATCHES):
        played = watched(game, which, number)
        for moment in moments_of(played, number):
            state = played.matches[moment - 1].table
            assert state is not None
            yield played, moment, state


def moments_of(played: Watched, number: int) -> list[int]:
    begun = sum(match.table is None for match in played.matches)
    moments = range(begun + 1, len(played.matches) + 1)
    return random.Random(number).sample(moments, min(MOMENTS, len(moments)))


def test_the_moments_that_are_compared_have_all_that_games_hide() -> None:
    states = [state for case in CASES for _, _, state in compared(*case)]
    for hides in HIDES:
        assert any(any(place.inside for place in state.places.values()) and hides(state) for state in states)


def cup(state: State) -> Place:
    return state.places.get(PASSED_CUP, Place(PASSED_CUP, 0))


HIDES: Final[list[Callable[[State], object]]] = [
    lambda state: state.out,  # a seat that is out looks on
    lambda state: state.phase == "holding" and len(cup(state).knowers) > 1,  # a cup that was believed and looked into
    lambda state: (
        state.phase == "to_roll" and state.round.standing and cup(state).inside
    ),  # one that was believed unseen
    lambda state: cup(state).handled and cup(state).knowers == (state.turn,),  # one with dice rolled since
    lambda state: any(each.choice for each in cup(state).handled),  # which of them is sealed
    lambda state: cup(state).inside and cup(state).outside,
    lambda state: any(place.handled for seat, place in state.places.items() if seat != PASSED_CUP),
    lambda state: state.phase == "between_rounds" and state.rules.reveal.muck,  # the losers' dice
    lambda state: state.phase == "between_rounds" and state.round.counts,  # numbers that were only counted
    lambda state: any(memory.odd for memory in state.memories if isinstance(memory, Slip)),
    lambda state: cocked_odds(state) and len(lookers(state)) < len(state.seats),
]
"""What must have lain hidden at some moment for the comparison to mean anything."""


def unseen(played: Watched, moment: int) -> int:
    """Check that nobody is told by then of dice he may not know; return for how many who know them they differed."""
    now, differed = played.again(moment, lambda real: real), 0
    told_now = told(now)
    lengths_now = lengths(now, told_now)
    for viewer in (None, *now.table.seats):
        mask = now.mask(viewer)
        other = played.again(moment, partial(OtherDealer, mask=mask))
        assert other.lines == now.lines
        told_other = told(other)
        assert told_other[viewer] == told_now[viewer]
        assert answers(other, viewer) == answers(now, viewer)
        assert lengths(other, told_other) == lengths_now
        differed += sum(told_other[seat] != told_now[seat] for seat in now.table.seats)
    return differed


def told(played: Watched) -> dict[int | None, bytes]:
    """Return the last frame of each viewer."""
    return {viewer: played.received(viewer) for viewer in (None, *played.table.seats)}


def lengths(played: Watched, frames: dict[int | None, bytes]) -> dict[int, tuple[int, ...]]:
    """Return how long it is what each seat is sent: its last frame, its view, and the openings of its dice."""
    found: dict[int, tuple[int, ...]] = {}
    for seat in played.table.seats:
        view = view_of(played.written, seat, played.keeper, {})
        found[seat] = (len(frames[seat]), len(encode_view(view)), len(opened(played, seat)))
    return found


def opened(played: Watched, seat: int) -> bytes:
    """Return the openings a seat may have now, as it is sent them."""
    place, deal = played.table.place_of(seat), played.match.ceremony
    if place is None or deal is None or deal.mix is None or seat not in place.knowers:
        return b""
    return encode_openings(list(opening_events(place, played.table, played.dealer)), place, deal)


def answers(played: Watched, viewer: int | None) -> list[object]:
    """Return why what a viewer asks for is refused; what is accepted may show dice, and tells him no more than that."""
    if viewer is None or played.match.ended or played.match.ceremony is None or played.match.ceremony.mix is None:
        return []
    asked = [*plain(viewer), *attempts(played.table, viewer, random.Random(1))]
    return [answer(played, command) for command in asked]


def answer(played: Watched, command: commands.TableCommand) -> object:
    try:
        decide(played.table, command, played.dealer)
    except Refused as refused:
        return refused.code, refused.facts
    return None


# ---- what a host does ---------------------------------------------------------------------------

HOSTED: Final = ["common_hand", "finska", "liars_poker"]
"""Games of own cups, of a cup that goes round, and of numbers."""
POWERS: Final = (events.StoodIn, events.TakenBack, events.Kicked, events.Paused)


@pytest.mark.parametrize("game", HOSTED)
def test_what_a_host_does_tells_nobody_of_hidden_dice(game: str) -> None:
    used: set[type[events.Event]] = set()
    for number in range(cases(2, 20)):
        played = hosted(game, number)
        compared = [at for at, happened in enumerate(played.happened, start=1) if is_power(happened)]
        for moment in random.Random(number).sample(compared, min(MOMENTS, len(compared))):
            unseen(played, moment)
        unseen(played, len(played.script))
        used |= {type(played.happened[moment - 1][0]) for moment in compared}
    assert used >= {*POWERS}


def is_power(happened: tuple[events.Event, ...]) -> bool:
    return bool(happened) and isinstance(happened[0], POWERS)


@cache
def hosted(game: str, number: int) -> Watched:
    """Play a match some way on in which the host uses every power on the others, and the table waits for nobody."""
    drawn = random.Random(f"{game} {number}")
    low, high = rules_of(game, PLAYED[game][0]).seats
    seats = min(high, max(low, 4))
    played = Watched(PLAYED[game][0], seats, str(number), game, pause_ms=0, idle={}, host={})
    played.start()
    done: tuple[commands.MatchCommand, ...] = (
        *(commands.StandIn(2), commands.PauseTable("break"), commands.ResumeTable(), commands.TakeBack(2)),
        *(commands.StandIn(3), commands.Kick(3, "away"), commands.Kick(seats, "conduct")),
    )
    for command in done:
        for _ in range(drawn.randint(0, 2)):
            if played.match.paused is None and not played.match.ended:
                step(played, drawn, closing=False)
        with suppress(Refused):
            played.do(command)
            played.go_on()
    close(played)
    return played


# ---- which dice were rolled ---------------------------------------------------------------------

SEALED: Final = [
    game
    for game in GAMES
    if GAMES[game].rules(GAMES[game].options()).handling.law in {name for name, law in LAWS.items() if law.sealed}
]


@pytest.mark.parametrize("game", SEALED)
def test_which_dice_were_rolled_again_is_told_to_nobody_else(game: str) -> None:
    compared = 0
    for number in range(6):
        played = watched(game, -1, number)
        for at, (command, _) in enumerate(played.script):
            if isinstance(command, commands.Arrange) and (command.roll_inside or command.roll_outside):
                other = otherwise(played.again(at, opaque()), command)
                compared += 0 if other is None else alike(played, at, other)
    assert compared, "some choice could have been another"


def opaque() -> Callable[[OpenDeal], Any]:
    made: dict[str, events.Choice] = {}
    return lambda real: OpaqueDealer(real, made)


def otherwise(played: Watched, command: commands.Arrange) -> commands.Arrange | None:
    """Return a handling of other hidden dice that has to look the same to everybody else, if there is one."""
    place = played.table.place_of(command.seat)
    assert place is not None
    hidden = [position for position in range(len(place.inside)) if position not in command.outside]
    turned = dict(zip(hidden, [*hidden[1:], *hidden[:1]], strict=True))
    inside = tuple(sorted(turned.get(position, position) for position in command.roll_inside))
    outside = tuple(sorted(turned.get(position, position) for position in command.roll_outside))
    other = replace(command, roll_inside=inside, roll_outside=outside)
    return None if {*inside} == {*command.roll_inside} and {*outside} == {*command.roll_outside} else other


def alike(played: Watched, at: int, other: commands.Arrange) -> int:
    """Check that nobody else is told of the choice until the dice are shown; return how many frames were compared."""
    compared = 0
    for number in range(at, len(played.script)):
        happened = played.happened[number]
        if any(isinstance(event, events.Judged | events.ChoicesRevealed | chase.ChaseBegun) for event in happened):
            return compared
        if number > at and any(isinstance(event, events.Revealed) for event in happened):
            return compared  # from which roll a die comes that is shown tells that it was kept
        one = played.again(number + 1, opaque())
        two = played.again(number + 1, opaque(), at=at, other=other)
        assert two.lines == one.lines
        place = one.table.place_of(other.seat)
        for viewer in (None, *one.table.seats):
            if place is None or viewer not in place.knowers:
                assert two.received(viewer) == one.received(viewer)
                compared += 1
        assert lengths(two, told(two)) == lengths(one, told(one))
    return compared


@pytest.mark.parametrize("game", ["liars_poker", "individual_hand", "finska"])
def test_whoever_leaves_the_match_knows_no_hidden_dice_any_more(game: str) -> None:
    seats = max(rules_of(game, {}).seats[0], 2) + (game != "individual_hand")
    played = Watched({}, seats, "gone", game, pause_ms=0)
    played.start()
    if played.table.phase == "to_roll":
        played.do(commands.Roll(played.table.turn or 0))
    leaver = next(seat for place in played.table.places.values() for seat in place.knowers)
    played.do(commands.Forfeit(leaver))
    assert leaver in played.table.out
    assert not [place for place in played.table.places.values() if leaver in place.knowers]


# ---- deals that publish no more than what was shown ----------------------------------------------

FOLDED: Final = [(game, which) for game, which in CASES if "shown" in rules_of(game, PLAYED[game][which]).policies]


def test_most_games_have_rules_that_decide_by_shown_dice_alone() -> None:
    assert {game for game, _ in FOLDED} == GAMES.keys() - {"liars_poker_wizard", "dollar_bill"}


@pytest.mark.parametrize(("game", "which"), FOLDED)
def test_dice_that_were_never_shown_are_secret_after_the_match_as_well(game: str, which: int) -> None:
    for number in range(2):
        played = watched(game, which, number, "shown")
        while not played.match.ended:
            played.do(commands.Forfeit(played.table.remaining[-1]))
            played.go_on()
        told = b"".join(played.lines)
        for keeper in played.keepers.values():
            assert keeper.secret.hex().encode() not in told
            hidden = [where for where in played.rolled if where[0] == keeper.number and where not in played.opened]
            assert all(keeper.deal.key(*where[1:]).hex().encode() not in told for where in hidden)
        unseen(played, len(played.script))
