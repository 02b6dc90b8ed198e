"""A bundler: modules of the pages' scripts as one script, for a page that has no network to load them from.

The law of the file: what it does not understand it refuses, so that no script is another one than its modules are. Each
module becomes a function, called once in the order of imports; what it exports is what the function returns. That is
the same as long as nobody waits at the top of a module, no name changes after its module was read, and no two modules
import each other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

_IMPORT: Final = re.compile(r"^import (?:\{([^{}]*)\}|\* as (\w+)) from '(\.{1,2}/[^']+)';$", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
_EXPORTED: Final = re.compile(r"\bexport ?\{([^{}]*)\};?\s*$")
_LATER: Final = re.compile(r"\bawait import\('(\.{1,2}/[^']+)'\)")
_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_STRANGE: Final = re.compile(r"^\s*(?:import|export)\b|\bimport\s*[(.]|^(?:await\b|\S[^\n]*= await\b)", re.MULTILINE)
_MARKUP: Final = re.compile(r"</script|<!--", re.IGNORECASE)
_NAME: Final = re.compile(r"(\w+)(?: as (\w+))?")


class CannotBundle(Exception):  # noqa: N818 - says what is the matter
    """A module has something in it that no bundle is made of; the message names both."""


class _Module(Struct, frozen=True):
    """A module as a function.

    Attributes:
        needs: The names that it imports, by module; None where it takes all of a module.
        body: Its text, without imports and exports.
        exports: What it exports, each with what it is called inside.
    """

    needs: tuple[tuple[str, tuple[str, ...] | None], ...]
    body: str
    exports: dict[str, str]


def bundled(entry: str, read: Callable[[str], str]) -> str:
    """Return one script that does what a module does.

    Args:
        entry: The module, by its path with `/`.
        read: Gives the text of a module.

    Raises:
        CannotBundle: Something in a module, or between them.
    """
    modules: dict[str, _Module] = {}
    _gather(entry, read, modules, ())
    for path, module in modules.items():
        for needed, names in module.needs:
            if lacking := set(names or ()) - modules[needed].exports.keys():
                raise CannotBundle(f"{path}: {needed} does not export {', '.join(sorted(lacking))}")
    script = "".join(_function(path, module) for path, module in modules.items())
    if _MARKUP.search(script):
        raise CannotBundle(f"{entry}: what ends a script in a page stands in it")
    return f"(() => {{\n'use strict';\nconst modules = {{}};\n{script}}})();\n"


def _gather(path: str, read: Callable[[str], str], modules: dict[str, _Module], above: tuple[str, ...]) -> None:
    """Put a module behind all that it needs."""
    if path in above:
        raise CannotBundle(f"{path}: it needs itself, through {above[-1]}")
    if path in modules:
        return
    module = _module_of(path, read(path))
    for needed, _ in module.needs:
        _gather(needed, read, modules, (*above, path))
    modules[path] = module


def _module_of(path: str, text: str) -> _Module:
    needs, exports = list[tuple[str, tuple[str, ...] | None]](), dict[str, str]()

    def place_of(asked: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), asked))

    def taken(found: re.Match[str]) -> str:
        names, every, place = found[1], found[2], place_of(found[3])
        if every is not None:
            needs.append((place, None))
            return f"const {every} = modules['{place}'];"
        pairs = _names_in(path, names)
        needs.append((place, tuple(pairs)))
        return f"const {{ {', '.join(_member(*pair) for pair in pairs.items())} }} = modules['{place}'];"

    def taken_later(found: re.Match[str]) -> str:
        needs.append((place_of(found[1]), None))
        return f"await modules['{place_of(found[1])}']"

    def given(found: re.Match[str]) -> str:
        exports[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    def given_last(found: re.Match[str]) -> str:
        exports.update({outside: inside for inside, outside in _names_in(path, found[1]).items()})
        return ""

    body = _LATER.sub(taken_later, _EXPORTED.sub(given_last, _EXPORT.sub(given, _IMPORT.sub(taken, text))))
    if strange := _STRANGE.search(_COMMENT.sub("", body)):
        raise CannotBundle(f"{path}: {strange[0].strip()} is not understood")
    return _Module(tuple(needs), body, exports)


def _names_in(path: str, text: str) -> dict[str, str]:
    """Return names between braces, each with what it is called on the other side."""
    names = dict[str, str]()
    for one in filter(None, map(str.strip, text.split(","))):
        if (found := _NAME.fullmatch(one)) is None:
            raise CannotBundle(f"{path}: {one} is no name")
        names[found[1]] = found[2] or found[1]
    return names


def _member(name: str, known_as: str) -> str:
    return name if name == known_as else f"{name}: {known_as}"


def _function(path: str, module: _Module) -> str:
    exports = ", ".join(_member(outside, inside) for outside, inside in module.exports.items())
    return f"modules['{path}'] = (() => {{\n{module.body}\nreturn {{ {exports} }};\n}})();\n"
