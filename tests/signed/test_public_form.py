"""Handlings of dice in public form: they are signed as they are done, or not at all (CUP/1 section 4.14.3)."""

from __future__ import annotations

from msgspec.structs import replace

from domain import commands, events
from domain.fairness.shapes import Signed
from domain.match.signed_commands import SeatSignature, is_repeat, public_form

SIGNATURE = SeatSignature(n=1, version=2, sig="0" * 128, salt="0" * 64)


def test_dice_that_are_thrown_otherwise_than_they_were_sealed_have_no_form() -> None:
    asked, done = commands.Arrange(1, roll_inside=(0, 1)), events.Arranged(1, 1, (), (), 2, 0, 1, None)
    said = public_form(asked, SIGNATURE, done)
    assert said is not None
    assert (said["type"], said["roll_inside"], said["roll_outside"]) == ("arrange", 2, 0)
    # With the screen up all is thrown in the open, whatever was asked for.
    assert public_form(asked, SIGNATURE, replace(done, roll_inside=0, roll_outside=2)) is None
    assert public_form(asked, replace(SIGNATURE, salt=None), done) is None


def test_a_repeat_is_the_same_in_all_that_it_was_signed_with() -> None:
    said = {"type": "challenge"}
    stands, asked = Signed(said, 1, 3, "0" * 128, 2), commands.Challenge(3)
    assert is_repeat(stands, asked, replace(SIGNATURE, salt=None))
    others = ({"n": 2}, {"version": 3}, {"sig": "1" * 128})
    assert not any(is_repeat(stands, asked, replace(SIGNATURE, salt=None, **other)) for other in others)
    assert not is_repeat(stands, commands.Challenge(2), SIGNATURE)
    assert not is_repeat(stands, commands.SpotOn(3), SIGNATURE)
    joined = replace(stands, command={"type": "join", "key": "ab", "custody": "server"})
    assert is_repeat(joined, commands.Join("p", "server", None, "ab"), SIGNATURE)
    assert not is_repeat(joined, commands.Join("p", "client", None, "ab"), SIGNATURE)
