"""Names over a node that is no dealer: told from the store, and erased by the dealer for the seat's own token."""

from __future__ import annotations

import pytest

from domain.fairness.names import names_in
from infra.store import Unavailable
from services.dealer.handoff.desk import FOREIGN
from services.matches.secrets.tokens import Bearer
from tests.handoff.test_desk import House


async def test_a_seat_has_its_own_name_erased_and_a_host_nobodys() -> None:
    house = await House().open_up()
    match_id, host, (ada, _) = await house.table()
    seat = await house.holder(ada)
    with pytest.raises(Unavailable, match=FOREIGN):
        await house.remote.for_token(host).erase_name(match_id, seat)
    assert [await house.remote.for_token(ada).erase_name(match_id, seat) for _ in range(2)] == [True, False]
    told = names_in(await house.remote.names_told(match_id))
    assert [(each.seat, each.name) for each in told] == [(1, None), (2, "Bob")]
    assert (await house.matches.bearer(ada)) == Bearer(match_id, "seat", seat), "the token goes on"
