"""Groups: a stage that is played in each of several groups by itself, and sends the first of each on (`groups`).

Seeds are dealt to the groups there and back. In each round every group is paired by its own law and stands in a line of
its own; tables are numbered through.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import UNSET
from msgspec.structs import replace

from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, bad_option
from domain.tournaments.formats.pods import SWISS, fills_no_table
from domain.tournaments.formats.schedules import ROUND_ROBIN
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.rules import (
    ENTRANTS_MAX,
    Double,
    Groups,
    RoundRobin,
    Single,
    Swiss,
    TournamentRules,
    smallest_size,
)
from domain.tournaments.schedules.brackets import first_round
from domain.tournaments.schedules.dealing import deal_out
from domain.tournaments.schedules.groups import first_round_of_groups, seeds_of_groups
from domain.tournaments.tournament import HeldRound


class GroupField(StageField):
    """A group as the law of its rounds looks at it: a stage of its own, with the tables of its members.

    Attributes:
        whole: What is said of the stage that it is a group of.
    """

    def __init__(self, whole: StageField, group: int) -> None:
        """Look at a group by its number, from 1."""
        super().__init__(whole.tournament, whole.stage.number, whole.upto)
        stage, rules = _groups_of(whole), _rules(whole)
        self.whole = rules
        members = stage[group - 1]
        planned = inner_format(rules).rounds(rules.inner, len(members))
        assert planned is not None, "rounds of groups are counted"
        rounds = {number: _part(held, members) for number, held in whole.stage.rounds.items()}
        self.rules = rules.inner
        counting = inner_format(rules).counting
        self.stage = replace(whole.stage, seeds=members, rounds_planned=planned, rounds=rounds, counting=counting)
        self.upto = min(whole.upto, planned)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The members of the group, in the order of seeds; nobody comes late."""
        return self.stage.seeds


def _part(held: HeldRound, members: tuple[int, ...]) -> HeldRound:
    """Return what of a round belongs to a group."""
    tables = {number: table for number, table in held.tables.items() if table.seats[0] in members}
    return replace(held, tables=tables, byes=tuple(number for number in held.byes if number in members))


def _rules(field: StageField) -> Groups:
    assert isinstance(field.rules, Groups), "the table has it so"
    return field.rules


def _groups_of(field: StageField) -> tuple[tuple[int, ...], ...]:
    assert field.stage.groups is not None, "it was opened with groups"
    return field.stage.groups


def inner_format(rules: Groups) -> Format:
    """Return what the rounds of every group are."""
    return ROUND_ROBIN if isinstance(rules.inner, RoundRobin) else SWISS


def group_fields(field: StageField) -> list[GroupField]:
    """Return every group, in order."""
    return [GroupField(field, group) for group in range(1, len(_groups_of(field)) + 1)]


def _deal(rules: Groups, seeds: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the groups: as many as are asked for, or as have somebody who does not go on, and a table."""
    least = max(rules.through + 1, smallest_size(rules.inner))
    groups = max(1, min(rules.groups, len(seeds) // least))
    return tuple(tuple(group) for group in deal_out(seeds, groups))


def _rounds(rules: Groups, entrants: int) -> int:
    chosen = inner_format(rules)
    dealt = _deal(rules, tuple(range(entrants)))
    return max(chosen.rounds(rules.inner, len(group)) or 0 for group in dealt)


def _draw(field: StageField, lots: Lots, number: int) -> DrawnRound:
    parts: list[DrawnRound] = []
    chosen, tables = inner_format(_rules(field)), 0
    for group, part in enumerate(group_fields(field), start=1):
        if _is_done(part):
            continue
        drawn = chosen.draw(part, lots, number)
        numbers = tuple(range(tables + 1, tables + len(drawn.tables) + 1))
        parts.append(replace(drawn, group=group, numbers=numbers))
        tables += len(drawn.tables)
    return replace(parts[0], parts=tuple(parts))


def _is_over(field: StageField) -> bool:
    return all(_is_done(part) for part in group_fields(field))


def _is_done(part: GroupField) -> bool:
    """Report whether a group plays no more: all its rounds are closed, or those who are left fill no table."""
    return inner_format(part.whole).is_over(part) or fills_no_table(part, part.rules.table_sizes)


def _ranking(field: StageField) -> Ranking:
    """Return the places: who is first in a group shares with all who are first in theirs, and so on."""
    found: dict[int, list[int]] = {}
    for part in group_fields(field):
        place = 1
        for level in part.ranking():
            found.setdefault(place, []).extend(level)
            place += len(level)
    return tuple(tuple(sorted(found[place])) for place in sorted(found))


def _advanced(field: StageField, _count: int) -> tuple[int, ...]:
    """Return the first of each group: as seeds of the next stage, in which no two of one group meet at once."""
    rules = _rules(field)
    ranks = Lots(field.stage.lots, field.stage.number, 0).ranks(field.stage.seeds)
    through = []
    for part in group_fields(field):
        order = [number for level in part.ranking() for number in sorted(level, key=ranks.__getitem__)]
        through.append([number for number in order if part.entrant(number).plays][: rules.through])
    seeds = seeds_of_groups(through)
    following = field.tournament.rules.stages[field.stage.number]
    if isinstance(following, Single | Double) and len(seeds) > 1:
        for (first, second), (one, other) in zip(first_round(len(seeds)), first_round_of_groups(through), strict=True):
            seeds[first - 1] = one
            if second is not None and other is not None:
                seeds[second - 1] = other
    return tuple(seeds)


def _spelled_out(rules: Groups, last: bool) -> Groups:  # noqa: FBT001 - as all of them are called
    """Return a stage from which as many go on as go on from each of its groups."""
    if rules.advance is not None or last:
        return rules
    return replace(rules, advance=min(ENTRANTS_MAX, _going_on(rules)))


def _going_on(rules: Groups) -> int:
    return max(2, rules.groups * rules.through)


def _inner(rules: Groups) -> Swiss | RoundRobin:
    return rules.inner


def _check(rules: TournamentRules, stage: Groups, option: str) -> None:
    """Check that a stage in groups says everything once."""
    for name in ("advance", "round_ms", "rounds_max", "overrides", "best_of"):
        if getattr(stage.inner, name) not in (None, {}, UNSET):
            raise bad_option(f"{option}.inner.{name}", "this is said of the stage, and holds in all of its groups")
    if stage.rounds is not None:
        raise bad_option(f"{option}.rounds", "rounds are those of the groups: say it of `inner`")
    if stage.advance is not None and stage.advance != _going_on(stage):
        raise bad_option(f"{option}.advance", "from each group `through` go on")
    inner_format(stage).check(rules, stage.inner, f"{option}.inner")


def _check_rounds(stage: Groups, option: str, field: int, _exact: bool) -> None:  # noqa: FBT001 - as all of them are called
    """Check the rounds of the largest group there may be."""
    inner = f"{option.removesuffix('rounds')}inner.rounds"
    inner_format(stage).check_rounds(stage.inner, inner, -(-field // stage.groups), False)  # noqa: FBT003 - likewise


GROUPS = Format(
    _rounds, _draw, _is_over, _ranking,
    groups=_deal, advanced=_advanced, by_score=False, spelled_out=_spelled_out, part=_inner, check=_check,
    check_rounds=_check_rounds, fixed=True, rests=False, by_hand="never",
)  # fmt: skip
