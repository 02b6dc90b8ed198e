"""A bundler: modules of the pages' scripts as one script, for a page that has no network to load them from.

The law of the file: what it does not understand it refuses, so that no script is another one than its modules are. Each
module becomes a function, called once in the order of imports and waited for; what it exports is what the function
returns. That is the same as long as no name changes after its module was read, and no two modules import each other.
What a module would ask for later is read before it, and lies there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

_IMPORT: Final = re.compile(
    r"""(?:^|(?<=;))import ?(?:(?:\{([^{}]*)\}|\* as (\w+)) ?from ?)?(['"])(\.{1,2}/[^'"]+)\3;""", re.MULTILINE
)
_EXPORT: Final = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
_HANDED_ON: Final = re.compile(r"^export \{([^{}]*)\} from '(\.{1,2}/[^']+)';$", re.MULTILINE)
_EXPORTED: Final = re.compile(r"\bexport ?\{([^{}]*)\};?\s*$")
_LATER: Final = re.compile(r"\bimport\('(\.{1,2}/[^']+)'\)(?!\.)")
_DATA: Final = re.compile(r"\bimport\(`(\.{1,2}/)\$\{(\w+)\}\.json`, \{ with: \{ type: 'json' \} \}\)")
_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_TOLD: Final = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.DOTALL | re.MULTILINE)
"""What is told of a script in lines of its own, for whoever reads its modules."""
_STRANGE: Final = re.compile(r"^\s*(?:import|export)\b|\bimport\s*[(.]", re.MULTILINE)
_MARKUP: Final = re.compile(r"</script|<!--", re.IGNORECASE)
_NAME: Final = re.compile(r"(\w+)(?: as (\w+))?")


class CannotBundle(Exception):  # noqa: N818 - says what is the matter
    """A module has something in it that no bundle is made of; the message names both."""


class _Module(Struct, frozen=True):
    """A module as a function.

    Attributes:
        needs: The names that it imports, by module; None where it takes all of a module.
        body: Its text, without imports and exports.
        exports: What it exports, each with what it is inside.
    """

    needs: tuple[tuple[str, tuple[str, ...] | None], ...]
    body: str
    exports: dict[str, str]


def bundled(entry: str, read: Callable[[str], str], data: Iterable[str] = ()) -> str:
    """Return one script that does what a module does.

    Args:
        entry: The module, by its path with `/`.
        read: Gives the text of a module, or of data.
        data: Whatever may be asked for as JSON whose name is known then only, by its path.

    Raises:
        CannotBundle: Something in a module, or between them.
    """
    modules = {path: _Module((), f"const data = {read(path).strip()};", {"default": "data"}) for path in data}
    _gather(entry, read, modules, ())
    for path, module in modules.items():
        for needed, names in module.needs:
            if lacking := set(names or ()) - modules[needed].exports.keys():
                raise CannotBundle(f"{path}: {needed} does not export {', '.join(sorted(lacking))}")
    script = "".join(_function(path, module) for path, module in modules.items())
    if _MARKUP.search(script):
        raise CannotBundle(f"{entry}: what ends a script in a page stands in it")
    return f"(async () => {{\n'use strict';\nconst modules = {{}};\n{script}}})();\n"


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
    reading = _Reading(path)
    body = reading.body(_TOLD.sub("", text))
    if strange := _STRANGE.search(_COMMENT.sub("", body)):
        raise CannotBundle(f"{path}: {strange[0].strip()} is not understood")
    return _Module(tuple(reading.needs), body, reading.exports)


class _Reading:
    """A module while it is read: what it needs and exports, as far as that has been met.

    Attributes:
        needs: As those of a module.
        exports: As those of a module.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.needs: list[tuple[str, tuple[str, ...] | None]] = []
        self.exports: dict[str, str] = {}

    def body(self, text: str) -> str:
        """Return a module's text without imports and exports, which are kept."""
        body = _IMPORT.sub(self._taken, _HANDED_ON.sub(self._handed_on, text))
        body = _EXPORTED.sub(self._given_last, _EXPORT.sub(self._given, body))
        return _DATA.sub(self._taken_as_data, _LATER.sub(self._taken_later, body))

    def _place_of(self, asked: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._path), asked))

    def _taken(self, found: re.Match[str]) -> str:
        names, every, place = found[1], found[2], self._place_of(found[4])
        if names is None:
            self.needs.append((place, None))
            return "" if every is None else f"const {every} = modules['{place}'];"
        pairs = _names_in(self._path, names)
        self.needs.append((place, tuple(pairs)))
        return f"const {{ {', '.join(_member(*pair) for pair in pairs.items())} }} = modules['{place}'];"

    def _taken_later(self, found: re.Match[str]) -> str:
        place = self._place_of(found[1])
        self.needs.append((place, None))
        return f"Promise.resolve(modules['{place}'])"

    def _taken_as_data(self, found: re.Match[str]) -> str:
        folder = posixpath.join(self._place_of(found[1]), "").removeprefix("./")
        return f"Promise.resolve(modules[`{folder}${{{found[2]}}}.json`])"

    def _handed_on(self, found: re.Match[str]) -> str:
        pairs, place = _names_in(self._path, found[1]), self._place_of(found[2])
        self.needs.append((place, tuple(pairs)))
        self.exports.update({outside: f"modules['{place}'].{inside}" for inside, outside in pairs.items()})
        return ""

    def _given(self, found: re.Match[str]) -> str:
        self.exports[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    def _given_last(self, found: re.Match[str]) -> str:
        self.exports.update({outside: inside for inside, outside in _names_in(self._path, found[1]).items()})
        return ""


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
    return f"modules['{path}'] = await (async () => {{\n{module.body}\nreturn {{ {exports} }};\n}})();\n"
