"""The program as it was at another commit: `python older.py FOLDER`, where its code lies, with the same commands."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv.pop(1))

from services.cli.main import main

main()
