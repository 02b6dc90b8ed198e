"""Integers by what they mean: which range each has, in which unit, and from where it counts.

They are names for readers, not types of their own: an event holds plain numbers, and so does what is made of it.
"""

from __future__ import annotations

from typing import TypeAlias

Seat: TypeAlias = int
"""A place at the table, 1 to 254 (CUP/1 section 4.2)."""
CupId: TypeAlias = int
"""A cup: a seat's own has its number, 0 is the table's, 255 the one that is passed on."""
DealNumber: TypeAlias = int
"""A deal of a match, from 0."""
RollNumber: TypeAlias = int
"""A roll of a cup within its deal, from 0."""
Slot: TypeAlias = int
"""A die within a roll, from 0."""
Modulus: TypeAlias = int
"""How many values a slot can take, 2 and more; 1 where it only blinds a seal."""
Face: TypeAlias = int
"""What a die shows, as people call it."""
Quantity: TypeAlias = int
"""How many tokens a claim says there are, from 1."""
RoundNumber: TypeAlias = int
"""A round of a match, from 1; 0 before the first."""
Version: TypeAlias = int
"""How many events a stream has, from 1 once it exists; the same for every viewer."""
UnixMs: TypeAlias = int
"""A moment, in milliseconds since 1970, UTC."""
Milliseconds: TypeAlias = int
"""A length of time."""
Units: TypeAlias = int
"""An amount of what a settler counts: dice, losses, wins, chips, drinks, stakes."""
