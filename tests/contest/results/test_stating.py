"""Protocols are recorded, shown, waited for where they are demanded, and else missed aloud (R 8.3, D 11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contest import reading
from contest.errors import SameSignatoryError
from contest.people.rules import Change, Role
from contest.refusals import RefusedError
from contest.results import commission, publishing
from contest.results.commission import Statement
from contest.run import recording, watching
from contest.run.rules.run import MOST, Matter, Run
from tests.contest.conduct.test_conducting import RUNS, Staff
from tests.contest.run.played_runs import Played, planned
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Stage
from tests.stage_kept import Setting
from tracks.rules import Signatory

JUDGES, COMMISSION = Signatory
WHO = {JUDGES: "person:judith", COMMISSION: "person:carl"}


@pytest.fixture
def played() -> Played:
    return planned().play().finish()


def demand(played: Played, *sides: Signatory) -> None:
    """Make the cycle demand protocols on its results."""
    catalogue = played.platform.catalogue
    before = reading.written_cycle(played.platform)
    catalogue.publish(replace(before, protocols=sides), None, Change(0, "olga", "cycle loaded", "toy-1", None, None))


def state(played: Played, by: Signatory, *, who: str = "", reason: str = "looked at", **said: Any) -> Run:
    matter, positive = said.get("matter", Matter.RESULTS), said.get("positive", True)
    return commission.state(played.platform, who or WHO[by], played.run_id, Statement(by, matter, positive, reason))


def confirmed(played: Played) -> bool | None:
    return recording.confirmed(played.platform, reading.cycle_now(played.platform), played.run)


def refused(error: type[Exception], *words: Any, **said: Any) -> str:
    with pytest.raises(error) as caught:
        state(*words, **said)
    return str(getattr(caught.value, "code", ""))


@pytest.mark.clause("R 8.3.3", "R 8.3.4", "R 8.3.5")
def test_results_wait_for_everybody_whose_protocol_the_cycle_demands(played: Played) -> None:
    demand(played, JUDGES, COMMISSION)
    assert confirmed(played) is False
    with pytest.raises(RefusedError, match="the judges, the technical commission"):
        publishing.publish(played.platform, "anna", played.run_id)
    state(played, JUDGES)
    state(played, COMMISSION, positive=False)
    with pytest.raises(RefusedError) as caught:
        publishing.publish(played.platform, "anna", played.run_id)
    assert (caught.value.code, caught.value.details[0]["missing"]) == ("not_confirmed", ["commission"])
    state(played, COMMISSION, reason="it was a mistake in reading")
    assert confirmed(played) is True
    publishing.publish(played.platform, "anna", played.run_id)
    assert played.run.published_at is not None


@pytest.mark.clause("R 8.3.5")
def test_where_nobody_s_is_demanded_results_are_published_without(played: Played) -> None:
    assert confirmed(played) is None
    publishing.publish(played.platform, "anna", played.run_id)
    demand(played)
    assert confirmed(played) is None


def test_nothing_is_taken_out_and_nobody_says_twice_what_was_said(played: Played) -> None:
    state(played, JUDGES)
    assert refused(RefusedError, played, JUDGES) == "stated_already"
    state(played, JUDGES, positive=False)
    state(played, JUDGES)
    shown = watching.stated(played.platform, played.run_id)["protocols"]
    assert [(each["number"], each["positive"], each["current"]) for each in shown] == [
        (3, True, True),
        (2, False, True),
        (1, True, True),
    ]
    kept = commission.record(played.platform, played.run_id, played.platform.clock.now())["protocols"]
    assert kept == [{name: value for name, value in each.items() if name != "name"} for each in shown]


@pytest.mark.clause("R 8.2.2")
def test_one_person_does_not_sign_for_both_sides_and_a_command_may(played: Played) -> None:
    state(played, JUDGES)
    with pytest.raises(SameSignatoryError):
        state(played, COMMISSION, who=WHO[JUDGES])
    state(played, COMMISSION, who=WHO[JUDGES], matter=Matter.MASS_FAILURE)
    state(played, JUDGES, who="command:olga", positive=False)
    with pytest.raises(SameSignatoryError):  # another has signed since, and it is still the other side's
        state(played, COMMISSION, who=WHO[JUDGES])
    state(played, COMMISSION, who="command:olga")


def test_results_are_stated_of_when_they_are_made_and_a_failure_when_the_run_has_begun() -> None:
    made = planned()
    assert refused(RefusedError, made, JUDGES) == "run_not_over"
    made.at(made.run.starts_at - 1)
    assert refused(RefusedError, made, JUDGES, matter=Matter.MASS_FAILURE) == "run_not_started"
    made.at(made.run.starts_at)
    assert state(made, JUDGES, matter=Matter.MASS_FAILURE).protocols[0].edition == ""


def test_a_run_takes_only_so_many_protocols(played: Played) -> None:
    for number in range(MOST):
        state(played, JUDGES, positive=bool(number % 2))
    assert refused(RefusedError, played, JUDGES, positive=False) == "too_many_protocols"


def test_a_protocol_recorded_at_the_same_moment_by_somebody_else_is_not_lost(played: Played) -> None:
    change, before = played.platform.runs.change, played.run
    calls = []

    def raced(*words: Any) -> Any:
        calls.append(words)
        if len(calls) == 1:
            state(played, COMMISSION)
        return change(*words)

    played.platform.runs.change = raced  # type: ignore[method-assign]  # another's write comes first
    state(played, JUDGES)
    assert [(each.number, each.by) for each in played.run.protocols] == [(1, COMMISSION), (2, JUDGES)]
    assert played.run.version == before.version + 2


STAGE = Setting()


@pytest.mark.integration
@pytest.mark.clause("R 7.16.1", "D 6.13", "D 11.3", "platform §1 judge")
def test_judges_and_commission_each_state_for_their_own_side_and_all_read_it(stage: Stage) -> None:
    run = RunOnStage(stage, 4, "red")
    run.open(1, red=ABSENT)
    judge, member, olga = (Staff(stage, role) for role in (Role.JUDGE, Role.COMMISSION, Role.ORGANIZER))
    path = f"{RUNS}/{run.run_id}/protocols"
    said = {"matter": "mass_failure", "reason": "the hall had no power"}
    assert member.post(f"{path}/judges", said).status == 403
    assert judge.post(f"{path}/commission", said).status == 403
    assert judge.said(f"{path}/judges", said)["protocols"][0]["name"] == "The-Judge"
    member.said(f"{path}/commission", {**said, "positive": False})
    for each in (judge, member, olga):
        shown = each.said(path)
        assert [(one["by"], one["positive"], one["matter"]) for one in shown["protocols"]] == [
            ("commission", False, "mass_failure"),
            ("judges", True, "mass_failure"),
        ]
    assert stage.request("GET", path).status in {401, 403}
    assert judge.post(f"{path}/judges", {"reason": "too early"}).code == "run_not_over"
    logged = [each for each in stage.platform.audit_log.on("2026-09-21") if each.what == "protocol recorded"]
    assert [each.after["by"] for each in logged] == ["judges", "commission"]
