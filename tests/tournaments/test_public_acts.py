"""Acts of officials as everybody reads them, whom the texts beside lines concern, and the log of appeals."""

from __future__ import annotations

from domain.tournaments import commands
from domain.tournaments.events import CaseOpened
from domain.tournaments.evolve import evolve
from projections.tournaments.rulings.acts import AppealView, PublicAct, act_of, appeal_log, audience_of
from tests.tournaments.events_by_hand import HOST, EventByHand, player
from tests.tournaments.seen_events import created

NOTE, PLEA, ANSWER = (f"{at:064x}" for at in range(3))


def told() -> tuple[list[PublicAct], dict[str, int | None], EventByHand]:
    """Return an event about which officials had something to say, with what of it is public and whom texts concern."""
    event = EventByHand("duel_swiss").begin(6).start()
    event.do(commands.Unpair(by=HOST, tables=(3,), reason="request"))
    event.do(commands.FixTables(by=HOST, tables=(next(iter(event.round.freed.values())),), reason="request"))
    event.step()
    event.record(1)
    event.do(commands.Replay(by=HOST, round=1, table=1, reason="other", note=NOTE))
    event.do(commands.Unpair(by=HOST, tables=(1, 3), reason="technical"))
    event.do(commands.Forbid(by=HOST, numbers=(1, 2), reason="request"))
    event.do(commands.Withdraw(by=HOST, number=1, reason="conduct"))
    event.do(commands.Withdraw(by=player(2), number=2, reason="request"))
    event.do(commands.PauseTournament(by=HOST, reason="technical"))
    for number in (3, 4):
        event.do(commands.Appeal(by=player(number), number=number, line=2, note=PLEA if number == 3 else None))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="upheld", lines=(4,), note=ANSWER))
    tournament, acts, readers = created(event), [], dict[str, int | None]()
    for each in event.events:
        tournament = evolve(tournament, each, event.at)
        acts.append(act_of(tournament, each))
        readers.update(audience_of(tournament, each))
    return [act for act in acts if act is not None], readers, event


def test_what_an_official_did_is_told_with_where_and_why() -> None:
    acts, _, event = told()
    said = [(act.kind, act.reason, act.place, act.tables, act.numbers) for act in acts]
    assert said == [
        ("tables.unpaired", "request", (1, 1), (3,), ()),
        ("tables.fixed", "request", (1, 1), (), ()),
        ("table.replayed", "other", (1, 1), (1,), ()),
        ("tables.unpaired", "technical", (1, 1), (1, 3), ()),
        ("pair.forbidden", "request", None, (), (1, 2)),
        ("player.withdrawn", "conduct", (1, 2), (), (1,)),
        ("tournament.paused", "technical", None, (), ()),
    ]
    assert [act.note for act in acts if act.kind == "table.replayed"] == [NOTE]
    assert all(event.events[act.line - 1].__struct_config__.tag == act.kind for act in acts)


def test_the_whole_of_a_round_is_no_table_of_it() -> None:
    event = EventByHand("duel_swiss").begin(4).start()
    (unpaired,) = event.do(commands.Unpair(by=HOST, reason="technical"))
    act = act_of(event.tournament, unpaired)
    assert act is not None
    assert (act.place, act.tables) == ((1, 1), ())


def test_texts_of_appeals_concern_who_filed_them_and_others_all() -> None:
    _, readers, _ = told()
    assert readers == {NOTE: None, PLEA: 3, ANSWER: 3}


def test_appeals_are_told_by_number_and_outcome() -> None:
    _, _, event = told()
    assert appeal_log(event.tournament) == (AppealView(1, 2, "upheld", (4,)), AppealView(2, 2, None, ()))


def test_who_looks_into_a_case_is_on_record_and_nobody_else() -> None:
    event = EventByHand("duel_swiss").begin(4)
    assert event.do(commands.OpenCase(by=HOST, case="c" * 32)) == (CaseOpened("c" * 32, HOST),)
    assert event.tournament.cases == {"c" * 32}
