"""Exit codes of the command."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
FOUND: Final = 1
"""A check found something wrong: a fault in a record, a part of the machine that needs attention."""
INCOMPLETE: Final = 2
"""Nothing is wrong, but not everything could be checked yet."""
CANNOT: Final = 3
"""The command was not understood, or could not be done; a sentence on stderr says why."""
REBUILDABLE: Final = 4
"""Something is wrong that can be made again from what holds."""
INTERRUPTED: Final = 130
