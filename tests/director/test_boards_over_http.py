"""A duplicate evening over HTTP, at the real service: held by its director, and audited by anybody from its bundle."""

from __future__ import annotations

import asyncio
import io
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from domain.fairness.deal import Cup, context, rules_hash, seed_commitment
from domain.log import canonical
from domain.statistics.luck import Luck, luck_of_match, shown_luck
from services.cli.main import run
from services.client.evidence import receipts_of
from services.client.house import CannotDo
from services.client.records import Untrue
from services.client.seating import Sitting, keep_key, sitting_at
from services.client.seeds import BoardSeeds, KeptSeed, SeedFile
from services.client.session import SeatSession
from tests.director.test_boards import MATCH
from tests.director.test_over_http import PATIENCE_S, TIME, Organiser, bearer, client

__all__ = ["client"]
STAGE: Final = {"format": "duplicate", "rounds": 2, "size": 2}
SEED: Final = "5e" * 32


@pytest.mark.long
async def test_a_duplicate_evening_of_bots_is_held_over_http_and_its_bundle_audits(
    client: httpx.AsyncClient, service_url: str, tmp_path: Path
) -> None:
    event = Organiser(client)
    rules = {"match": MATCH, "time": TIME, "entry": {"bots": "only"}, "stages": [STAGE]}
    await event.announce(rules=rules, title="The same dice")
    await event.ask("open_entry")
    await event.post("/bots", {"count": 4}, good=201)
    await event.ask("open_check_in")
    async with asyncio.timeout(PATIENCE_S):
        while (await event.get())["counts"]["here"] < 4:
            await asyncio.sleep(0.05)
    await event.ask("proceed")
    await event.until("closed")
    standings = await event.get("/standings")
    assert len(standings["rows"]) == 4
    async with asyncio.timeout(PATIENCE_S):
        while not await is_whole(event, tmp_path):
            await asyncio.sleep(0.2)
    await check_luck(event)
    for match in await matches_of(event):
        # Its board is asked for at the house that it comes from.
        asked = ["audit", f"{service_url}/m/{match}", "--policy", str(tmp_path / "policy.txt")]
        assert await asyncio.to_thread(run, asked) == 0


async def check_luck(event: Organiser) -> None:
    """Check that how the dice fell is told of everybody as the records of the matches have it."""
    found: dict[str, Luck] = {}
    for match in await matches_of(event):
        lines = (await event.client.get(f"/matches/{match}/record")).content.splitlines()
        lines = [line for line in lines if line.startswith(b"{")]
        joined = [canonical.decode(line)["data"] for line in lines if b'"type":"seat.joined"' in line]
        for seat, luck in luck_of_match(lines).items():
            player = next(data["player"] for data in joined if data["seat"] == seat)
            found[player] = found.get(player, Luck()) + luck
    told = await event.get("/luck")
    assert [row["number"] for row in told["rows"]] == [1, 2, 3, 4]
    assert sorted((row["hands"], row["luck"]) for row in told["rows"]) == sorted(
        (each.hands, shown_luck(each)) for each in found.values()
    )
    assert (await event.get("/luck")) == told, "the same, out of what is remembered"


async def matches_of(event: Organiser) -> list[str]:
    return [table["match"] for number in (1, 2) for table in (await event.get(f"/rounds/1/{number}"))["tables"]]


async def is_whole(event: Organiser, folder: Path) -> bool:
    """Report whether an audit finds nothing, and nothing missing: final proofs come a moment after the last lines."""
    answer = await event.client.get(f"{event.path}/bundle")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        names = packed.namelist()
        assert sum(name.endswith(".cup") for name in names) == 1 + 4 + 2, names
        packed.extractall(folder)
    return await asyncio.to_thread(run, ["audit", str(folder), "--policy", str(folder / "policy.txt")]) == 0


# ---- seeds of their own --------------------------------------------------------------------------


async def test_who_sits_at_a_table_gives_a_seed_to_its_board_and_checks_the_own_dice(
    client: httpx.AsyncClient, service_url: str, tmp_path: Path
) -> None:
    event = Organiser(client)
    ada, ben = await begun(event)
    own, his = await event.get("/me", ada), await event.get("/me", ben)
    table, drawer = own["card"]["table"], Drawer(client, own["card"]["table"]["board"], ben)
    await drawer.refusals(event.host)
    await drawer.give("commit")
    link = f"{service_url}/m/{table['match']}#seat={table['seat']}&token={own['token']}"
    sitting = sitting_at(service_url, link, partial(receipts_of, service_url, tmp_path, None, None))
    async with asyncio.timeout(PATIENCE_S), SeatSession(sitting, lambda *_: None) as session:
        await session.ask({"type": "ready"})
        path = f"/matches/{his['card']['table']['match']}/commands"
        assert (await client.post(path, json={"type": "ready"}, headers=bearer(his["token"]))).is_success
        await drawer.give("open")
        while session.proof != "verified":
            assert session.alarm is None
            await asyncio.sleep(0.05)
    assert (await drawer.own(ada))["stage"] == "ready"
    lines = await drawer.lines()
    joined = {line["data"]["seat"] for line in lines if line["type"] == "seat.joined"}
    assert len(joined - {line["data"]["seat"] for line in lines if line["type"] == "game.seed_custody"}) == 2
    assert SEED in {line["data"]["seed"] for line in lines if line["type"] == "seed.opened"}
    await check_what_is_opened(Logged(drawer.board, (await drawer.own(ada))["drawer"], lines), sitting)


class Logged:
    """A board as it was when its deal had just been logged, for one of those who drew for it."""

    def __init__(self, board: str, seat: int, lines: list[dict[str, Any]]) -> None:
        self.board, self.seat, self.lines = board, seat, lines
        self.sent: list[dict[str, Any]] = []
        self.awaits, self.refuses = "open", False

    async def record(self, _: str) -> bytes:
        logged = next(place for place, line in enumerate(self.lines) if line["type"] == "deal.logged")
        return b"".join(canonical.encode(line) + b"\n" for line in self.lines[: logged + 1])

    def told(self, kind: str) -> dict[str, Any]:
        return next(one["data"] for one in self.lines if one["type"] == kind and one["data"]["seat"] == self.seat)

    async def own(self, _: str) -> dict[str, Any]:
        return {"stage": "logged", "deal": 0, "drawer": self.seat, "awaits": self.awaits}

    async def send(self, _: str, command: dict[str, Any]) -> None:
        self.sent.append(command)
        if self.refuses:
            raise CannotDo("the seed of this seat is fixed", "seed_already_given")

    async def look(self, sitting: Sitting, *steps: str) -> None:
        seeds = BoardSeeds(sitting, self.record, self.own, self.send)
        for self.awaits in steps:
            with suppress(CannotDo):
                assert await seeds.look(self.board) is False


async def check_what_is_opened(board: Logged, sitting: Sitting) -> None:
    """Check that a seed is opened from the key where it was not kept, and only for the deal that it was fixed for."""
    kept = SeedFile(sitting.kept.file.with_name(f"{sitting.kept.file.name}.seeds"))
    kept.file.unlink()
    await board.look(sitting, "open")
    fixed, opened = board.told("seed.committed"), board.told("seed.opened")
    assert board.sent == [{"type": "open_seed", "deal": 0, "seed": opened["seed"]}]
    kept.keep(KeptSeed(0, fixed["commit"], SEED))
    with pytest.raises(Untrue, match="context"):
        await board.look(sitting, "open")
    kept.file.unlink()
    # From another key nothing is opened that the card has fixed; what the board took from here has to be in the deal.
    keep_key(sitting, bytes(32))
    await board.look(sitting, "open")
    board.refuses = True
    await board.look(sitting, "commit", "open")
    assert [one["type"] for one in board.sent] == ["open_seed", "commit_seed"]
    board.refuses = False
    with pytest.raises(Untrue, match="seed"):
        await board.look(sitting, "commit", "open")


async def begun(event: Organiser) -> tuple[dict[str, str], dict[str, str]]:
    """Begin an evening of two bots and of two people with seeds of their own, and return the tokens of these."""
    rules = {"match": MATCH, "time": TIME, "entry": {"bots": "labelled"}, "stages": [STAGE]}
    await event.announce(rules=rules, title="Seeds for a board")
    await event.ask("open_entry")
    entered = [await event.post("/entrants", {"name": each, "custody": "client"}, {}, 201) for each in ("Ada", "Ben")]
    ada, ben = (bearer(each["token"]) for each in entered)
    await event.post("/bots", {"count": 2}, good=201)
    await event.ask("open_check_in")
    for token in (ada, ben):
        await event.ask("check_in", token, draws=False)
    async with asyncio.timeout(PATIENCE_S):
        while (await event.get())["counts"]["here"] < 4:
            await asyncio.sleep(0.05)
        await event.ask("proceed")
        while (await event.get("/me", ada))["token"] is None:
            await asyncio.sleep(0.05)
    return ada, ben


class Drawer:
    """Somebody who draws for a board by hand, with the token of an entrant."""

    def __init__(self, client: httpx.AsyncClient, board: str, token: dict[str, str]) -> None:
        self.client, self.board, self.token = client, board, token
        self.path = f"/boards/{board}"

    async def own(self, token: dict[str, str]) -> Any:
        answer = await self.client.get(f"{self.path}/me", headers=token)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def lines(self) -> list[dict[str, Any]]:
        answer = await self.client.get(f"{self.path}/record", headers={"Accept": "application/x-cup"})
        assert answer.headers["content-type"].startswith("application/x-cup")
        assert answer.headers["vary"].partition(",")[0] == "Accept"
        return [canonical.decode(line) for line in answer.content.splitlines() if line.startswith(b"{")]

    async def give(self, step: str) -> None:
        """Wait for a step, and do it: twice, as after an answer that got lost."""
        while (own := await self.own(self.token))["awaits"] != step:
            await asyncio.sleep(0.05)
        lines = await self.lines()
        committed = next(line["data"] for line in lines if line["type"] == "deal.committed")
        ctx = context(
            bytes.fromhex(self.board.replace("-", "")), own["deal"], rules_hash(lines[0]["data"]["rules"]), "all",
            tuple(Cup(*row) for row in committed["cups"]),
        )  # fmt: skip
        commit = seed_commitment(bytes.fromhex(SEED), ctx, bytes.fromhex(committed["root"]), own["drawer"]).hex()
        body = {"deal": own["deal"]} | (
            {"type": "commit_seed", "commit": commit} if step == "commit" else {"type": "open_seed", "seed": SEED}
        )
        headers = {**self.token, "Idempotency-Key": f"{step}-of-this-board"}
        answers = [await self.client.post(f"{self.path}/commands", json=body, headers=headers) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
        assert answers[0].json() == answers[1].json()

    async def refusals(self, official: dict[str, str]) -> None:
        """Check that nobody else draws, and that nothing is found where nothing is."""
        body = {"type": "commit_seed", "deal": 0, "commit": "ab" * 32}
        strange = bearer("truecup_entrant_" + "x" * 43)
        nowhere = f"/boards/{'0' * 8}-0000-4000-8000-{'0' * 12}"
        asked = [
            (await self.client.post(f"{self.path}/commands", json=body, headers=headers)).json()["code"]
            for headers in (official, strange, {})
        ]
        assert asked == ["not_a_drawer", "bad_token", "no_token"]
        found = [
            (await self.client.get(f"{nowhere}/record")).json()["code"],
            (await self.client.get(f"{nowhere}/me", headers=self.token)).json()["code"],
            (await self.client.post(f"{nowhere}/commands", json=body, headers=self.token)).json()["code"],
        ]
        assert found == ["unknown_board"] * 3
        assert (await self.own(official))["drawer"] is None
        late = {"type": "open_seed", "deal": 0, "seed": SEED}
        told = await self.client.post(f"{self.path}/commands", json=late, headers=self.token)
        assert (told.status_code, told.json()["code"]) == (409, "not_dealing")
