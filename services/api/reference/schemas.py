"""Schemas of structs, as programs that read descriptions understand them.

msgspec makes them; what generators of clients stumble over is said in another way that means the same, and each member
says what it means (`members`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from services.api.reference.members import describe_members

Json = dict[str, Any]
_TEMPLATE: Final = "#/components/schemas/{name}"


def schemas_of(kinds: Iterable[Any]) -> tuple[list[Json], Json]:
    """Return the schema of each of these types, in their order, and the components they refer to."""
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    return [_plain(schema) for schema in schemas], describe_members(_plain(dict(sorted(components.items()))))


def _plain(node: Any) -> Any:  # noqa: ANN401 - a schema, or what stands in one
    """Return a schema whose tuples are as long as `maxItems` says, and not because nothing is allowed behind them.

    `"items": false` is a schema in JSON Schema 2020-12, and in OpenAPI 3.1 with it; openapi-python-client takes it for
    none, and gives up the whole document.
    """
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    is_tuple = "prefixItems" in node and node.get("items") is False and "maxItems" in node
    return {name: _plain(each) for name, each in node.items() if not (is_tuple and name == "items")}
