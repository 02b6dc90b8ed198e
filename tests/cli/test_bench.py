"""The benchmark runs, and says what others script against. How fast anything was is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from time import perf_counter
from types import FrameType, SimpleNamespace
from typing import cast
from uuid import UUID

import pytest

from domain.fairness.audit import audit
from domain.games import GAMES
from domain.log import canonical
from domain.match.record import GENESIS, step
from infra.keys import ed25519_verify
from services.cli.bench.clients.matches import session_of
from services.cli.bench.clients.readers import Crowd, Reader
from services.cli.bench.delays import BIDS, in_time
from services.cli.bench.fairness import COMMANDS, SEATS, hmac_speed, signed_record, work_speed, works
from services.cli.bench.growth import sizes_up_to
from services.cli.bench.profile.parts import LIBRARIES, ONE_PURPOSE, REST, ROOT, USED_BY_MANY, part_of
from services.cli.bench.rig.stock import renamed
from services.cli.bench.rules import course_of
from services.cli.bench.sheets.sheets import MS, Samples
from tests.cli.conftest import BUSY_S


@pytest.mark.long
def test_it_measures_commands_delays_and_rules_beside_their_floors(truecup, database):
    said = truecup("bench", "--seconds", "1", "--json", within_s=BUSY_S, TRUECUP_DATABASE_URL=database)
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert [row["clients"] for row in found["commands"]] == [1, 16, 64]
    for row in found["commands"]:
        assert row["commands"].keys() == {"per_s", "p50_ms", "p99_ms"}
        assert row["of_bare_route"] > 0
        assert row["of_bare_insert"] > 0
    assert found["bid_to_spectator"]["ratio"] > 0
    assert [row["game"] for row in found["rules"]] == list(GAMES)
    assert all(row["of_bare_replace"] > 0 for row in found["rules"])
    assert found["bare_hmac"]["per_s"] > 0
    assert len(found["fairness"]) == 4
    assert all(row["of_bare_hmac"] > 0 for row in found["fairness"])
    assert found["machine"]["cores"] >= 1


def test_what_provable_dice_cost_is_measured_at_least_once_beside_its_floor():
    assert hmac_speed(perf_counter, 0.001).per_s > 0
    measured = works()
    assert len(measured) == 4
    assert all(work_speed(work, perf_counter, 0).per_s > 0 for work in measured)


def test_what_signatures_cost_is_measured_of_commands_that_are_signed():
    found = audit(signed_record(), None, ed25519_verify)
    assert (found.status, found.seats is not None) == ("INCOMPLETE", True)
    assert sum(seat.signed for seat in (found.seats or {}).values()) == SEATS + COMMANDS


def sheet(said):
    """Return the sheet that a bench has printed, its rows by what they measure."""
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["repetitions"] == 5
    rows = {row["what"]: row for row in found["rows"]}
    for row in rows.values():
        assert row.keys() == {"what", "unit", "ours", "beside", "floor", "ratio", "reach"}
        assert row["ours"] >= 0
        assert (row["ratio"] is None) == (not row["floor"])
    return found, rows


def test_the_bench_of_http_counts_what_every_process_spends_on_a_command(truecup):
    said = truecup("bench", "http", "--seconds", "1", "--clients", "2", "--profile", "--json", within_s=BUSY_S)
    found, rows = sheet(said)
    for many in ("1 client", "2 clients"):
        assert rows[f"durable commands, {many}"]["beside"] == "bare route"
        assert {f"core of {who} a command, {many}" for who in ("service", "Postgres", "NATS")} <= rows.keys()
        assert {f"{many}, p50", f"{many}, p99"} <= rows.keys()
    assert rows["1 client, p50"]["floor"] > 0
    assert rows["bid to a spectator's frame, p99"]["reach"] == "<= 5"
    assert {part["part"] for part in found["profile"]} <= {REST, *(rule.part for rule in (*ONE_PURPOSE, *USED_BY_MANY))}
    assert sum(part["share"] for part in found["profile"]) == pytest.approx(1, abs=0.01)


@pytest.mark.long
def test_the_bench_of_the_socket_measures_commands_one_at_a_time_and_pipelined(truecup):
    asked = ("--seconds", "1", "--clients", "2", "--profile", "--json")
    found, rows = sheet(truecup("bench", "socket", *asked, within_s=BUSY_S))
    for how in ("commands one at a time", "commands pipelined"):
        for many, reach in (("1 client", ""), ("2 clients", ">= 1.0")):
            row = rows[f"{how}, {many}"]
            assert (row["beside"], row["reach"]) == ("bare route", reach)
            assert row["ratio"] > 0
            assert f"core of Postgres a command, {how}, {many}" in rows
            assert rows[f"core of service a command, {how}, {many}"]["beside"] == "bare route, a request"
    assert rows["commands one at a time, 1 client, p50"]["reach"] == "<= 2.5"
    assert sum(part["share"] for part in found["profile"]) == pytest.approx(1, abs=0.01)


@pytest.mark.long
def test_the_bench_of_tournaments_measures_laws_and_a_house_that_holds_one(truecup):
    small = ("--entrants", "12", "--rounds", "2", "--readers", "4", "--seconds", "1", "--pause-ms", "0")
    _, rows = sheet(truecup("bench", "tournament", *small, "--json", within_s=BUSY_S))
    assert rows["round 2 of 12 in fours paired, a core's time"]["reach"] == "<= 2000 ms"
    assert rows["cost of round 2"]["ours"] >= rows["cost of round 2"]["floor"]
    assert rows["records of its matches audited a minute and core"]["floor"] > 0
    assert rows["12 people check in"]["beside"] == "as many requests of a bare route"
    assert rows["readers of the stream let in"]["ratio"] == 1
    assert rows["3 matches opened, seated, begun and dealt"]["ours"] >= 0
    assert rows["results that were watched"]["ours"] >= 1
    assert rows["a result in its standings, p50"]["ratio"] > 0


@pytest.mark.long
def test_the_bench_of_analyses_measures_moves_records_and_a_job(truecup):
    _, rows = sheet(truecup("bench", "analysis", "--quick", "--json", within_s=BUSY_S))
    reaches = {"L1": "<= 3", "L2": "<= 2", "L3": "<= 1.5"}
    for level, reach in reaches.items():
        assert [rows[f"{level} move of {seats} x 2, p50"]["reach"] for seats in (2, 3)] == [reach, reach]
        assert rows[f"{level} move of 2 x 2, p99"]["floor"] > 0
    assert rows["odds, labels and counts of 2 x 2"]["beside"] == "its lines folded, 2 x 2"
    assert rows["analysis of 2 x 2"]["ratio"] > 1
    assert rows["analysis of 2 x 2 by two processes, waited for"]["beside"] == "by one"
    assert rows["caster item of 2 x 2, p50"]["reach"] == "<= 0.5"
    assert rows["memory of a job, 2 x 2"]["ours"] > rows["memory of a job, 2 x 2"]["floor"]


@pytest.mark.parametrize(("seconds", "bids"), [(30.0, BIDS), (60.0, 2 * BIDS), (1.0, 2), (0.01, 1)])
def test_a_bench_that_measures_longer_sends_more_bids_and_one_at_least(seconds, bids):
    assert in_time(BIDS, seconds, 30.0) == bids


@pytest.mark.parametrize(
    ("floors", "floor", "ratio"),
    [
        ((0.0, 0.0, 0.0), 0.0, None),
        ((0.0, 0.0, 1.0), 0.0, None),  # measured once: what is beside it would stand beside nothing
        ((0.00001, 0.00001, 0.00001), 0.0, None),
        ((0.0, 2.0, 2.0), 2.0, 1.5),
        ((2.0, 2.0, 3.0), 2.0, 1.5),
    ],
)
def test_a_figure_beside_a_floor_of_nothing_has_no_ratio(floors, floor, ratio):
    samples = Samples()
    for one in floors:
        samples.add("core", MS, 3.0, "bare", one)
    (row,) = samples.rows()
    assert (row.floor, row.ratio) == (floor, ratio)


def test_a_figure_without_a_floor_has_no_ratio():
    samples = Samples()
    samples.add("core", MS, 3.0)
    assert [(row.floor, row.ratio) for row in samples.rows()] == [(None, None)]


def test_a_stack_belongs_to_the_innermost_module_of_one_purpose():
    def part(*calls):
        """Return the part of a stack of such calls, the outermost first."""
        frame = None
        for file, function in calls:
            frame = SimpleNamespace(f_code=code(file, function), f_back=frame)
        return part_of(cast("FrameType | None", frame))

    def code(file, function):
        path = f"/venv{LIBRARIES}{file}" if file.startswith("litestar") else f"{ROOT}{file}"
        return (lambda: None).__code__.replace(co_filename=path, co_name=function)

    asked = "views asked for"
    request = ("litestar/routes/http.py", "handle")
    assert part(("asyncio/runners.py", "run")) == REST
    assert part(request) == "HTTP"
    assert part(request, ("services/matches/handler.py", "submit"), ("domain/table/decide.py", "decide")) == "decide"
    assert part(request, ("services/matches/reads/queries.py", "view"), ("domain/table/moves.py", "moves")) == asked
    publisher = "services/relay/publisher.py"
    assert part((publisher, "_make_frame"), ("projections/view.py", "view_of")) == "spectator frames"
    seats = [(publisher, "_make_frame"), (publisher, "_tell_seats"), (publisher, "<dictcomp>")]
    assert part(*seats, ("projections/view.py", "view_of")) == "frames for seats"


def test_no_module_of_the_service_reaches_the_sampler():
    reached = "import sys, services.program.app, services.cli.main; print('\\n'.join(sys.modules))"
    said = subprocess.run([sys.executable, "-c", reached], capture_output=True, text=True, check=True)
    assert "services.program.app" in said.stdout.split()
    assert not [name for name in said.stdout.split() if name.startswith("services.cli.bench")]


def test_the_bench_of_the_store_tells_waits_rates_and_bytes(truecup):
    _, rows = sheet(truecup("bench", "store", "--seconds", "1", "--json", within_s=BUSY_S))
    assert rows["append, 1 writer, p50"]["beside"] == "bare commit of a row, p50"
    assert rows["appends, 512 writers"]["reach"] == ">= 0.30"
    assert rows["core of Postgres an append, 64 writers"]["floor"] is None
    # A line, its hash, its answer and its command id are longer than the floor's line alone.
    assert rows["WAL an event"]["ratio"] > 1
    assert rows["stored an event"]["ratio"] > 1


def test_the_bench_of_signing_tells_what_a_command_takes_beside_a_bare_signature(truecup):
    _, rows = sheet(truecup("bench", "signing", "--seconds", "0.5", "--json", within_s=BUSY_S))
    assert list(rows) == ["command signed, p50", "command signed, p99"]
    assert rows["command signed, p50"]["ours"] > 0
    assert rows["command signed, p50"]["ratio"] > 1


def test_the_bench_of_the_rules_measures_games_whole_and_in_parts(truecup):
    games = list(GAMES)[:2]
    only = [word for game in games for word in ("--only", game)]
    found, rows = sheet(truecup("bench", "rules", "--seconds", "1", "--json", *only, within_s=BUSY_S))
    assert len(rows) == 4 * len(games)
    assert {what.split(",")[0] for what in rows} == set(games)
    assert {what.split(": ")[1] for what in rows} == {"all of it", "decide + evolve", "own moves", "all moves"}
    assert found["machine"]["postgres"] == ""


def test_a_game_that_there_is_not_is_not_measured(truecup):
    said = truecup("bench", "rules", "--only", "chess")
    assert (said.returncode, said.stdout) == (3, "")
    assert "there is no game 'chess'" in said.stderr


def test_a_course_is_the_same_in_every_run_and_as_long_as_was_asked():
    course = course_of("common_hand", 50)
    assert sum(map(len, course.matches)) == 50
    assert course == course_of("common_hand", 50)


def test_the_bench_of_replays_measures_short_matches_and_long_ones(truecup, database):
    asked = ("--seconds", "1", "--longest", "150", "--json")
    _, rows = sheet(truecup("bench", "replay", *asked, within_s=BUSY_S, TRUECUP_DATABASE_URL=database))
    replays = [row for what, row in rows.items() if what.startswith("replay of")]
    assert [row["reach"] for row in replays] == ["<= 4", "<= 4"]
    (loaded,) = (row for row in rows.values() if row not in replays)
    assert loaded["beside"] == "bare read of its lines, p50"


def test_a_session_is_as_long_as_was_asked_and_a_seat_may_act_in_it():
    match_id = UUID(int=1)
    played = session_of(40, match_id)
    assert len(played.lines) >= 40
    assert played.match.version == len(played.lines)
    folded = None
    for line in played.lines:
        folded, _ = step(folded, line)
    assert folded is not None
    assert folded.match == played.match
    assert played.offered()


@pytest.mark.long
def test_the_bench_of_fan_out_lets_every_reader_in_and_waits_for_the_last(truecup):
    said = truecup("bench", "fanout", "--seconds", "1", "--readers", "20", "--json", within_s=BUSY_S)
    _, rows = sheet(said)
    assert rows["readers let in"]["ours"] == rows["readers let in"]["floor"] == 20
    assert rows["memory of the service a reader at rest"]["reach"] == "<= 16"
    assert rows["a bid to the last of 20 readers, p99"]["ratio"] > 0
    assert rows["frames to 20 readers"]["reach"] == ">= 0.5"


async def test_a_reader_counts_items_however_they_are_cut(capsys):
    head, item = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"3\r\n{}\n\r\n"
    crowd = Crowd()
    reader = Reader(crowd, b"")
    whole = head + 4 * item
    for place in range(len(head + item)):
        reader.data_received(whole[place : place + 1])
    assert await reader.begun
    crowd.open(1)
    for place in range(len(head + item), len(whole)):
        reader.data_received(whole[place : place + 1])
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["ready", "0", "1", "2"]


async def test_a_reader_that_is_refused_is_none():
    reader = Reader(Crowd(), b"")
    reader.data_received(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    assert not await reader.begun


@pytest.mark.long
def test_the_bench_of_growth_measures_every_size_beside_a_small_house(truecup):
    said = truecup("bench", "growth", "--seconds", "1", "--matches", "300", "--few", "200", "--json", within_s=BUSY_S)
    _, rows = sheet(said)
    archived = rows.pop("an event in the archive")
    assert 0 < archived["ours"] < archived["floor"]
    entries = rows.pop("log, 300 matches")
    assert (entries["ours"], entries["floor"]) == (600, 400)
    flat = ("append", "load of a match", "page of the lobby", "record", "proof of the log")
    beside = ("row by its key", "record nobody has looked at")
    assert {what: row["reach"] for what, row in rows.items()} == {
        f"{work}, 300 matches, p50": reach for works, reach in ((flat, "<= 1.2"), (beside, "")) for work in works
    }
    assert {row["beside"] for row in rows.values()} == {"the same with 200"}


def test_sizes_are_ten_times_each_other_up_to_the_one_that_was_asked():
    assert sizes_up_to(300) == (300,)
    assert sizes_up_to(100_000) == (10_000, 100_000)
    assert sizes_up_to(250_000) == (10_000, 100_000, 250_000)


def test_a_copied_match_is_a_chain_that_folds_to_the_same_match_under_its_own_id():
    played, own = session_of(30, UUID(int=1)), UUID(int=2)
    before = folded = None
    for seq, line in enumerate(renamed(played.lines, str(UUID(int=1)), str(own))):
        document = canonical.decode(line)
        assert (document["seq"], document["stream"]) == (seq, f"match/{own}")
        assert document["prev"] == (GENESIS if before is None else canonical.head(before))
        folded, _ = step(folded, line)
        before = line
    assert folded is not None
    assert folded.match.id == own
    assert folded.match.version == len(played.lines)
    assert folded.match.table == played.match.table
