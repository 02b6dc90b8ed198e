"""A tournament as lines: what was written is read back, a line at a time."""

from __future__ import annotations

import pytest

from domain.log import canonical
from domain.match.record import GENESIS, is_match
from domain.match.record import stream_of as match_stream
from domain.tournaments.events import TournamentCreated
from domain.tournaments.record import is_tournament, lines_of, step, stream_of, tournament_of
from domain.tournaments.rules import object_of
from tests.tournaments.events_by_hand import TOURNAMENT, EventByHand


def written(event: EventByHand) -> list[bytes]:
    created = TournamentCreated(str(TOURNAMENT), object_of(event.tournament.rules), "all")
    return list(lines_of(TOURNAMENT, 0, GENESIS, event.at, [created, *event.events])[0])


def test_lines_are_read_back_into_the_tournament_they_were_written_of() -> None:
    event = EventByHand().begin(4)
    found, happened = None, []
    for line in written(event):
        found, one = step(found, line)
        happened.append(one)
        assert found.head == canonical.head(line)
    assert found is not None
    assert happened[1:] == event.events
    assert found.tournament.entrants == event.tournament.entrants
    assert found.tournament.stages == event.tournament.stages
    assert (found.tournament.version, found.tournament.drawers) == (event.tournament.version, event.tournament.drawers)


def test_a_line_of_another_version_is_not_read() -> None:
    first = written(EventByHand())[0]
    with pytest.raises(ValueError, match="another version"):
        step(None, first.replace(b'"v":1}', b'"v":2}'))


def test_a_stream_is_told_from_those_of_other_kinds_by_its_name() -> None:
    assert stream_of(TOURNAMENT) == f"tournament/{TOURNAMENT}"
    assert tournament_of(stream_of(TOURNAMENT)) == TOURNAMENT
    assert is_tournament(stream_of(TOURNAMENT))
    assert not is_tournament(f"match/{TOURNAMENT}")


def test_who_follows_the_log_tells_matches_from_tournaments_by_the_stream() -> None:
    streams = [stream_of(TOURNAMENT), match_stream(TOURNAMENT)]
    assert [(is_tournament(stream), is_match(stream)) for stream in streams] == [(True, False), (False, True)]
