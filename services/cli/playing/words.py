"""Frames on a terminal: the sentence of an event, and the table as it stands, for people who play, watch or replay."""

from __future__ import annotations

from projections.words import amount_words
from services.cli.playing.names import Json, TerminalNames, dice_drawn
from services.words import events


def sentence_of(frame: Json) -> str:
    """Return what a frame tells, on one line; nothing for what only machines care about."""
    text = events.sentence_of(frame["event"], frame["view"])
    return f"--- {text} ---" if frame["event"]["type"] == "game.round_opened" else text


def lines_of(item: Json) -> list[str]:
    """Return what an item of a stream tells: how the table stands, or what has just happened; nothing for the rest."""
    if "snapshot" in item:
        return scene(item["snapshot"])
    text = sentence_of(item) if "event" in item else ""
    return [text] if text else []


def scene(view: Json) -> list[str]:
    """Return how a table stands, on a few lines."""
    names = TerminalNames(view)
    lines = [f"{view['title']}, {_phase(view)}"]
    for seat in view["seats"]:
        mark = ">" if seat["seat"] == view["turn"] else " "
        dice = "out" if seat["out"] else dice_drawn(seat["dice"], names.tokens)
        bot = " (bot)" if seat["bot"] else ""
        lines.append(
            "  ".join(part for part in (f" {mark} {names.of(seat['seat'])}{bot}:", dice, _ledger(seat)) if part)
        )
    if view["cup"]:
        lines.append(f"   the cup: {dice_drawn(view['cup'], names.tokens)}")
    if view["standing"] is not None:
        claim = view["standing"]
        lines.append(f"   {names.of(claim['seat'])} has claimed {claim['words']}")
    return lines


def _ledger(seat: Json) -> str:
    """Return what a seat has and owes but for its dice, which lie there."""
    held = {unit: amount for unit, amount in seat["balances"].items() if amount and unit != "die"}
    return ", ".join(amount_words(amount, unit) for unit, amount in held.items())


def _phase(view: Json) -> str:
    if view["phase"] == "lobby":
        return "waiting for players"
    if view["phase"] == "finished":
        return "over"
    stakes = "" if view["stakes"] is None else f", played for {amount_words(view['stakes'][1], 'unit')}"
    return f"round {view['round']}, {amount_words(view['dice_in_play'], TerminalNames(view).token)} in play{stakes}"
