"""Prompts of a player in a terminal: his dice, what he may type, and what is waited for if he types too early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from domain.rules.ladders import Hand
from projections.words import claim_words
from services.cli.playing.advice.chances import chances_prompt
from services.cli.playing.names import Json, TerminalNames, dice_drawn
from services.cli.playing.phrases import phrase
from services.client.house import CannotDo
from services.client.proving import own_dice
from services.words.catalogue import CATALOGUE, count_words, join_names, say

QUICK_MAX: Final = 3
"""The most of the smallest raises that are named."""
TOO_EARLY: Final = "wrong_phase"


def prompt(view: Json, *, odds: bool = False) -> list[str]:
    """Return the viewer's dice, everything the view offers him, and for how long, on a line each.

    Args:
        view: The viewer's view.
        odds: Whether it says how likely claims are.
    """
    names = TerminalNames(view)
    offers = [_offer(move, names) for move in view["moves"]]
    likely = chances_prompt(view) if odds else []
    return [*holding(view), *_time(view), *likely, phrase("may type", offers="; ".join(offers))]


def may_continue(view: Json) -> bool:
    """Report whether the viewer can ask for the next round; also somebody who was away, and is not waited for."""
    continues = view.get("continues")
    mine = next((seat for seat in view["seats"] if seat["seat"] == view["viewer"]), None)
    if continues is None or mine is None:
        return False
    return mine["seat"] not in continues["by"] and not mine["out"] and not mine["stand_in"]


def holding(view: Json) -> list[str]:
    """Return the dice of the viewer's place, on a line; none where there are none."""
    dice = dice_drawn(own_dice(view), TerminalNames(view).tokens)
    return [phrase("holds", what="cup" if view["cup"] else "own", dice=dice)] if dice else []


def _time(view: Json) -> list[str]:
    """Return how long the viewer's turn lasts, where it ends by itself."""
    if view["turn"] != view["viewer"] or view["due_at"] is None:
        return []
    minutes, seconds = divmod(max(0, view["due_at"] - view["at"]) // 1000, 60)
    return [phrase("time", time=f"{minutes}:{seconds:02}")]


def _offer(move: Json, names: TerminalNames) -> str:
    """Return what may be typed for a move, from the catalogue."""
    more, facts = _FACTS.get(move["type"]), {name: str(value) for name, value in move.items()}
    facts |= {} if more is None else more(move, names)
    return say(CATALOGUE["moves"][move["type"]]["typed"], facts)


def _bid(move: Json, _names: TerminalNames) -> dict[str, str]:
    least = [count_words(*raised) for raised in move["minimum"][:QUICK_MAX]]
    quantity, face = move["minimum"][0]
    return {"quantity": str(quantity), "face": str(face), "least": ", ".join(least)}


def _call(move: Json, names: TerminalNames) -> dict[str, str]:
    # A hand is typed in the words of the game, which are English.
    least = Hand(move["minimum"]["shape"], tuple(move["minimum"]["faces"]))
    return {"least": claim_words(least, names.tokens)}


def _arrange(move: Json, _names: TerminalNames) -> dict[str, str]:
    ways = ["show"] if "outside" in move["placements"] else []
    ways += ["hide"] if "inside" in move["placements"] and move["outside"] else []
    if move["rolls_left"]:
        ways += ["roll"] if move["whole"] and "outside" not in move["placements"] else ["keep", "again"]
    return {"ways": ", ".join(phrase("ways", way) for way in ways)}


def _declare(move: Json, names: TerminalNames) -> dict[str, str]:
    told = {"impose": phrase("ways", "impose", seats=_number(move["targets"], names))}
    return {"specials": ", ".join(told.get(special, special) for special in move["specials"])}


def _choose(move: Json, names: TerminalNames) -> dict[str, str]:
    return {"seats": _number(move["seats"], names)}


def _number(seats: list[int], names: TerminalNames) -> str:
    named = [phrase("ways", "seat", seat=str(seat), name=names.of(seat)) for seat in seats]
    return phrase("ways", "or").join(named)


_FACTS: Final[dict[str, Callable[[Json, TerminalNames], dict[str, str]]]] = {
    "bid": _bid,
    "call": _call,
    "declare": _declare,
    "arrange": _arrange,
    "choose_first": _choose,
}
"""What a move offers in words, by its type; for all others its members will do."""


def early_line(trouble: CannotDo, view: Json | None) -> str | None:
    """Return what the table waits for instead, where something was refused because the cups are being dealt."""
    if trouble.code != TOO_EARLY or view is None or view["phase"] != "dealing" or view["deal"] is None:
        return None
    awaited = {*view["deal"]["waiting_for"]}
    names = [str(one["name"]) for one in view["seats"] if one["seat"] in awaited and one["custody"] == "client"]
    return phrase("early", names=join_names(names) if names else "", awaited=str(len(names)))
