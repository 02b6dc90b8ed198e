"""Ed25519 signatures that only somebody with a purpose makes: the curve by hand, as RFC 8032 section 5.1 has it."""

from __future__ import annotations

import hashlib

from msgspec import Struct

FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, FIELD) % FIELD
ZERO = (0, 1)
SECRET = 123_456_789
Point = tuple[int, int]


class Odd(Struct, frozen=True):
    """A signature, and the key it says it is by."""

    key: bytes
    value: bytes


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2 % FIELD
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, FIELD) % FIELD, (y1 * y2 + x1 * x2) * pow(1 - k, -1, FIELD) % FIELD


def times(number: int, point: Point) -> Point:
    found = ZERO
    while number:
        found = add(found, point) if number & 1 else found
        point, number = add(point, point), number >> 1
    return found


def recovered(y: int) -> Point | None:
    """Return the point of this y with an even x, if there is one."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    x = x if (x * x - square) % FIELD == 0 else x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
    return None if (x * x - square) % FIELD else (x if x % 2 == 0 else FIELD - x, y)


def spelled(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _points() -> tuple[Point, Point]:
    """Return the base point, and a point of order 8."""
    base = recovered(4 * pow(5, -1, FIELD) % FIELD)
    assert base is not None
    found = (times(ORDER, point) for y in range(2, 100) if (point := recovered(y)) is not None)
    return base, next(point for point in found if times(4, point) != ZERO)


BASE, TWIST = _points()
SMALL = [times(number, TWIST) for number in range(8)]
OWNER = times(SECRET, BASE)


def signed(message: bytes, nonce: int, twist: Point = ZERO, spelling: bytes | None = None, more: int = 0) -> Odd:
    """Return a signature by the owner with this nonce, its point twisted, or its point and number respelled."""
    return _signed(message, OWNER, nonce, twist, spelling, more)


def _signed(
    message: bytes, key: Point, nonce: int, twist: Point = ZERO, spelling: bytes | None = None, more: int = 0
) -> Odd:
    r = spelling or spelled(add(times(nonce, BASE), twist))
    s = (nonce + _hashed(r, key, message) * SECRET) % ORDER + more
    return Odd(spelled(key), r + s.to_bytes(32, "little"))


def by_nobody(message: bytes, key: Point) -> Odd:
    """Return a signature that fits by the letter of RFC 8032, by a key of small order that nobody has the secret of."""
    for nonce in range(1, 1_000):
        r = spelled(times(nonce, BASE))
        if times(_hashed(r, key, message), key) == ZERO:
            return Odd(spelled(key), r + nonce.to_bytes(32, "little"))
    raise AssertionError("one in eight fits")


def mixed(message: bytes, *, fits: bool) -> Odd:
    """Return a signature by a key with a part of small order, which fits without the cofactor or only with it."""
    key = add(OWNER, TWIST)
    fitting = (n for n in range(1, 1_000) if (_hashed(spelled(times(n, BASE)), key, message) % 8 == 0) is fits)
    return _signed(message, key, next(fitting))


def _hashed(r: bytes, key: Point, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + spelled(key) + message).digest(), "little") % ORDER


def fitting(message: bytes) -> dict[str, Odd]:
    """Return signatures that everybody accepts."""
    return {"a signature": signed(message, 77), "a key with a part of small order": mixed(message, fits=True)}


def refused(message: bytes) -> dict[str, Odd]:
    """Return signatures that nobody accepts here, whatever other programs say."""
    good = signed(message, 77).value
    zero = {"spelled with the field's size": FIELD + 1, "with a sign": 1 | 1 << 255}
    return {
        "a point with a part of small order": signed(message, 77, TWIST),
        "a key that fits with the cofactor alone": mixed(message, fits=False),
        "the point zero": signed(message, 0),
        **{f"the point zero, {how}": signed(message, 0, spelling=y.to_bytes(32, "little")) for how, y in zero.items()},
        "a number beyond the order": signed(message, 77, more=ORDER),
        **{f"a key of small order, {number}": by_nobody(message, point) for number, point in enumerate(SMALL)},
        "a key that is no point": Odd((2).to_bytes(32, "little"), good),
        "a key spelled with the field's size": Odd((FIELD + 3).to_bytes(32, "little"), good),
        "a signature too short": Odd(spelled(OWNER), good[:-1]),
        "a signature whose last zero is left out": Odd(spelled(OWNER), _ending_in_zero(message)[:-1]),
        "a signature too long": Odd(spelled(OWNER), good + b"."),
    }


def _ending_in_zero(message: bytes) -> bytes:
    values = (signed(message, nonce).value for nonce in range(1, 1_000))
    return next(value for value in values if value.endswith(b"\0"))
