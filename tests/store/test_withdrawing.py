"""`truecup withdraw`: whoever runs a house obeys the law, and the chain stays whole."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

from domain.commentary.record import stream_of_commentary
from infra.store.postgres import PostgresStore
from services.commentary.requests import SaidComment
from services.matches.requests import CommandMetadata, scope_of
from tests.director.house import EventHouse
from tests.store.terminal import run


async def test_a_comment_is_withdrawn_from_a_terminal(database: str, postgres: PostgresStore, tmp_path: Path) -> None:
    house = EventHouse(postgres)
    opened = await house.matches.open({"game": "common_hand", "options": {}}, house.ask())
    match, token = UUID(opened.match), str(opened.token)
    ask = CommandMetadata(scope_of(token), "say-it", b"")
    said = await house.comments.make(match, token, SaidComment(1, "unlawful words", "en"), ask)
    nothing = await run(database, tmp_path, "withdraw", opened.match, opened.match)
    assert (nothing.returncode, nothing.stdout) == (3, "")
    assert "nobody has said this" in nothing.stderr
    assert (await run(database, tmp_path, "withdraw", "no-match", said.comment)).returncode == 3
    done = await run(database, tmp_path, "withdraw", opened.match, said.comment, "--json")
    assert (done.returncode, json.loads(done.stdout)["version"]) == (0, 3), done.stderr
    again = await run(database, tmp_path, "withdraw", opened.match, said.comment)
    assert (again.returncode, again.stdout.count("line 3")) == (0, 1), again.stderr
    other = await run(database, tmp_path, "withdraw", opened.match, said.comment, "--reason", "rude")
    assert (other.returncode, "another reason" in other.stderr) == (3, True)
    (seen,) = await house.comments.comments(match)
    assert (seen.text, seen.withdrawn and (seen.withdrawn.by, seen.withdrawn.reason)) == (None, ("law", "unlawful"))
    assert len(await postgres.read(stream_of_commentary(match))) == 3
