"""The list of changes: each stored format that the code knows has its line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from domain.commentary.events import CommentaryEvent
from domain.match.settings import Settings, rules_object, settings_of
from domain.seasons.events import SeasonEvent
from domain.tournaments.events import LotEvent, TournamentEvent
from infra.store.migrate import migrations

ROOT = Path(__file__).parent.parent
CHANGES = "".join(
    (ROOT / ".docs" / name).read_text(encoding="utf-8")
    for name in ("changes.md", "tournament-changes.md", "first-changes.md")
)
LANDINGS = re.findall(r"^## \d+ \w+ \d{4}: (.+)$", CHANGES, re.MULTILINE)
FORMATS = (ROOT / ".docs" / "formats.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\| .*$", FORMATS, re.MULTILINE)]


def test_every_migration_has_its_line_in_order() -> None:
    listed = re.findall(r"^\| `(\d+)_\w+` \|", FORMATS, re.MULTILINE)
    assert listed == [version for version, _ in migrations()]


def test_every_folder_of_the_zoo_has_its_line() -> None:
    listed = {cells[0].strip("`") for cells in ROWS if len(cells) == 2 and cells[0].startswith("`")}
    assert listed == {path.name for path in (ROOT / "tests" / "zoo").iterdir()}


def test_every_member_that_older_rules_objects_do_not_have_has_its_line() -> None:
    listed = set(re.findall(r"^\| rules object, `(\w+)` \|", FORMATS, re.MULTILINE))
    plain = settings_of({"game": "common_hand", "options": {}})
    assert listed == set(Settings.__struct_fields__) - set(rules_object(plain))


def test_every_type_of_line_of_other_streams_than_matches_has_its_row() -> None:
    kinds = {"tournament": set(get_args(TournamentEvent)) - set(get_args(LotEvent)), "season": get_args(SeasonEvent)}
    kinds["commentary"] = get_args(CommentaryEvent)
    for stream, own in kinds.items():
        named = [
            kind for cells in ROWS if cells[-1].startswith(f"`{stream}/UUID`") for kind in cells[0].split("`")[1::2]
        ]
        assert sorted(named) == sorted(str(kind.__struct_config__.tag) for kind in own)


def test_every_format_came_with_a_landing_that_is_listed() -> None:
    since = {cells[1] for cells in ROWS if len(cells) == 3} - {"since", "landed with"}
    told = {each.partition(";")[0] for each in since}
    assert told <= set(LANDINGS), told - set(LANDINGS)


def test_landings_are_listed_the_newest_first() -> None:
    days = re.findall(r"^## (\d+ \w+ \d{4}): ", CHANGES, re.MULTILINE)
    landed = [datetime.strptime(day, "%d %B %Y").replace(tzinfo=UTC) for day in days]
    assert landed == sorted(landed, reverse=True)
