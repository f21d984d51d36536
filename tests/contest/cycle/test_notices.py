"""Notice periods of the tracks, in the cycle's calendar."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from contest.cycle.rules import notices
from contest.cycle.rules.notices import Terms
from contest.cycle.rules.stages import Calendar, Stage, StageName, stage_at, wrong_stages
from contest.values import DAY, HOUR, from_iso
from tests.contest.cycle.test_working_days import CALENDAR, at
from tracks import registry
from tracks.protocol import Reason
from tracks.rules import Occasion

STAGES = (
    Stage(StageName.SELECTION, "2027-03-01", "2027-03-31"),
    Stage(StageName.QUALIFICATION, "2027-04-01", "2027-05-31"),
    Stage(StageName.FINAL, "2027-07-01", "2027-07-10"),
)
NOW = at("2027-06-07", 15)
"""A Monday afternoon between two stages."""


def terms(track: str = "essay", stages: tuple[Stage, ...] = ()) -> Terms:
    return Terms(registry.get(track).notice_periods(), CALENDAR, stages)


def told(found: Iterable[Reason]) -> list[tuple[str, str]]:
    return [(each.code, str(each.where["clause"])) for each in found]


@pytest.mark.clause("TS T17", "R 5.8", "platform §2 effective time", "R 7.5")
def test_essays_parameters_are_told_of_a_week_ahead_and_a_finals_schedule_ten_days() -> None:
    short = list(notices.of_parameters(terms(), NOW, NOW + 7 * DAY - 1, ()))
    assert told(short) == [("short_notice", "R 5.8")]
    assert from_iso(str(short[0].where["earliest"])) == NOW + 7 * DAY
    assert "2027-06-14T12:00:00.000Z" in short[0].message.en
    assert "2027-06-14T12:00:00.000Z" in short[0].message.ru
    assert told(notices.of_parameters(terms(), NOW, NOW + 7 * DAY, ())) == []
    run = NOW + 30 * DAY  # what counts is when the change takes effect, whatever it affects first
    assert told(notices.of_parameters(terms(), NOW, NOW + 7 * DAY - 1, (run,))) == [("short_notice", "R 5.8")]
    start = NOW + 10 * DAY - 1
    assert told(notices.of_run(terms(), NOW, start, "final", Occasion.SCHEDULE)) == [("short_notice", "R 7.5")]
    assert told(notices.of_run(terms(), NOW, start + 1, "final", Occasion.SCHEDULE)) == []
    assert told(notices.of_run(terms(), NOW, start, "technical", Occasion.SCHEDULE)) == []
    assert told(notices.of_run(terms(), NOW, start, "final", Occasion.TRIAL)) == []
    assert told(notices.of_run(terms(), NOW, NOW + DAY, "final", Occasion.RESTART)) == []


@pytest.mark.clause("D 2.4", "TS T17")
def test_diagnoses_changes_are_told_of_thirty_days_before_what_they_affect() -> None:
    known = terms("diagnosis", STAGES)
    in_no_stage = at("2027-06-15")
    # The next stage begins on 1 July, 23 days later.
    assert told(notices.of_parameters(known, NOW, in_no_stage, ())) == [("short_notice", "D 2.4")]
    early = at("2027-05-31", 23, 0)
    assert told(notices.of_parameters(known, early, in_no_stage, ())) == []
    # A run before it is affected first; one that has started by then is not.
    run = at("2027-06-20")
    assert told(notices.of_parameters(known, early, in_no_stage, (run,))) == [("short_notice", "D 2.4")]
    assert told(notices.of_parameters(known, early, in_no_stage, (at("2027-06-10"),))) == []
    # In the middle of a stage the change affects it at once.
    assert told(notices.of_parameters(known, at("2027-06-25"), at("2027-07-05"), ())) == [("short_notice", "D 2.4")]
    assert told(notices.of_parameters(known, NOW, NOW + 30 * DAY + 90 * DAY, ())) == []


@pytest.mark.clause("D 8.8", "D 6.9", "D 6.13.2", "TS T17", "D 6.13.1")
def test_diagnoses_runs_are_told_of_in_working_days_and_repeated_within_seven() -> None:
    known = terms("diagnosis")
    # Told on Monday the 7th: Tuesday to Friday and Monday the 14th lie between it and Tuesday the 15th.
    for kind, clause in ((Occasion.SCHEDULE, "D 8.8"), (Occasion.TRIAL, "D 6.9")):
        assert told(notices.of_run(known, NOW, at("2027-06-14", 23, 59), "final", kind)) == [("short_notice", clause)]
        assert told(notices.of_run(known, NOW, at("2027-06-15", 0), "final", kind)) == []
    assert told(notices.of_run(known, NOW, NOW + 5 * DAY - 1, "final", Occasion.RESTART)) == [
        ("short_notice", "D 6.13.2")
    ]
    assert told(notices.of_run(known, NOW, NOW + 5 * DAY, "final", Occasion.RESTART)) == []
    assert told(notices.of_term(known, Occasion.NEW_DATE, NOW, at("2027-06-16", 23, 59), "final")) == []
    assert told(notices.of_term(known, Occasion.NEW_DATE, NOW, at("2027-06-17", 0), "final")) == [
        ("restart_too_late", "D 6.13.1")
    ]
    assert told(notices.of_term(terms(), Occasion.NEW_DATE, NOW, at("2027-09-01"), "final")) == []


@pytest.mark.clause("TS T17", "R 4.7", "R 9.2", "D 14.1")
@pytest.mark.parametrize(
    ("track", "kind", "told_of"),
    [
        ("essay", Occasion.SETS, ("sets_too_new", "R 4.7")),
        ("essay", Occasion.MODULES, ("modules_too_new", "R 9.2")),
        ("diagnosis", Occasion.SETS, ("sets_too_new", "D 14.1")),
        ("diagnosis", Occasion.MODULES, ("modules_too_new", "D 14.1")),
    ],
)
def test_sets_and_modules_stay_ten_days_before_a_final(track: str, kind: Occasion, told_of: tuple[str, str]) -> None:
    known = terms(track)
    assert told(notices.of_change(known, kind, NOW, [NOW + 30 * DAY, NOW + 10 * DAY - 1])) == [told_of]
    assert told(notices.of_change(known, kind, NOW, [NOW + 10 * DAY])) == []
    assert told(notices.of_change(known, kind, NOW, [NOW - 1])) == []
    assert told(notices.of_change(known, kind, NOW, [])) == []


@pytest.mark.clause("R 4.7", "R 7.3", "R 7.11", "TS T17")
def test_where_no_final_is_planned_its_stage_counts_and_markups_have_working_days() -> None:
    known = terms(stages=STAGES)
    begins = STAGES[2].starts_at(CALENDAR)
    assert told(notices.of_change(known, Occasion.SETS, begins - 10 * DAY, [])) == []
    assert told(notices.of_change(known, Occasion.SETS, begins - 10 * DAY + 1, [])) == [("sets_too_new", "R 4.7")]
    assert told(notices.of_change(known, Occasion.SETS, begins - HOUR, [begins + 60 * DAY])) == []
    ended = at("2027-06-07", 18)
    assert told(notices.of_term(terms(), Occasion.MARKUPS, ended, at("2027-06-28", 23, 59), "final")) == []
    assert told(notices.of_term(terms(), Occasion.MARKUPS, ended, at("2027-06-29", 0), "final")) == [
        ("markups_late", "R 7.3")
    ]
    assert told(notices.of_term(terms(), Occasion.RESULTS, ended, at("2027-06-14", 23, 59), "final")) == []
    late = list(notices.of_term(terms(), Occasion.RESULTS, ended, at("2027-06-15", 0), "final"))
    assert told(late) == [("results_late", "R 7.11")]
    assert from_iso(str(late[0].where["latest"])) == at("2027-06-15", 0) - 1


@pytest.mark.clause("platform §2 notices")
@pytest.mark.parametrize("track", ["exam", "gec", "fusion"])
def test_contests_whose_rules_name_no_days_are_warned_of_nothing(track: str) -> None:
    assert told(notices.of_parameters(terms(track), NOW, NOW, ())) == []


@pytest.mark.clause("platform §2 stages", "R 4.1")
def test_stages_are_in_order_and_apart_and_last_from_their_first_day_to_the_end_of_their_last() -> None:
    assert list(wrong_stages(STAGES)) == []
    assert list(wrong_stages(tuple(reversed(STAGES)))) == []
    wrong = (
        Stage(StageName.SELECTION, "2027-03-10", "2027-03-01"),
        Stage(StageName.QUALIFICATION, "2027-03-05", "2027-04-10"),
        Stage(StageName.FINAL, "2027-04-10", "2027-04-12"),
        Stage(StageName.RESULTS, "2027-04-13", "2027-04-13"),
    )
    assert [(each.code, each.where["field"]) for each in wrong_stages(wrong)] == [
        ("stage_ends_before_it_begins", "stages.selection.last"),
        ("stages_out_of_order", "stages.qualification.first"),
        ("stages_overlap", "stages.final.first"),
    ]
    calendar = Calendar("Europe/Moscow")
    begins, ends = at("2027-04-01", 0), at("2027-06-01", 0)
    found = [stage_at(STAGES, calendar, moment) for moment in (begins - 1, begins, ends - 1, ends)]
    assert [each and each.name for each in found] == [StageName.SELECTION, *[StageName.QUALIFICATION] * 2, None]
