"""A generated client opens a practice table, sits down beside a bot, bids in its turn, and replays the bid."""

from __future__ import annotations

import sys
import time
from uuid import UUID

from generated import AuthenticatedClient, Client
from generated.api.default import join_match, open_match, play, replay_match, seat_bots, start_match, view_match
from generated.models import Answer, Bid, BidEvent, BidMove, BidType, Frame, JoinMatch, OpenMatch, SeatBots, View

WAIT_S = 60


def main(house: str) -> None:
    """Fail at the first thing that is not as the types say."""
    asked = {"rules": {"game": "common_hand", "seats": 2, "pause_ms": 0}, "choices": {"bots": "instant"}}
    anybody = Client(base_url=house)
    opened = accepted(open_match.sync(client=anybody, body=OpenMatch.from_dict(asked)))
    match = UUID(opened.match)
    host = AuthenticatedClient(base_url=house, token=str(opened.token))
    joined = accepted(join_match.sync(match, client=anybody, body=JoinMatch(name="Ada")))
    seat = AuthenticatedClient(base_url=house, token=str(joined.token))
    accepted(seat_bots.sync(match, client=host, body=SeatBots(count=1)))
    accepted(start_match.sync(match, client=host))
    view = turn_of(match, seat)
    least = next((move for move in view.moves or [] if isinstance(move, BidMove)), None)
    assert least is not None, view.moves
    quantity, face = least.lowest[0]
    bid = accepted(play.sync(match, client=seat, body=Bid(type_=BidType.BID, quantity=quantity, face=face)))
    assert bid.version > view.version
    frame = replay_match.sync(match, client=seat, version=view.version + 1)
    assert isinstance(frame, Frame), frame
    event = frame.event
    assert isinstance(event, BidEvent), event
    assert (event.seat, event.quantity, event.face) == (view.viewer, quantity, face)
    print(f"   Python: seat {view.viewer} bid {quantity} x {face} at version {view.version} of {match}")


def accepted(answer: object) -> Answer:
    """Return what was answered, if it is no problem."""
    assert isinstance(answer, Answer), answer
    return answer


def turn_of(match: UUID, seat: AuthenticatedClient) -> View:
    """Return what a seat sees when it is its turn."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        view = view_match.sync(match, client=seat)
        assert isinstance(view, View), view
        if view.turn == view.viewer:
            return view
        time.sleep(0.1)
    raise AssertionError(f"seat {match} has no turn within {WAIT_S} s")


if __name__ == "__main__":
    main(sys.argv[1])
