"""A replay: the frames a viewer would have seen, made again from the lines of the stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from domain.events import Event
from domain.fairness.openings import DealSecrets
from domain.ids import Seat
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, fold
from projections.frames import Frame, encode_frame, frame_of


def history(
    lines: Iterable[bytes],
    viewer: Seat | None,
    keepers: Mapping[int, DealSecrets],
    names: Mapping[str, str],
    after: int = 0,
) -> Iterator[bytes]:
    """Yield the frames of `frames`, byte for byte as they were published; what is given is the same."""
    for _, one in frames(lines, viewer, keepers, names, after):
        yield encode_frame(one)


def frames(
    lines: Iterable[bytes],
    viewer: Seat | None,
    keepers: Mapping[int, DealSecrets],
    names: Mapping[str, str],
    after: int = 0,
) -> Iterator[tuple[Match, Frame]]:
    """Yield the frames of `frames_of`, from the stream's first line on and with versions above `after`.

    Cost: the fold of every line, and a view for each line after `after`.
    """
    steps = ((written, event) for written, event in fold(lines) if written.match.version > after)
    return frames_of(steps, viewer, keepers, names)


def frames_of(
    steps: Iterable[tuple[MatchAtHead, Event]],
    viewer: Seat | None,
    keepers: Mapping[int, DealSecrets],
    names: Mapping[str, str],
) -> Iterator[tuple[Match, Frame]]:
    """Yield a frame for each step, with the match it shows.

    Args:
        steps: The match after each of some events, and the event; the last is taken for the last of its command.
        viewer: A seat, or None for a spectator.
        keepers: The secrets of each deal by its number, as far as this program may have them; a spectator needs none.
        names: What people call each player, by player id.
    """
    for step, following in pairwise(chain(steps, (None,))):
        assert step is not None, "only what is behind the last may be"
        written, event = step
        # A command's events have one time, which no other command of the match has.
        more = following is not None and following[0].match.at == written.match.at
        yield written.match, frame_of(written, event, viewer, current_secrets(keepers, written.match), names, more=more)


def current_secrets(keepers: Mapping[int, DealSecrets], match: Match) -> DealSecrets | None:
    """Return the keeper of the match's current deal, if it is among these."""
    return None if match.ceremony is None else keepers.get(match.ceremony.deal)
