"""Commands as people type them: `5x3`, `two pair kings tens`, `keep 1 3`, `liar`, `spot on`.

One grammar for the page, the terminal and whoever writes a client. It reads only what the viewer sees and decides no
rule: what it makes of a text may still be refused. Dice are counted from 1, from the left, as they lie on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias
from unicodedata import combining, normalize

from msgspec import Struct

from domain import commands
from domain.games import rules_of
from domain.ids import Seat
from domain.rules.ladders import MEXICAN, SPECIALS, ladder_of
from domain.rules.laws import LAWS, Placement
from domain.rules.rules import POKER, Counting, Faces, Rules, Rungs, SharedCup
from domain.table.interludes import COMMANDS
from domain.table.places import Die, Place, plan_of
from projections.view import DieView, View
from projections.words import COURT, NUMBERS, claim_words, face_word

Asked: TypeAlias = commands.Play | commands.Continue
"""What can be typed: what a seat may do in play, and between two rounds."""
TEXT_MAX: Final = 200
"""The most characters of a typed command."""
ONES: Final = 1
"""The face of an ace, where dice or digits have no letters."""
DIGITS_MAX: Final = 3
"""The most digits of a number in it."""


class NotUnderstood(Exception):  # noqa: N818 - named for what happened
    """Nobody can tell what a text asks for; the message says what would do."""


class _Text(Struct, frozen=True):
    """What is typed, word by word, and what the viewer's seat looks at while typing."""

    words: tuple[str, ...]
    seat: Seat
    rules: Rules
    dice: tuple[DieView, ...]
    phase: str


def parse_command(view: View, text: str) -> Asked:
    """Return the command that the viewer, who has a seat, types.

    Raises:
        NotUnderstood: The text asks for nothing that this game knows.
    """
    assert view.viewer is not None, "spectators ask for nothing"
    rules = rules_of(view.game, view.rules["options"])
    own = next((seat.dice for seat in view.seats if seat.seat == view.viewer), ())
    dice = view.cup if isinstance(rules.tokens, SharedCup) else own
    words = tuple(re.findall(r"[a-z]+|\d+", re.sub(r"(?<=\d)s\b", "", _plain(text.lower()))))
    typed = _Text(words, view.viewer, rules, dice, view.phase)
    signed = isinstance(rules.claims, Counting) and re.search(r"[-+]", text) is not None
    lawful = not signed and len(text) <= TEXT_MAX and all(len(word) <= DIGITS_MAX for word in words if word.isdigit())
    for reads in (_word, _declaration, _handling, _claim) if lawful else ():
        command = reads(typed)
        if command is not None:
            return command
    raise NotUnderstood(f"type one of: {', '.join(examples(rules))}")


def examples(rules: Rules) -> tuple[str, ...]:
    """Return what might be typed in this game: a claim, a doubt, and ways with its dice."""
    found = ["5x3", "liar"]
    if isinstance(rules.claims, Rungs):
        hands = ladder_of(rules.claims, rules.tokens.dice, rules.tokens.faces).hands
        found[0] = claim_words(hands[len(hands) // 2], rules.tokens.faces)
    if isinstance(rules.tokens, SharedCup):
        found += ["roll", "believe"]
    law = LAWS.get(rules.handling.law)
    if law is not None:
        found.append("roll all" if law.whole and "outside" not in law.placements else "keep 1 3")
    found += ["spot on"] * rules.doubt.spot_on
    found += ["pass"] * rules.doubt.pass_once
    return tuple(found)


def _plain(text: str) -> str:
    """Return a text without the marks above its letters: who types `lügner` may type `lugner`."""
    return "".join(sign for sign in normalize("NFD", text) if not combining(sign))


# ---- words ----------------------------------------------------------------------------------------

_WORDS: Final[dict[Callable[[int], Asked], tuple[str, ...]]] = {
    commands.Continue: ("continue", "go on", "next round"),
    commands.Challenge: ("liar", "lie", "challenge", "doubt", "dudo", "bluff", "call", "lift", "not believe"),
    commands.SpotOn: ("spot on", "spot", "exact", "exactly", "calza"),
    commands.Pass: ("pass",),
    commands.Accept: ("believe", "accept", "take", "take cup", "look under", "ok"),
    commands.Catch: ("catch", "too low"),
    commands.AskCount: ("count", "count it"),
    commands.DemandBills: ("bills", "show bills", "demand bills", "show numbers"),
    **{kind: kind.words for kind in COMMANDS if not kind.of_table},
}
_ELSEWHERE: Final[dict[Callable[[int], Asked], tuple[str, ...]]] = {
    commands.Continue: ("weiter", "nachste runde", "seguir", "continuar", "siguiente ronda"),
    commands.Challenge: ("lugner", "luge", "zweifel", "anzweifeln", "aufdecken", "mentiroso", "mentira", "levantar"),
    commands.SpotOn: ("genau", "stimmt genau", "calzo", "exacto"),
    commands.Pass: ("passe", "passen", "paso"),
    commands.Accept: ("glauben", "glaube", "creer", "creo"),
    commands.Catch: ("zu niedrig", "demasiado bajo"),
    commands.AskCount: ("zahlen", "contar"),
    commands.DemandBills: ("scheine", "scheine zeigen", "billetes", "ver billetes"),
}
"""The same in German and Spanish, without the marks above letters; an interlude has them beside its own words."""
_MEANT: Final = {
    phrase: kind for known in (_ELSEWHERE, _WORDS) for kind, phrases in known.items() for phrase in phrases
}


def _word(typed: _Text) -> Asked | None:
    kind = _MEANT.get(" ".join(word for word in typed.words if word not in {"the", "my", "i", "do"}))
    return None if kind is None else kind(typed.seat)


def _declaration(typed: _Text) -> Asked | None:
    """Read a special throw, or who opens: `social`, `impose 3`, `first 2`."""
    first, *others = typed.words or ("",)
    named = [int(word) for word in others if word.isdigit()]
    if first in SPECIALS.values():
        special: commands.Special = first  # type: ignore[assignment]  # the table holds nothing else
        return commands.Declare(typed.seat, special, named[0] if named else None)
    if first in {"first", "opener"}:
        who = named[0] if named else typed.seat
        return commands.ChooseFirst(typed.seat, who) if named or "me" in others else None
    return None


# ---- dice -----------------------------------------------------------------------------------------

Verb = Literal["keep", "show", "push", "hide", "roll"]
_VERBS: Final[dict[str, Verb]] = {
    "keep": "keep",
    "hold": "keep",
    "show": "show",
    "push": "push",
    "hide": "hide",
    "roll": "roll",
    "reroll": "roll",
    "throw": "roll",
    "wurfeln": "roll",
    "tirar": "roll",
}
_REST: Final = {"rest", "others", "other", "all"}


def _handling(typed: _Text) -> Asked | None:
    """Read clauses such as `keep 1 3`, `show 2 roll rest`, `roll out 4 5`."""
    if not typed.words or typed.words[0] not in _VERBS:
        return None
    if len(typed.words) == 1 and _VERBS[typed.words[0]] == "roll" and typed.phase == "to_roll":
        return commands.Roll(typed.seat)
    if not all(_is_clear(verb, words, len(typed.dice)) for verb, words in _clauses(typed.words)):
        return None
    hidden = tuple(position for position, die in enumerate(typed.dice) if not die.shown)
    law = LAWS.get(typed.rules.handling.law)
    keeps: Placement | None = "outside" if law is not None and law.whole and "outside" in law.placements else None
    place = Place(0, 0, (Die(None),) * len(hidden), (Die(None),) * (len(typed.dice) - len(hidden)))
    made = [_arrange(typed, hidden, keeps, rolls) for rolls in ("roll_inside", "roll_outside")]
    for command in made:
        tally = plan_of(place, command)
        if law is not None and tally is not None and law.refusal(tally) is None:
            return command
    return made[0]


def _is_clear(verb: Verb, words: tuple[str, ...], dice: int) -> bool:
    """Report whether a clause says which dice it means; what is rolled by mistake is rolled for good."""
    numbers = [int(word) for word in words if word.isdigit()]
    others = {word for word in words if not word.isdigit()}
    named = all(1 <= number <= dice for number in numbers) and len(set(numbers)) == len(numbers)
    known = {"and", "the", "in", "out", "inside", "outside", "dice", "die"} | (_REST if verb == "roll" else set())
    return named and others <= known and (bool(numbers) or verb == "roll")


def _arrange(
    typed: _Text, hidden: tuple[int, ...], keeps: Placement | None, rolls: Literal["roll_inside", "roll_outside"]
) -> commands.Arrange:
    """Return the handling that is asked for, where dice that are just rolled go inside, or outside."""
    where: dict[int, Placement | None] = {}
    rest: Placement | None = None
    for verb, words in _clauses(typed.words):
        aside: Placement | None = "roll_outside" if "out" in words or "outside" in words else rolls
        goes = {"keep": keeps, "show": "outside", "push": "outside", "hide": "inside", "roll": aside}[verb]
        numbers = [int(word) - 1 for word in words if word.isdigit()]
        where.update(dict.fromkeys(numbers, goes))
        if verb in {"keep", "push"}:
            rest = rolls
        elif verb == "roll" and (not numbers or _REST.intersection(words)):
            rest = aside
    if rest is not None:
        where = {**dict.fromkeys(hidden, rest), **where}
    return commands.Arrange(
        typed.seat,
        **{
            placement: tuple(sorted(position for position, goes in where.items() if goes == placement))
            for placement in ("outside", "inside", "roll_inside", "roll_outside")
        },
    )


def _clauses(words: tuple[str, ...]) -> Iterator[tuple[Verb, tuple[str, ...]]]:
    """Yield each verb with what follows it."""
    starts = [index for index, word in enumerate(words) if word in _VERBS]
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        yield _VERBS[words[start]], words[start + 1 : end]


# ---- claims ---------------------------------------------------------------------------------------

_FILLERS: Final = frozenset(
    ("a", "an", "and", "bid", "claim", "i", "in", "kind", "of", "on", "over", "say", "the", "with", "x")
)
_HEADS: Final[dict[tuple[str, ...], str]] = {
    ("runt",): "runt",
    ("nothing",): "runt",
    ("single",): "single",
    ("one",): "single",
    ("pair",): "pair",
    ("two",): "pair",
    ("two", "pair"): "two_pair",
    ("three", "pair"): "three_pair",
    ("three",): "three",
    ("trip",): "three",
    ("straight",): "straight",
    ("low", "straight"): "low_straight",
    ("small", "straight"): "low_straight",
    ("high", "straight"): "high_straight",
    ("big", "straight"): "high_straight",
    ("full", "house"): "full_house",
    ("full",): "full_house",
    ("two", "triplet"): "two_triplets",
    ("triplet",): "two_triplets",
    ("four", "pair"): "four_and_pair",
    ("four",): "four",
    ("quad",): "four",
    ("five",): "five",
    ("six",): "six",
}
_HEAD_MAX: Final = max(map(len, _HEADS))


def _claim(typed: _Text) -> Asked | None:
    claims, tokens = typed.rules.claims, typed.rules.tokens
    words = tuple(_singular(word) for word in typed.words if word not in _FILLERS)
    if isinstance(claims, Counting):
        return _bid(typed.seat, words, tokens.faces)
    if ladder_of(claims, tokens.dice, tokens.faces).hands[0].shape == "score":
        return _score(typed.seat, words, tokens.faces)
    return _hand(typed.seat, words, tokens.faces)


def _bid(seat: Seat, words: tuple[str, ...], faces: Faces) -> commands.Bid | None:
    if len(words) != 2:  # noqa: PLR2004 - a quantity and a face
        return None
    quantity, face = _number(words[0]), _face(words[1], faces)
    return None if quantity is None or face is None else commands.Bid(seat, quantity, face)


def _score(seat: Seat, words: tuple[str, ...], faces: Faces) -> commands.ClaimHand | None:
    """Read dice as digits: `6-4`, `64`, `double six`, `mexican`."""
    if words == ("mexican",):
        return commands.ClaimHand(seat, "score", MEXICAN)
    if len(words) > 1 and words[0] in {"double", "pair"}:
        words = (words[1], words[1])
    if len(words) == 1 and words[0].isdigit():
        words = tuple(words[0])
    named = [_face(word, faces) for word in words]
    known = [face for face in named if face is not None]
    return commands.ClaimHand(seat, "score", tuple(sorted(known, reverse=True))) if known and known == named else None


def _hand(seat: Seat, words: tuple[str, ...], faces: Faces) -> commands.ClaimHand | None:
    words = tuple(_spell(word) for word in words[:1]) + words[1:]
    for length in range(_HEAD_MAX, 0, -1):
        shape = _HEADS.get(words[:length])
        if shape is None:
            continue
        rest = words[length:]
        if shape == "four" and "pair" in rest:
            shape, rest = "four_and_pair", tuple(word for word in rest if word != "pair")
        named = [_face(word, faces) for word in rest]
        known = tuple(face for face in named if face is not None)
        return commands.ClaimHand(seat, shape, known) if len(known) == len(named) else None
    return None


def _singular(word: str) -> str:
    return word.removesuffix("es") if word in {"sixes", "zeroes"} else word.removesuffix("s") or word


def _spell(word: str) -> str:
    number = _number(word)
    return NUMBERS[number] if number is not None and number < len(NUMBERS) else word


def _number(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else None


def _face(word: str, faces: Faces) -> int | None:
    """Return the face a word names: `3`, `three`, `king` or `k`; an ace is a one where there are no poker dice."""
    if word.isdigit():
        return int(word)
    if faces == POKER:
        court = {**COURT, 10: "ten"}
        return next((face for face, name in court.items() if word in {name, name[0]}), _number(word))
    if word == "ace":
        return ONES
    every = range(faces.first, faces.first + faces.count)
    return next((face for face in every if face_word(face, faces) == word), None)
