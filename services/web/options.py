"""A form for the house rules of a game, made from the JSON Schema of its options.

An option nobody has written a label for still gets a field, under its own name, so a new game has a form at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from services.web.labels import GROUPS, LABELS, NEEDS, NOTES, VALUES

Json = Mapping[str, Any]
Kind = Literal["choice", "number", "switch", "text"]

COLUMN_MAX: Final = 24
"""The characters of a choice that fit a column of the form."""
_OFF: Final = (None, False, "none")


class Field(Struct, frozen=True):
    """One field.

    Attributes:
        name: The option's name; a member of an optional object has the object's name and a dot before its own.
        value: The default.
        choices: (value, label) of each, for a choice.
        low: The least number allowed, where the schema says so.
        needs: The switch that has to be on for this field to count, or a choice, a sign, and the value it has to have.
        optional: Whether a number may be left out.
    """

    name: str
    label: str
    kind: Kind
    value: Any
    choices: tuple[tuple[str, str], ...] = ()
    low: int | None = None
    high: int | None = None
    note: str = ""
    needs: str = ""
    optional: bool = False

    @property
    def wide(self) -> bool:
        """Whether a column is too narrow for what there is to choose from."""
        return max((len(label) for _, label in self.choices), default=0) > COLUMN_MAX


class Group(Struct, frozen=True):
    """Fields that belong together."""

    title: str
    fields: tuple[Field, ...]


def groups(card: Json) -> tuple[Group, ...]:
    """Return the fields of a game's card, as `GET /api/v1/games` has it, in the groups people know."""
    fields = tuple(_fields(card["options"], card["defaults"]))
    made = (Group(title, tuple(field for field in fields if _title(field) == title)) for title in (*GROUPS, _REST))
    return tuple(group for group in made if group.fields)


def spelled_out(rules: Json) -> tuple[tuple[str, str], ...]:
    """Return the rules object of a match as (label, value) for people to read."""
    clock = rules["clock"]
    chosen = dict(_flat(rules["options"]))
    options = tuple((_label(name), _said(name, value)) for name, value in chosen.items() if _counts(name, chosen))
    return (
        *options,
        ("A provable deal", "each round" if rules["deal_per"] == "round" else "for the whole match"),
        ("Clocks", "none" if clock is None else _timed(clock)),
    )


def _counts(name: str, chosen: Mapping[str, Any]) -> bool:
    """Report whether an option means anything beside the others."""
    needed, _, wanted = NEEDS.get(name, "").partition("=")
    if needed not in chosen:
        return True
    return chosen[needed] == wanted if wanted else chosen[needed] not in _OFF


def _timed(clock: Json) -> str:
    minutes, seconds = divmod(clock["bank_ms"] // 1000, 60)
    return f"{minutes}:{seconds:02} each, and {clock['increment_ms'] // 1000} s a turn"


def _flat(options: Json) -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{member}", inner) for member, inner in value.items())
        else:
            yield name, value


def _said(name: str, value: Any) -> str:  # noqa: ANN401 - whatever JSON has
    if str(value) in VALUES.get(name, {}):
        return VALUES[name][str(value)]
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


_REST: Final = "More"


def _title(field: Field) -> str:
    option = field.name.partition(".")[0]
    return next((title for title, options in GROUPS.items() if option in options), _REST)


def _fields(schema: Json, defaults: Json) -> Iterator[Field]:
    defs = schema.get("$defs", {})
    for name, part in _resolved(schema, defs)["properties"].items():
        inner = _optional_object(part, defs)
        if inner is None:
            yield _field(name, _resolved(part, defs), defaults.get(name))
            continue
        yield Field(name, _label(name), "switch", defaults.get(name) is not None, note=NOTES.get(name, ""))
        for member, what in inner["properties"].items():
            whole = f"{name}.{member}"
            yield _field(whole, _resolved(what, defs), what.get("default"), needs=name)


def _resolved(part: Json, defs: Json) -> Json:
    name = part.get("$ref", "").rpartition("/")[2]
    return {**defs[name], **{key: value for key, value in part.items() if key != "$ref"}} if name else part


def _optional_object(part: Json, defs: Json) -> Json | None:
    """Return the object an option may be, if it is an object or null."""
    if "anyOf" not in part:
        return None
    found = [_resolved(choice, defs) for choice in part["anyOf"]]
    return next((choice for choice in found if choice.get("type") == "object"), None)


def _field(name: str, part: Json, value: Any, needs: str = "") -> Field:  # noqa: ANN401 - whatever JSON has
    label, note, needs = _label(name), NOTES.get(name, ""), needs or NEEDS.get(name, "")
    number = next((one for one in part.get("anyOf", ()) if one.get("type") == "integer"), part)
    if "enum" in part:
        shown = VALUES.get(name, {})
        choices = tuple((str(one), shown.get(str(one), _plain(str(one)))) for one in part["enum"])
        return Field(name, label, "choice", value, choices, note=note, needs=needs)
    match number.get("type"):
        case "boolean":
            return Field(name, label, "switch", value, note=note, needs=needs)
        case "integer":
            left_out = VALUES.get(name, {}).get("None", "nothing") if number is not part else ""
            return Field(
                name,
                label,
                "number",
                value,
                low=number.get("minimum"),
                high=number.get("maximum"),
                note=f"empty: {left_out}" if left_out else note,
                needs=needs,
                optional=bool(left_out),
            )
        case _:
            return Field(name, label, "text", value, note=note or "a JSON value", needs=needs)


def _label(name: str) -> str:
    return LABELS.get(name) or _plain(name.rpartition(".")[2])


def _plain(name: str) -> str:
    return name.replace("_", " ").capitalize()
