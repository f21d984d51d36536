"""A contest that the platform cannot play is refused when its cycle is loaded, with everything it lacks named."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from contest.cycle.rules.cycle import KEPT, unmet_needs
from contest.ports import Tracks
from tests.contest.contests.epicrises import folder
from tests.contest.contests.played import Contest
from tests.contest.cycle.loaded import faults, load
from tests.toys import ToyTrack, toy_cycle
from tracks import registry
from tracks.protocol import Json, Missed, Need, Policies, Quota, Step
from tracks.rules import ModeRules

ONE_STEP = (Step("only", {"letters": None}),)
TWO_STEPS = (Step("first", {"letters": "second"}), Step("second", {"letters": None}))


class DemandingToy(ToyTrack):
    """Letters by other rules than the usual; ``only_in`` names the one mode that has them."""

    def __init__(self, policies: Policies, steps: tuple[Step, ...] = ONE_STEP, only_in: str = "") -> None:
        self._policies, self._steps, self._only_in = policies, steps, only_in

    def policies(self, mode: str) -> Policies:
        return self._policies if mode == self._only_in or not self._only_in else Policies()

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        return self._steps


def only(track: ToyTrack) -> Tracks:
    return {"toy": track}.__getitem__


def faults_of(track: ToyTrack, files: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """List code and policy, or field, of every fault."""
    named = faults(files or toy_cycle(), only(track))
    return [(each.code, each.where.get("policy", each.where["field"])) for each in named]


@pytest.mark.parametrize("steps", [ONE_STEP, TWO_STEPS, (replace(ONE_STEP[0], limit_s=60),)])
def test_the_usual_policies_and_those_that_are_kept_are_loaded(steps: tuple[Step, ...]) -> None:
    kept = Policies(missed=Missed.WRONG, sends_per_file=3)
    loaded = load(toy_cycle(), only(DemandingToy(kept, steps)))
    assert loaded.parameters.sends_per_file == 3


class Several(DemandingToy):
    """Letters in a kind of sessions of the contest's own, or in submissions of some kinds."""

    def __init__(self, *modes: ModeRules, only_in: str = "", needs: frozenset[Need] = frozenset()) -> None:
        super().__init__(Policies(quota=Quota.SCORED, further=needs), only_in=only_in)
        self._modes = modes

    def modes(self) -> tuple[ModeRules, ...]:
        return self._modes

    def read_submission(self, *known: Any) -> Any:
        raise AssertionError("nobody hands anything in")


@pytest.mark.clause("TS T1", "platform §1 policies")
def test_a_policy_that_cannot_be_kept_is_named_be_it_of_a_single_kind_of_sessions() -> None:
    submissions = Policies(further=frozenset({Need.SUBMISSIONS}))
    assert faults_of(DemandingToy(submissions)) == [("track_not_playable", "submissions")]
    scored = Policies(quota=Quota.SCORED)
    tracks = [DemandingToy(scored, only_in=mode) for mode in ("", "algorithmic", "technical", "final")]
    own = Several(ModeRules("algorithmic"), ModeRules("rehearsal"), only_in="rehearsal")
    for track in (*tracks, own):
        assert faults_of(track) == [("track_not_playable", "quota_scored")]


@pytest.mark.clause("TS T1", "TS T13")
@pytest.mark.parametrize(
    ("kinds", "lacking"),
    [
        (("answers",), []),
        (("answers", "program"), ["quota_scored", "submissions"]),  # nobody would read the other kind
        (("answers", ""), ["quota_scored"]),  # of sessions whatever was opened counts
        (("",), ["quota_scored", "submissions"]),
    ],
)
def test_submissions_are_taken_of_the_kinds_the_contest_reads(kinds: tuple[str, ...], lacking: list[str]) -> None:
    modes = (ModeRules(f"kind-{number}", submitted=each) for number, each in enumerate(kinds))
    track = Several(*modes, needs=frozenset({Need.SUBMISSIONS}))
    assert sorted(str(need.where["policy"]) for need in unmet_needs(track, {})) == lacking


@pytest.mark.clause("TS T1")
@pytest.mark.parametrize("name", registry.names())
def test_every_registered_contest_can_be_played(name: str) -> None:
    assert list(unmet_needs(registry.get(name), None)) == []


@pytest.mark.clause("TS T1")
def test_a_stage_that_the_contest_does_not_have_is_named_and_nothing_is_loaded() -> None:
    files = folder(Contest.named("diagnosis-semifinal"), "train")
    files["cycle.json"]["parameters"]["stage"] = "quarterfinal"
    assert {each.code for each in faults(files, registry.get, deployed="contest-1")} == {"unknown_stage"}


def test_all_policies_are_named_with_the_files_faults_and_steps_are_asked_of_usable_parameters() -> None:
    demanding = DemandingToy(Policies(further=frozenset(Need)))
    refused = [("track_not_playable", each.value) for each in Need if each not in KEPT]
    assert faults_of(demanding, toy_cycle(hardness=2)) == [("unknown_parameter", "hardness"), *refused]
    broken = toy_cycle(sends_per_file=0)
    assert faults_of(demanding, broken) == [("out_of_range", "parameters.sends_per_file"), *refused]

    class Staged(DemandingToy):
        def steps(self, parameters: Json) -> tuple[Step, ...]:
            raise AssertionError("the stage is not known")

    assert faults_of(Staged(Policies()), toy_cycle(hardness=2)) == [("unknown_parameter", "hardness")]


@pytest.mark.parametrize("need", [each for each in Need if each not in KEPT], ids=str)
def test_what_is_missing_is_said_in_both_languages(need: Need) -> None:
    (fault,) = faults(toy_cycle(), only(DemandingToy(Policies(further=frozenset({need})))))
    assert (fault.file, fault.where["field"]) == ("cycle.json", "track")
    for said in (fault.message.en, fault.message.ru):
        assert need.value in said
        assert "toy" in said
    assert re.search("[а-яё]", fault.message.ru)
    assert not re.search("[а-яё]", fault.message.en)
