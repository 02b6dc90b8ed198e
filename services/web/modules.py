"""The modules that a page loads, found in the modules themselves: what one imports, what that imports, and so on.

A browser learns of a module only from the one that imports it, so without being told it asks for one floor of the house
after the other. `<link rel="modulepreload">` tells it of all at once:
https://html.spec.whatwg.org/multipage/links.html#link-type-modulepreload
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath
from typing import Final

_IMPORT: Final = re.compile(
    r"""(?:^|[;}])[ \t]*(?:import|export)\s*(?:[\w$\s{},*]+\bfrom|[\w$\s{},*]*[}*]\s*from)?\s*"""
    r"""(["'])(\.{1,2}/[^"'\n]+)\1""",
    re.MULTILINE,
)
"""A static import, or an export from elsewhere (ECMA-262 sections 16.2.2 and 16.2.3), of a file of this house. What is
imported when it is needed is not loaded with the page."""


def modules_of(name: str, read: Callable[[str], str]) -> tuple[str, ...]:
    """Return the modules that a module cannot run without, by their names: itself first, each once.

    Args:
        name: The module's.
        read: Returns the text of the file that has this name.

    Those nearer to the module come before those behind them. Data (`.json`) imports nothing.
    """
    found = {name: None}
    waiting = [name]
    for one in waiting:
        if one.endswith(".json"):
            continue
        for _, address in _IMPORT.findall(read(one)):
            other = normpath(join(dirname(one), address))
            if other not in found:
                found[other] = None
                waiting.append(other)
    return tuple(found)
