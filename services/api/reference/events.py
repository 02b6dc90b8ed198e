"""Schemas of events as frames tell them: one a type of the log, and which of them it is by `type`.

msgspec makes them of the structs that the log is read with. A frame leaves out the proofs of dice that are shown, and a
view has the last verdict without its `type`. Commands may be called as the events are that they lead to, such as `Bid`:
in a schema an event is a `BidEvent`.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Final

import msgspec

from domain.events import Judged, Revealed
from domain.events.base import BaseEvent
from domain.ids import CupId, DealNumber, RollNumber
from domain.match.record import TYPES

Json = dict[str, Any]
EVENT: Final = "Event"
"""What any of them is called, and what the name of each ends in."""
VERDICT: Final = "Verdict"


class RevealedEvent(BaseEvent, frozen=True, tag=str(Revealed.__struct_config__.tag)):
    """Dice were shown to all. `values` are (slot, value); a face is its value and the first face of its kind."""

    deal: DealNumber
    cup: CupId
    roll: RollNumber
    values: tuple[tuple[int, int], ...]


KINDS: Final[dict[str, type[BaseEvent]]] = {**TYPES, str(Revealed.__struct_config__.tag): RevealedEvent}
"""What the event of a frame can be, by its type."""


def event_schemas(template: str) -> Json:
    """Return the schema of each event, of `Event`, and of `Verdict`, by name, with whatever else they refer to.

    Args:
        template: How a schema is referred to by its `{name}`.
    """
    (union,), made = msgspec.json.schema_components(
        [functools.reduce(operator.or_, KINDS.values())],
        ref_template=template,
    )
    names = {kind.__name__: name_of(kind) for kind in KINDS.values()}
    refs = {template.format(name=old): template.format(name=new) for old, new in names.items()}
    renamed = {names.get(name, name): schema for name, schema in made.items()}
    schemas = {name: {**_for_readers(schema), "title": name} for name, schema in renamed.items()}
    return {**schemas, EVENT: _referring(union, refs), VERDICT: _verdict(schemas[name_of(Judged)])}


def refer_to_events(components: Json, template: str) -> None:
    """Say of the event of a frame, and of the last verdict of a view, which schema they have."""
    for name, member, schema in (("Frame", "event", EVENT), ("View", "last", VERDICT)):
        if name in components:
            ref = {"$ref": template.format(name=schema)}
            members = components[name]["properties"]
            members[member] = ref if member == "event" else {**members[member], "anyOf": [ref, {"type": "null"}]}


def name_of(kind: type[BaseEvent]) -> str:
    """Return what the schema of an event is called."""
    return f"{kind.__name__.removesuffix(EVENT)}{EVENT}"


def _for_readers(schema: Json) -> Json:
    """Return a schema that says nothing of further members: there may be some one day, and readers pass them over."""
    return {name: each for name, each in schema.items() if name != "additionalProperties"}


def _referring(union: Json, refs: dict[str, str]) -> Json:
    discriminator = union["discriminator"]
    return {
        "description": "What happened, by its `type`; one schema a type.",
        "anyOf": [{"$ref": refs[each["$ref"]]} for each in union["anyOf"]],
        "discriminator": {
            **discriminator,
            "mapping": {tag: refs[ref] for tag, ref in discriminator["mapping"].items()},
        },
    }


def _verdict(judged: Json) -> Json:
    members = {name: each for name, each in judged["properties"].items() if name != "type"}
    required = [name for name in judged["required"] if name != "type"]
    return {**judged, "title": VERDICT, "properties": members, "required": required}
