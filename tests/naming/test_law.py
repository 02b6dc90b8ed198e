"""Names of people at a table: seen, told from all others, and no bot's."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Refused
from services.matches.naming.bots import HOUSE_BOTS
from services.matches.naming.law import COLUMNS_MAX, BadName, check_free, name_of, normal, taken_among
from services.matches.naming.lookalikes import alike, skeleton
from services.matches.naming.scripts import scripts_that_clash

BOTS = tuple(name for _, name in HOUSE_BOTS)
ANY = st.text(st.characters(exclude_categories=()), max_size=120)


def refused(text: str) -> BadName:
    with pytest.raises(BadName) as caught:
        name_of(text, BOTS)
    return caught.value


# ---- whoever has a name may bear it -----------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("Ada", "Ada Lovelace", "Zoë", "O'Neil", "Jean-Luc", "Nguyễn Thị Minh Khai", "Ærøskøbing", "p1", "7", "x_X"),
        *("Кирилл", "Δημήτρης", "Սարգիս", "გიორგი", "שָׁלוֹם", "נועה", "محمد", "نور الدين", "ދިވެހި"),
        *(
            "李小龙",
            "さくら",
            "ジョン",
            "山田 太郎",
            "ひらがなカタカナ漢字 Jr",
            "한국",
            "김 Kim",
            "ㄅㄆㄇ Bopomofo 注音",
        ),
        *("शिव", "ไก่", "བསྒྲུབས", "தமிழ்", "ክብረት", "ᏣᎳᎩ", "ᚠᚢᚦᚨᚱᚲ"),
        *("😀", "❤️", "1️⃣", "🇩🇪", "👍🏽", "Ada 🎲", "♜", "Heinz\u00b4s"),
    ],
)
def test_people_of_all_alphabets_are_called_by_their_names(name: str) -> None:
    assert name_of(name, BOTS) == unicodedata.normalize("NFC", name)


@given(ANY)
def test_a_name_that_was_accepted_is_seen_is_of_one_line_and_is_its_own_normal_form(text: str) -> None:
    try:
        name = name_of(text, BOTS)
    except BadName:
        return
    assert name.replace("\ufe0f", "").isprintable()
    assert name == name.strip() == normal(name) == name_of(name, BOTS)
    assert any(unicodedata.category(one)[0] in "LNS" for one in name)
    assert alike(name, name)


def test_a_name_is_taken_in_its_normal_form() -> None:
    assert name_of("  Ada \u3000 L\u00a0 ", BOTS) == "Ada L"
    assert name_of("\uff21\uff44\uff41", BOTS) == "Ada"
    assert name_of("Zoe\u0308", BOTS) == "Zoë"


# ---- what cannot be seen ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", " ", "\u3000", "...", "-", "?!", "\u0301"])
def test_a_name_has_something_to_read(name: str) -> None:
    assert "at least one letter" in str(refused(name))


@pytest.mark.parametrize(
    "odd",
    [
        *("\u3164", "\uffa0", "\u115f", "\u1160", "\u2800", "\u00ad", "\u034f", "\u17b4", "\u180e", "\u2065"),
        *("\u200b", "\u200d", "\u200e", "\u061c", "\u202e", "\u2066", "\ufeff", "\ufe0f", "\U000e0041", "\U000e0100"),
        *("\0", "\x07", "\x1b", "\x7f", "\x9b", "\n", "\u2028", "\ufffd", "\ufffc", "\ue000", "\u0378", "\ud800"),
    ],
)
def test_what_cannot_be_seen_is_refused_wherever_it_stands(odd: str) -> None:
    for text in (f"A{odd}da", f"Ada{odd}a", f"x {odd} y", f"A{odd * 3}d"):
        assert f"U+{ord(odd):04X}" in str(refused(text))
        assert refused(text).facts["characters"] == [f"U+{ord(odd):04X}"]


# ---- what climbs out of its line --------------------------------------------------------------


@pytest.mark.parametrize(
    "marks", ["\u0301" * 39, "\u0301\u0301", "\u0300\u0302\u0303\u0304", "\u20dd\u20de\u20df\u20e0"]
)
def test_marks_are_few_on_a_letter_and_none_twice(marks: str) -> None:
    assert refused(f"Ad{marks}a").facts == {"most": 3}


def test_a_mark_stands_on_a_letter() -> None:
    assert "marks stand on a letter" in str(refused("A \u0301da"))
    assert "marks stand on a letter" in str(refused("\u0301Ada"))


def test_a_name_is_as_wide_as_a_seat_has_room() -> None:
    assert name_of("a" * COLUMNS_MAX, BOTS) == "a" * COLUMNS_MAX
    assert name_of("李" * (COLUMNS_MAX // 2), BOTS)
    assert name_of("e\u0323\u0302\u0301" * COLUMNS_MAX, BOTS)
    assert refused("a" * (COLUMNS_MAX + 1)).facts == {"columns": 41, "most": 40}
    assert refused("李" * (COLUMNS_MAX // 2 + 1)).facts == {"columns": 42, "most": 40}
    assert refused("\ufdfa" * 4).facts["columns"] == 72


# ---- scripts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0410da", ("Cyrillic", "Latin")),
        ("Ad\u03b1", ("Greek", "Latin")),
        ("Кирилλ", ("Cyrillic", "Greek")),
        ("Ada\u0661", ("Arabic", "Latin")),
        ("さくら한국", ("Hangul", "Hiragana")),
        ("注音ㄅ カ", ("Bopomofo", "Han", "Katakana")),
        ("Ada\u16a0", ("Latin", "another script")),
        ("李Ад", ("Cyrillic", "Han")),
    ],
)
def test_scripts_are_mixed_as_people_write_them_together(name: str, scripts: tuple[str, ...]) -> None:
    assert scripts_that_clash(name) == scripts
    assert refused(name).facts == {"scripts": scripts}


# ---- who looks like whom ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Ada", "Ada"), ("Ada", "ADA"), ("Bop", "\u0412\u043e\u0440"), ("Al", "AI"), ("Al", "A1"), ("Oda", "0da")),
        *(("modern", "modem"), ("AA", "\u0410\u0410"), ("KATE", "\u039a\u0391\u03a4\u0395"), ("O'Neil", "O\u2019Neil")),
        *(("❤️", "❤"), ("Ada\u200b", "Ada"), ("b0t", "bot")),
    ],
)
def test_names_that_look_the_same_are_told_apart_by_nobody(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("Ada", "Adda"), ("p1", "p2"), ("Zoe", "Zoë"), ("Ada", "Ada L"), ("😀", "😁")]
)
def test_names_that_look_different_are_different(one: str, other: str) -> None:
    assert not alike(one, other)


@given(st.text(max_size=20))
def test_a_skeleton_is_what_is_left_and_has_nothing_left_to_take_away(text: str) -> None:
    once = skeleton(text)
    assert skeleton(skeleton(once)) == skeleton(once)


def test_the_table_of_lookalikes_holds_the_examples_of_its_standard() -> None:
    # Unicode Technical Standard 39, section 4: whole-script confusables, and two that a casual reader knows.
    assert skeleton("\u0441\u043e\u0440\u0435") == "cope"
    assert skeleton("\u0455\u0441\u043e\u0440\u0435") == "scope"
    assert skeleton("m") == skeleton("rn")
    assert skeleton("p\u0430yp\u0430l") == skeleton("paypal") == skeleton("paypa1")


def test_whoever_sits_down_is_told_from_those_who_sit_there() -> None:
    seated = {2: "Bop", 5: "\uff21da"}
    check_free("Eve", seated)
    for name, seat in (("\u0412\u043e\u0440", 2), ("ada", 5)):
        with pytest.raises(Refused, match="looks the same") as caught:
            check_free(name, seated)
        assert (caught.value.code, caught.value.facts) == ("name_taken", {"seat": seat})


# ---- bots -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", BOTS)
def test_nobody_is_called_like_a_bot_of_the_house(bot: str) -> None:
    for name in (bot, bot.upper(), f"{bot} 2", f"{bot}!", f" {bot} \N{ROBOT FACE}", f"{bot[0]} {bot[1:]}"):
        assert refused(name).facts == {"bot": bot}
    assert name_of(f"{bot} the Great", BOTS)


def test_nobody_bears_the_mark_of_the_houses_bots() -> None:
    for name in ("Ada (bot)", "Ada (BOT)", "Ada (b0t)"):
        assert "(bot)" in str(refused(name))
    assert name_of("Ada's own bot", BOTS)


@given(
    st.lists(st.text("aAbB1lI|\u0430 ", min_size=1, max_size=3), max_size=6), st.lists(st.text("aAbB1lI|", max_size=3))
)
def test_a_list_is_held_against_who_is_there_and_against_itself_as_each_of_it_would_be(
    coming: list[str], there: list[str]
) -> None:
    names, seated = [normal(text) for text in coming], dict(enumerate(there, start=1))
    free: dict[int, str] = dict(seated)
    taken = set()
    for place, name in enumerate(names):
        try:
            check_free(name, free)
        except Refused:
            taken.add(place)
        free[-1 - place] = name
    found = dict(taken_among(names, seated))
    assert set(found) == taken
    assert all(seat is None or alike(names[place], normal(seated[seat])) for place, seat in found.items())
