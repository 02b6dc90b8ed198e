"""A form for the house rules of a game, and what a table reads out of them, made from the JSON Schema of its options.

What people read stands in that schema (see `domain.games.wording`), so a new game has both at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from msgspec import Struct, to_builtins

from domain.fairness.deal import Policy
from domain.match.settings import HOUSE_IDLE
from services.http.game_cards import Family
from services.words.catalogue import message, say, term
from services.words.figures import moment_text

Json = Mapping[str, Any]
FieldKind = Literal["choice", "number", "switch"]
Needs = Mapping[str, list[str | bool]]

COLUMN_MAX: Final = 24
"""The characters of a choice that fit a column of the form."""


class FieldChoice(Struct, frozen=True):
    """A value to choose, what people call it, and what it needs to be allowed."""

    value: str
    label: str
    needs: Needs = {}


class Field(Struct, frozen=True):
    """One field.

    Attributes:
        name: The option's name; a member of an optional object has the object's name and a dot before its own.
        value: The default.
        low: The least number allowed, where the schema says so.
        optional: Whether a number may be left out.
        empty: What it means to leave it out.
        needs: Other fields, by name, with the values at which this one counts.
    """

    name: str
    label: str
    group: str
    kind: FieldKind
    value: Any
    choices: tuple[FieldChoice, ...] = ()
    low: int | None = None
    high: int | None = None
    optional: bool = False
    empty: str = ""
    note: str = ""
    needs: Needs = {}

    @property
    def wide(self) -> bool:
        """Whether a column is too narrow for what there is to choose from."""
        return max((len(choice.label) for choice in self.choices), default=0) > COLUMN_MAX


class FieldGroup(Struct, frozen=True):
    """Fields that belong together."""

    title: str
    fields: tuple[Field, ...]


class RuleLine(Struct, frozen=True):
    """A rule of a table, and whether it is what the game usually has."""

    label: str
    value: str
    usual: bool = True


# ---- the form -----------------------------------------------------------------------------------


def groups(card: Json) -> tuple[FieldGroup, ...]:
    """Return the fields of a game's card, as `GET /api/v1/games` has it, in the order of its options."""
    fields = fields_of(card)
    titles = dict.fromkeys(field.group for field in fields)
    return tuple(FieldGroup(title, tuple(field for field in fields if field.group == title)) for title in titles)


def fields_of(card: Json) -> tuple[Field, ...]:
    """Return a field for every option of a game, and for every member of an option that is an object."""
    return tuple(_fields(card["options"], card["defaults"]))


def _fields(schema: Json, defaults: Json) -> Iterator[Field]:
    defs = schema["$defs"]
    for name, part in _object(schema, defs)["properties"].items():
        kinds = [_object(one, defs) for one in part.get("anyOf", [part])]
        inner = next((kind for kind in kinds if kind.get("type") == "object"), None)
        if inner is None:
            yield _field(name, {**kinds[0], **part}, defaults[name])
            continue
        yield _field(name, {**part, "type": "boolean"}, defaults[name] is not None)
        for member, what in inner["properties"].items():
            needs = {**what.get("x-needs", {}), name: [True]}
            yield _field(f"{name}.{member}", {**what, "x-needs": needs}, what.get("default"))


def _object(part: Json, defs: Json) -> Json:
    name = part.get("$ref", "").rpartition("/")[2]
    found: Json = defs[name] if name else part
    return found


def _field(name: str, part: Json, value: Any) -> Field:  # noqa: ANN401 - whatever JSON has
    words, only = part.get("x-words", {}), part.get("x-only", {})
    allowed = part.get("enum", ())
    kinds: dict[str, FieldKind] = {"boolean": "switch", "integer": "number"}
    return Field(
        name,
        term(part["title"]),
        term(part["x-group"]),
        "choice" if allowed else kinds[part["type"]],
        value,
        choices=tuple(FieldChoice(one, term(words[one]), only.get(one, {})) for one in words if one in allowed),
        low=part.get("minimum"),
        high=part.get("maximum"),
        optional="anyOf" in part,
        empty=term(words.get("null", "")),
        note=term(part.get("description", "")),
        needs=part.get("x-needs", {}),
    )


# ---- the rules of a table -----------------------------------------------------------------------


def rules_in_words(card: Json, rules: Json, policy: Policy = "all") -> tuple[RuleLine, ...]:
    """Return the rules of a match for people to read: what counts under its rules object, and is not off as usual."""
    fields = fields_of(card)
    chosen = {field.name: _value_of(field, rules["options"]) for field in fields}
    counting = [field for field in fields if _counts(field.needs, chosen)]
    told = [field for field in counting if field.kind != "switch" or field.value or chosen[field.name]]
    clock = rules["clock"]
    return (
        *_preset_of(card, rules["options"]),
        *(
            RuleLine(field.label, _phrase_of(field, chosen[field.name]), chosen[field.name] == field.value)
            for field in told
        ),
        RuleLine(_said("deal"), _said("deal_per", per=rules["deal_per"])),
        RuleLine(_said("over"), _said("policy", policy=policy)),
        *((RuleLine(_said("beacon"), _said("beacon_waits"), usual=False),) if rules.get("beacon") else ()),
        RuleLine(_said("clocks"), _clock_words(clock)),
        *_of_people_who_stop(rules.get("idle"), clock),
        *_of_the_start(rules),
        RuleLine(_said("host"), _said("host_may")),
        _of_powers(rules.get("host")),
    )


def _of_the_start(rules: Json) -> Iterator[RuleLine]:
    """Yield when the match begins, where its host does not begin it."""
    if rules.get("start") == "full":
        yield RuleLine(_said("begin"), _said("begin_full"), usual=False)
    if rules.get("starts_at") is not None:
        yield RuleLine(_said("begin"), _said("begin_at", time=moment_text(rules["starts_at"])), usual=False)


def _of_powers(powers: Json | None) -> RuleLine:
    """Return what the host may do besides: nothing, where the rules do not say so."""
    if powers is None:
        return RuleLine(_said("powers"), _said("powers_none"), usual=False)
    held, away = _minutes(powers["hold_ms"]), _minutes(powers["away_ms"])
    return RuleLine(_said("powers"), _said("powers_are", held=held, away=away))


def _said(key: str, **facts: str) -> str:
    return say(message(f"pages.rules.{key}"), facts)


def _value_of(field: Field, options: Json) -> Any:  # noqa: ANN401 - whatever JSON has
    """Return the value of a field; for an object that may be left out, whether it is there."""
    option, _, member = field.name.partition(".")
    value = options[option]
    if member:
        return field.value if value is None else value[member]
    return value not in (None, False) if field.kind == "switch" else value


def _counts(needs: Needs, chosen: Json) -> bool:
    return all(chosen[name] in values for name, values in needs.items())


def _preset_of(card: Json, options: Json) -> Iterator[RuleLine]:
    for name, values in card["presets"].items():
        if options == {**card["defaults"], **values}:
            yield RuleLine(_said("known"), preset_name(name))


def preset_name(name: str) -> str:
    """Return what people call house rules that are known by this name."""
    return term(name.replace("_", " ").capitalize())


def _phrase_of(field: Field, value: Any) -> str:  # noqa: ANN401 - whatever JSON has
    if field.kind == "switch":
        return _said("yes" if value else "no")
    if value is None:
        return field.empty
    return next((choice.label for choice in field.choices if choice.value == value), str(value))


def _of_people_who_stop(idle: Json | None, clock: Json | None) -> Iterator[RuleLine]:
    """Yield what becomes of a table at which people stop; older rules say nothing of it."""
    if idle is None:
        yield RuleLine(_said("stops"), _said("waits"), usual=False)
        return
    # What is as usual need not stand there.
    usual = {name: idle.get(name, value) == value for name, value in to_builtins(HOUSE_IDLE).items()}
    yield RuleLine(_said("stops"), _idle_words(idle, clock), usual["turn_ms"] and usual["turns"])
    if "then" in idle:
        yield RuleLine(_said("stops_often"), _said("stood_in"), usual=False)
    yield RuleLine(_said("away"), _said("away_wins"))
    yield RuleLine(_said("seeds"), _said("seeds_late", time=_minutes(idle["seeds_ms"])), usual["seeds_ms"])
    yield RuleLine(_said("empty"), _said("closes", time=_minutes(idle["lobby_ms"])), usual["lobby_ms"])
    yield RuleLine(_said("bots"), _said("end", time=_minutes(idle["bots_ms"])), usual["bots_ms"])


def _idle_words(idle: Json, clock: Json | None) -> str:
    late = "none" if clock is None else clock["on_timeout"]
    said = "idle_stood" if "then" in idle else "idle"
    return _said(said, late=late, time=_minutes(idle["turn_ms"]), turns=str(idle["turns"]))


def _minutes(ms: int) -> str:
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes} min" if not seconds else f"{minutes}:{seconds:02} min" if minutes else f"{seconds} s"


def _clock_words(clock: Json | None) -> str:
    if clock is None:
        return _said("clock", late="none")
    minutes, seconds = divmod(clock["bank_ms"] // 1000, 60)
    more = str(clock["increment_ms"] // 1000)
    return _said("clock", late=clock["on_timeout"], time=f"{minutes}:{seconds:02}", seconds=more)


def families_of(cards: Sequence[Json]) -> list[tuple[str, list[Json]]]:
    """Return the games by their families, in the order in which people are shown them."""
    return [(what, [card for card in cards if card["family"] == what]) for what in get_args(Family)]


def forms_of(cards: Sequence[Json]) -> dict[str, Any]:
    """Return what forms are made of that open tables or hold tournaments: every game with its house rules."""
    told = [{**card, "groups": groups(card)} for card in cards]
    return {"families": families_of(cards), "cards": told, "called": preset_name}
