"""Values used last are kept, as `cachetools` keeps them, whatever is asked in whichever order."""

from __future__ import annotations

from cachetools import LRUCache
from hypothesis import given
from hypothesis import strategies as st

from services.work.caches import LastUsed

KEYS = st.integers(0, 5)
STEPS = st.lists(st.tuples(st.sampled_from(["get", "keep", "drop", "clear"]), KEYS), max_size=40)


@given(STEPS, st.integers(1, 4))
def test_what_was_used_longest_ago_goes_first(steps: list[tuple[str, int]], most: int) -> None:
    kept, known = LastUsed[int, str](most), LRUCache[int, str](most)
    for number, (asked, key) in enumerate(steps):
        match asked:
            case "get":
                assert kept.get(key) == known.get(key)
            case "keep":
                kept.update([(key, str(number))])
                known[key] = str(number)
            case "drop":
                kept.drop(key)
                known.pop(key, None)
            case _:
                kept.clear()
                known.clear()
    assert [kept.get(key) for key in range(6)] == [known.get(key) for key in range(6)]
