"""A view drawn for a terminal: the seats with their dice, the claims of the round in the middle, one's own dice large.

Colours only say once more what a sign says: each seat has a shape of its own, whose turn it is has an arrow, dice that
everybody sees stand behind a bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from domain.rules.rules import Faces
from projections.words import face_mark
from services.cli.playing.names import Json, TerminalNames, dice_drawn
from services.cli.playing.phrases import phrase
from services.cli.playing.words import claim_said, ledger_words, phase_words
from services.cli.screen import plain
from services.client.proving import own_dice

SHAPES: Final = "●▲■◆★▼♠♣♥♦○△□◇☆▽"
COLOURS: Final = ("cyan1", "yellow1", "orchid1", "orange1", "pale_green1", "light_sky_blue1", "salmon1", "khaki1")
DIE_WIDTH: Final = 6
Claimed = tuple[int, str]
"""A claim of the round: whose it is, and what it says."""


def mark_of(seat: int) -> Text:
    """Return the shape of a seat, in its colour."""
    return Text(SHAPES[(seat - 1) % len(SHAPES)], style=COLOURS[(seat - 1) % len(COLOURS)])


def title_of(view: Json, left: str) -> Text:
    """Return the line above all: the game, how far it is, and what time there is."""
    names = TerminalNames(view)
    title = plain(phrase("scene", "title", title=names.title, phase=phase_words(view)))
    yours = view["turn"] is not None and view["turn"] == view["viewer"]
    before = [phrase("felt", "turn")] if yours else []
    if left:
        before.append(left)
    return Text("").join([*(Text(f"{part} · ", style="bold") for part in before), title])


def seats_drawn(view: Json, claims: Sequence[Claimed], width: int) -> Text:
    """Return the seats of a table, a line each: whose turn it is, the dice, and what was claimed last."""
    names = TerminalNames(view)
    latest = dict(claims)
    widest = max((plain(_name(seat, names, view)).cell_len for seat in view["seats"]), default=0)
    room = min(widest, max(8, width // 2 - 4))
    lines = []
    for seat in view["seats"]:
        line, claim = _seat_drawn(seat, view, names, room), plain(f"  “{latest.get(seat['seat'], '')}”")
        # The claim to beat stands above as well: where there is no room, nothing is cut in the middle of a word.
        lines.append(
            line.append_text(claim) if seat["seat"] in latest and line.cell_len + claim.cell_len <= width else line
        )
    return Text("\n").join(lines)


def _seat_drawn(seat: Json, view: Json, names: TerminalNames, room: int) -> Text:
    number = int(seat["seat"])
    turn = number == view["turn"]
    line = Text("▶ " if turn else "  ", style="bold").append_text(mark_of(number)).append(" ")
    name = plain(_name(seat, names, view))
    name.truncate(room, overflow="ellipsis", pad=True)
    if turn:
        name.stylize("bold reverse")
    line.append_text(name).append("  ")
    line.append_text(plain(phrase("scene", "out") if seat["out"] else dice_drawn(seat["dice"], names.tokens)))
    owes = ledger_words(seat)
    if owes:
        line.append_text(plain(f"  {owes}"))
    if seat["out"]:
        line.stylize("dim")
    return line


def _name(seat: Json, names: TerminalNames, view: Json) -> str:
    kind = "you" if seat["seat"] == view["viewer"] else "bot" if seat["bot"] else "person"
    return phrase("felt", "seat", name=names.of(seat["seat"]), kind=kind)


def middle_drawn(view: Json, claims: Sequence[Claimed]) -> Text:
    """Return the middle of a table: the claim to beat, the claims that led there, and the cup that is passed on."""
    parts: list[Text] = []
    names = TerminalNames(view)
    if view["cup"]:
        parts.append(plain(phrase("scene", "cup", dice=dice_drawn(view["cup"], names.tokens))))
    standing = view["standing"]
    if standing is not None:
        said = Text("").append(f" {claim_said(standing)} ", style="bold reverse").append(" ")
        parts.append(said.append_text(mark_of(standing["seat"])).append_text(plain(f" {names.of(standing['seat'])}")))
        led = [plain(f"{claim} ").append_text(mark_of(seat)) for seat, claim in claims[:-1]]
        if led:
            parts.append(Text(" → ").join(led))
    return Text("\n").join(parts)


def own_drawn(view: Json, width: int, *, large: bool) -> Text:
    """Return the dice of the viewer's place, on three lines or one."""
    dice, names = own_dice(view), TerminalNames(view)
    if view["viewer"] is None or not dice:
        return Text("")
    if not large or DIE_WIDTH * len(dice) > width:
        return plain(dice_drawn(dice, names.tokens))
    rows = [_die_drawn(die, names.tokens) for die in dice]
    return Text("\n").join(Text(" ").join(row[line] for row in rows) for line in range(3))


def _die_drawn(die: Json, tokens: Faces) -> list[Text]:
    """Return the three lines of a die: bold edges where everybody sees it, `~` where it lies cocked."""
    face = " " if die["face"] is None else face_mark(die["face"], tokens)
    inside = f"{face}{'~' if die['cocked'] else ''}".center(3)
    if die["shown"]:
        return [Text("┏━━━┓"), Text(f"┃{inside}┃", style="bold"), Text("┗━━━┛")]
    return [Text("┌───┐"), Text(f"│{inside}│", style="bold"), Text("└───┘")]
