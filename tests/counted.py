"""The tests that count branches: with `--cov` the rest run as they are, and are not traced.

Rules and views are pure, and these walk every branch of them. What starts real servers is tested without being counted.
So is what tries many cases, plays at random, takes checks out one by one, or holds one auditor against the other: that
a branch is walked must not hang on chance, and a small test of it says more than a thousand cases that come by.

To be traced makes any Python twice as dear, whether it is ours or not. So what counts is imported first, and from then
on nothing is traced but those tests: no collecting, and nothing that the process does besides.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import PurePath
from typing import Final

import domain
import projections

ROOMS: Final = frozenset(
    {"analysis", "domain", "fairness", "log", "playthroughs", "rules", "seasons", "signed", "tournaments"}
)
FILES: Final = frozenset({"commentary/test_commentary.py", "relay/test_frames.py", "webhooks/test_messages.py"})
WALK_NONE: Final = (
    "test_every_*.py",
    "test_two_auditors*.py",
    "test_*_in_javascript.py",
    "test_zoo.py",
    "test_fifteenth.py",
    "analysis/test_beside.py",
    "analysis/test_calibration.py",
    "analysis/test_desk.py",
    "analysis/test_edition.py",
    "analysis/test_fair_accuracy.py",
    "analysis/test_rolled_losses.py",
    "analysis/test_surprises.py",
    "analysis/test_three_makers.py",
    "analysis/test_vectors.py",
    "domain/test_claims.py",
    "domain/test_laws.py",
    "domain/test_lies_of_every_game.py",
    "domain/test_refusals.py",
    "domain/test_secrecy.py",
    "domain/test_table_laws.py",
    "fairness/test_bad_files.py",
    "fairness/test_beside.py",
    "fairness/test_chances.py",
    "signed/test_refusals_hold.py",
    "tournaments/test_course_of_events.py",
    "tournaments/test_lies_of_every_format.py",
    "tournaments/test_vectors.py",
    "tournaments/test_views.py",
)
"""Files of those rooms that are not counted: what they walk again and again, others walk once and plainly."""
AGAIN: Final[dict[str, tuple[str, ...]]] = {
    "analysis/test_blind_cup.py": (
        "test_neither_seat_can_do_better_than_the_other_one_lets_it",
        "test_no_move_with_weight_loses_anything_by_the_policy_it_is_of",
        "test_playing_on_comes_to_what_the_tablebase_says",
        "test_what_nobody_plays_by_the_tablebase_loses_by_it",
        "test_who_plays_by_the_tablebase_loses_nothing_by_it",
    ),
    "analysis/test_documents.py": ("test_a_match_of_every_game_has_a_valid_analysis",),
    "analysis/test_hints.py": (
        "test_every_game_has_hints_best_first",
        "test_it_says_so_at_a_cup_of_more_dice_or_of_more_seats",
        "test_it_says_so_where_hands_are_many",
        "test_other_dice_under_other_cups_give_the_same_hint",
    ),
    "analysis/test_level_one.py": (
        "test_every_lawful_way_to_handle_dice_is_gone_through_once",
        "test_it_plays_every_game_by_lawful_moves",
    ),
    "analysis/test_passed_cups.py": ("test_a_round_ends_as_often_so_as_it_does_when_it_is_played_on",),
    "analysis/test_rolling.py": (
        "test_dice_that_no_line_opens_are_worth_nothing_to_anybody",
        "test_who_bluffs_without_need_blunders",
    ),
    "analysis/test_solved.py": (
        "test_a_shipped_table_is_proved_and_breaks_if_it_is_made_worse",
        "test_by_its_own_table_no_move_with_weight_is_worse_than_another",
    ),
    "domain/test_access.py": (
        "test_an_access_stream_says_nothing_that_the_public_stream_does_not",
        "test_any_line_that_is_changed_left_out_or_doubled_is_a_fault",
        "test_what_each_seat_was_served_is_on_record_once_and_nothing_else",
    ),
    "domain/test_evenness.py": ("test_bounds_that_are_looked_at_after_every_die_hold_the_truth_at_all_times",),
    "domain/test_glass.py": ("test_a_caster_is_told_nothing_of_hidden_dice_of_the_round_in_play",),
    "domain/test_referee.py": (
        "test_no_event_is_left_out_unseen",
        "test_no_event_is_slipped_in_unseen",
        "test_no_member_is_anything_else_unseen",
        "test_no_two_events_change_places_unseen",
    ),
    "tournaments/test_screened_events.py": ("test_honest_bots_are_let_be",),
    "tournaments/test_standings_anew.py": (
        "test_standings_are_shown_again_as_they_are_shown_at_first",
        "test_what_was_known_before_changes_no_standing",
    ),
}
"""Tests of other files that are not counted, for the same reason."""


def counts_branches(file: PurePath, test: str) -> bool:
    """Report whether a test counts branches.

    Args:
        file: The path of its file in the folder of all tests.
        test: What it is called, without the case of it.
    """
    is_one = file.parts[0] in ROOMS or file.as_posix() in FILES
    return is_one and not any(map(file.match, WALK_NONE)) and test not in AGAIN.get(file.as_posix(), ())


def import_what_counts() -> None:
    """Import all that counts: every line at the top is walked by that, and none of them by a test."""
    for room in (domain, projections):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
