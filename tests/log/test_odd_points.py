"""Signatures about which libraries differ are judged one way: here, and by the browser's auditor (see two auditors)."""

from __future__ import annotations

import pytest

from infra.keys import ed25519_verify
from tests.log.odd_points import Odd, fitting, refused

MESSAGE = b"log.example"
FITTING, REFUSED = fitting(MESSAGE), refused(MESSAGE)


@pytest.mark.parametrize("odd", FITTING.values(), ids=FITTING.keys())
def test_what_the_owner_of_a_key_signs_fits(odd: Odd) -> None:
    assert ed25519_verify(odd.key, MESSAGE, odd.value)
    assert not ed25519_verify(odd.key, MESSAGE + b".", odd.value)


@pytest.mark.parametrize("odd", REFUSED.values(), ids=REFUSED.keys())
def test_what_libraries_differ_about_fits_nothing(odd: Odd) -> None:
    assert not ed25519_verify(odd.key, MESSAGE, odd.value)


def test_a_key_or_a_signature_that_is_too_short_fits_nothing() -> None:
    good = FITTING["a signature"]
    assert not ed25519_verify(good.key[:-1], MESSAGE, good.value)
    assert not ed25519_verify(good.key, MESSAGE, b"")
