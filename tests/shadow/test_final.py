"""The second reading of a run's times and of what became of files: by hand, and beside the platform's, of anything
that can be stored of them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.channel.rules import Absence, Attachment
from contest.run.rules import fate
from contest.run.rules.conducting import Wish
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import Amendment, Kind, Run
from contest.run.rules.schedule import Schedule
from contest.session.rules.delivery import Answer, Bodies, Delivery
from contest.values import Millis
from shadow.final import Calendar, Fate, fates, voided_share
from shadow.source import Evidence, MissingError, Trace, evidence_of
from tests.contest.run.test_run_rules import BEGIN, STEPS, courses
from tests.examples import examples
from tests.samples import RUN, RUN_STARTS

START = RUN_STARTS
MADE = replace(RUN, files=3, amendments=())
ENDED = START + 600_000
NEAR = st.integers(START - 3_000, START + 200_000)
MAYBE = st.one_of(st.none(), NEAR)


@st.composite
def stories(draw: st.DrawFn) -> dict[str, Any]:
    """Draw any data that can be stored of the second file of a run."""
    away = sorted(draw(st.lists(NEAR, max_size=4, unique=True)))
    return {
        "asked": draw(MAYBE),
        "handed_out": draw(MAYBE),
        "arrived": draw(st.lists(NEAR, max_size=2)),
        "refused": draw(st.integers(0, 2)),
        "late_at": draw(MAYBE),
        "answered": draw(st.booleans()),
        "joined_at": draw(NEAR),
        "aborted_at": draw(MAYBE),
        "present_since": draw(MAYBE),
        "absences": [(away[i], away[i + 1] if i + 1 < len(away) else None) for i in range(0, len(away), 2)],
        "void": draw(st.booleans()),
        "stop": draw(MAYBE),
        "ruled": draw(st.sampled_from([None, "network", "platform", "team_late"])),
    }


def amendments(story: dict[str, Any]) -> tuple[Amendment, ...]:
    found = []
    if story["void"]:
        found.append(Amendment(1, Kind.VOID, 0, 0, "w", "x", {"numbers": [2]}))
    if story["stop"] is not None:
        found.append(Amendment(2, Kind.STOP, 0, story["stop"], "w", "x", {}))
    if story["ruled"]:
        details = {"team_id": "red", "number": 2, "cause": story["ruled"]}
        found.append(Amendment(3, Kind.RULE, 0, 0, "w", "x", details))
    return tuple(found)


def by_the_platform(story: dict[str, Any], schedule: Schedule, delivery: Delivery | None) -> tuple[str, str | None]:
    absences = tuple(Absence(*each) for each in story["absences"])
    since = story["present_since"]
    known = Circumstances(
        arrived={2: story["arrived"]} if story["arrived"] else {},
        bodies={2: Bodies(refused=story["refused"])} if story["refused"] else {},
        aborted_at=story["aborted_at"],
        schedule=schedule,
        team_id="red",
        joined_at=story["joined_at"],
        first_requests={2: story["asked"]} if story["asked"] is not None else {},
        attachment=Attachment("1", "c", absences, since=since) if since is not None else None,
    )
    found = fate.fate(known, 2, delivery, ENDED, session_open=False)
    return found.state.value, found.cause.value if found.cause else None


def by_the_shadow(story: dict[str, Any], calendar: Calendar, delivery: Delivery | None) -> Fate:
    aborted = story["aborted_at"] is not None
    session = {
        "session_id": "1",
        "team_id": "red",
        "files": 3,
        "opened_at": story["joined_at"],
        "state": "aborted" if aborted else "finished",
        "closed_at": story["aborted_at"] if aborted else ENDED,
    }
    receipt = {"status": "accepted", "send": 1, "content_sha256": "a"}
    receipts = [receipt] if delivery and delivery.answer else []
    item = asdict(delivery) if delivery else None
    trace = Trace(story["asked"], item, story["arrived"], story["refused"], receipts)
    since = story["present_since"]
    away = story["absences"] if since is not None else []
    return fates(Evidence(session, {2: trace}, away, since), calendar)[1]


@pytest.mark.property
@settings(max_examples=examples(25))
@given(stories())
def test_both_readings_agree_on_anything_that_can_be_stored(story: dict[str, Any]) -> None:
    run = replace(MADE, amendments=amendments(story))
    delivery = None
    if story["handed_out"] is not None:
        at = story["handed_out"]
        answer = Answer(1, at, "a", at, at) if story["answered"] else None
        delivery = Delivery(2, at, at + 50_000, 1, "a", answer, story["late_at"])
    raw = stored(run)
    found = by_the_shadow(story, Calendar.of(raw, raw["amendments"]), delivery)
    assert (found.state, found.cause) == by_the_platform(story, Schedule.of(run), delivery)


QUIET: dict[str, Any] = {
    **dict.fromkeys(("asked", "handed_out", "late_at", "aborted_at", "present_since", "stop", "ruled")),
    "arrived": [],
    "refused": 0,
    "answered": False,
    "joined_at": START - 3_000,
    "absences": [],
    "void": False,
}


@pytest.mark.parametrize(("after", "cause"), [(29_999, "team_late"), (30_000, "platform")])
def test_whoever_aborts_takes_back_what_was_under_way_for_less_than_thirty_seconds(after: int, cause: str) -> None:
    calendar = Calendar.of(stored(MADE), [])
    asked = calendar.opens[1] + 1_000
    story = {**QUIET, "asked": asked, "aborted_at": asked + after}
    assert by_the_shadow(story, calendar, None).cause == cause
    delivery = Delivery(2, asked, asked + 50_000, 0, None, None, None)
    assert by_the_shadow({**story, "arrived": [asked]}, calendar, delivery).cause == cause


def test_files_that_nobody_is_to_blame_for_count_on_neither_side() -> None:
    causes = [None, None, None, "team_late", "network", "platform", "organizer_decision"]
    assert voided_share([Fate(n, cause) for n, cause in enumerate(causes, start=1)]) == 2 / 5
    assert voided_share([Fate(1, "platform")]) is None


class Stored:
    """Storage with the items of one session."""

    def __init__(self, *items: dict[str, Any]) -> None:
        self._items = items

    def items(self, table: str, pk: str, prefix: str = "") -> Any:
        return [each for each in self._items if each["sk"].startswith(prefix)]

    def read(self, name: str) -> bytes | None:
        raise AssertionError(name)

    def tags(self, prefix: str) -> dict[str, str]:
        raise AssertionError(prefix)

    def write(self, name: str, content: bytes) -> None:
        raise AssertionError(name)


def test_everything_that_is_stored_of_a_session_is_put_in_order_by_file() -> None:
    items = Stored(
        {"sk": "STATE", "session_id": "1", "state": "aborted", "closed_at": 9},
        {"sk": "BODIES", "refused_2": 3, "code_2": "invalid", "repeated_2": 1, "closed": True},
        {"sk": "CONNECTION", "absences": "[[1, null]]", "since": 0},
        {"sk": "FILE#0002", "asked_at": 5, "arrived_aa": 6, "handed_out_at": 6, "late_at": 7},
        {"sk": "FILE#0003", "asked_at": 8},
        {"sk": "RECEIPT#0002#01", "status": "accepted", "send": 1},
        {"sk": "RECEIPT#0002#02", "status": "accepted", "send": 2},
        {"sk": "RECEIPT#0002#03", "status": "late", "send": 3},
        {"sk": "RECEIPT#0002#IGNORED#bb", "status": "ignored", "send": 11},
    )
    found = evidence_of(items, "1")
    trace = found.trace(2)
    assert (trace.asked_at, trace.undecided, trace.refused, trace.is_late) == (5, [6], 3, True)
    assert trace.accepted == {"sk": "RECEIPT#0002#02", "status": "accepted", "send": 2}
    assert (found.absences, found.present_since, found.aborted_at) == ([(1, None)], 0, 9)
    assert found.trace(1) == Trace()
    assert (found.trace(3).asked_at, found.trace(3).delivery) == (8, None)
    with pytest.raises(MissingError, match="SESSION#1 STATE"):
        evidence_of(Stored(), "1")


MINUTE = 60_000
LIMITS = {"request": 10_000, "answer": 50_000, "total": 60_000, "join": 0}
PLAIN_RUN: dict[str, Any] = {"starts_at": 0, "interval": MINUTE, "files": 3, "limits": LIMITS}


def decided(number: int, kind: str, effective_at: int, /, **details: Any) -> dict[str, Any]:
    return {"number": number, "kind": kind, "effective_at": effective_at, "details": details}


def test_without_decisions_files_open_every_interval_and_the_earliest_stop_and_last_ruling_count() -> None:
    result = Calendar.of(PLAIN_RUN, [])
    assert (result.opens, result.request_by(2), result.last_moment(2)) == ((0, 60_000, 120_000), 70_000, 120_000)
    assert (result.stopped_at, result.taken_away, result.rulings) == (None, frozenset(), {})
    rulings = [
        decided(1, "rule", 0, team_id="red", number=2, cause="network"),
        decided(2, "rule", 0, team_id="red", number=2, cause="platform"),
        decided(3, "stop", 900),
        decided(4, "stop", 800),
    ]
    calendar = Calendar.of(PLAIN_RUN, rulings)
    assert (calendar.stopped_at, calendar.rulings) == (800, {("red", 2): "platform"})
    assert Calendar.of(PLAIN_RUN, [*rulings, decided(5, "undo", 0, amendment=2)]).rulings == {("red", 2): "network"}


@pytest.mark.parametrize(
    ("answer", "asked", "handed_out", "deadline"),
    [
        (50_000, 60_000, 60_000, 110_000),
        # What the platform took to hand a file out is the team's again.
        (50_000, 69_000, 69_500, 119_500),
        (50_000, 69_000, 75_000, 125_000),
        (50_000, 59_000, 61_000, 111_000),
        # A file that was asked for late is due by its opening.
        (55_000, 69_000, 69_000, 120_000),
    ],
)
def test_a_deadline_counts_from_hand_out_and_opening(answer: int, asked: int, handed_out: int, deadline: int) -> None:
    run = {**PLAIN_RUN, "limits": {**LIMITS, "answer": answer}}
    assert Calendar.of(run, []).answer_by(2, asked, handed_out) == deadline


def test_pauses_move_what_has_not_opened_and_last_two_hours_at_most() -> None:
    pause, on = decided(1, "pause", 60_000), decided(2, "resume", 90_000)
    assert Calendar.of(PLAIN_RUN, [pause, on]).opens == (0, 90_000, 150_000)
    assert Calendar.of(PLAIN_RUN, [decided(1, "pause", 60_001), on]).opens == (0, 60_000, 149_999)
    hours = 120 * MINUTE
    assert Calendar.of(PLAIN_RUN, [pause]).opens == (0, 60_000 + hours, 120_000 + hours)
    third = decided(3, "pause", 120_000)
    assert Calendar.of(PLAIN_RUN, [pause, on, third]).opens == (0, 90_000, 150_000 + hours - 30_000)
    assert Calendar.of(PLAIN_RUN, [pause, on, decided(3, "undo", 0, amendment=1)]).opens == (0, 60_000, 120_000)


def test_replacements_are_appended_and_stay_numbered_when_taken_back() -> None:
    first = decided(1, "replace", 0, numbers=[2], slot=5, root="")
    second = decided(2, "replace", 0, numbers=[1, 3], slot=7, root="")
    result = Calendar.of(PLAIN_RUN, [first, second])
    assert result.opens[3:] == (300_000, 420_000, 480_000)
    assert result.taken_away == {1, 2, 3}
    undone = Calendar.of(PLAIN_RUN, [first, second, decided(3, "undo", 0, amendment=2)])
    assert (undone.opens, undone.taken_away) == (result.opens, {2, 5, 6})


def stored(run: Run) -> Any:
    """Return a run as its item holds it."""
    amendments = [{**vars_of(each), "details": dict(each.details)} for each in run.amendments]
    return json.loads(json.dumps({**vars_of(run), "limits": asdict(run.limits), "amendments": amendments}))


def vars_of(value: Any) -> dict[str, Any]:
    return {each: getattr(value, each) for each in value.__dataclass_fields__}


@pytest.mark.property
@settings(max_examples=examples(25))
@given(STEPS)
def test_both_readings_agree_under_any_decisions(steps: list[tuple[Millis, Wish]]) -> None:
    for run in (BEGIN, *(after for _, after, _ in courses(steps))):
        ours, theirs = Schedule.of(run), stored(run)
        result = Calendar.of(theirs, theirs["amendments"])
        assert result.opens == ours.openings
        assert result.stopped_at == ours.stopped_at
        assert result.taken_away == set(ours.voided_for_all)
        rulings = {number: cause for (_, number), cause in result.rulings.items()}
        assert rulings == {number: cause.value for number, (cause, _) in ours.rulings("red").items()}
        for number, opening in enumerate(result.opens, start=1):
            window = ours.window(number)
            assert (result.request_by(number), result.last_moment(number)) == (window.request_by, window.answer_by)
            at = opening + 7_000
            assert result.answer_by(number, at, at + 300) == ours.answer_by(number, at, at + 300)
