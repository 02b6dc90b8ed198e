"""`truecup erase`: whoever runs a house erases a name, and the record stays what it was."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from domain.match.record import stream_of
from infra.store.postgres import PostgresStore
from services.cli.operating.erasing import erase
from services.client.house import CannotDo
from services.matches.requests import SeatMark
from tests.director.house import EventHouse
from tests.store.terminal import run


@pytest.mark.parametrize("said", [("no-match", 1), ("\u00fc", None), ("", None), ("p\0", None)])
def test_what_is_no_id_is_nobodys(said: tuple[str, int | None], tmp_path: Path) -> None:
    with pytest.raises(CannotDo, match="is the id of no"):
        erase(*said, data=tmp_path)


async def test_a_name_is_erased_from_a_terminal(database: str, postgres: PostgresStore, tmp_path: Path) -> None:
    house = EventHouse(postgres)
    opened = await house.matches.open({"game": "common_hand", "options": {}}, house.ask())
    match = UUID(opened.match)
    for name in ("Ada", "Bea"):
        await house.matches.join(match, name, "server", house.ask(), mark=SeatMark(salt="5a" * 32))
    before = await postgres.read(stream_of(match))
    ada, bea = (who.player for _, who in sorted((await house.matches.load_match(match)).match.seated.items()))
    nobody = await run(database, tmp_path, "erase", opened.match, "9")
    assert (nobody.returncode, nobody.stdout, "nobody took seat 9" in nobody.stderr) == (3, "", True)
    done = await run(database, tmp_path, "erase", opened.match, "1", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"player": ada, "erased": True}), done.stderr
    again = await run(database, tmp_path, "erase", ada)
    assert (again.returncode, "not any more" in again.stdout) == (0, True), again.stderr
    assert (await postgres.names([ada, bea]), await postgres.salts([ada, bea])) == ({bea: "Bea"}, {bea: b"Z" * 32})
    assert await postgres.read(stream_of(match)) == before
