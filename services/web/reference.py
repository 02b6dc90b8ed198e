"""The reference of the interface as a page: what `/openapi.json` says, laid out for people.

A page of ours and no viewer of somebody else's: those need a policy that lets styles and scripts of their own in, load
a megabyte before the first word, and cannot be read without scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Final

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

Json = dict[str, Any]

_PROBLEM: Final = "application/problem+json"
_SCHEMAS: Final = "#/components/schemas/"
_BOUNDS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} long",
    "maxLength": "at most {} long",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "pattern": "like {}",
}
WHOLE_MAX: Final = 2**53
LINE_MAX: Final = 72
"""What of an example fits into so many signs stands in one line, which is shorter to send and to read."""
INDENT: Final = 2
_NAMES: Final = {"integer": "a whole number", "number": "a number", "string": "a text", "boolean": "true or false"}


class KindPart(Struct, frozen=True):
    """A piece of what a schema is called: words, and the schema they lead to, if they name one."""

    words: str
    shape: str | None = None


Kind = tuple[KindPart, ...]


class MemberRow(Struct, frozen=True):
    """A parameter, a header or a member of an object.

    Attributes:
        place: Where it stands, for a parameter: `path`, `query` or `header`.
    """

    name: str
    kind: Kind
    about: str
    required: bool
    place: str = ""


class ReplyRow(Struct, frozen=True):
    """What an operation answers under a status.

    Attributes:
        codes: The codes of problem documents, with their titles.
        example: An answer, laid out in lines; empty where none is shown.
    """

    status: str
    about: str
    kind: Kind
    codes: tuple[tuple[str, str], ...] = ()
    example: str = ""


class Operation(Struct, frozen=True):
    """One thing that can be asked.

    Attributes:
        examples: Bodies as they may be sent, as JSON, each with what it is for.
    """

    name: str
    method: str
    path: str
    summary: str
    about: tuple[str, ...]
    parameters: tuple[MemberRow, ...]
    body: Kind
    examples: tuple[tuple[str, str], ...]
    replies: tuple[ReplyRow, ...]


class Shape(Struct, frozen=True):
    """A schema by its name.

    Attributes:
        choices: What it can be, where it is one of several.
    """

    name: str
    about: tuple[str, ...]
    members: tuple[MemberRow, ...]
    choices: Kind


class Reference(Struct, frozen=True):
    """The whole interface.

    Attributes:
        everywhere: The codes that any operation may be answered with, which stand at none of them.
    """

    operations: tuple[Operation, ...]
    shapes: tuple[Shape, ...]
    everywhere: tuple[tuple[str, str], ...]


def reference_of(document: Json) -> Reference:
    """Return what an OpenAPI document says, in its order."""
    operations = tuple(
        _operation(path, method, told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    )
    shapes = tuple(_shape(name, schema) for name, schema in document["components"]["schemas"].items())
    common = set.intersection(*({code for reply in each.replies for code in reply.codes} for each in operations))
    return Reference(tuple(_without(each, common) for each in operations), shapes, tuple(sorted(common)))


def _without(operation: Operation, common: set[tuple[str, str]]) -> Operation:
    left = tuple(
        replace(reply, codes=tuple(code for code in reply.codes if code not in common))
        for reply in operation.replies
        if not reply.codes or set(reply.codes) - common
    )
    return replace(operation, replies=left)


def _operation(path: str, method: str, told: Json) -> Operation:
    body = told.get("requestBody", {}).get("content", {}).get("application/json", {})
    return Operation(
        name=told["operationId"],
        method=method.upper(),
        path=path,
        summary=told["summary"],
        about=_paragraphs(told.get("description", "")),
        parameters=tuple(_parameter(each) for each in told.get("parameters", ())),
        body=kind_of(body["schema"]) if body else (),
        examples=tuple((name, json.dumps(each["value"])) for name, each in body.get("examples", {}).items()),
        replies=tuple(_reply(status, reply, told["summary"]) for status, reply in told["responses"].items()),
    )


def _parameter(told: Json) -> MemberRow:
    kind = kind_of(told.get("schema", {}))
    return MemberRow(told["name"], kind, told.get("description", ""), told.get("required", False), told["in"])


def _reply(status: str, told: Json, summary: str) -> ReplyRow:
    content = told.get("content", {})
    codes = tuple(
        (code, each["value"]["title"]) for code, each in content.get(_PROBLEM, {}).get("examples", {}).items()
    )
    # What has codes is a problem document, as is said once of all.
    kinds = [each["schema"] for media, each in content.items() if not codes or media != _PROBLEM][:1]
    examples = [each["value"] for kind, said in content.items() if kind != _PROBLEM for each in _examples_in(said)]
    shown = _shown(examples[0]) if examples else ""
    # An answer that is what the operation is called is told by its kind.
    about = "" if codes or (kinds and told["description"] == summary) else told["description"]
    return ReplyRow(status, about, kind_of(kinds[0]) if kinds else (), codes, shown)


def _examples_in(content: Json) -> Iterable[Json]:
    found: dict[str, Json] = content.get("examples", {})
    return found.values()


def _shown(example: object) -> str:
    return example.rstrip() if isinstance(example, str) else laid_out(example)


def laid_out(value: object, indent: int = 0) -> str:
    """Return a value as JSON: in one line where that is short, else each of its parts in lines of its own.

    Args:
        value: What JSON can say.
        indent: Where its first line begins, in signs.
    """
    line = json.dumps(value, ensure_ascii=False)
    if indent + len(line) <= LINE_MAX or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + INDENT
    if isinstance(value, dict):
        first, last = "{}"
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {laid_out(each, inner)}" for name, each in value.items()]
    else:
        first, last = "[]"
        parts = [laid_out(each, inner) for each in value]
    between = f",\n{' ' * inner}"
    return f"{first}\n{' ' * inner}{between.join(parts)}\n{' ' * indent}{last}"


def _shape(name: str, schema: Json) -> Shape:
    needed = schema.get("required", ())
    members = tuple(
        MemberRow(member, kind_of(each), each.get("description", ""), member in needed)
        for member, each in schema.get("properties", {}).items()
    )
    about = _paragraphs(schema.get("description", ""))
    return Shape(name, about, members, () if members else kind_of({**schema, "description": ""}))


def quoted(text: str) -> Markup:
    """Return a text for between two tags, where quotes are signs as any other: JSON has so many that they weigh."""
    return Markup(escape(text, quote=False))  # noqa: S704 - all of it was escaped


def marked(text: str) -> tuple[tuple[str, bool], ...]:
    """Return a text in pieces, and of each whether it is code, which stands between backquotes."""
    return tuple((piece, bool(number % 2)) for number, piece in enumerate(text.split("`")) if piece)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def kind_of(schema: Json) -> Kind:
    """Return what a schema allows, in words: `a whole number, at least 1`, `a list of LobbyRow`."""
    return tuple(_parts_of(schema))


def _parts_of(schema: Json) -> Iterator[KindPart]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_SCHEMAS)
        yield KindPart(name, name)
    elif several := schema.get("anyOf") or schema.get("oneOf"):
        yield from _either(several)
    elif "x-itemSchema" in schema:
        yield KindPart("a text of items, each ")
        yield from _parts_of(schema["x-itemSchema"])
    elif "const" in schema or "enum" in schema:
        yield KindPart(" or ".join(_written(each) for each in schema.get("enum", [schema.get("const")])))
    else:
        yield from _plain(schema)
        yield from (
            KindPart(f", {words.format(schema[bound])}") for bound, words in _BOUNDS.items() if _says(schema, bound)
        )


def _says(schema: Json, bound: str) -> bool:
    """Report whether a bound is worth saying: that an integer has 64 bits at most is not."""
    return bound in schema and (isinstance(schema[bound], str) or abs(schema[bound]) < WHOLE_MAX)


def _either(several: list[Json]) -> Iterator[KindPart]:
    for number, each in enumerate(several):
        if number:
            yield KindPart(" or ")
        yield from _parts_of(each)


def _in_places(places: list[Json]) -> Iterator[KindPart]:
    for number, each in enumerate(places):
        if number:
            yield KindPart(", then ")
        yield from _parts_of(each)


def _plain(schema: Json) -> Iterator[KindPart]:
    kind = schema.get("type")
    if kind == "array":
        yield KindPart("a list of ")
        # What has places of its own, as (quantity, face), says so one by one.
        yield from _in_places(schema["prefixItems"]) if "prefixItems" in schema else _parts_of(schema.get("items", {}))
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield KindPart("by name, ")
        yield from _parts_of(schema["additionalProperties"])
    else:
        yield KindPart(
            _NAMES.get(str(kind), "null" if kind == "null" else "an object" if kind == "object" else "anything")
        )


def _written(value: object) -> str:
    return f"“{value}”" if isinstance(value, str) else str(value).lower()
