"""Every refusal code, in every game where it can occur: the first of the list wins, and nothing changes.

Random games are played, and in each position every seat, one that is out and one nobody knows ask for everything there
is. Whatever is refused must be refused with the code that comes first among those that apply (`refusing.applying`), and
the codes met in a game must be exactly those of the table below.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
import pytest

from domain import commands
from domain.errors import CODES, Refused
from domain.games import GAMES, rules_of
from domain.games.boss_liars import COCKED_ONE_IN
from domain.match.evolve import is_dealing
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Rungs
from domain.table.decide import decide
from domain.table.interludes import buying, chase, cocked, slips
from domain.table.offers import CallMove
from domain.table.state import State
from tests.domain.playing import Played, commands_for
from tests.domain.refusal_oracle import ORDER, applying
from tests.domain.seeded import Game, SeededDealer
from tests.sizes import cases

EVERYWHERE = {
    *("game_over", "unknown_player", "not_allowed", "wrong_phase", "not_your_turn"),
    *("no_standing_claim", "claim_not_higher"),
}
MANY = {"eliminated"}
"""Where two play, a seat that goes out ends the match."""
COUNTS = {"face_not_biddable", "count_out_of_range"}
HANDS = {"claim_malformed"}
ROLLS = {"bad_dice", "no_rerolls_left"}
BINDS = {"must_claim", "must_challenge"}
"""Who has believed or handled dice has to claim; who could not claim any more has to challenge instead."""
PASSED_ON = {*MANY, *HANDS, *ROLLS, *BINDS}

OCCUR: Final[dict[str, set[str]]] = {
    "common_hand": {*MANY, *COUNTS, *ROLLS, *BINDS, "own_claim", "already_passed"},
    "individual_hand": {*HANDS, *ROLLS, *BINDS},
    "stanford": PASSED_ON,
    "mexican": {*MANY, *HANDS, *BINDS, "cannot_prove", "bad_target"},
    "finska": {*PASSED_ON, "roll_must_be_outside", "roll_must_be_inside"},
    "liars_poker": {*MANY, *COUNTS, "bill_used", "slip_finished"},
    "liars_poker_wizard": {*MANY, *COUNTS},
    "boss_liars": {
        *MANY,
        *COUNTS,
        *("own_claim", "must_check_dice", "cocked_dice", "buy_back_closed"),
        "bad_target",  # whoever is first to choose names a seat
    },
    "beat_this": PASSED_ON,
    "stud_liars": {*COUNTS, *ROLLS, "already_shown", "nothing_to_show", "must_show_die"},
    "six_six_six": PASSED_ON,
    "two_dice_pass": PASSED_ON,
    "dollar_bill": {*MANY, *COUNTS, "bill_used"},
    "german_liar_dice": {*HANDS, *ROLLS, *BINDS},
}
"""By game, the codes that can occur in it besides those that occur everywhere."""

OPTIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "common_hand": [
        {"dice_per_player": 2, "push": True, "pass_once": True, "challenge_by": "anyone", "spot_on": True},
        {**GAMES["common_hand"].presets["perudo"], "dice_per_player": 2, "pass_once": True},
        {"elimination": "none", "dice_per_player": 1, "bid_aces": "as_ones"},
        {"push": True, "system": "highest_number"},
    ],
    "individual_hand": [{}, {"reroll_scope": "round", "on_last_reroll": "may_claim"}],
    "stanford": [{}, {"lives": 2, "rerolls": 2}, {"rerolls": 0}],
    "mexican": [{}, {"ties_allowed": True, "forty_one": "impose"}, {"claim_check": "next_player"}],
    "finska": [{}, {"stake": 1, "may_rehide": False}],
    "liars_poker": [{}, {"rebid": False, "reveal": "full", "single_use": True}, {"numbers": "slips", "slip_plays": 2}],
    "liars_poker_wizard": [{}],
    "boss_liars": [
        {},
        {"mode": "all_challenge", "first": "high_roll"},
        {"stakes": "money", "buy_back": True, "challenge_by": "next"},
        {"cocked": True},
    ],
    "beat_this": [{}, {"wild": "never", "lives": 1}],
    "stud_liars": [{}],
    "six_six_six": [{}, {"dice": 2}],
    "two_dice_pass": [{}, {"order": "numeric"}],
    "dollar_bill": [{}],
    "german_liar_dice": [{}, {"rerolls": 0}, {"on_last_reroll": "auto_challenge", "dice": "spotted"}],
}
FEW, MORE = cases(2, 10), cases(4, 10)
"""How many matches are played with each set of options, and with one that is alone, or in which dice lie cocked."""
STEPS = 45
SOME = 35
"""How many of the claims and handlings one could think of are tried in a position."""
STRANGER = 200


class LoadedDealer(SeededDealer):
    """A dealer who deals the same dice every time, so that numbers come up again, and lets more of them lie cocked."""

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return super().value(cup, 0 if cup else roll, slot, min(m, 8) if m == COCKED_ONE_IN else m)


def test_the_codes_stand_in_the_order_of_the_rules() -> None:
    """What only the match around a table says no with may stand between them."""
    assert tuple(code for code in CODES if code in ORDER) == ORDER


@pytest.mark.parametrize("game", GAMES)
def test_every_refusal_that_can_occur_in_a_game_is_met_the_first_in_the_list(game: str) -> None:
    assert {codes[0] for codes in met(game)} == EVERYWHERE | OCCUR[game]


@pytest.mark.parametrize(
    ("wins", "loses"),
    [
        ("game_over", "unknown_player"),
        ("game_over", "eliminated"),
        ("unknown_player", "not_allowed"),
        ("unknown_player", "not_your_turn"),
        ("eliminated", "not_allowed"),
        ("eliminated", "not_your_turn"),
        ("not_allowed", "wrong_phase"),
        ("not_allowed", "not_your_turn"),
        ("not_allowed", "bad_dice"),
        ("not_allowed", "no_rerolls_left"),
        ("not_allowed", "cannot_prove"),
        ("not_allowed", "bad_target"),
        ("wrong_phase", "not_your_turn"),
        ("wrong_phase", "claim_malformed"),
        ("not_your_turn", "no_standing_claim"),
        ("not_your_turn", "own_claim"),
        ("not_your_turn", "must_challenge"),
        ("not_your_turn", "bad_dice"),
        ("not_your_turn", "claim_not_higher"),
        ("must_claim", "already_passed"),
        ("must_challenge", "bad_dice"),
        ("must_challenge", "no_rerolls_left"),
        ("bad_dice", "no_rerolls_left"),
        ("bad_dice", "already_shown"),
        ("no_rerolls_left", "roll_must_be_outside"),
        ("no_rerolls_left", "roll_must_be_inside"),
        ("no_rerolls_left", "already_shown"),
        ("must_show_die", "face_not_biddable"),
        ("must_show_die", "count_out_of_range"),
        ("must_show_die", "claim_not_higher"),
        ("must_check_dice", "face_not_biddable"),
        ("must_check_dice", "claim_not_higher"),
        ("cocked_dice", "face_not_biddable"),
        ("cocked_dice", "count_out_of_range"),
        ("face_not_biddable", "count_out_of_range"),
        ("face_not_biddable", "claim_not_higher"),
        ("count_out_of_range", "claim_not_higher"),
        ("cannot_prove", "bad_target"),
    ],
)
def test_of_two_codes_that_apply_the_first_in_the_list_wins(wins: str, loses: str) -> None:
    together = {codes for game in GAMES for codes in met(game)}
    assert any(codes[0] == wins and loses in codes for codes in together), "some command met both"


# ---- around the table ---------------------------------------------------------------------------


def refused(played: Played, command: commands.MatchCommand) -> str:
    """Return the code with which a match refuses a command, of which nothing remains."""
    before, version, lines = repr(played.match), played.match.version, list(played.lines)
    with pytest.raises(Refused) as caught:
        played.do(command)
    assert (repr(played.match), played.match.version, played.lines) == (before, version, lines)
    return caught.value.code


@pytest.mark.parametrize("game", GAMES)
def test_a_lobby_refuses_by_its_codes_in_every_game(game: str) -> None:
    lowest = rules_of(game, {}).seats[0]
    played = Played({}, lowest, game=game)
    assert refused(played, commands.Challenge(1)) == "wrong_phase"
    assert refused(played, commands.Leave(1)) == "unknown_player"
    for seat in range(1, lowest + 1):
        assert refused(played, commands.Start(played.chance())) == "too_few_players"
        played.do(commands.Join(f"p{seat}", "server"))
    assert refused(played, commands.Join("one more", "server")) == "too_many_players"
    played.do(commands.Start(played.chance()))
    late: list[commands.MatchCommand] = [
        commands.Join("late", "server"),
        commands.Leave(1),
        commands.Start(played.chance()),
    ]
    assert [refused(played, command) for command in late] == ["already_started"] * 3


def test_while_dice_come_about_the_first_code_wins_as_well() -> None:
    played = Played({}, 3, game="mexican")
    for seat in range(1, 4):
        played.do(commands.Join(f"p{seat}", "server"))
    played.do(commands.Start(played.chance()))
    assert is_dealing(played.match)
    wanted: dict[str, commands.MatchCommand] = {
        "unknown_player": commands.Roll(STRANGER),
        "not_allowed": commands.Declare(1, "impose", 2),
        "wrong_phase": commands.Roll(1),
    }
    assert {code: refused(played, command) for code, command in wanted.items()} == {code: code for code in wanted}


def test_before_a_look_no_refusal_tells_whether_dice_lie_cocked() -> None:
    for seed in range(20):
        game = Game({"cocked": True}, 2, str(seed), game="boss_liars")
        game.deal_if_due()
        with pytest.raises(Refused, match="looked at first"):
            game.do(cocked.ShowCocked(1))


# ---- the games that are played ------------------------------------------------------------------


@cache
def met(game: str) -> frozenset[tuple[str, ...]]:
    """Return the codes that applied together to some command in some position of a game, the winning one first."""
    found: set[tuple[str, ...]] = set()
    for options in OPTIONS[game]:
        for number in range(MORE if len(OPTIONS[game]) == 1 or "cocked" in options else FEW):
            drawn = random.Random(f"{game} {options} {number}")
            for position in positions(game, options, drawn):
                found |= asked(position, drawn)
    return frozenset(found)


def positions(game: str, options: dict[str, Any], drawn: random.Random) -> Iterator[Game]:
    """Play a random game and yield it after every step, until it is over or long enough."""
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    played = Game(options, drawn.randint(rules.seats[0], min(3, rules.seats[1])), str(drawn.random()), None, game)
    if drawn.random() < 0.5:
        played.dealer = LoadedDealer(played.dealer.seed)
    for _ in range(STEPS):
        yield played
        if played.state.phase == "finished" or not stepped(played, drawn):
            break
    ended(played, drawn)
    yield played


def stepped(played: Game, drawn: random.Random) -> bool:
    """Do one of the things on offer; report whether anything could be done."""
    if drawn.random() < 0.02 and len(played.state.remaining) > 2:
        played.do(commands.Forfeit(drawn.choice(played.state.remaining)))
    try:
        if played.deal_if_due():
            return True
    except Refused:
        return False  # a number came up again, and only another deal has others
    for command in wished(played, drawn):
        try:
            played.do(command)
        except Refused:
            continue
        return True
    return True


def wished(played: Game, drawn: random.Random) -> list[commands.Play]:
    """Return what might be done next, in some order: moves of every kind alike, doubts seldom first."""
    found: list[commands.Play] = []
    offers = played.offers()
    rare = drawn.random() < 0.5
    for seat, move in sorted(offers, key=lambda _: drawn.random()):
        made = commands_for(seat, move)
        if isinstance(move, CallMove):
            made.append(commands.ClaimHand(seat, *msgspec.structs.astuple(played.state.ladder.hands[-1])))
        found += drawn.sample(made, len(made))
    return sorted(found, key=lambda command: rare and isinstance(command, commands.Challenge))


def ended(played: Game, drawn: random.Random) -> None:
    """Let everybody go but one."""
    while played.state.phase != "finished":
        played.do(commands.Forfeit(drawn.choice(played.state.remaining)))


def asked(played: Game, drawn: random.Random) -> set[tuple[str, ...]]:
    """Ask for anything in a position, and return the codes that applied to what was refused."""
    state, found = played.state, set()
    before = repr(state)
    seats = (*state.seats, STRANGER)
    claims = [command for seat in seats for command in attempts(state, seat, drawn)]
    for command in (*drawn.sample(claims, SOME), *(command for seat in seats for command in plain(seat))):
        codes = applying(state, command, played.dealer)
        assert codes[:1] == refusals(state, command, played.dealer), (codes, command, state)
        found |= {codes} - {()}
    assert repr(state) == before
    return found


def refusals(state: State, command: commands.TableCommand, dealer: SeededDealer) -> tuple[str, ...]:
    """Return the code with which a command is refused, if it is."""
    try:
        decide(state, command, dealer)
    except Refused as refused:
        return (refused.code,)
    return ()


# ---- everything that can be asked for -----------------------------------------------------------


def attempts(state: State, seat: int, drawn: random.Random) -> list[commands.TableCommand]:
    return [*bids(state, seat), *calls(state, seat), *declarations(seat), *handlings(seat, drawn)]


def plain(seat: int) -> list[commands.TableCommand]:
    chosen = [commands.ChooseFirst(seat, who) for who in (seat, STRANGER)]
    of_the_table = [commands.DealRound(), slips.DealSlips(), commands.CloseSession()]
    return [*(kind(seat) for kind in PLAIN), *chosen, *of_the_table]


PLAIN: Final[tuple[Any, ...]] = (
    *(commands.Challenge, commands.SpotOn, commands.Pass, commands.Roll, commands.Accept, commands.Catch),
    *(commands.AskCount, commands.DemandBills, chase.Stop, cocked.Look, cocked.ShowCocked, buying.BuyBack),
    *(buying.DropOut, commands.Forfeit),
)


def bids(state: State, seat: int) -> list[commands.TableCommand]:
    standing = state.round.standing if isinstance(state.round.standing, Count) else Count(1, 2)
    every = [(0, 2), (1, 1), (1, 2), (1, 99), (99, 3), (99, 99), (state.dice_in_play, 6)]
    return [commands.Bid(seat, *each) for each in (*every, msgspec.structs.astuple(standing))]


def calls(state: State, seat: int) -> list[commands.TableCommand]:
    hands = [Hand("nonsense"), Hand("pair", (99,)), Hand("score", (1, 2))]
    if isinstance(state.rules.claims, Rungs):
        hands += [state.ladder.hands[0], state.ladder.hands[-1]]
    if isinstance(state.round.standing, Hand):
        hands.append(state.round.standing)
    return [commands.ClaimHand(seat, hand.shape, hand.faces) for hand in hands]


def declarations(seat: int) -> list[commands.TableCommand]:
    return [
        commands.Declare(seat, special, to)
        for special in ("social", "reverse", "impose")
        for to in (None, 1, 2, STRANGER)
    ]


def handlings(seat: int, drawn: random.Random) -> list[commands.TableCommand]:
    fixed: list[dict[str, tuple[int, ...]]] = [
        {},
        {"outside": (0,)},
        {"outside": (0, 1)},
        {"roll_inside": (0, 0)},
        {"roll_inside": (99,)},
        {"roll_outside": (0, 1, 2, 3, 4)},
        {"roll_inside": (0, 1, 2, 3, 4)},
        {"roll_inside": (0, 1)},
        {"outside": (0,), "roll_inside": (1, 2, 3, 4)},
    ]
    deck = drawn.sample(range(6), 6)
    one, two, three, four = sorted(drawn.choices(range(6), k=4))
    anyhow = commands.Arrange(
        seat, tuple(deck[:one]), tuple(deck[one:two]), tuple(deck[two:three]), tuple(deck[three:four])
    )
    return [*(commands.Arrange(seat, **each) for each in fixed), anyhow]
