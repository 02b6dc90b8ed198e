"""`truecup analyse --html`: a match as one page in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from domain.analysis.report import Analysis
from infra.files.whole import write_whole
from services.analysis.making import CannotAnalyse
from services.web.onefile.page import TooLarge, one_file
from services.web.onefile.remarks import BadComments, comments_in

COMMENTS: Final = ".comments.ndjson"
"""How the export of comments is called beside a record, as a house calls it."""


@dataclass(frozen=True)
class PageAsked:
    """The page that is one file.

    Attributes:
        html: Write the match with its analysis and its record into this file, a page that needs no network.
        force: Write over a file that is there.
    """

    html: str | None = None
    force: bool = False


NO_PAGE: Final = PageAsked()


def place_for(asked: PageAsked) -> Path | None:
    """Return the place of a page, if one may be written there; None if nobody wants one.

    Raises:
        CannotAnalyse: It is a folder, in none, or there is a file that nobody said to write over.
    """
    if asked.html is None:
        return None
    out, place = asked.html, Path(asked.html)
    if place.is_dir():
        raise CannotAnalyse(f"--html {out}: this is a folder")
    if place.exists() and not asked.force:
        raise CannotAnalyse(f"--html {out}: there is a file already, which --force writes over")
    if not place.parent.is_dir():
        raise CannotAnalyse(f"--html {out}: there is no folder {place.parent}")
    return place


def write_page(place: Path | None, name: str, record: bytes, analysis: Analysis) -> None:
    """Write the page of a record beside its place, then there: nobody ever finds half of it.

    Raises:
        CannotAnalyse: The comments beside the record are none, the page is too large, or cannot be written.
    """
    if place is None:
        return
    beside = Path(name).with_suffix(COMMENTS)
    try:
        said = comments_in(beside.read_bytes(), UUID(analysis.match)) if beside.is_file() else []
        page = one_file(record, analysis, said)
        write_whole(place, page)
    except BadComments as trouble:
        raise CannotAnalyse(f"{beside}: {trouble}") from trouble
    except TooLarge as trouble:
        raise CannotAnalyse(str(trouble)) from trouble
    except OSError as trouble:
        raise CannotAnalyse(f"--html {place} cannot be written: {trouble.strerror}") from trouble
