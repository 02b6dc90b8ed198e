"""Prompts of a player in a terminal: his dice, and what he may type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain.rules.ladders import Hand
from domain.rules.orders import Count
from projections.words import claim_words
from services.cli.playing.names import Json, TerminalNames, dice_drawn

QUICK_MAX: Final = 3
"""The most of the smallest raises that are named."""


def prompt(view: Json) -> list[str]:
    """Return the viewer's dice, everything the view offers him, and for how long, on a line each."""
    names = TerminalNames(view)
    own: list[Json] = next((seat["dice"] for seat in view["seats"] if seat["seat"] == view["viewer"]), [])
    dice = dice_drawn(view["cup"] or own, names.tokens)
    offers = [_OFFERS[move["type"]](move, names) for move in view["moves"]]
    holds = [f"{'The cup' if view['cup'] else 'You have'}: {dice}"] if dice else []
    return [*holds, *_time(view), f"You may type: {'; '.join(offers)}"]


def _time(view: Json) -> list[str]:
    """Return how long the viewer's turn lasts, where it ends by itself."""
    if view["turn"] != view["viewer"] or view["due_at"] is None:
        return []
    minutes, seconds = divmod(max(0, view["due_at"] - view["at"]) // 1000, 60)
    return [f"The table acts for you in {minutes}:{seconds:02}"]


def _bid(move: Json, names: TerminalNames) -> str:
    least = [claim_words(Count(*raised), names.tokens) for raised in move["minimum"][:QUICK_MAX]]
    first = move["minimum"][0]
    return f"a bid such as {first[0]}x{first[1]} (the smallest: {', '.join(least)})"


def _call(move: Json, names: TerminalNames) -> str:
    least = Hand(move["minimum"]["shape"], tuple(move["minimum"]["faces"]))
    return f"a claim, from {claim_words(least, names.tokens)} upwards"


def _arrange(move: Json, _names: TerminalNames) -> str:
    ways = ["show 2"] if "outside" in move["placements"] else []
    ways += ["hide 4"] if "inside" in move["placements"] and move["outside"] else []
    if move["rolls_left"]:
        ways += ["roll"] if move["whole"] and "outside" not in move["placements"] else ["keep 1 3", "roll 2 4"]
    return ", ".join(ways) + " (dice count from the left)"


def _declare(move: Json, names: TerminalNames) -> str:
    told = {"impose": f"impose on {_number(move['targets'], names)}"}
    return ", ".join(told.get(special, special) for special in move["specials"]) + ", if you have it"


def _choose(move: Json, names: TerminalNames) -> str:
    return f"who opens: first {_number(move['seats'], names)}"


def _number(seats: list[int], names: TerminalNames) -> str:
    return " or ".join(f"{seat} ({names.of(seat)})" for seat in seats)


def _says(text: str) -> Callable[[Json, TerminalNames], str]:
    return lambda move, _names: text.format(**move)


_OFFERS: Final[dict[str, Callable[[Any, TerminalNames], str]]] = {
    "bid": _bid,
    "call": _call,
    "declare": _declare,
    "challenge": _says("liar"),
    "spot_on": _says("spot on"),
    "pass": _says("pass"),
    "arrange": _arrange,
    "roll": _says("roll"),
    "accept": _says("believe"),
    "catch": _says("catch"),
    "count": _says("count"),
    "demand_bills": _says("show bills"),
    "stop": _says("stop"),
    "look": _says("look"),
    "show_cocked": _says("cocked"),
    "buy_back": _says("buy back, for {price}"),
    "drop_out": _says("drop out"),
    "choose_first": _choose,
}
