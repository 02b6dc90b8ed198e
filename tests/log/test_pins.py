"""Policies pinned in the domain name system: what is published there is what is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.notes import Malformed
from domain.log.outside.pins import STRING_BYTES_MAX, is_txt, policy_in_txt, txt_of
from domain.log.policies import parse
from tests.fairness.scripted_server import POLICY, POLICY_TEXT

LINES = st.lists(
    st.text(st.characters(exclude_characters=";\n\r", exclude_categories=("Z", "C")), min_size=1).filter(
        lambda line: not line.startswith("#")
    ),
    min_size=1,
)


def test_a_policy_is_published_and_read_back() -> None:
    text = f"# for people\n\n{POLICY_TEXT}".encode()
    answer = txt_of(text).encode()
    assert is_txt(answer)
    assert not is_txt(text)
    assert parse(policy_in_txt(answer)) == POLICY
    assert b"for people" not in answer


@given(LINES)
def test_whatever_a_policy_says_comes_back(lines: list[str]) -> None:
    answer = txt_of("\n".join(lines).encode())
    assert answer.isascii()
    assert policy_in_txt(answer.encode()).decode() == "".join(f"{line}\n" for line in lines)


def test_a_long_policy_is_several_strings_of_one_record() -> None:
    answer = txt_of(b"quorum " + b"w" * 600)
    strings = answer.split('" "')
    assert [len(string.strip('"')) for string in strings] == [STRING_BYTES_MAX, STRING_BYTES_MAX, 102]
    assert policy_in_txt(answer.encode()) == b"quorum " + b"w" * 600 + b"\n"


def test_other_records_of_the_name_are_passed_over() -> None:
    answer = b'"v=spf1 -all"\n\n' + txt_of(POLICY_TEXT.encode()).encode() + b'\n"x\\"\\\\y\\255"\n'
    assert parse(policy_in_txt(answer)) == POLICY


@pytest.mark.parametrize("policy", [b"", b"# nothing\n", b"quorum none; log x", b"quorum " + b"w" * 66_000])
def test_a_policy_that_cannot_be_a_record_is_refused(policy: bytes) -> None:
    with pytest.raises(Malformed):
        txt_of(policy)


@pytest.mark.parametrize(
    "answer", [b'"nothing"\n', b'"cup1 a"\n"cup1 b"\n', b'"cup1 a', b'"cup1 a" b\n', b'"cup1 \\999"\n', b""]
)
def test_an_answer_that_has_no_policy_or_two_is_refused(answer: bytes) -> None:
    with pytest.raises(Malformed):
        policy_in_txt(answer)
