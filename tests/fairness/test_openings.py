"""Deals, and dice that are shown."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import Revealed
from domain.fairness import deal, records
from domain.fairness.deal import Cup, Deal
from domain.fairness.faults import CODES, Fault
from domain.fairness.openings import OpenDeal, verify_opening
from domain.log import merkle
from tests.fairness.scripted_server import CUPS, Story

BUNDLES = Path(__file__).parent / "vectors/bundles"
OPEN = sorted(BUNDLES.glob("ok-liars*.cup"))

cups = st.lists(
    st.builds(Cup, st.integers(0, 255), st.integers(0, 255), st.integers(1, 9), st.integers(1, 9)),
    min_size=1,
    max_size=6,
    unique_by=lambda cup: cup.id,
).map(lambda found: tuple(sorted(found, key=lambda cup: cup.id)))


@pytest.mark.parametrize("path", OPEN, ids=lambda path: path.stem)
def test_a_published_match_shows_its_dice_as_we_would(path: Path) -> None:
    dealer, rolled = None, {}
    lines = records.events_of(path.read_bytes())
    secret = bytes.fromhex(next(line.data["secret"] for line in lines if line.kind == "deal.closed"))
    expected = json.loads((BUNDLES.parent / "bundles.json").read_text(encoding="utf-8"))["bundles"]
    ctx = next(each["result"]["deals"]["0"]["ctx"] for each in expected if each["file"].endswith(path.name))
    for line in lines:
        if line.kind == "deal.committed":
            made = Deal(secret, bytes.fromhex(ctx), tuple(Cup(*row) for row in line.data["cups"]))
            assert made.root.hex() == line.data["root"]
        elif line.kind == "deal.ready":
            dealer = OpenDeal(0, made, bytes.fromhex(line.data["mix"]))
        elif line.kind == "cup.rolled":
            rolled[line.data["cup"], line.data["roll"]] = dict(zip(line.data["slots"], line.data["m"], strict=True))
        elif line.kind == "cup.revealed":
            slots = [slot for slot, _ in line.data["keys"]]
            moduli = rolled[line.data["cup"], line.data["roll"]]
            assert dealer is not None
            shown = dealer.open(line.data["cup"], line.data["roll"], slots, [moduli[slot] for slot in slots])
            assert shown == msgspec.convert({"type": "cup.revealed", **line.data}, Revealed)
    assert dealer is not None


@settings(deadline=None)
@given(st.binary(min_size=32, max_size=32), cups)
def test_the_root_is_that_of_the_definition(secret: bytes, cups: tuple[Cup, ...]) -> None:
    ctx = hashlib.sha256(secret).digest()

    def com(at: bytes) -> bytes:
        key = hmac.digest(secret, b"CUP1.key" + ctx + at, "sha256")
        return hmac.digest(key, b"CUP1.com" + ctx + at, "sha256")

    leaves = [
        b"".join(com(bytes([cup.id]) + roll.to_bytes(2, "big") + bytes([slot])) for slot in range(cup.width))
        for cup in cups
        for roll in range(cup.rolls)
    ]
    assert Deal(secret, ctx, cups).root == merkle.root([merkle.leaf_hash(leaf) for leaf in leaves])


def test_a_deal_never_prints_its_secret() -> None:
    made = Deal(b"\xab" * 32, bytes(32), CUPS)
    assert "ab" * 4 not in repr(made)
    assert str(bytes(32).hex()) in repr(made)


@settings(deadline=None)
@given(cups, st.data())
def test_whatever_is_opened_verifies(cups: tuple[Cup, ...], data: st.DataObject) -> None:
    made = Deal(b"k" * 32, b"c" * 32, cups)
    cup = data.draw(st.sampled_from(cups))
    roll = data.draw(st.integers(0, cup.rolls - 1))
    moduli = data.draw(st.dictionaries(st.integers(0, cup.width - 1), st.integers(1, 256), min_size=1))
    slots = data.draw(st.lists(st.sampled_from(sorted(moduli)), min_size=1, unique=True))
    shown = OpenDeal(3, made, b"m" * 32).open(cup.id, roll, slots, [moduli[slot] for slot in slots])
    verify_opening(shown, made.ctx, made.root, cups, b"m" * 32, moduli)
    assert (shown.deal, shown.cup, shown.roll) == (3, cup.id, roll)
    assert all(0 <= value < moduli[slot] for slot, value in shown.values)


def code_of(shown: Revealed, moduli: dict[int, int] | None) -> str:
    made = Deal(b"k" * 32, b"c" * 32, CUPS)
    with pytest.raises(Fault) as found:
        verify_opening(shown, made.ctx, made.root, CUPS, b"m" * 32, moduli)
    assert found.value.code in CODES
    return found.value.code


def test_a_lie_about_a_shown_die_has_its_code() -> None:
    made = Deal(b"k" * 32, b"c" * 32, CUPS)
    shown = OpenDeal(0, made, b"m" * 32).open(1, 0, (0, 2), (6, 6))
    moduli = {0: 6, 2: 6}
    other = Deal(b"x" * 32, b"c" * 32, CUPS)

    def told(**members: object) -> Revealed:
        return msgspec.structs.replace(shown, **members)

    assert code_of(shown, None) == "E_SLOT"
    assert code_of(shown, {0: 6, 1: 6}) == "E_SLOT"
    assert code_of(told(keys=(), values=()), moduli) == "E_SLOT"
    assert code_of(told(keys=shown.keys[:1] * 2, values=shown.values[:1] * 2), moduli) == "E_SLOT"
    assert code_of(told(com=shown.com[:2]), moduli) == "E_PATH"
    assert code_of(told(com=(*shown.com, shown.com[0])), moduli) == "E_PATH"
    assert code_of(told(path=shown.path[:-1]), moduli) == "E_PATH"
    assert code_of(told(roll=1), moduli) == "E_PATH"
    assert code_of(OpenDeal(0, other, b"m" * 32).open(1, 0, (0, 2), (6, 6)), moduli) == "E_PATH"
    assert code_of(told(keys=((0, shown.keys[0][1] + "00"), shown.keys[1])), moduli) == "E_KEY"
    assert code_of(told(keys=((0, shown.keys[1][1]), (2, shown.keys[0][1]))), moduli) == "E_KEY"
    assert code_of(told(values=((0, 6), shown.values[1])), moduli) == "E_VALUE"
    assert code_of(told(values=shown.values[:1]), moduli) == "E_VALUE"
    assert code_of(told(values=(*shown.values, (1, 0))), moduli) == "E_VALUE"
    assert code_of(told(values=shown.values[::-1]), moduli) == "E_VALUE"


@pytest.mark.parametrize("width", [2, 4])
def test_a_cup_has_as_many_dice_as_was_said(width: int) -> None:
    made = Deal(b"k" * 32, b"c" * 32, tuple(msgspec.structs.replace(cup, width=width) for cup in CUPS))
    shown = OpenDeal(0, made, b"m" * 32).open(1, 0, (0, 1), (6, 6))
    with pytest.raises(Fault, match="E_PATH"):
        verify_opening(shown, made.ctx, made.root, CUPS, b"m" * 32, {0: 6, 1: 6})


def test_a_key_behind_zeros_is_refused_though_it_commits_to_the_same() -> None:
    at, key = deal.address(1, 0, 0), b"k" * 31 + b"\x00"
    assert (
        deal.commitment(key, b"", at) == deal.commitment(key[:31], b"", at) == deal.commitment(key + b"\x00", b"", at)
    )


def test_the_dealer_tells_the_same_after_a_crash() -> None:
    one, other = Story().to_revealed(), Story().to_revealed()
    assert one.lines == other.lines
    assert one.opening() == other.opening()
