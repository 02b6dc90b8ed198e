"""One value, one line (CUP/1 section 4.3)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.log import canonical
from domain.log.canonical import NotCanonical

VECTORS = json.loads((Path(__file__).parent.parent / "fairness/vectors/canonical.json").read_text(encoding="utf-8"))

texts = st.text(st.characters(exclude_categories=["Cs"]))
integers = st.integers(-(2**53) + 1, 2**53 - 1)
keys = st.text(st.characters(max_codepoint=127))
values = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("good", VECTORS["good"], ids=lambda good: good["line"][:20])
def test_a_good_value_has_the_published_line(good: dict[str, Any]) -> None:
    line = good["line"].encode()
    assert canonical.encode(good["value"]) == line
    assert canonical.decode(line) == good["value"]
    assert canonical.head(line) == good["sha256"]


@pytest.mark.parametrize("bad", VECTORS["bad"])
def test_any_other_spelling_is_refused(bad: str) -> None:
    with pytest.raises(NotCanonical):
        canonical.decode(bad.encode())


@given(st.dictionaries(keys, values))
def test_what_is_encoded_is_decoded(value: dict[str, Any]) -> None:
    assert canonical.decode(canonical.encode(value)) == value


@given(st.binary(max_size=60) | texts.map(str.encode))
@example(b"\xef\xbb\xbf{}")
@example(b"{}\x00")
@example(b'{"a":"\x00"}')
@example(b"[" * 60_000)
@example(b'{"a":' * 12_000)
@example(b'{"a":' + b"9" * 60_000 + b"}")
@example(b'{"a":1e999999}')
@example(b"[]")
@example(b"\xff")
def test_bytes_are_refused_or_are_the_line_of_their_value(line: bytes) -> None:
    try:
        value = canonical.decode(line)
    except NotCanonical:
        return
    assert canonical.encode(value) == line


def as_the_standard_library_has_it(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@given(values)
def test_a_line_is_what_the_standard_library_writes(value: Any) -> None:
    assert canonical.encode(value) == as_the_standard_library_has_it(value)


@pytest.mark.parametrize("first", range(0, 0x110000, 0x2000))
def test_every_character_is_written_as_the_standard_library_writes_it(first: int) -> None:
    text = "".join(map(chr, range(first, first + 0x2000))).encode(errors="ignore").decode()
    line = canonical.encode({"a": text})
    assert line == as_the_standard_library_has_it({"a": text})
    assert canonical.decode(line) == {"a": text}


@pytest.mark.parametrize("line", [b"[]", b"1", b'"a"', b"null"])
def test_a_line_is_an_object(line: bytes) -> None:
    with pytest.raises(NotCanonical, match="object"):
        canonical.decode(line)


@pytest.mark.parametrize(
    "value",
    [1.0, b"", {1: 2}, {"é": 1}, {"a": 2**53}, {"a": -(2**53)}, "\ud800", float("nan"), object(), {"a": {1}}],
)
def test_a_value_outside_the_profile_has_no_line(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical.encode(value)


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth - 1):
        inner = [inner]
    return inner


def test_nesting_ends_at_a_depth_every_reader_can_follow() -> None:
    assert canonical.decode(canonical.encode({"a": nested(canonical.DEPTH_MAX - 1)}))
    with pytest.raises(NotCanonical):
        canonical.encode({"a": nested(canonical.DEPTH_MAX)})


def test_a_line_is_at_most_65535_bytes() -> None:
    room = canonical.LINE_BYTES_MAX - len('{"a":""}')
    line = canonical.encode({"a": "x" * room})
    assert canonical.decode(line) == {"a": "x" * room}
    with pytest.raises(NotCanonical):
        canonical.encode({"a": "x" * (room + 1)})
    with pytest.raises(NotCanonical):
        canonical.decode(line[:-2] + b'x"}')


def test_an_event_line_has_seven_members_in_order_and_a_head() -> None:
    line = canonical.line("match/x", 1, "00", 5, "game.bid", {"seat": 1, "faces": (2, 3)})
    assert (
        line
        == b'{"at":5,"data":{"faces":[2,3],"seat":1},"prev":"00","seq":1,"stream":"match/x","type":"game.bid","v":1}'
    )
    assert canonical.head(line) == hashlib.sha256(line).hexdigest()
