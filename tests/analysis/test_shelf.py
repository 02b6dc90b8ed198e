"""The shelf: what is shipped is what its list of hashes says, read when somebody asks for it, refused if it is not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.rules.rules import PIPS, Counting
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.blueprint import blueprint_name
from domain.strategy.duels.duel import Duel
from domain.strategy.policies.facts import facts_of_duel
from services.policies import shelf as shelves
from services.policies.shelf import DIGESTS, FILES, LEVEL, SHIPPED, SUFFIX, Shelf, bytes_of, ids_for_judging

ONE, TWO = (Duel((dice, dice), PIPS, Counting(wild="always", aces="no")) for dice in (1, 2))
BLUEPRINT = blueprint_name(TWO.name)
LISTED = {header.name: header for header in Shelf().shipped()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is shipped lies for this test: level 1, and what it puts beside it."""
    monkeypatch.setattr(shelves, "FILES", tmp_path)
    put(tmp_path, LEVEL)
    return tmp_path


def put(folder: Path, name: str, damaged: Callable[[bytes], bytes] = lambda data: data) -> None:
    data = (Path(str(FILES)) / f"{name}{SUFFIX}").read_bytes()
    (folder / f"{name}{SUFFIX}").write_bytes(damaged(data))


def test_what_is_shipped_is_what_the_list_of_hashes_says() -> None:
    found = {Path(str(file)).name for file in FILES.iterdir() if file.name.endswith(SUFFIX)}
    assert found == {f"{name}{SUFFIX}" for name in SHIPPED}
    assert list(LISTED) == list(SHIPPED)
    for name, header in LISTED.items():
        data = bytes_of(name)
        assert (header.name, header.size) == (name, len(data))
        assert DIGESTS[name] == header.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_list_tells_of_a_policy_is_what_it_is_when_it_is_read(name: str) -> None:
    shelf, header = Shelf(), LISTED[name]
    policy = shelf.find(header.id).policy
    assert [getattr(policy, member) for member in header.__struct_fields__] == [
        getattr(header, member) for member in header.__struct_fields__
    ]
    assert shelf.find(header.digest).policy is shelf.find(name).policy is policy


def test_a_file_that_nobody_asks_for_is_not_read(folder: Path) -> None:
    shelf = Shelf()
    assert shelf.default("play", {"tokens": "OwnCups"}).name == LEVEL
    assert shelf.find(LEVEL).data == bytes_of(LEVEL)
    assert len(ids_for_judging()) > 1
    with pytest.raises(FileNotFoundError):
        shelf.default("play", facts_of_duel(ONE))
    put(folder, ONE.name)
    assert shelf.default("play", facts_of_duel(ONE)).name == ONE.name


def later(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def for_nobody(data: bytes) -> bytes:
    return data.replace(b'"doubt":"next"', b'"doubt":"none"')


def more(data: bytes) -> bytes:
    return data + b"\0"


@pytest.mark.parametrize("damaged", [later, for_nobody, more])
@pytest.mark.parametrize(
    ("name", "asking"),
    [
        (ONE.name, lambda shelf: shelf.default("play", facts_of_duel(ONE))),
        (ONE.name, lambda shelf: shelf.find(ONE.name)),
        (ONE.name, lambda shelf: shelf.find(DIGESTS[ONE.name])),
        (ONE.name, lambda shelf: list(shelf.shipped())),
        (BLUEPRINT, lambda shelf: shelf.blueprint(facts_of_duel(TWO))),
        (BLUEPRINT, lambda shelf: shelf.file(DIGESTS[BLUEPRINT])),
    ],
)
def test_a_file_that_is_not_the_one_of_its_hash_is_refused_by_whoever_asks_for_it(
    name: str, asking: Callable[[Shelf], Any], damaged: Callable[[bytes], bytes], folder: Path
) -> None:
    for each in SHIPPED:
        put(folder, each, damaged if each == name else lambda data: data)
    shelf = Shelf()
    with pytest.raises(BadPolicy) as refused:
        asking(shelf)
    assert refused.value.code == "wrong_hash"
    # Nobody else is the worse for it.
    assert shelf.default("play", {"tokens": "OwnCups"}).name == LEVEL


def test_a_blueprint_names_no_analysis() -> None:
    named = {each.partition("@")[0] for each in ids_for_judging()}
    assert set(SHIPPED) - named == {header.name for header in LISTED.values() if header.kind == "blueprint"}
