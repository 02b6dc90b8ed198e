"""Games that the house does not have, each made of nothing but a value of `Rules`: they play, draw, replay and audit.

No two of their choices come together in a game of the house. Nothing outside this file knows them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Annotated, Final

import msgspec
import pytest
from msgspec import Meta, Struct

from domain import commands, events
from domain.errors import Refused
from domain.fairness.records import assemble
from domain.games import GAMES, rules_of
from domain.games.game import Game, anything_goes
from domain.log.canonical import head
from domain.log.proofs import anchor_entry
from domain.match.decide import Decision
from domain.match.evolve import open_match
from domain.match.record import fold, stream_of
from domain.rules.rules import (
    POKER,
    Counting,
    Doubt,
    Drinks,
    Handling,
    LoseDie,
    MatchEnd,
    OwnCups,
    Pot,
    Reveal,
    Rules,
    Rungs,
    Serials,
    SharedCup,
    Tally,
    Token,
    Wager,
)
from domain.table.interludes import buying
from domain.table.interludes.buying import Buying
from domain.table.moves import moves
from domain.table.offers import CallMove
from projections.history import history
from projections.view import view_of
from services.audit.verdict import Evidence, verdict_of
from tests.domain.playing import MATCH, Played, commands_for
from tests.domain.test_every_game import check
from tests.domain.test_lies import changed, judged
from tests.domain.test_refusals import asked, positions
from tests.domain.test_secrecy import moments_of, played_on, unseen
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import POLICY, Log

STEPS_MAX = 600


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of all of them: how long a match is."""

    long: Annotated[int, Meta(ge=1, le=9)] = 2


def four_of_a_kind(options: Options) -> Rules:
    """Four poker dice each; all others have to doubt a hand, which may then be raised once; losers pay the winner."""
    return Rules(
        "four_of_a_kind",
        (2, 5),
        OwnCups(4, POKER),
        Rungs("kinds"),
        Doubt("all", rebid=True),
        Handling(law="free", limit=2, per="round", opener="anything"),
        Reveal("accused"),
        (Token(options.long, "winner", winner_takes=False), Drinks(base=2, elimination=1)),
        MatchEnd("token", next_start="doubter", first="boss_decides"),
    )


def open_digits(options: Options) -> Rules:
    """Three dice each read as a number, one shown before each call; anybody doubts, and calls may be as high."""
    return Rules(
        "open_digits",
        (2, 4),
        OwnCups(3),
        Rungs("digits", ties=True),
        Doubt("anyone"),
        Handling(law="show_one", limit=1, binds=False, opener="anything", show_to_claim=True),
        Reveal(muck=True),
        (Tally("loss"), Pot(3, doubles=True)),
        MatchEnd("loss", options.long, next_start="winner", first="letters"),
    )


def dwindling_numbers(options: Options) -> Rules:
    """Numbers that lose a digit with each lost round, all others doubting; with spot on, a pass and a wager."""
    return Rules(
        "dwindling_numbers",
        (2, 6),
        Serials(options.long + 1),
        Counting("product", rank="ace_high"),
        Doubt("all", spot_on=True, spot_on_win="regain", pass_once=True),
        Handling(law="push", limit=1, opener="anything"),
        Reveal(),
        (LoseDie(2, options.long + 1), Wager(1)),
        MatchEnd("die", next_start="winner", palifico=True),
    )


def counted_cup(options: Options) -> Rules:
    """One cup of four dice passed on, of which claims are counts; who goes out may buy back."""
    return Rules(
        "counted_cup",
        (2, 6),
        SharedCup(4),
        Counting("no_decrease", wild="unless_opened", natural=True, aces="half_double"),
        Doubt(spot_on=True, spot_on_win="bidder_loses"),
        Handling(law="finska", limit=2, rehide=False, opener="shows"),
        Reveal("accused"),
        (Tally("loss"), Drinks("difference", elimination=2, ghost_per_round=1)),
        MatchEnd("loss", options.long, next_start="claimant"),
        (Buying(1, 2),),
    )


RULES: Final[dict[str, Callable[[Options], Rules]]] = {
    make.__name__: make for make in (four_of_a_kind, open_digits, dwindling_numbers, counted_cup)
}


@pytest.fixture(params=RULES)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    make = RULES[request.param]
    game = Game(request.param, request.param, str(make.__doc__), "this test", Options, anything_goes, make)
    monkeypatch.setitem(GAMES, request.param, game)
    return request.param


class Anchored(Played):
    """A match whose deals stand in a log that signs what it holds."""

    log: Log
    sizes: list[int]

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        if isinstance(command, commands.LogDeal):
            index, checkpoint = self.anchored("sealed")
            path = tuple(item.hex() for item in self.log.inclusion(index, checkpoint).path)
            command = commands.LogDeal(command.deal, index, path, checkpoint)
            self.sizes.append(len(self.log.hashes))
        return super().do(command, after_ms)

    def anchored(self, kind: str) -> tuple[int, str]:
        """Put the last line into the log; return where it is, and what the log then signs."""
        last = len(self.lines) - 1
        index = self.log.add(anchor_entry(stream_of(MATCH), last, head(self.lines[last]), kind))
        return index, self.log.checkpoint()

    def record(self) -> bytes:
        index, checkpoint = self.anchored("final")
        grown = [self.log.consistency(size, checkpoint) for size in self.sizes]
        return assemble(self.lines, self.log.inclusion(index, checkpoint), grown)


def begun(name: str, drawn: random.Random) -> Anchored:
    per = drawn.choice(rules_of(name, {"long": 1}).deals)
    played = Anchored({"long": drawn.randint(1, 3)}, drawn.randint(2, 4), str(drawn.random()), name, deal_per=per)
    played.log, played.sizes = Log(), []
    played.start()
    return played


def played_out(name: str, number: int, watch: Callable[[Anchored], None] = lambda _: None) -> Anchored:
    """Play a random match to its end."""
    drawn = random.Random(f"{name} {number}")
    played = begun(name, drawn)
    for _ in range(STEPS_MAX):
        if played.match.ended:
            return played
        watch(played)
        stepped(played, drawn)
        played.go_on()
    pytest.fail("this match does not end")


def stepped(played: Played, drawn: random.Random) -> None:
    offers = played.offers()
    for seat, move in drawn.sample(offers, len(offers)):
        made = commands_for(seat, move)
        if isinstance(move, CallMove) and played.match.table is not None:
            made += [commands.ClaimHand(seat, hand.shape, hand.faces) for hand in played.match.table.ladder.hands]
        for command in drawn.sample(made, len(made)):
            try:
                played.do(command)
            except Refused:
                continue
            return
    pytest.fail(f"a dead end: {played.match.table}")


# ---- what every game of the house can do --------------------------------------------------------


def test_no_game_of_the_house_is_like_it(name: str) -> None:
    rules = RULES[name](Options())
    for game in GAMES.values():
        if game.name != name:
            other = game.rules(game.options())
            alike = [getattr(rules, axis) == getattr(other, axis) for axis in ("tokens", "claims", "doubt", "handling")]
            assert sum(alike) < 2


@pytest.mark.parametrize("number", range(4))
def test_it_plays_to_an_end_and_keeps_every_law(name: str, number: int) -> None:
    played = played_out(name, number, check)
    assert played.match.table is not None
    assert played.match.table.winner in played.match.table.seats
    verdicts = [event for event in played.events if isinstance(event, events.Judged)]
    assert verdicts
    if RULES[name](Options()).doubt.who != "anyone":
        assert not any(verdict.out_of_turn for verdict in verdicts), "everybody doubts in turn here"


def test_its_options_are_spelled_out_and_refused_by_name(name: str) -> None:
    assert open_match(MATCH, {"game": name, "options": {}, "seats": 2}).rules["options"] == {"long": 2}
    for options, option in (({"long": 0}, "long"), ({"long": "2"}, "long"), ({"short": 1}, "short")):
        with pytest.raises(Refused) as caught:
            open_match(MATCH, {"game": name, "options": options, "seats": 2})
        assert (caught.value.code, caught.value.facts["option"]) == ("bad_options", option)


def test_it_is_drawn_with_its_dice_its_claims_in_words_and_its_moves(name: str) -> None:
    words: set[str] = set()

    def look(played: Anchored) -> None:
        state = played.match.table
        assert state is not None
        for viewer in (None, *state.seats):
            view = view_of(played.written, viewer, played.keeper, {})
            assert (view.game, view.title) == (name, name)
            assert view.moves == (() if viewer is None else moves(state).get(viewer, ()))
            assert msgspec.json.decode(msgspec.json.encode(view))["phase"] == state.phase
            if view.standing is not None:
                words.add(view.standing.words)

    for number in range(3):
        played_out(name, number, look)
    assert len(words) > 3
    assert not any("{" in said or not said for said in words)


def test_its_lines_fold_to_the_match_and_its_replay_has_a_frame_a_line(name: str) -> None:
    played = played_out(name, 0)
    *_, (written, _) = fold(played.lines)
    assert written.match == played.match
    frames = [msgspec.json.decode(frame) for frame in history(played.lines, None, {}, {})]
    assert [frame["version"] for frame in frames] == list(range(1, len(played.lines) + 1))
    assert frames[-1]["view"]["winner"] == played.table.winner


@pytest.mark.parametrize("number", range(3))
def test_its_record_is_proved_in_all_three_layers(name: str, number: int) -> None:
    played = played_out(name, number)
    verdict = verdict_of(played.record(), POLICY, beside=Evidence(access_beside(played.record())))
    assert (verdict.status, verdict.layers, verdict.anchored) == ("OK", (1, 2, 3), True), verdict


def test_a_lie_about_its_winner_is_found(name: str) -> None:
    played = played_out(name, 0)
    at = next(n for n, event in enumerate(played.events) if isinstance(event, events.Won))
    record = [msgspec.json.decode(line) for line in played.lines]
    lie, line = changed(record, at, seat=9)
    assert (judged(record).line, judged(lie).line) == (None, line)


@pytest.mark.parametrize("name", ["counted_cup"], indirect=True)
def test_a_seat_that_drops_out_after_the_verdict_drinks_for_that_and_the_round_is_not_paid_again(name: str) -> None:
    dropped = 0
    for number in range(6):
        played = played_out(name, number)
        for at, event in enumerate(played.events):
            if isinstance(event, buying.DroppedOut):
                cost = [events.Eliminated(event.seat), events.Posted("drink", "bar", event.seat, 2)]
                assert played.events[at + 1 : at + 3] == cost
                assert isinstance(played.events[at + 3], events.RoundClosed | events.Won)
                dropped += 1
    assert dropped > 2


# ---- what is asked of every game of the house ---------------------------------------------------


@pytest.mark.parametrize("number", range(4))
def test_it_refuses_with_the_first_code_that_applies(name: str, number: int) -> None:
    drawn = random.Random(number)
    codes = {found[0] for position in positions(name, {}, drawn) for found in asked(position, drawn)}
    assert codes >= {"game_over", "unknown_player", "not_allowed", "wrong_phase", "not_your_turn"}


def test_it_tells_nobody_of_dice_he_may_not_know(name: str) -> None:
    told = 0
    for number in range(4):
        played = played_on(name, {}, number)
        told += sum(unseen(played, moment) for moment in moments_of(played, number))
    assert told, "whoever knows them is told"
