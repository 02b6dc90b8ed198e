"""Lists of entrants over HTTP: all of them or nobody, and whatever is wrong is told of every row at once."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.store import Append, Unavailable
from infra.store.memory import MemoryStore
from projections.tournaments.exports.csv_files import disarmed
from services.http.bounds import Bounds
from services.tournaments.ways.lists import EntryRow
from tests.api.conftest import Service, bearer, served
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, check_refused
from tests.sizes import cases

CSV, NDJSON = "text/csv", "application/x-ndjson"


async def begun(house: EventHouse, most: int) -> dict[str, str]:
    host = await house.announce("pods", entry={"max": most})
    arbiter = await house.tournaments.appoint(house.id, house.host, "arbiter", house.ask())
    await house.do(commands.OpenEntry(by=house.host))
    ana = await house.tournaments.register(house.id, None, "Ana", house.ask())
    return {"host": str(host.token), "arbiter": str(arbiter.token), "Ana": str(ana.token)}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=100_000), events=HOUSE) as running:
        yield running


HOUSE: Final = EventHouse(MemoryStore())


def announced(service: Service, most: int = 4_096) -> Served:
    """Return another tournament of the house, into which Ana has come."""
    tokens = asyncio.run(begun(HOUSE, most))
    return Served(service, HOUSE, tokens)


@pytest.fixture
def event(service: Service) -> Served:
    return announced(service)


def enter(
    event: Served, listed: str | bytes, media_type: str = CSV, who: str = "host", key: str | None = None
) -> httpx.Response:
    body = listed.encode() if isinstance(listed, str) else listed
    headers = {**event.tokens[who], "Content-Type": media_type, "Idempotency-Key": key or uuid4().hex}
    return event.client.post(f"{event.path}/entrants/bulk", content=body, headers=headers)


def names(event: Served) -> list[str]:
    return [row["name"] for row in event.client.get(f"{event.path}/entrants").json()]


def rows_of(answer: httpx.Response) -> list[tuple[int, str]]:
    check_refused(answer, 422, "bad_list")
    assert all(row["why"] for row in answer.json()["rows"])
    return [(row["row"], row["code"]) for row in answer.json()["rows"]]


def test_everybody_of_a_list_is_entered_and_gets_in_by_an_own_token(event: Served) -> None:
    key = uuid4().hex
    answer = enter(event, "name,club\r\nBen,Dice Club\r\nCyd,\r\n", key=key)
    assert answer.status_code == 201
    told = answer.json()["entered"]
    assert [one["number"] for one in told] == [2, 3]
    assert names(event) == ["Ana", "Ben", "Cyd"]
    for one in told:
        own = event.client.get(f"{event.path}/me", headers=bearer(one["token"])).json()
        assert own["card"]["number"] == one["number"]
    assert enter(event, "name,club\r\nBen,Dice Club\r\nCyd,\r\n", key=key).json() == answer.json(), "a repeat"
    check_refused(enter(event, "name\r\nDan\r\n", key=key), 422, "key_reused")
    assert names(event) == ["Ana", "Ben", "Cyd"]


@pytest.mark.parametrize(
    "listed",
    [
        '\ufeffname;club;seed\r\n"Ben";"Dice; Club";2\r\n\r\nCyd;;1\r\n',
        "name\tclub\tseed\nBen\tDice; Club\t2\nCyd\t\t1",
        "Name, Club ,SEED\rBen,Dice; Club,2\rCyd,,1\r",
        'name,club,seed,custody\n"Ben","Dice; Club",2,server\n"Cyd",,1,client\n',
    ],
    ids=["byte order mark, semicolons, quotes, empty row", "tabs", "carriage returns", "commas"],
)
def test_a_list_is_taken_as_programs_for_spreadsheets_save_it(event: Served, listed: str) -> None:
    assert enter(event, listed, "text/csv; charset=utf-8").status_code == 201
    tournament = asyncio.run(event.house.tournament())
    assert names(event) == ["Ana", "Ben", "Cyd"]
    assert [one.seed for one in tournament.entrants.values()] == [None, 2, 1]
    assert [one.club is not None for one in tournament.entrants.values()] == [False, True, False]


def test_a_list_may_be_lines_of_json(event: Served) -> None:
    listed = '{"name":"Ben","custody":"client"}\n\n{"name":"Cyd","club":"Dice Club","seed":7}\r\n'
    assert enter(event, listed, NDJSON).status_code == 201
    assert names(event) == ["Ana", "Ben", "Cyd"]
    tournament = asyncio.run(event.house.tournament())
    own = asyncio.run(event.house.tournaments.own_seeds(event.house.id))
    assert own == {tournament.entrants[2].player}


@pytest.mark.parametrize(
    ("who", "code"), [("arbiter", "not_the_host"), ("", "not_an_official"), ("Ana", "already_registered")]
)
def test_a_host_seeds_whom_it_enters_and_nobody_else_does(event: Served, who: str, code: str) -> None:
    def entering(headers: dict[str, str], **asked: object) -> httpx.Response:
        headers = {**headers, "Idempotency-Key": uuid4().hex}
        return event.client.post(f"{event.path}/entrants", json={"name": "Ben", **asked}, headers=headers)

    check_refused(entering(event.tokens[who] if who else {}, seed=1), 409 if who == "Ana" else 403, code)
    assert entering(event.tokens["host"], seed=0).json()["code"] == "malformed"
    told = entering(event.tokens["host"], seed=2, custody="client").json()
    tournament = asyncio.run(event.house.tournament())
    assert (told["number"], tournament.entrants[2].seed) == (2, 2)
    assert asyncio.run(event.house.tournaments.own_seeds(event.house.id)) == {tournament.entrants[2].player}


async def test_whoever_is_not_entered_leaves_no_row_of_who_draws_seeds() -> None:
    house = EventHouse(MemoryStore())
    await house.announce()
    await house.enter("Ana")
    ask, rows = house.ask(), [EntryRow("Cyd", custody="client"), EntryRow("Ana", custody="client")]
    told = await house.tournaments.register(house.id, None, "Ben", ask, custody="client")
    assert await house.tournaments.register(house.id, None, "Ben", ask, custody="client") == told
    with pytest.raises(Refused, match="somebody at this table has this name"):
        await house.tournaments.register(house.id, None, "Ana", house.ask(), custody="client")
    with pytest.raises(Refused, match="somebody at this table has this name"):
        await house.tournaments.register_all(house.id, house.host, rows, house.ask())
    assert await house.tournaments.own_seeds(house.id) == {told.by}


def test_a_list_with_bad_rows_enters_nobody_and_every_one_is_told(event: Served) -> None:
    before = event.client.get(event.path).json()["version"]
    listed = "name,seed\nBen,1\nana,2\n,3\nbEn,4\nCyd,many\nDan,5,more\nBasil,6\n\u202eeve,7\n" + "x" * 41 + ",8\n"
    assert rows_of(enter(event, listed)) == [(4, "malformed"), (6, "malformed"), (7, "malformed")]
    listed = "name\nBen\nana\nbEn\nBasil\n\u202eeve\n" + "x" * 41 + "\n"
    found = [(3, "name_taken"), (4, "name_taken"), (5, "bad_name"), (6, "bad_name"), (7, "bad_name")]
    assert rows_of(enter(event, listed)) == found
    lines = '{"name":"Ben"}\n{"name":1}\nnothing\n{"name":"Cyd","rank":3}\n["Dan"]\n'
    assert rows_of(enter(event, lines, NDJSON)) == [
        (2, "malformed"),
        (3, "malformed"),
        (4, "malformed"),
        (5, "malformed"),
    ]
    assert event.client.get(event.path).json()["version"] == before


@pytest.mark.parametrize(
    ("listed", "media_type", "row", "why"),
    [
        ("name,player\nBen,truecup_player_x\n", CSV, 1, "a list takes no tokens of players"),
        ('{"name":"Ben"}\n{"player":"truecup_player_x"}\n', NDJSON, 2, "player: nothing here has this name"),
    ],
    ids=["sheet", "lines"],
)
def test_tokens_of_players_go_into_no_list(event: Served, listed: str, media_type: str, row: int, why: str) -> None:
    answer = enter(event, listed, media_type)
    assert rows_of(answer) == [(row, "malformed")]
    assert answer.json()["rows"][0]["why"].startswith(why)
    assert "truecup_player_x" not in answer.text


def test_where_players_alone_may_enter_a_list_is_told_why_it_enters_nobody(service: Service) -> None:
    async def for_players() -> dict[str, str]:
        host = await HOUSE.announce("pods", entry={"player": True})
        await HOUSE.do(commands.OpenEntry(by=HOUSE.host))
        return {"host": str(host.token)}

    event = Served(service, HOUSE, asyncio.run(for_players()))
    answer = enter(event, "name\nBen\n")
    check_refused(answer, 409, "entry_conditions")
    assert (answer.json()["condition"], "each with the own token" in answer.json()["detail"]) == ("player", True)
    assert names(event) == []


def test_a_list_of_nothing_but_bad_rows_gets_a_short_answer(event: Served) -> None:
    answer = enter(event, "nothing\n" * 1_000, NDJSON)
    assert rows_of(answer) == [(row, "malformed") for row in range(1, 101)]
    assert answer.json()["wrong"] == 1_000
    answer = enter(event, "x\n" * 500_000, NDJSON)
    assert rows_of(answer) == [(4_097, "malformed")]
    assert len(answer.content) < 1_000
    taken = enter(event, "name\n" + "Ben\n" * 300)
    assert [rows_of(taken)[0], len(taken.json()["rows"]), taken.json()["wrong"]] == [(3, "name_taken"), 100, 299]


@pytest.mark.parametrize(
    ("listed", "row"),
    [
        ("", 1),
        ("name\n", 0),
        ("name,rating\nBen,3\n", 1),
        ("name,name\nBen,Cyd\n", 1),
        ("club\nDice Club\n", 1),
        ("Ben\nCyd\n", 1),
        ('name\nBen\n"Cyd\nDan\n', 4),
        ("name\n" + "".join(f"P{number}\n" for number in range(5_000)), 4_098),
    ],
    ids=["empty", "nobody", "other columns", "a column twice", "no names", "no columns", "open quotes", "5,000 rows"],
)
def test_a_list_that_is_none_is_told_why(event: Served, listed: str, row: int) -> None:
    assert rows_of(enter(event, listed)) == [(row, "malformed")]
    assert names(event) == ["Ana"]


def status_of_long(event: Served, length: int) -> int:
    """Return the status for a list that is announced to be so long; nothing of it is sent."""
    asked = http.client.HTTPConnection("127.0.0.1", event.client.base_url.port, timeout=60)
    headers = {**event.tokens["host"], "Content-Type": CSV, "Content-Length": str(length)}
    asked.request("POST", f"{event.path}/entrants/bulk", headers=headers)
    try:
        return asked.getresponse().status
    finally:
        asked.close()


def test_what_is_no_text_and_what_is_too_long_is_refused(event: Served) -> None:
    assert rows_of(enter(event, b"name\nBen\n\xff\xfe\n")) == [(3, "malformed")]
    assert status_of_long(event, 1_048_577) == 413
    check_refused(enter(event, "{}", "application/json"), 415, "bad_media_type")
    check_refused(enter(event, "name\nBen\n", who="arbiter"), 403, "not_the_host")
    check_refused(enter(event, "name\nBen\n", who="Ana"), 403, "not_an_official")
    assert event.client.post(f"{event.path}/entrants/bulk", content="name\nBen\n").json()["code"] == "no_token"


def test_a_formula_is_a_name_and_no_formula_in_any_file(event: Served) -> None:
    formulas = ["=1+1", "+SUM(A1)", "-2+3", "@cmd"]
    assert enter(event, "name\n" + "\n".join(formulas) + "\n").status_code == 201
    assert names(event) == ["Ana", *formulas]
    assert all(not str(disarmed(name)).startswith(("=", "+", "-", "@")) for name in formulas)


def test_a_list_that_does_not_fit_enters_nobody(service: Service) -> None:
    event = announced(service, 3)
    check_refused(enter(event, "name\nBen\nCyd\nDan\n"), 409, "tournament_full")
    assert names(event) == ["Ana"]
    assert enter(event, "name\nBen\nCyd\n").status_code == 201
    assert event.ask("host", "close_entry").status_code == 200
    assert event.ask("host", "open_check_in").status_code == 200
    check_refused(enter(event, "name\nEve\n"), 409, "tournament_full")
    assert event.ask("host", "withdraw", number=3, reason="request").status_code == 200
    assert enter(event, "name\nEve\n").status_code == 201
    assert event.ask("host", "cancel", reason="technical").status_code == 200
    check_refused(enter(event, "name\nFay\n"), 409, "tournament_over")


def test_as_many_as_there_may_be_are_entered_at_once(event: Served) -> None:
    most = cases(500, 4_095)
    answer = enter(event, "".join(f'{{"name":"Player {number}"}}\n' for number in range(most)), NDJSON)
    assert answer.status_code == 201
    assert len({one["token"] for one in answer.json()["entered"]}) == most
    assert len(asyncio.run(event.house.tournament()).entrants) == most + 1


async def test_a_list_is_stored_whole_or_not_at_all(house: EventHouse) -> None:
    await begun(house, 64)
    rows, ask, kept = [EntryRow(f"P{number}") for number in range(20)], house.ask(), house.store.append

    async def breaks(_append: Append) -> Any:
        raise Unavailable("the database is away")

    house.store.append = breaks  # type: ignore[method-assign, assignment]
    with pytest.raises(Unavailable):
        await house.tournaments.register_all(house.id, house.host, rows, ask)
    house.store.append = kept  # type: ignore[method-assign]
    assert len((await house.tournament()).entrants) == 1
    answer = await house.tournaments.register_all(house.id, house.host, rows, ask)
    house.forget()
    assert await house.tournaments.register_all(house.id, house.host, rows, ask) == answer
    assert len((await house.tournament()).entrants) == 21
    lines = [canonical.decode(line) for line in await house.store.read(stream_of(house.id))]
    assert len({line["at"] for line in lines[-20:]}) == 1, "one command"


async def test_lists_that_come_at_once_have_numbers_of_their_own(house: EventHouse) -> None:
    await begun(house, 64)
    lists = [[EntryRow(f"{letter}{number}") for number in range(5)] for letter in "abcd"]
    answers = await asyncio.gather(
        *(house.tournaments.register_all(house.id, house.host, rows, house.ask()) for rows in lists),
        house.tournaments.register(house.id, None, "Zoe", house.ask()),
    )
    numbers = [[one.number for one in answer.entered] or [answer.number or 0] for answer in answers]
    assert sorted(number for each in numbers for number in each) == list(range(2, 23))
