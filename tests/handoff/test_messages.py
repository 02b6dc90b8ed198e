"""Messages between nodes: they come out as they went in, byte for byte where a client sees it."""

from __future__ import annotations

import random
from typing import Any, get_args
from uuid import UUID

import msgspec
import pytest

from domain import commands
from domain.errors import CODES, Refused
from domain.games import GAMES
from domain.table.interludes import COMMANDS
from domain.table.interludes.slips import DealSlips
from infra.store import Unavailable
from services.api.bodies import AnyPlay, Say, command_of
from services.dealer.handoff import messages
from services.dealer.handoff.desk import may_ask
from services.matches.chance import NO_CHANCE
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import CommandMetadata, KeyUsed, VersionPassed
from services.matches.seating import OF_THE_HOST
from services.matches.secrets.tokens import Bearer, Holder
from services.work.failures import Unreadable
from tests.bots.tables import BotTable

MATCH = UUID(int=7)
HOST, SEAT = Bearer(MATCH, "host"), Bearer(MATCH, "seat", Holder(3, "p3"))
OF_THE_TABLE = (
    commands.Join("p", "server"),
    commands.LogDeal(0, 0, (), "checkpoint"),
    commands.FixDeal(0, 0, (), "checkpoint"),
    commands.HearBeacon(0, 1, "00"),
    commands.Advance(NO_CHANCE),
    commands.GiveBack(60_000),
    commands.CloseUnattended(),
    commands.LeaveOut(1),
    commands.LastRound(),
    DealSlips(),
    commands.StopMatch(0),
    commands.ShareDeal(0, "b", "0" * 64, "0" * 64, "0" * 64),
    commands.ReleaseRound("b", 0, "0" * 64),
)
"""What no seat and no host asks for."""


@pytest.mark.parametrize("game", GAMES)
def test_a_view_of_any_game_comes_out_with_the_same_bytes(game: str) -> None:
    table = BotTable({}, GAMES[game].rules(GAMES[game].options()).seats[0], seed=3, game=game)
    for _ in range(40):
        state = table.match.table
        for seat in (None, *(state.seats if state else ())):
            view = table.view(seat)
            reply = messages.decode_reply(messages.encode(messages.travelling_view(view)))
            assert isinstance(reply, messages.Seen)
            found = messages.view_of(reply)
            assert msgspec.json.encode(found) == msgspec.json.encode(view)
            assert found.moves == view.moves
        if state is None or state.turn is None or table.match.ended:
            break
        table.act_at_random(state.turn, random.Random(f"{game} {table.match.version}"))
        table.go_on()


@pytest.mark.parametrize("code", CODES)
def test_a_refusal_comes_out_with_its_code_and_its_facts(code: str) -> None:
    refused = Refused(code, option="seats", why="ünlike", known=["a", "b"], minimum_raises=((1, 2), (2, 1)), turn=None)
    found = came_out(refused)
    assert isinstance(found, Refused)
    assert (found.code, str(found)) == (code, str(refused))
    assert msgspec.json.encode(found.facts) == msgspec.json.encode(refused.facts)


@pytest.mark.parametrize(
    "trouble",
    [
        VersionPassed(12),
        KeyUsed(),
        UnknownMatch(str(MATCH)),
        Unreadable(f"match/{MATCH}"),
        Unavailable("the database does not answer"),
    ],
)
def test_whatever_else_a_dealer_says_no_with_comes_out_as_it_went_in(trouble: Any) -> None:
    found = came_out(trouble)
    assert (type(found), str(found), vars(found)) == (type(trouble), str(trouble), vars(trouble))


def came_out(trouble: Any) -> Exception:
    return messages.trouble_of(messages.decode_reply(messages.encode(messages.no_of(trouble))))


def test_a_request_keeps_its_identity_but_for_what_the_dealer_looks_up() -> None:
    ask = CommandMetadata("anything", "key-0123456789abcdef", b"f" * 32, (12,), Holder(1, "somebody"), "192.0.2.7")
    told = msgspec.msgpack.decode(msgspec.msgpack.encode(messages.identity_of(ask)), type=messages.Asked)
    found = msgspec.structs.replace(ask, scope="anonymous", holder=Holder(2, "p2"))
    assert told.ask("anonymous", Bearer(MATCH, "seat", Holder(2, "p2"))) == found
    assert "anything" not in repr(told)
    assert "somebody" not in repr(told)


# ---- who may ask --------------------------------------------------------------------------------


def plays() -> list[Any]:
    return [play for play in get_args(AnyPlay) if play is not Say]


@pytest.mark.parametrize("play", plays(), ids=lambda play: play.__name__)
def test_every_command_of_the_interface_is_one_of_a_seat_or_of_the_host(play: Any) -> None:
    command = command_of(msgspec.convert({**examples(play), "type": play.__struct_config__.tag}, play), 3)
    # Whoever opened the match is the host until it is handed over to a seat, which is decided with the command.
    of_the_host = isinstance(command, OF_THE_HOST)
    assert (may_ask(HOST, command), may_ask(SEAT, command)) == (of_the_host, True)
    assert may_ask(Bearer(MATCH, "seat", Holder(2, "p2")), command) == of_the_host
    question = messages.AskCommand("truecup_seat_" + "A" * 43, MATCH, messages.Asked("k", b""), command)
    assert messages.decode_question(messages.encode(question)) == question


def examples(play: Any) -> dict[str, Any]:
    """Return a value for each member that has to be given."""
    values: dict[str, Any] = {"special": "social", "shape": "two_pair", "commit": "0" * 64, "seed": "0" * 64}
    values["key"] = "0" * 64
    values["reason"] = "other"
    return {field.name: values.get(field.name, 1) for field in msgspec.structs.fields(play) if field.required}


@pytest.mark.parametrize("command", OF_THE_TABLE, ids=lambda command: type(command).__name__)
def test_what_the_table_does_by_itself_no_token_asks_for(command: commands.MatchCommand) -> None:
    assert not may_ask(HOST, command)
    assert not may_ask(SEAT, command)


def test_every_command_there_is_has_somebody_who_may_ask_for_it_or_is_the_tables() -> None:
    """A command that comes to the domain later is a seat's if it names one, else the table's until somebody says."""
    every = {*get_args(commands.MatchCommand), *COMMANDS} - {commands.AnyInterludeCommand}
    of_seats = {kind for kind in every if "seat" in kind.__struct_fields__}
    rest = every - of_seats - {type(command) for command in OF_THE_TABLE}
    hosts = {commands.Start, commands.CloseSession, commands.EndMatch, commands.NameKey}
    assert {kind for kind in rest if not issubclass(kind, commands.HostCommand)} == hosts


def test_a_seat_speaks_for_itself_and_never_for_the_table() -> None:
    assert may_ask(SEAT, commands.Forfeit(3))
    assert not may_ask(SEAT, commands.Forfeit(3, "absent"))
    assert not may_ask(SEAT, commands.Join("bot/bold/1", "server", 3))
