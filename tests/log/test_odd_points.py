"""Signatures about which libraries differ are judged one way: here, and by the browser's auditor (see two auditors)."""

from __future__ import annotations

import pytest

from infra.keys import ed25519_verify
from tests.log.odd_points import FIT, MESSAGE, REFUSED, Odd


@pytest.mark.parametrize("odd", FIT.values(), ids=FIT.keys())
def test_what_the_owner_of_a_key_signs_fits(odd: Odd) -> None:
    assert ed25519_verify(odd.key, MESSAGE, odd.value)
    assert not ed25519_verify(odd.key, MESSAGE + b".", odd.value)


@pytest.mark.parametrize("odd", REFUSED.values(), ids=REFUSED.keys())
def test_what_libraries_differ_about_fits_nothing(odd: Odd) -> None:
    assert not ed25519_verify(odd.key, MESSAGE, odd.value)
