"""Deeds: what a viewer may do now, as lines to choose from, each with the command it sends or the lines it opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from domain.rules.ladders import SPECIALS
from services.cli.playing.advice.chances import chance_words, chances_of
from services.cli.playing.names import Json, TerminalNames
from services.cli.playing.phrases import phrase
from services.cli.playing.powers import is_stood_in
from services.cli.playing.prompts import may_continue
from services.client.proving import own_dice
from services.words.catalogue import CATALOGUE, amount_words, count_words, hand_words, say

CLAIMS_MAX: Final = 60
"""The most claims that are listed; the others are typed."""
DOUBT: Final[Json] = {"type": "challenge"}


class Deed(Struct, frozen=True):
    """A line that can be chosen.

    Attributes:
        label: What it says.
        command: What is asked for.
        opens: The lines to choose from next, where that is not all.
        begins: What is to be typed on, where it takes more than choosing.
        host: What the host of the table asks for: `bot` or `start`.
        as_host: Whether the host asks for the command, and not the seat.
    """

    label: str
    command: Json | None = None
    opens: tuple[Deed, ...] = ()
    begins: str = ""
    host: str = ""
    as_host: bool = False

    @property
    def is_doubt(self) -> bool:
        """Whether it opens the question whether to doubt."""
        return bool(self.opens) and self.opens[0].command == DOUBT


def deeds_of(view: Json, *, host: bool, odds: bool) -> list[Deed]:
    """Return what the viewer may do, doubts first.

    Args:
        view: The viewer's view.
        host: Whether the viewer is the host.
        odds: Whether claims say how likely they are.
    """
    if view["phase"] == "lobby":
        return [Deed(phrase("felt", what), host=what) for what in ("bot", "start")] if host else []
    names = TerminalNames(view)
    found = _around(view, host=host)
    found += _plain({"type": "continue"}, view, names) if may_continue(view) else []
    for move in view["moves"]:
        found += _DEEDS.get(move["type"], _plain)(move, view, names)
    claims = [deed for move in view["moves"] if move["type"] == "bid" for deed in _bids(move, view, odds=odds)]
    return [*found, *claims]


def _around(view: Json, *, host: bool) -> list[Deed]:
    """Return what may be done about a seat or a table that stands still for its player."""
    found = [Deed(phrase("powers", "take_back"), {"type": "take_back"})] if is_stood_in(view) else []
    if host and view["paused"] is not None:
        found.append(Deed(phrase("powers", "go_on"), {"type": "resume"}, as_host=True))
    return found


def _label(kind: str, **facts: str) -> str:
    return say(CATALOGUE["moves"][kind]["label"], facts)


def _plain(move: Json, _view: Json, _names: TerminalNames) -> list[Deed]:
    """Return a move that needs nothing but to be chosen; none that is not known here yet, which may be typed."""
    known = "label" in CATALOGUE["moves"].get(move["type"], {})
    return [Deed(_label(move["type"]), {"type": move["type"]})] if known else []


def _challenge(move: Json, view: Json, _names: TerminalNames) -> list[Deed]:
    """Return a doubt, which is asked once more: it ends the round."""
    label = _label("challenge", of=move["of"], cup="yes" if view["cup"] else "no")
    sure = Deed(phrase("felt", "sure", deed=label), DOUBT)
    return [Deed(label, opens=(sure,))]


def _roll(_move: Json, view: Json, _names: TerminalNames) -> list[Deed]:
    return [Deed(_label("roll", standing="none" if view["standing"] is None else "some"), {"type": "roll"})]


def _accept(move: Json, _view: Json, _names: TerminalNames) -> list[Deed]:
    return [Deed(_label("accept", looks="yes" if move["looks"] else "no"), {"type": "accept"})]


def _buy_back(move: Json, _view: Json, _names: TerminalNames) -> list[Deed]:
    return [Deed(_label("buy_back", amount=amount_words(move["price"], "chip")), {"type": "buy_back"})]


def _choose_first(move: Json, view: Json, names: TerminalNames) -> list[Deed]:
    return [
        Deed(
            _label("choose_first", **{"who": names.of(who), "who.person": "you" if who == view["viewer"] else "one"}),
            {"type": "choose_first", "who": who},
        )
        for who in move["seats"]
    ]


def _look(_move: Json, view: Json, _names: TerminalNames) -> list[Deed]:
    """Return looking at one's dice, for who does not know them yet."""
    known = all(die["face"] is not None for die in own_dice(view))
    return [] if known else [Deed(_label("look"), {"type": "look"})]


def _show_cocked(_move: Json, view: Json, _names: TerminalNames) -> list[Deed]:
    """Return throwing anew, for who sees a die lie cocked."""
    cocked = any(die["cocked"] for die in own_dice(view))
    return [Deed(_label("show_cocked"), {"type": "show_cocked"})] if cocked else []


def _declare(move: Json, view: Json, names: TerminalNames) -> list[Deed]:
    """Return the throws that may be shown, for who has one of them."""
    faces = [die["face"] for die in own_dice(view)]
    thrown = tuple(sorted((face for face in faces if face is not None), reverse=True))
    found = []
    for special in move["specials"]:
        if SPECIALS.get(thrown) != special:
            continue
        command = {"type": "declare", "special": special}
        if special == "impose":
            found += [
                Deed(_label("declare", special=special, to=names.of(to)), command | {"to": to})
                for to in move["targets"]
            ]
        else:
            found.append(Deed(_label("declare", special=special), command))
    return found


def _arrange(move: Json, _view: Json, _names: TerminalNames) -> list[Deed]:
    """Return the ways of handling dice: which dice, is typed."""
    ways = ["show"] if "outside" in move["placements"] else []
    ways += ["hide"] if "inside" in move["placements"] and move["outside"] else []
    found = [Deed(phrase("felt", way), begins=phrase("felt", "begins", way)) for way in ways]
    if move["rolls_left"]:
        if not (move["whole"] and "outside" in move["placements"]):
            found.append(Deed(phrase("felt", "roll"), {"type": "say", "text": phrase("ways", "roll")}))
        found.append(Deed(phrase("felt", "keep"), begins=phrase("felt", "begins", "keep")))
    return found


def _call(_move: Json, view: Json, _names: TerminalNames) -> list[Deed]:
    """Return the shapes that may be called, each of which opens its hands."""
    found = []
    for shape, hands in view["hands"].items():
        listed = tuple(
            Deed(hand_words(shape, faces), {"type": "call", "shape": shape, "faces": faces})
            for faces in hands[:CLAIMS_MAX]
        )
        if listed:
            found.append(Deed(phrase("felt", "call", hand=listed[0].label), opens=listed))
    return found


def _bids(move: Json, view: Json, *, odds: bool) -> list[Deed]:
    """Return the claims that may be bid, the lowest first."""
    lowest = [(quantity, face) for quantity, face in move["lowest"]]
    claims = sorted(
        (quantity, face) for least, face in lowest for quantity in range(least, int(move["quantity_max"]) + 1)
    )[:CLAIMS_MAX]
    likely = chances_of(view, claims) if odds else {}
    found = []
    for quantity, face in claims:
        claim = count_words(quantity, face)
        chance = likely.get((quantity, face))
        label = (
            phrase("felt", "bid", claim=claim)
            if chance is None
            else phrase("felt", "likely", claim=claim, chance=chance_words(chance))
        )
        found.append(Deed(label, {"type": "bid", "quantity": quantity, "face": face}))
    return found


def _nothing(_move: Json, _view: Json, _names: TerminalNames) -> list[Deed]:
    return []


_DEEDS: Final[dict[str, Callable[[Json, Json, TerminalNames], list[Deed]]]] = {
    "bid": _nothing,  # they come last
    "call": _call,
    "challenge": _challenge,
    "roll": _roll,
    "accept": _accept,
    "buy_back": _buy_back,
    "choose_first": _choose_first,
    "declare": _declare,
    "arrange": _arrange,
    "look": _look,
    "show_cocked": _show_cocked,
}
"""The moves that take more than their name, by their type."""
