"""Faults in the shape of something that came from outside, in our own words.

The library that reads it says so in its own, which are of programs and of types: whoever sends a bid with a text for
its quantity is told what a quantity is to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class ShapeFault(Struct, frozen=True):
    """One fault.

    Attributes:
        path: The members and places that lead there, outermost first; empty for the whole.
        why: What is wrong, in a sentence.
    """

    path: tuple[str, ...]
    why: str

    @property
    def pointer(self) -> str:
        """Where it is, as a JSON pointer in a fragment, such as `#/rules/seats` (RFC 6901 section 6)."""
        return "#" + "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in self.path)

    @property
    def where(self) -> str:
        """Where it is, as programs write it: `$.rules.seats`, `$.outside[0]`."""
        return "$" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in self.path)

    @property
    def named(self) -> str:
        """Where it is, with dots."""
        return ".".join(self.path)


def fault_of(error: msgspec.ValidationError) -> ShapeFault:
    """Return what is wrong, and where, of what could not be read."""
    said, _, where = str(error).partition(" - at `")
    path = _path_of(where)
    if found := _MEMBER.fullmatch(said):
        why = "this is needed, and is missing" if found[1] == "missing required" else "nothing here has this name"
        return ShapeFault((*path, found[2]), why)
    return ShapeFault(path, words_of(said))


def shaped(given: object, kind: type[T]) -> T:
    """Return what is given as what it is to be, its numbers written as texts if need be.

    Raises:
        ValueError: It is not that; the message says where, and why.
    """
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise ValueError(f"{fault.named or 'the whole'}: {fault.why}") from error


def words_of(said: str) -> str:
    """Return in our words what the library said of a value, without where."""
    for pattern, words in _WORDS:
        if found := pattern.fullmatch(said):
            return words(found)
    return "this is not what belongs here"


_MEMBER: Final = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]")


def _path_of(where: str) -> tuple[str, ...]:
    """Return the path of a place such as `$.rules.options[2]`; of a key, that of its object; a `[...]` says nothing."""
    return tuple(name or place for name, place in _STEP.findall(where.removeprefix("key` in `")))


_NAMES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "uuid": "a UUID",
    "null": "null",
}


def _named(kinds: str) -> str:
    """Return what types are called for people: `int | null` is a whole number or null."""
    return " or ".join(_NAMES.get(kind, "something else") for kind in kinds.split(" | "))


def _instead(found: re.Match[str]) -> str:
    came = "a number with decimals" if found[2] == "float" else _named(found[2])
    return f"this is to be {_named(found[1])}, and is {came}"


def _long(found: re.Match[str]) -> str:
    """Return how long something is to be: so many characters, places or members, at least or at most or just that."""
    kind, bound, count = found[1], found[2], found[3]
    least = {"<= ": "at most ", ">= ": "at least "}.get(bound, "")
    things = {"str": "character", "array": "place", "object": "member"}[kind]
    return f"this is to have {least}{count} {things}{'' if count == '1' else 's'}"


def _like(found: re.Match[str]) -> str:
    return "this is to be written like {}".format(found[1].replace("\\\\", "\\"))


def _bound(found: re.Match[str]) -> str:
    return f"this is to be {'at most' if found[1] == '<=' else 'at least'} {found[2]}"


_WORDS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"Expected `([^`]+)`, got `([^`]+)`"), _instead),
    (re.compile(r"Expected `([^`]+)`"), lambda found: f"this is to be {_named(found[1])}"),
    (re.compile(r"Expected `(?:int|float)` (<=|>=) (-?[0-9.]+)"), _bound),
    (re.compile(r"Expected `(str|array|object)` of length (<= |>= |)(\d+)(?:, got \d+)?"), _long),
    (
        re.compile(r"Expected `str` matching regex '(.*)'", re.DOTALL),
        _like,
    ),
    (re.compile(r"Invalid (?:enum )?value .*", re.DOTALL), lambda _: "this is none of the values that are known here"),
    (re.compile(r"Invalid UUID"), lambda _: "this is no UUID"),
    (re.compile(r"(?:Integer|Number) (?:value )?out of range"), lambda _: "this number is too large"),
)
"""How the library says it, and how we do."""
