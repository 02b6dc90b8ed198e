"""Messages made from their types, right as far as a type says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final
from uuid import UUID

from msgspec import inspect

TEXTS: Final = ("Ada", "x", "5x3", "common_hand", "5e" * 32, "01", "\u202e", "\x00", "a" * 41)
Known = Mapping[str, Callable[[Random], Any]]


def sample(drawn: Random, kind: inspect.Type, known: Known) -> Any:
    """Return a value of this type, of simple ones; members with a name that is known are as they are known to be."""
    match kind:
        case inspect.UnionType():
            return sample(drawn, drawn.choice(kind.types), known)
        case inspect.StructType():
            return _struct(drawn, kind, known)
        case inspect.LiteralType():
            return drawn.choice(kind.values)
        case inspect.TupleType():
            return [sample(drawn, each, known) for each in kind.item_types]
        case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
            return [sample(drawn, kind.item_type, known) for _ in range(drawn.choice((0, 1, 1, 2)))]
        case _:
            return _plain(drawn, kind)


def _plain(drawn: Random, kind: inspect.Type) -> Any:
    match kind:
        case inspect.IntType():
            most = 2**31 if kind.le is None else kind.le
            return drawn.choice((kind.ge or 0, 1, 2, 3, most, most + 1))
        case inspect.BoolType():
            return drawn.random() < 0.5
        case inspect.BytesType() | inspect.RawType():
            return drawn.randbytes(drawn.choice((0, 16, 32, 33)))
        case inspect.StrType():
            return drawn.choice(TEXTS)
        case inspect.UUIDType():
            return str(UUID(int=drawn.getrandbits(128)))
        case inspect.DictType():
            return {} if drawn.random() < 0.5 else {drawn.choice(TEXTS): drawn.choice((1, "x", None, []))}
        case _:
            return None


def _struct(drawn: Random, kind: inspect.StructType, known: Known) -> dict[str, Any]:
    """Return the members that are needed, and some of the others."""
    made = {} if kind.tag_field is None else {kind.tag_field: kind.tag}
    for field in kind.fields:
        if field.required or drawn.random() < 0.3:
            draws = known.get(field.encode_name)
            made[field.encode_name] = draws(drawn) if draws else sample(drawn, field.type, known)
    return made
