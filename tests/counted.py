"""The tests that count branches: with `--cov` the rest run as they are, and are not traced.

Rules and views are pure, and these walk every branch of them. What starts real servers is tested without being counted.
So is what tries many cases, plays at random, takes checks out one by one, or holds one auditor against the other: that
a branch is walked must not hang on chance, and a small test of it says more than a thousand cases that come by.

To be traced makes any Python three times as dear, whether it is ours or not. So what counts is imported first, and from
then on nothing is traced but those tests: no collecting, and nothing that the process does besides.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
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
    "analysis/test_rolled_sight.py",
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
    "signed/test_recovered_over_http.py",
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
    "analysis/test_cup_reader.py": ("test_reading_agrees_with_every_world_enumerated",),
    "analysis/test_documents.py": (
        "test_a_match_of_every_game_has_a_valid_analysis",
        "test_chances_of_seats_and_public_are_those_of_a_mean",
        "test_no_decision_is_better_than_the_best",
        "test_the_parts_of_luck_sum_to_what_a_match_brought",
        "test_what_everybody_has_sums_to_the_match",
        "test_what_nobody_would_think_of_says_nothing_of_dice",
    ),
    "analysis/test_equity.py": ("test_what_is_drawn_says_how_far_it_may_be_off",),
    "analysis/test_fold_back.py": ("test_a_round_is_worth_what_playing_every_course_of_it_gives",),
    "analysis/test_hints.py": (
        "test_a_hint_says_of_each_move_what_an_analysis_says_of_it_afterwards",
        "test_every_game_has_hints_best_first",
        "test_it_says_so_at_a_cup_of_more_dice_or_of_more_seats",
        "test_it_says_so_where_hands_are_many",
        "test_of_the_claim_to_beat_it_says_what_an_analysis_says_of_it",
        "test_other_dice_under_other_cups_give_the_same_hint",
    ),
    "analysis/test_learnt_blueprints.py": ("test_the_same_seed_gives_the_same_bytes_and_another_one_other_hands",),
    "analysis/test_level_one.py": (
        "test_every_lawful_way_to_handle_dice_is_gone_through_once",
        "test_it_plays_every_game_by_lawful_moves",
        "test_it_plays_games_the_house_does_not_have",
    ),
    "analysis/test_passed_cups.py": ("test_a_round_ends_as_often_so_as_it_does_when_it_is_played_on",),
    "analysis/test_public_reads.py": (
        "test_a_round_that_would_keep_all_waiting_is_read_and_not_said_to_be_worth_anything",
        "test_nothing_is_worth_anything_until_all_dice_lie_nor_once_they_are_to_decide",
    ),
    "analysis/test_rolling.py": (
        "test_a_roll_is_the_luck_of_who_rolled",
        "test_a_round_alone_is_told_as_it_is_among_all",
        "test_dice_that_no_line_opens_are_worth_nothing_to_anybody",
        "test_who_bluffs_without_need_blunders",
    ),
    "analysis/test_rollouts.py": ("test_the_mean_of_rollouts_is_what_a_round_is_worth",),
    "analysis/test_sentences.py": (
        "test_an_analysis_gets_the_sentences_of_its_document",
        "test_every_sentence_said_live_is_read_back_from_its_frame_and_points_at_public_odds",
    ),
    "analysis/test_shelf.py": ("test_what_a_list_tells_of_a_policy_is_what_it_is_when_it_is_read",),
    "analysis/test_solved.py": (
        "test_a_shipped_table_is_proved_and_breaks_if_it_is_made_worse",
        "test_by_its_own_table_no_move_with_weight_is_worse_than_another",
        "test_the_bytes_of_a_table_are_the_only_ones_it_has",
    ),
    "analysis/test_solved_play.py": ("test_a_round_is_worth_what_its_certificate_says",),
    "domain/test_absence.py": ("test_a_match_ends_in_whatever_phase_people_stop",),
    "domain/test_access.py": (
        "test_an_access_stream_says_nothing_that_the_public_stream_does_not",
        "test_any_line_that_is_changed_left_out_or_doubled_is_a_fault",
        "test_hidden_dice_that_were_served_to_another_seat_are_a_fault_at_their_line",
        "test_what_each_seat_was_served_is_on_record_once_and_nothing_else",
    ),
    "domain/test_evenness.py": ("test_bounds_that_are_looked_at_after_every_die_hold_the_truth_at_all_times",),
    "domain/test_glass.py": (
        "test_a_caster_is_told_nothing_of_hidden_dice_of_the_round_in_play",
        "test_who_looks_back_through_a_seats_eyes_sees_what_that_seat_saw",
    ),
    "domain/test_host_powers.py": ("test_with_powers_thrown_in_at_random_every_match_ends_replays_and_audits",),
    "domain/test_lengths.py": (
        "test_a_view_is_as_long_with_any_dice_and_says_what_it_said",
        "test_openings_of_folded_dice_are_as_long_with_any_other_dice",
    ),
    "domain/test_out_of_time.py": ("test_who_runs_out_of_time_does_what_is_accepted_until_another_is_in_turn",),
    "domain/test_phases.py": ("test_every_change_of_phase_is_a_row_of_the_table",),
    "domain/test_ranking.py": ("test_everybody_has_one_place_and_who_goes_out_later_a_better_one",),
    "domain/test_referee.py": (
        "test_no_event_is_left_out_unseen",
        "test_no_event_is_slipped_in_unseen",
        "test_no_member_is_anything_else_unseen",
        "test_no_two_events_change_places_unseen",
    ),
    "domain/test_rounds_and_stacks.py": ("test_who_is_named_opens_and_the_match_ends_with_the_last_round",),
    "domain/test_thrown_deals.py": ("test_an_honest_house_never_raises_the_alarm_more_often_than_is_said",),
    "domain/test_void.py": (
        "test_a_void_is_told_as_it_was",
        "test_exactly_those_who_withhold_are_named_and_barred_and_the_secret_is_published",
    ),
    "fairness/test_choices.py": ("test_a_choice_of_other_dice_is_found_where_those_it_kept_are_not_shown",),
    "tournaments/test_arenas.py": ("test_nobody_sits_at_two_tables_and_the_most_are_seated",),
    "tournaments/test_cards_in_time.py": ("test_a_line_that_changes_what_somebody_has_to_know_touches_the_card",),
    "tournaments/test_pods.py": (
        "test_a_small_field_gets_the_first_of_its_cheapest_groupings",
        "test_everybody_has_one_seat_or_rests",
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


def forget_what_is_known() -> None:
    """Empty the caches of what counts: who finds there what a test that does not count worked out walks nothing."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in {domain.__name__, projections.__name__}:
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()


def import_what_counts() -> None:
    """Import all that counts: every line at the top is walked by that, and none of them by a test."""
    for room in (domain, projections):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
