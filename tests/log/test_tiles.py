"""C2SP tlog-tiles: the names of tiles, and what is in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import merkle, tiles
from domain.log.notes import Malformed
from domain.log.tiles import Tile

TILES = st.builds(Tile, st.none() | st.integers(0, 5), st.integers(0, 10**17), st.integers(1, 256))


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "0/000"),
        (Tile(0, 1_234_067), "0/x001/x234/067"),  # the example of the standard
        (Tile(1, 999, 5), "1/999.p/5"),
        (Tile(None, 1000), "entries/x001/000"),
        (Tile(None, 0, 255), "entries/000.p/255"),
    ],
)
def test_names(tile: Tile, path: str) -> None:
    assert str(tile) == path
    assert tiles.tile_of(path) == tile


@given(tile=TILES)
def test_a_name_says_which_tile(tile: Tile) -> None:
    assert tiles.tile_of(str(tile)) == tile


@pytest.mark.parametrize(
    "path",
    [
        *("", "0", "0/", "0/0", "0/0000", "6/000", "00/000", "-1/000", "0/x000/001", "0/001/002", "0/x001", "x/000"),
        *("0/000.p/0", "0/000.p/256", "0/000.p/257", "0/000.p/05", "0/000.p", "0/000.p/", "entries/000/", "/0/000"),
        *("0/000.p/5/", "0/x01/000", "ENTRIES/000", "0/000\n", "0/\u0660\u0660\u0660"),
    ],
)
def test_a_path_spelled_otherwise_names_none(path: str) -> None:
    with pytest.raises(Malformed):
        tiles.tile_of(path)


@given(size=st.integers(0, 70_000))
def test_the_tiles_of_a_tree_hold_its_root(size: int) -> None:
    known = {place for tile in tiles.tiles_of(size) for place in tile.places}
    edge = {(level // 8 * 8, index << (level % 8)) for level, index in merkle.nodes_of([(0, size)])}
    assert edge <= known
    assert all(tile.covered_by(size) for tile in tiles.tiles_of(size))


def test_a_bundle_begins_where_those_before_it_end() -> None:
    assert [Tile(None, 0).span, Tile(None, 2, 5).span] == [(0, 256), (512, 5)]


def test_a_tile_is_covered_once_the_tree_has_all_of_it() -> None:
    assert not Tile(0, 1, 3).covered_by(258)
    assert Tile(0, 1, 3).covered_by(259)
    assert not Tile(1, 0, 1).covered_by(255)
    assert Tile(1, 0, 1).covered_by(256)
    assert not Tile(None, 0, 4).covered_by(3)


def test_a_tile_of_hashes() -> None:
    tile = Tile(0, 1, 3)
    assert tile.places == [(0, 256), (0, 257), (0, 258)]
    assert tiles.hashes_of(b"a" * 32 + b"b" * 32 + b"c" * 32, tile)[0, 258] == b"c" * 32
    for wrong in (b"", b"a" * 95, b"a" * 97):
        with pytest.raises(Malformed):
            tiles.hashes_of(wrong, tile)


@given(entries=st.lists(st.binary(max_size=300), max_size=20))
def test_a_bundle_holds_its_entries(entries: list[bytes]) -> None:
    assert tiles.entries_of(tiles.bundle(entries), len(entries)) == entries


@pytest.mark.parametrize("file", [b"\x00", b"\x00\x01", b"\x00\x02a", b"\x00\x01a\x00\x01b", b"\x00\x01a\x00"])
def test_a_bundle_that_is_cut_or_too_long_is_refused(file: bytes) -> None:
    with pytest.raises(Malformed):
        tiles.entries_of(file, 1)
