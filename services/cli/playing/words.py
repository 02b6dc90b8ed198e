"""Frames on a terminal: the sentence of an event, and the table as it stands, for people who play, watch or replay."""

from __future__ import annotations

from services.cli.playing.names import Json, TerminalNames, dice_drawn
from services.cli.playing.phrases import phrase
from services.words import events
from services.words.catalogue import CATALOGUE, count_words, hand_words, say


def sentence_of(frame: Json, earlier: Json | None = None, *, opened: bool = False) -> str:
    """Return what a frame tells, on one line; nothing for what only machines care about.

    Args:
        frame: An event, and the view after it.
        earlier: The view before it, where that is at hand.
        opened: Whether it is told to whoever opened the match.
    """
    text = events.sentence_of(frame["event"], frame["view"], earlier, opened=opened)
    return phrase("scene", "round", text=text) if frame["event"]["type"] == "game.round_opened" else text


def lines_of(item: Json, earlier: Json | None = None, *, opened: bool = False) -> list[str]:
    """Return what an item of a stream tells: how the table stands, or what has just happened; nothing for the rest."""
    if "snapshot" in item:
        return scene(item["snapshot"])
    text = sentence_of(item, earlier, opened=opened) if "event" in item else ""
    return [text] if text else []


def view_in(item: Json) -> Json | None:
    """Return the view that an item of a stream brings; None for the rest."""
    view: Json | None = item["snapshot"] if "snapshot" in item else item["view"] if "event" in item else None
    return view


def scene(view: Json) -> list[str]:
    """Return how a table stands, on a few lines."""
    names = TerminalNames(view)
    lines = [phrase("scene", "title", title=names.title, phase=phase_words(view))]
    for seat in view["seats"]:
        mark = ">" if seat["seat"] == view["turn"] else " "
        dice = phrase("scene", "out") if seat["out"] else dice_drawn(seat["dice"], names.tokens)
        name = phrase("scene", "seat", name=names.of(seat["seat"]), bot="yes" if seat["bot"] else "no")
        lines.append("  ".join(part for part in (f" {mark} {name}:", dice, ledger_words(seat)) if part))
    if view["cup"]:
        lines.append(f"   {phrase('scene', 'cup', dice=dice_drawn(view['cup'], names.tokens))}")
    if view["standing"] is not None:
        claim = view["standing"]
        lines.append(f"   {phrase('scene', 'claim', name=names.of(claim['seat']), claim=claim_said(claim))}")
    return lines


def claim_said(claim: Json) -> str:
    """Return a claim as people say it."""
    if claim["quantity"] is None:
        return hand_words(claim["shape"], claim["faces"] or ())
    return count_words(claim["quantity"], claim["face"])


def ledger_words(seat: Json) -> str:
    """Return what a seat has and owes but for its dice, which lie there."""
    held = {unit: amount for unit, amount in seat["balances"].items() if amount and unit != "die"}
    return ", ".join(amount_figure(amount, unit) for unit, amount in held.items())


def amount_figure(amount: int, unit: str) -> str:
    """Return an amount in digits, such as `2 dice` or `-1 unit`."""
    units = CATALOGUE["terminal"]["units"]
    number = "one" if abs(amount) == 1 else "many"
    return say(units.get(unit, units["other"]), {"amount": str(amount), "number": number, "unit": unit})


def phase_words(view: Json) -> str:
    """Return how far a match is."""
    stakes = (
        "" if view["stakes"] is None else phrase("scene", "stakes", amount=amount_figure(view["stakes"][1], "unit"))
    )
    dice = amount_figure(view["dice_in_play"], TerminalNames(view).token)
    return phrase("scene", "phase", phase=view["phase"], round=str(view["round"]), dice=dice, stakes=stakes)
