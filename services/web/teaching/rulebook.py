"""Rulebooks: how a game is played, in sentences that follow from its rules value and from nothing else.

Which sentences there are, and which of them a rule comes to, stands in the catalogue below `rulebook`; here the rules
are laid out as the arguments that those sentences ask for. No game is known by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from domain.fairness.deal import Policy
from domain.games import GAMES, options_of
from domain.match.settings import HOUSE_IDLE
from domain.rules.rules import DIGITS, POKER, Counting, Rules, Serials, SharedCup
from domain.table.interludes.slips import Slips
from services.web.options import Field, RuleLine, fields_of, preset_name, rules_in_words
from services.web.teaching.examples import ExampleStep, example_of
from services.web.teaching.ladders import LadderRow, rows_of, sample_of
from services.words.catalogue import CATALOGUE, Facts, amount_words, say

Json = Mapping[str, Any]
SECTIONS: Final = ("goal", "turn", "claims", "doubt")
"""The parts in sentences, in the order in which they are read."""
_COUNTED: Final = {"out_at": "round", "wins": "round", "false_catch": "drink", "spot_on_fail": "die"}
"""Numbers that sentences say with what they count."""


class Word(Struct, frozen=True):
    """A word of the game, and what it means in it."""

    term: str
    means: str


class HouseRule(Struct, frozen=True):
    """An option of the game.

    Attributes:
        value: What is usual, or what holds at this table.
        others: What else it may be.
        usual: Whether the value is the usual one.
        note: What else there is to say of it.
    """

    label: str
    group: str
    value: str
    others: tuple[str, ...] = ()
    usual: bool = True
    note: str = ""


class Rulebook(Struct, frozen=True):
    """How a game is played.

    Attributes:
        sections: The sentences of each part.
        ladder: What beats what, drawn.
        faces: What a die shows: the number of its first face, and how many there are.
        options: Its house rules.
        known: Choices of house rules that people know by a name, in words.
        words: Its words.
        stops: What becomes of those who stop, and what else a table does.
        example: A round under the usual rules, step by step; of a table, none.
    """

    card: Json
    sections: dict[str, tuple[str, ...]]
    ladder: tuple[LadderRow, ...]
    faces: tuple[int, int]
    options: tuple[HouseRule, ...]
    known: tuple[str, ...]
    words: tuple[Word, ...]
    stops: tuple[RuleLine, ...]
    example: tuple[ExampleStep, ...]


def rulebook_of(card: Json, table: Json | None = None, policy: Policy = "all") -> Rulebook:
    """Return how a game is played.

    Args:
        card: The game's card, as `GET /api/v1/games` has it.
        table: The rules object of a table whose rules are meant; without it, the usual ones.
        policy: What its deals publish when they end.
    """
    given = card["defaults"] if table is None else table["options"]
    rules = GAMES[card["name"]].rules(options_of(card["name"], given))
    facts, book = facts_of(rules), CATALOGUE["rulebook"]
    lines = rules_in_words(card, table or _usual(card), policy)
    fields = {field.label for field in fields_of(card)}
    return Rulebook(
        card,
        {name: tuple(filter(None, (say(message, facts) for message in book[name]))) for name in SECTIONS},
        rows_of(rules),
        (rules.tokens.faces.first, rules.tokens.faces.count),
        tuple(map(_house_rule, fields_of(card))) if table is None else tuple(_in_force(card, lines)),
        tuple(_known(card)) if table is None else (),
        tuple(Word(word["term"], means) for word in book["words"] if (means := say(word["means"], facts))),
        tuple(line for line in lines if line.label not in fields),
        example_of(card["name"]) if table is None else (),
    )


def _usual(card: Json, **chosen: object) -> Json:
    """Return the rules object of a table at which nothing was chosen but these options."""
    options = {**card["defaults"], **chosen}
    return {"options": options, "deal_per": "match", "clock": None, "idle": asdict(HOUSE_IDLE)}


# ---- house rules --------------------------------------------------------------------------------


def _house_rule(field: Field) -> HouseRule:
    page = CATALOGUE["rulebook"]["page"]
    if field.kind == "switch":
        states = (page["on"], page["off"])
        return HouseRule(
            field.label, field.group, states[not field.value], (states[bool(field.value)],), note=field.note
        )
    if field.kind == "choice":
        labels = {choice.value: choice.label for choice in field.choices}
        others = tuple(label for value, label in labels.items() if value != field.value)
        return HouseRule(field.label, field.group, labels.get(field.value, ""), others, note=field.note)
    value = field.empty if field.value is None else str(field.value)
    between = say(page["between"], {"low": str(field.low), "high": str(field.high)})
    return HouseRule(field.label, field.group, value, (between,), note=field.note)


def _known(card: Json) -> Iterator[str]:
    """Yield what people call some choice of house rules, and how it differs from the usual one."""
    page, labels = CATALOGUE["rulebook"]["page"], {field.label for field in fields_of(card)}
    for name, chosen in card["presets"].items():
        lines = [line for line in rules_in_words(card, _usual(card, **chosen)) if line.label in labels]
        rules = [say(page["rule"], {"label": line.label, "value": line.value}) for line in lines if not line.usual]
        yield say(page["known"], {"name": preset_name(name), "rules": "; ".join(rules)})


def _in_force(card: Json, lines: tuple[RuleLine, ...]) -> Iterator[HouseRule]:
    """Yield the house rules of a table, as far as they count there, with what is usual beside those that differ."""
    usual = {rule.label: rule for rule in map(_house_rule, fields_of(card))}
    for line in lines:
        rule = usual.get(line.label)
        if rule is not None:
            others = () if line.usual else (rule.value,)
            yield HouseRule(line.label, rule.group, line.value, others, usual=line.usual, note=rule.note)


# ---- the arguments ------------------------------------------------------------------------------


def facts_of(rules: Rules) -> Facts:
    """Return rules as the arguments of sentences: every member of every axis by its name, and who has a say."""
    token = "digit" if rules.tokens.faces == DIGITS else "die"
    facts = dict.fromkeys(_ABSENT, "")
    for part in (*rules.settlers, rules.doubt, rules.handling, rules.reveal, rules.match, rules.claims):
        facts |= _members(part)
    facts |= {type(part).__name__: "yes" for part in (*rules.settlers, *rules.interludes)}
    facts |= _of_claims(rules) | _amounts(rules)
    return facts | {
        "tokens": _tokens(rules),
        "tokens.words": amount_words(rules.tokens.dice, token),
        "token": CATALOGUE["units"][token][0],
        "many": CATALOGUE["units"][token][1],
        "faces": "poker" if rules.tokens.faces == POKER else "other",
        "sample": sample_of(rules),
    }


_ABSENT: Final = (
    *("order", "rank", "wild", "natural", "aces", "ace_high", "shorthand", "ties", "specials", "ladder", "runt"),
    *("social", "reverse", "impose", "Cocked", "Chase", "Buying", "Slips"),
    *("LoseDie", "Tally", "Token", "Wager", "Pot", "PayEach", "Drinks", "to", "winner_takes", "finish_on_top"),
    *("n_plus_three", "sixes", "hero", "skunk", "progressive"),
)
"""What sentences ask for, and not all rules have."""


def _members(part: Struct) -> dict[str, str]:
    """Return the members of an axis in words: `yes` and `no`, `none`, and numbers also with what they count."""
    facts: dict[str, str] = {}
    for name, value in asdict(part).items():
        facts[name] = "none" if value is None else _yes(value) if isinstance(value, bool) else str(value)
        if isinstance(value, int) and name in _COUNTED:
            facts[f"{name}.words"] = amount_words(value, _COUNTED[name])
    return facts


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _tokens(rules: Rules) -> str:
    if isinstance(rules.tokens, SharedCup):
        return "shared"
    return "serials" if isinstance(rules.tokens, Serials) else "own"


def _of_claims(rules: Rules) -> dict[str, str]:
    """Return what may be claimed."""
    if isinstance(rules.claims, Counting):
        return {"claims": "count"}
    shapes = {row.title for row in rows_of(rules)}
    return {
        "claims": "hand",
        "ladder": rules.claims.table,
        "runt": _yes(CATALOGUE["rulebook"]["ladder"]["shapes"]["runt"] in shapes),
        **{special: _yes(special in rules.claims.specials) for special in ("social", "reverse", "impose")},
    }


def _amounts(rules: Rules) -> dict[str, str]:
    """Return what rules cost, where they cost something."""
    facts: dict[str, str] = {"limit.words": amount_words(rules.handling.limit, "throw")}
    for settler in rules.settlers:
        kind, amounts = type(settler).__name__, asdict(settler)
        if kind in {"Token", "PayEach"}:
            facts["stake.words"] = amount_words(amounts["stake"], "token" if kind == "Token" else "unit")
        elif kind in {"Pot", "Wager"}:
            facts[f"{kind.lower()}.words"] = amount_words(amounts["amount"], "chip")
    for each in rules.interludes:
        if isinstance(each, Slips):
            facts["slip.words"] = amount_words(each.length, "number")
            facts["plays.words"] = amount_words(each.plays, "number")
    return facts
