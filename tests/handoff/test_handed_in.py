"""Signed commands that others hand in, at a node that asks a dealer."""

from __future__ import annotations

from uuid import UUID

import pytest
from msgspec import convert
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.match.signed_commands import SeatSignature
from services.matches.requests import SeatMark
from tests.handoff.test_desk import RULES, House, asking
from tests.signed.hands import Hand


async def test_a_signed_command_is_handed_in_over_a_node_that_knows_no_dice() -> None:
    house = await House().open_up()
    opened = await house.remote.open(RULES, asking("open"))
    match_id = UUID(opened.match)
    hand = Hand(match_id, 1)
    signing = (await house.matches.load_match(match_id)).written.signing
    signed = convert(hand.sign_join(signing, "server"), SeatSignature)
    ask = replace(asking("join"), signature=signed)
    hand.seat = (await house.remote.join(match_id, "Ada", "server", ask, None, SeatMark(hand.key))).seat
    signing = (await house.matches.load_match(match_id)).written.signing
    leaving = convert({**hand.sign(signing, {"type": "leave"}), "seat": 1}, SeatSignature)
    for seat, signature in ((1, None), (2, leaving), (1, replace(leaving, sig="0" * 128))):
        with pytest.raises(Refused, match="not signed"):
            await house.remote.hand_in(match_id, commands.Leave(seat), replace(asking("leave"), signature=signature))
    answer = await house.remote.hand_in(match_id, commands.Leave(1), replace(asking("leave"), signature=leaving))
    assert answer.version == (await house.matches.load_match(match_id)).match.version
    assert not (await house.matches.load_match(match_id)).match.seated
