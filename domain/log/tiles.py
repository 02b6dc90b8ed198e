"""Tiles: a transparency log cut into files that never change, so that anybody may cache and copy them.

    checkpoint                     the newest tree head
    tile/0/000                     the hashes of the first 256 entries
    tile/0/001.p/5                 those of the next 5, while there are no more
    tile/1/x001/x002/003           hashes of complete tiles one level below
    tile/entries/000               the first 256 entries themselves, each behind its length

The tile at level L and index N holds the hashes of complete subtrees of 256**L entries, from the subtree 256 * N on:
the places `(8 * L, 256 * N)` and its neighbours of `merkle`. A full tile has 256 of them; the last of a level may have
fewer.

Source: C2SP tlog-tiles, https://c2sp.org/tlog-tiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from domain.log.merkle import HASH_BYTES, Place
from domain.log.notes import Malformed

HEIGHT: Final = 8
"""Levels of the tree that a tile spans."""
WIDTH: Final = 1 << HEIGHT
LEVEL_MAX: Final = 5
"""The standard allows levels to 5: trees of 2**48 entries and more."""
_LENGTH_BYTES: Final = 2
_INDEX_DIGITS: Final = 3
_PATH: Final = re.compile(r"(?:(entries)|([0-5]))/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


class Tile(Struct, frozen=True):
    """A tile's name.

    Attributes:
        level: 0 to 5; None for a bundle of entries.
        index: From the left, from 0.
        width: How many hashes or entries it has, 1 to 256.
    """

    level: int | None
    index: int
    width: int = WIDTH

    def __str__(self) -> str:
        """Return the path below `tile/`."""
        folder = "entries" if self.level is None else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"{folder}/{_spell(self.index)}{partial}"

    @property
    def places(self) -> list[Place]:
        """The subtrees whose hashes make a tile of hashes up."""
        assert self.level is not None, "a bundle holds entries"
        first = self.index * WIDTH
        return [(self.level * HEIGHT, first + number) for number in range(self.width)]

    @property
    def span(self) -> tuple[int, int]:
        """The index of a bundle's first entry, and how many it has."""
        return self.index * WIDTH, self.width

    def covered_by(self, size: int) -> bool:
        """Report whether a tree of this size has all of the tile."""
        return self.index * WIDTH + self.width <= size >> (HEIGHT * (self.level or 0))


def tile_of(path: str) -> Tile:
    """Return the tile that a path below `tile/` names; each tile has one such path.

    Raises:
        Malformed: It names none.
    """
    found = _PATH.fullmatch(path)
    if found is None:
        raise Malformed("this is not the path of a tile")
    level = None if found[1] else int(found[2])
    tile = Tile(level, int(re.sub("[x/]", "", found[3])), WIDTH if found[4] is None else int(found[4]))
    if str(tile) != path or tile.width > WIDTH:
        raise Malformed("this is not how the path of a tile is spelled")
    return tile


def tiles_of(size: int) -> list[Tile]:
    """Return the tiles of hashes that a tree of this size consists of, full ones and the partial ones at its edge."""
    found: list[Tile] = []
    for level in range(LEVEL_MAX + 1):
        many = size >> (HEIGHT * level)
        found += [Tile(level, index) for index in range(many // WIDTH)]
        if many % WIDTH:
            found.append(Tile(level, many // WIDTH, many % WIDTH))
    return found


def bundle(entries: Iterable[bytes]) -> bytes:
    """Return the entries as a bundle holds them: each behind its length, two bytes, the greater first."""
    return b"".join(len(entry).to_bytes(_LENGTH_BYTES, "big") + entry for entry in entries)


def entries_of(file: bytes, width: int) -> list[bytes]:
    """Return the entries of a bundle, which has to hold this many and nothing else.

    Raises:
        Malformed: It does not.
    """
    entries: list[bytes] = []
    while file and len(entries) < width:
        end = _LENGTH_BYTES + int.from_bytes(file[:_LENGTH_BYTES], "big")
        entry, cut = file[_LENGTH_BYTES:end], len(file) < max(end, _LENGTH_BYTES)
        file = file[end:]
        if cut:
            raise Malformed("an entry of the bundle is cut off")
        entries.append(entry)
    if file or len(entries) != width:
        raise Malformed("the bundle does not hold as many entries as its name says")
    return entries


def hashes_of(file: bytes, tile: Tile) -> dict[Place, bytes]:
    """Return the hashes of a tile by their place.

    Raises:
        Malformed: It does not hold as many as its name says.
    """
    if len(file) != tile.width * HASH_BYTES:
        raise Malformed("the tile does not hold as many hashes as its name says")
    cut = (file[at : at + HASH_BYTES] for at in range(0, len(file), HASH_BYTES))
    return dict(zip(tile.places, cut, strict=True))


def _spell(index: int) -> str:
    """Return an index in groups of three digits, all but the last behind an x and before a slash."""
    groups = [f"{index % 1000:03}"]
    while index >= 10**_INDEX_DIGITS:
        index //= 1000
        groups.append(f"x{index % 1000:03}")
    return "/".join(reversed(groups))
