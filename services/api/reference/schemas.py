"""Schemas of structs, as programs that read descriptions understand them.

msgspec makes them; what generators of clients stumble over is said in another way that means the same, and each member
says what it means (`members`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from services.api.reference.events import event_schemas, refer_to_events
from services.api.reference.members import describe_members

Json = dict[str, Any]
_TEMPLATE: Final = "#/components/schemas/{name}"


def schemas_of(kinds: Iterable[Any]) -> tuple[list[Json], Json]:
    """Return the schema of each of these types, in their order, and the components they refer to: events among them."""
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    refer_to_events(components, _TEMPLATE)
    told = components | event_schemas(_TEMPLATE)
    return [_plain(schema) for schema in schemas], describe_members(_plain(dict(sorted(told.items()))))


def _plain(node: Any) -> Any:  # noqa: ANN401 - a schema, or what stands in one
    """Return a schema that says the same in a way that generators understand.

    A tuple is as long as `maxItems` says, and not because nothing is allowed behind it: `"items": false` is a schema in
    JSON Schema 2020-12, and in OpenAPI 3.1 with it, but openapi-python-client takes it for none and gives up the whole
    document. An object of which nothing is said may have any member: openapi-typescript has it without one.
    """
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    is_tuple = "prefixItems" in node and node.get("items") is False and "maxItems" in node
    plain = {name: _plain(each) for name, each in node.items() if not (is_tuple and name == "items")}
    is_open = plain.get("type") == "object" and not plain.keys() & {"properties", "additionalProperties"}
    return {**plain, "additionalProperties": True} if is_open else plain


def as_draft_7(node: Any) -> Any:  # noqa: ANN401 - a schema, or what stands in one
    """Return a schema as JSON Schema draft 7 has it, which AsyncAPI 3.0 stands on.

    A tuple is a list of `items` there, and a discriminator is the name of a member and no object.

    Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0#schemaObject
    """
    if isinstance(node, list | tuple):
        return [as_draft_7(each) for each in node]
    if not isinstance(node, dict):
        return node
    said = {"items" if name == "prefixItems" else name: as_draft_7(each) for name, each in node.items()}
    discriminator = said.get("discriminator")
    if isinstance(discriminator, dict) and "propertyName" in discriminator:
        said["discriminator"] = discriminator["propertyName"]
    return said
