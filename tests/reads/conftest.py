"""One long match for all tests that only read."""

from __future__ import annotations

import pytest

from tests.reads.counting import CountingStore, long_match
from tests.relay.playing import Played


@pytest.fixture(scope="session")
async def long() -> Played:
    """Return a match of some 500 events in a store that counts what is read."""
    return await long_match(CountingStore())


@pytest.fixture
def store(long: Played) -> CountingStore:
    """Return the store of the long match, its counts at nought."""
    assert isinstance(long.store, CountingStore)
    long.store.forget()
    return long.store
