"""Decisions about a run: written once, signed in a chain, logged, refused; time given back to programs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from contest import reading, stored_names
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.errors import SetAnnulledError
from contest.people.rules import Change
from contest.refusals import RefusedError
from contest.results import boards, publishing, settling
from contest.results.rules.qualification import Annulled, Annulment
from contest.run import planning, recording, watching
from contest.run.planning import RunOrder
from contest.run.rules import commitment, schedule
from contest.run.rules.conducting import Wish
from contest.run.rules.run import AFTER_LAST, Kind, Run
from contest.run.rules.schedule import Schedule
from contest.run.watching import Restart, decide
from contest.session.rules.delivery import Answer, Cause, Delivery
from contest.session.rules.session import Latest
from contest.values import DAY, MINUTE, SECOND, canonical, from_iso, iso, sha256_hex
from tests.contest.run.played_runs import ABSENT, planned
from tests.fakes import FakePlatform, FakeRuns
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START
from tests.toys import FolderInMemory, toy_cycle


@pytest.fixture
def platform() -> FakePlatform:
    fake = FakePlatform()
    load_cycle(fake, "tests", "toy-1", FolderInMemory(toy_cycle(final=6, reserve=5)), lambda _: None)
    return fake


@pytest.fixture
def run(platform: FakePlatform) -> Run:
    return planning.plan_run(platform, "tests", order(platform))


def order(platform: FakePlatform, **changes: Any) -> RunOrder:
    start = platform.clock.now() + MINUTE
    return replace(RunOrder(Mode.FINAL, "final", start, 60 * SECOND, files=4), **changes)


def refusal(platform: FakePlatform, run: Run, wish: Wish, **changes: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        decide(platform, "tests", run.run_id, wish, **changes)
    return refused.value.code


PAUSE = Wish(Kind.PAUSE, "a cable is cut")


def replaced(*numbers: int) -> Wish:
    return Wish(Kind.REPLACE, "a mass failure", numbers)


RULING = Wish(Kind.RULE, "their line was cut", (1,), "red", Cause.PLATFORM)
TAKEN_BACK = Wish(Kind.UNDO, "it was theirs", amendment=1)


@pytest.mark.clause("platform §3 rulings")
def test_a_ruling_is_in_the_chain_from_its_moment_on_and_tells_neither_team_nor_cause() -> None:
    played = planned()
    played.open(1, red=ABSENT)
    for wish in (RULING, TAKEN_BACK, RULING, PAUSE):
        decide(played.platform, "anna", played.run_id, wish)
    chain = watching.public_statements(played.platform, played.run)
    assert [link["previous"] for link in chain[1:]] == [commitment.statement_digest(link) for link in chain[:-1]]
    assert [link["amendment"] for link in chain[1:]] == [*["sealed"] * 3, "pause"]
    first, _, again, _ = played.run.amendments
    assert (first.details, first.reason) == (again.details, again.reason)
    # nothing but the salt keeps them apart from somebody who tries every team, file and cause
    assert all(len(bytes.fromhex(ruling.salt)) == 32 for ruling in (first, again))
    assert first.salt != again.salt
    assert len({link["details"]["seal"] for link in chain[1:4]}) == 3
    for link, amendment in zip(chain[1:4], played.run.amendments, strict=False):
        assert (link["reason"], set(link["details"])) == ("", {"seal"})
        assert (link["number"], link["at"]) == (amendment.number, iso(amendment.at))
        opened = commitment.seal_content(played.run, amendment)
        assert link["details"]["seal"] == sha256_hex(canonical(opened))
        assert not any(secret in json.dumps(link) for secret in ("red", "platform", "line", "theirs", opened["salt"]))


@pytest.mark.clause("platform §3 rulings")
def test_what_was_ruled_is_told_with_the_record_and_not_before() -> None:
    played = planned(files=2)
    played.open(1, red=ABSENT)
    decide(played.platform, "anna", played.run_id, RULING)
    assert commitment.published_rulings(played.run) == []
    played.open(2, red=ABSENT)
    assert commitment.published_rulings(played.run) == []
    played.finish()
    decide(played.platform, "anna", played.run_id, replace(RULING, numbers=(2,)))
    record = json.loads(recording.published_record(played.platform, played.run_id, played.platform.clock.now()))[
        "record"
    ]
    rulings = commitment.published_rulings(played.run)
    assert [ruling["number"] for ruling in rulings] == [1, 2]
    assert record["rulings"] == rulings[:1], "the record is made once; what is ruled later is told beside it"


def test_decisions_are_in_the_order_of_their_moments_whoevers_clock_is_ahead(platform: FakePlatform, run: Run) -> None:
    decide(platform, "anna", run.run_id, PAUSE)
    platform.clock.moment -= 400
    after = decide(platform, "boris", run.run_id, Wish(Kind.VOID, "unreadable", (1,)))
    assert after.amendments[1].at == after.amendments[0].at


def annul(platform: FakePlatform, name: str) -> None:
    annulment = Annulment(Annulled.SET, name, "", "an essay was published", platform.clock.now(), holds=True)
    platform.annulments.decide(
        "toy-1", None, annulment, Change(platform.clock.now(), "anna", "set annulled", name, None, {})
    )


@pytest.mark.clause("D 6.10", "D 8.12")
def test_nothing_is_drawn_from_an_annulled_reserve(platform: FakePlatform, run: Run) -> None:
    annul(platform, "reserve")
    with pytest.raises(SetAnnulledError):
        decide(platform, "anna", run.run_id, replaced(1))
    assert reading.run_now(platform, run.run_id).amendments == ()


@pytest.mark.clause("D 6.10", "D 8.12")
def test_of_several_reserves_one_that_is_not_annulled_is_drawn_from() -> None:
    platform = FakePlatform()
    cycle = toy_cycle(final=6, reserve=5)
    described = cycle["cycle.json"]["sets"]
    described["second"] = {**described["reserve"], "folder": "second"}
    for name in [path for path in cycle if path.startswith("reserve/")]:
        other = name.replace("reserve", "second")
        cycle[other] = json.loads(json.dumps(cycle[name]).replace("reserve", "second"))
    load_cycle(platform, "tests", "toy-1", FolderInMemory(cycle), lambda _: None)
    run = planning.plan_run(platform, "tests", order(platform))
    annul(platform, "reserve")
    decide(platform, "anna", run.run_id, replaced(1))
    drawn = reading.run_files(platform, run.run_id, 1)
    assert [file.item_id.partition("-")[0] for file in drawn] == ["second"]
    assert publishing._set_of(platform, reading.cycle_now(platform), run, drawn[0].manifest).name == "second"


def test_replacements_come_from_the_reserve_and_earlier_leaves_stay(platform: FakePlatform, run: Run) -> None:
    before = reading.run_plan(platform, Schedule.of(run))
    after = decide(platform, "anna", run.run_id, replaced(1, 4))
    plan = reading.run_plan(platform, Schedule.of(after))
    assert plan[:4] == before
    assert all(file.item_id.startswith("reserve-") for file in plan[4:])
    added = after.amendments[-1]
    rows = watching.appended_rows(after, added, plan[4:])
    assert [row["number"] for row in rows] == [5, 6]
    assert added.details["root"] == commitment.root_of(rows)
    assert all(Schedule.of(after).planned_at(row["number"]) == from_iso(row["planned_at"]) for row in rows)


def test_a_reserve_file_is_drawn_once_whatever_became_of_it(platform: FakePlatform, run: Run) -> None:
    decide(platform, "anna", run.run_id, replaced(1, 2))
    decide(platform, "anna", run.run_id, Wish(Kind.UNDO, "a mistake", amendment=1))
    decide(platform, "anna", run.run_id, replaced(3, 4))
    other = planning.plan_run(platform, "anna", order(platform))
    assert refusal(platform, other, replaced(1, 2)) == "not_enough_files"
    decide(platform, "anna", other.run_id, replaced(1))
    drawn = [
        file.item_id
        for drawing in (run, other)
        for file in reading.run_plan(platform, reading.schedule_now(platform, drawing.run_id))
        if file.item_id.startswith("reserve-")
    ]
    assert len(drawn) == len(set(drawn)) == 5


def test_files_left_by_a_crashed_replacement_are_passed_over(platform: FakePlatform, run: Run) -> None:
    orphan = stored_names.run_plan_name(run.run_id, 1)
    platform.blobs.put(orphan, b"{}")
    after = decide(platform, "anna", run.run_id, replaced(1))
    assert after.amendments[-1].number == 2
    assert platform.blobs.get(orphan) == b"{}"
    assert reading.run_plan(platform, Schedule.of(after))[4].item_id.startswith("reserve-")


def test_a_lost_race_is_decided_again_on_what_then_holds(platform: FakePlatform, run: Run) -> None:
    class Overtaken(FakeRuns):
        """Another person pauses the run just before the first write."""

        overtaken = False

        def change(self, before: Run, after: Run, change: Change) -> None:
            if not self.overtaken:
                self.overtaken = True
                decide(platform, "boris", run.run_id, PAUSE)
            super().change(before, after, change)

    platform.runs = Overtaken(platform.store, platform.announcements)
    assert refusal(platform, run, PAUSE) == "paused_already"
    assert [amendment.who for amendment in reading.run_now(platform, run.run_id).amendments] == ["boris"]


def test_a_decision_that_takes_long_to_write_is_made_anew(platform: FakePlatform, run: Run) -> None:
    class Slow:
        """A signature that takes three seconds the first time, as after a cold start."""

        waited = 0

        def __init__(self, signer: Any) -> None:
            self._signer = signer
            self.public_key = signer.public_key

        def sign(self, content: bytes) -> bytes:
            self.waited += 1
            if self.waited == 1:
                platform.clock.advance(3)
            signature: bytes = self._signer.sign(content)
            return signature

    platform.signer = Slow(platform.signer)  # type: ignore[assignment]  # all that a decision asks of a signer
    (added,) = decide(platform, "anna", run.run_id, PAUSE).amendments
    assert (added.at, added.effective_at) == (platform.clock.now(), platform.clock.now() + 5 * SECOND)


def test_a_restart_repeated_after_a_crash_is_completed_and_is_one(platform: FakePlatform, run: Run) -> None:
    tomorrow = Restart(platform.clock.now() + DAY)
    successor = watching.successor_of(run)
    decide(platform, "anna", run.run_id, Wish(Kind.STOP, "a mass failure", successor=successor))
    first = watching.restart(platform, "anna", run.run_id, "a mass failure", tomorrow)
    assert watching.restart(platform, "anna", run.run_id, "a mass failure", tomorrow) == first
    assert len(reading.run_now(platform, run.run_id).amendments) == 1
    assert len(platform.store.runs) == 2


def test_a_restart_that_cannot_be_planned_stops_nothing_and_a_stopped_run_is_not_restarted_later(
    platform: FakePlatform, run: Run
) -> None:
    now = platform.clock.now()
    for wrong in (Restart(now), Restart(now + MINUTE, files=6), Restart(now + MINUTE, interval=0)):
        with pytest.raises(RefusedError):
            watching.restart(platform, "anna", run.run_id, "a failure", wrong)
        with pytest.raises(RefusedError):
            watching.preview_restart(platform, run.run_id, "a failure", wrong)
    assert reading.run_now(platform, run.run_id).amendments == ()
    decide(platform, "anna", run.run_id, Wish(Kind.STOP, "called off"))
    with pytest.raises(RefusedError, match="without a restart"):
        watching.restart(platform, "anna", run.run_id, "after all", Restart(platform.clock.now() + DAY))


def test_results_are_published_and_hidden_when_there_are_any(platform: FakePlatform, run: Run) -> None:
    def refused(decision: Any) -> str:
        with pytest.raises(RefusedError) as error:
            decision(platform, "anna", run.run_id)
        return error.value.code

    assert refused(publishing.publish) == "run_not_over"
    assert refused(publishing.hide) == "not_published"
    platform.runs.close(run, replace(run, closed_at=platform.clock.now(), version=run.version + 1))
    assert refused(publishing.publish) == "not_marked_yet"
    boards.make(platform, reading.run_now(platform, run.run_id))
    settling.begin_recomputation(platform, reading.run_now(platform, run.run_id))
    assert publishing.publish(platform, "anna", run.run_id).published_at == platform.clock.now()
    assert refused(publishing.publish) == "published_already"
    assert publishing.hide(platform, "anna", run.run_id).published_at is None
    assert [change.what for change in platform.audit_log.changes[-2:]] == [
        "run results published",
        "run results hidden",
    ]
    decide(platform, "anna", run.run_id, Wish(Kind.STOP, "called off"))
    assert refused(publishing.publish) == "no_results"


SCHEDULE = Schedule.of(RUN)


def handed_out(number: int, after: int, answered: int | None = None, receipt: int = 0) -> Delivery:
    """Return a file handed out and answered so many seconds after its opening, with the receipt so many later."""
    opening = START + (number - 1) * MINUTE
    delivery = Delivery(number, opening + after * SECOND, opening + MINUTE)
    if answered is None:
        return delivery
    came = opening + answered * SECOND
    return replace(delivery, sends=1, answer=Answer(1, came, "a", came + receipt * SECOND, came))


def owed(number: int, *before: Delivery, asked: dict[int, int] | None = None, latest: Latest | None = None) -> int:
    """Return the time owed to a file's program, in seconds."""
    noted = {each: START + (each - 1) * MINUTE + after * SECOND for each, after in (asked or {}).items()}
    return schedule.platform_time(number, SCHEDULE, {row.number: row for row in before}, noted, latest) // SECOND


@pytest.mark.parametrize(
    ("before", "asked", "taken"),
    [
        ([], {}, 0),
        ([handed_out(1, 0, 50)], {1: 0}, 0),
        ([handed_out(1, 7, 50)], {1: 0}, 7),
        ([handed_out(1, 7, 50)], {1: 5}, 2),
        ([handed_out(1, 7, 50, 20)], {1: -2}, 27),
        ([handed_out(1, 7)], {1: 0}, 7),
        ([handed_out(1, 30, 50, 20), handed_out(2, 1, 40, 2)], {1: 0, 2: 0}, 3),
    ],
)
def test_what_the_last_file_waited_for_is_owed(before: list[Delivery], asked: dict[int, int], taken: int) -> None:
    assert owed(3, *before, asked=asked) == taken


def test_what_is_owed_is_of_the_latest_request_and_of_no_file_too_long_ago() -> None:
    long_ago = handed_out(1, 30, 50)
    assert (owed(4, long_ago, asked={1: 0}), owed(5, long_ago, asked={1: 0})) == (30, 0)
    answered = handed_out(1, 0, 50, 3)
    came = START + 50 * SECOND
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came, came + 9 * SECOND)) == 9
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came + 5 * SECOND, came + 9 * SECOND)) == 3 + 4
    assert owed(2, answered, asked={1: 0}, latest=Latest("s", came - 5 * SECOND, came)) == 3


def test_a_request_counts_earlier_but_not_before_the_opening() -> None:
    for arrival, result, counted in ((-2, 9, -2), (0, 9, 0), (5, 9, 0), (12, 9, 3), (12, 0, 12)):
        assert schedule.counted_moment(arrival, 0, result) == counted


def test_a_session_whose_program_the_platform_has_held_up_ends_as_much_later() -> None:
    usual = SCHEDULE.closes_at({3: START + 3 * MINUTE})
    assert SCHEDULE.closes_at({3: START + 3 * MINUTE + 40 * SECOND}) == usual + 40 * SECOND
    assert SCHEDULE.closes_at({1: START + 2 * MINUTE, 3: START + 3 * MINUTE - 1}) == usual
    assert SCHEDULE.closes_at({3: START + 30 * MINUTE}) == START + 3 * MINUTE + AFTER_LAST
