"""The edition of pages that are one file: what tells those of a release from those of another, of the same match."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from services.web.assets import FOLDER
from services.work.startup import program_version

DIGEST_HEX: Final = 16
MADE_OF: Final = frozenset({".css", ".html", ".js", ".json", ".py"})


@cache
def page_edition() -> str:
    """Return a hash of the release's number, and of every word, script, look and template that a page is made of.

    Cost: reading them once, some two megabytes.
    """
    folders = (FOLDER, Path(__file__).parent, Path(str(resources.files("services.words"))))
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in MADE_OF]
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    return hashlib.sha256("\n".join([program_version(), *hashes]).encode()).hexdigest()[:DIGEST_HEX]
