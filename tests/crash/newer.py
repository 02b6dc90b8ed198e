"""The program in a later version, which knows one more event: `python newer.py`, with the same commands."""

from __future__ import annotations

from services.cli.main import main
from tests.relay.poison import later_version

with later_version():
    main()
