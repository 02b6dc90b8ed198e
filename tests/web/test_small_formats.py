"""Pages of ladders, chouettes and tables that play several matches."""

from __future__ import annotations

from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.ladder_events import LadderEvent
from tests.tournaments.test_chouettes import ChouetteEvent
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import read_all, reader, text_of


async def told(event: WrittenEvent, path: str) -> str:
    """Return what people read on a page, once every page was read."""
    async with reader(OneTournament(event)) as client:
        await read_all(client)
        return text_of((await client.get(f"/t/{TOURNAMENT}{path}")).text)


async def test_standings_of_a_ladder_say_that_places_are_its_own() -> None:
    event = LadderEvent()
    event.end(event.meet(3, 1), 3)
    text = await told(event, "/standings")
    assert "Places are those of the ladder." in text
    assert "Equal points" not in text
    assert text.index("1 Name 3") < text.index("2 Name 1") < text.index("3 Name 2")
    assert "said yes meets the challenger" in await told(event, "/pairings")
    rules = await told(event, "")
    assert "may challenge whoever stands up to 2 places above" in rules
    assert "does not answer within 1 min" in rules
    assert "Equal points" not in rules


async def test_a_ladder_says_until_when_somebody_may_answer() -> None:
    event = LadderEvent()
    event.challenge(2, 1)
    assert "Who was challenged has time to answer until:" in await told(event, "")


async def test_a_chouette_says_who_stays_and_how_places_come_about() -> None:
    event = ChouetteEvent(3)
    event.bout(event.lots[0])
    assert "equal ones by who would play next" in await told(event, "/standings")
    assert "Who has won stays" in await told(event, "/pairings")
    assert "there are 5 matches" in await told(event, "")
    timed = ChouetteEvent(3, {"duration_ms": 3_600_000})
    assert "matches begin for 1 h" in await told(timed, "")


async def test_a_table_that_plays_several_matches_leads_to_each() -> None:
    event = WrittenEvent("round_robin", stages=[{"format": "round_robin", "best_of": 5}]).begin(2).start()
    one, _ = event.table().seats
    event.record(1, ((one,), tuple(n for n in event.table().seats if n != one)))
    event.step()
    event.record(1, (event.table().seats,))
    text = await told(event, "/pairings")
    assert "Up to 5 matches here, with seats changed after each." in text
    assert f"Match 1, won by Name {one}" in text
    assert "Match 2, won by nobody" in text
    assert "up to 5 matches at a table" in await told(event, "")
