"""Rules drawn at random, sensible or not: the engine plays whatever they say, and refuses by the same law."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec import Struct

from domain import commands
from domain.games import GAMES
from domain.games.game import Game, anything_goes
from domain.rules.rules import (
    PIPS,
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
    Settler,
    SharedCup,
    Tally,
    Token,
    Tokens,
    Wager,
)
from domain.table.interludes.buying import Buying
from tests.domain.playing import Played
from tests.domain.test_every_game import judged, step
from tests.domain.test_refusals import asked, positions
from tests.domain.test_secrecy import moments_of, played_on, unseen
from tests.sizes import cases

STEPS = 50


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """No options."""


def rules_from(drawn: random.Random) -> Rules:
    """Return rules of any kind whose parts do not contradict each other."""
    tokens = tokens_from(drawn)
    unit = drawn.choice(["loss", "win", "token", "die"])
    hands = unit != "die" and drawn.random() < 0.5
    if isinstance(tokens, SharedCup) and unit == "die":
        unit = "loss"
    return Rules(
        "any",
        (2, 5),
        tokens,
        Rungs(drawn.choice(["digits", "kinds"]), ties=drawn.random() < 0.3) if hands else counting_from(drawn, tokens),
        doubt_from(drawn, tokens, hands=hands),
        handling_from(drawn),
        Reveal(drawn.choice(["all", "accused"]), muck=not isinstance(tokens, SharedCup) and drawn.random() < 0.2),
        settlers_from(drawn, tokens, unit),
        MatchEnd(
            None if unit == "win" else unit,
            2 if unit == "loss" else 0,
            2 if unit == "win" else None,
            next_start=drawn.choice(["loser", "winner", "claimant", "doubter"]),
            first=drawn.choice(["high_roll", "boss_decides", "letters"]),
            palifico=unit == "die" and drawn.random() < 0.5,
        ),
        (Buying(1, 1, drawn.choice(["remaining", "everybody"])),) if unit == "loss" and drawn.random() < 0.4 else (),
    )


def tokens_from(drawn: random.Random) -> Tokens:
    dice = drawn.randint(2, 5)
    cups: list[Tokens] = [OwnCups(dice, PIPS), OwnCups(dice, POKER), SharedCup(dice), Serials(dice)]
    return drawn.choice(cups)


def counting_from(drawn: random.Random, tokens: Tokens) -> Counting:
    wild: Any = drawn.choice(["always", "never", "unless_opened"]) if tokens.faces == PIPS else "never"
    aces: Any = drawn.choice(["no", "as_ones", "half_double"])
    order = drawn.choice(["face_first", "quantity_first", "highest_number", "product", "no_decrease"])
    return Counting(order, wild=wild, natural=drawn.random() < 0.3, aces=aces)


def doubt_from(drawn: random.Random, tokens: Tokens, *, hands: bool) -> Doubt:
    who: Any = drawn.choice(["next", "all", "anyone"])
    passed_on = isinstance(tokens, SharedCup)
    return Doubt(
        who,
        rebid=who == "all" and not passed_on and drawn.random() < 0.5,
        spot_on=not hands and drawn.random() < 0.5,
        spot_on_win=drawn.choice(["others_lose", "bidder_loses", "nothing"]),
        pass_once=not passed_on and drawn.random() < 0.4,
    )


def handling_from(drawn: random.Random) -> Handling:
    law = drawn.choice(["frozen", "push", "any_hidden", "all_or_none", "free", "finska"])
    return Handling(
        law=law,
        limit=0 if law == "frozen" else drawn.randint(1, 2),
        per=drawn.choice(["turn", "round"]),
        binds=drawn.random() < 0.7,
        last_forces=law == "any_hidden" and drawn.random() < 0.5,
        rehide=drawn.random() < 0.5,
        opener=drawn.choice(["nothing", "shows", "anything"]),
        keeps=drawn.random() < 0.5,
    )


def settlers_from(drawn: random.Random, tokens: Tokens, unit: str) -> tuple[Settler, ...]:
    deciding: dict[str, Settler] = {
        "loss": Tally("loss"),
        "win": Tally("win"),
        "token": Token(2, drawn.choice(["pot", "winner"]), winner_takes=True),
        "die": LoseDie(1, tokens.dice),
    }
    others: list[Settler] = [Wager(1), Pot(2), Drinks(drawn.choice(["round", "difference"]), 1, 1, 1, 2, 2)]
    return (deciding[unit], *(each for each in others if drawn.random() < 0.4))


@pytest.mark.parametrize("number", range(cases(8, 60)))
def test_any_rules_are_played_refused_hidden_and_judged(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(number)
    rules = rules_from(drawn)
    monkeypatch.setitem(GAMES, "any", Game("any", "any", "any", "any", Options, anything_goes, lambda _: rules))
    per = drawn.choice(rules.deals)
    played = Played({}, drawn.randint(2, 4), str(number), "any", pause_ms=0, deal_per=per)
    played.start()
    for _ in range(STEPS):
        if not played.match.ended:
            step(played, drawn, closing=False)
    while not played.match.ended:
        assert played.match.table is not None
        played.do(commands.Forfeit(played.match.table.remaining[0]))
        played.go_on()
    assert judged(played).line is None
    for position in positions("any", {}, drawn):
        asked(position, drawn)
    again = played_on("any", {}, number)
    for moment in moments_of(again, number)[:2]:
        unseen(again, moment)
