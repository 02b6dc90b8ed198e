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
"""A static import, or an export from elsewhere (ECMA-262 sections 16.2.2 and 16.2.3), of a file of this house."""
_IMPORT_LATER: Final = re.compile(r"""\bimport\((["'])(\.{1,2}/[^"'\n]+)\1\)""")
"""An import of a file that is known by its name, made when it is needed (ECMA-262 section 13.3.10)."""
_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
"""Where types are told, which are imported by nobody."""


def modules_of(name: str, read: Callable[[str], str]) -> tuple[str, ...]:
    """Return the modules that a module cannot run without, by their names: itself first, each once.

    Args:
        name: The module's.
        read: Returns the text of the file that has this name.

    Those nearer to the module come before those behind them. Data (`.json`) imports nothing.
    """
    return _closure((name,), read)


def modules_behind(name: str, read: Callable[[str], str]) -> tuple[str, ...]:
    """Return the modules that a module runs without, and asks for once it does: each once, and what it has already not.

    What only those ask for when they need it is left out.
    """
    first = modules_of(name, read)
    asked = (
        normpath(join(dirname(one), address))
        for one in first
        if not one.endswith(".json")
        for _, address in _IMPORT_LATER.findall(_COMMENT.sub("", read(one)))
    )
    return tuple(one for one in _closure(tuple(asked), read) if one not in first)


def _closure(names: tuple[str, ...], read: Callable[[str], str]) -> tuple[str, ...]:
    """Return modules with all that they cannot run without."""
    found = dict.fromkeys(names)
    waiting = list(found)
    for one in waiting:
        if one.endswith(".json"):
            continue
        for _, address in _IMPORT.findall(read(one)):
            other = normpath(join(dirname(one), address))
            if other not in found:
                found[other] = None
                waiting.append(other)
    return tuple(found)
