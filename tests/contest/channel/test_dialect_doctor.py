"""Earlier clients of the diagnosis contest play all three stages, through lost connections and functions that die."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from contest import reading
from contest.adapters.aws import S3Blobs
from contest.channel.store import DynamoConnections
from contest.exchange.store import DynamoDeliveries
from contest.people.rules import Role
from contest.session.store import DynamoSessions
from tests.contest.channel.doctor_client import Channel, Doctor, order
from tests.contest.contests.epicrises import STUDIES, Trial, diagnosis, folder, turn
from tests.contest.contests.played import Contest
from tests.contest.contests.test_dialogue_faults import dies_once
from tests.stage import Stage
from tests.stage_kept import Setting

pytestmark = pytest.mark.integration
EPICRISES = 4

STAGE = Setting("contest-1")


def own_answer(doctor: Doctor, task: Mapping[str, Any], code: str, decor: str = "diagnosisMain") -> int:
    sent = doctor.posts("upload-result", taskId=task["taskId"], answer=diagnosis(code, decor))
    return sent.status


@pytest.mark.clause("TS D-13", "TS D-1")
@pytest.mark.parametrize(("session_type", "set_name"), [("training", "train"), ("algorithmic", "test")])
def test_d_13_the_selection_is_played(stage: Stage, session_type: str, set_name: str) -> None:
    contest = Contest.named("diagnosis-selection")
    stage.load(contest.folder(set_name))
    seen: list[str] = []

    def works(doctor: Doctor, task: Mapping[str, Any], xml: str) -> None:
        seen.append(xml)
        entry = next(each for each in contest.entries.values() if each.item["versions"]["v1"] == xml)
        assert task["versionId"] == "v1"
        assert own_answer(doctor, task, json.loads(entry.good[0])[0]["name"]) == 201

    told = order("qualifying", session_type, countFiles="30", time="10")
    doctor = Doctor(Channel(stage), stage.team("red"), told, works)
    assert doctor.names()[0] == "session_start_success"
    assert set(doctor.heard[0][1]) == {"sessionId"}
    (task,) = doctor.tasks()
    assert set(task) == {"sessionId", "epicrisisId", "versionId", "taskId"}
    assert all(task[name].isdigit() for name in ("sessionId", "epicrisisId", "taskId"))
    assert len(seen) == 1
    doctor.hears()
    assert doctor.heard[-1] == ("session_close", {"type": "finish"})
    stage.tick()
    stage.score_all()
    stage.tick()
    session = stage.platform.sessions.get(doctor.session_id)
    assert session is not None
    assert session.order.set_name == set_name
    report = stage.request("GET", f"/v1/sessions/{doctor.session_id}/report", token=doctor.token)
    assert report.json["result"]["passed"] is True


class Played:
    """A run that earlier clients take part in."""

    def __init__(
        self, stage: Stage, name: str, doctor_stage: str, works: Any, teams: tuple[str, ...] = ("red",)
    ) -> None:
        contest = Contest.named(name)
        stage.load(folder(contest))
        run = stage.plan(in_s=60, interval_s=None, files=EPICRISES)
        self.trial = Trial(stage, contest, run, {})
        self.channel = Channel(stage)
        self.doctors = {
            "red": Doctor(self.channel, stage.team("red"), order(doctor_stage, "challenge", time="5"), works)
        }

    def play(self, *, dropping: bool = False) -> None:
        """Go from opening to opening; the connections are lost before every other one, and with a file in hand."""
        schedule = reading.schedule_now(self.trial.stage.platform, self.trial.run.run_id)
        for number, opens_at in enumerate(schedule.openings, start=1):
            self.channel.go(opens_at - 1)
            for doctor in self.doctors.values() if dropping and number % 2 else ():
                doctor.drops()
            self.channel.go(opens_at + 4_000)
            for doctor in self.doctors.values():
                doctor.hears()
            for doctor in self.doctors.values() if dropping and number % 3 == 0 else ():
                doctor.drops()
        self.channel.go(schedule.openings[-1] + 90_000)
        self.trial.end()


@pytest.mark.clause("TS D-13", "D 8.9")
def test_d_13_a_semifinal_is_played_through_lost_connections(stage: Stage) -> None:
    versions: dict[str, list[str]] = {}

    def works(doctor: Doctor, task: Mapping[str, Any], xml: str) -> None:
        versions.setdefault(task["epicrisisId"], []).append(task["versionId"])
        assert f" {task['versionId']}<" in xml
        assert own_answer(doctor, task, right_of(played, task)) == 201

    played = Played(stage, "diagnosis-semifinal", "semifinal", works)
    played.play(dropping=True)
    (doctor,) = played.doctors.values()
    assert len(doctor.tasks()) == 2 * EPICRISES
    assert {tuple(dict.fromkeys(each)) for each in versions.values()} == {("v3", "v2")}
    assert len({each["taskId"] for each in doctor.tasks()}) == 2 * EPICRISES
    assert "session_reconnect_success" in doctor.names()
    assert not [name for name in doctor.names() if name.endswith("_error")]
    row = played.trial.published()["red"]
    expected = {
        file.file_id: (
            [turn("v3", diagnosis(played.trial.right(number))), turn("v2", diagnosis(played.trial.right(number)))],
            True,
        )
        for number, file in enumerate(played.trial.files, start=1)
        if file.step == "v3"
    }
    assert row["result"]["files"] == row["result"]["answered"] == EPICRISES
    assert row["result"]["nosologies"] == played.trial.aggregate(expected)["nosologies"]


def right_of(played: Played, task: Mapping[str, Any]) -> str:
    files = enumerate(played.trial.files, start=1)
    return next(played.trial.right(number) for number, each in files if each.file_id == task["epicrisisId"])


def whole_work(played: Played, doctor: Doctor, task: Mapping[str, Any]) -> None:
    """Play a task from the preliminary diagnosis over a study, fetched both ways, to the right final diagnosis."""
    name, right = {"taskId": task["taskId"]}, right_of(played, task)
    assert own_answer(doctor, task, right, "diagnosisPreliminary") in {201, 409}  # 409: a repetition after a cut
    listed = doctor.posts("get-test", **name, code="A06.09")
    if listed.status == 408:
        return  # everything was done before the connection was lost
    assert listed.status == 201
    (test,) = listed.json
    assert set(test) == {"id", "link"}
    by_link = doctor.follows(test["link"])
    by_name = doctor.fetches("/fragment", epicrisisId=task["epicrisisId"], testId=test["id"])
    assert by_link.text == by_name.text == STUDIES[0]["xml"]
    assert by_link.headers["content-type"].startswith("application/xml")
    assert doctor.posts("test-is-rec", **name, code="A06.09", id=test["id"]).status == 201
    assert own_answer(doctor, task, right) == 201


@pytest.mark.clause("TS D-13", "D 9.10.1")
def test_d_13_stage_1_is_played_through_lost_connections(stage: Stage) -> None:
    def works(doctor: Doctor, task: Mapping[str, Any], xml: str) -> None:
        assert "v3F" in xml
        whole_work(played, doctor, task)

    played = Played(stage, "diagnosis-final", "final", works)
    played.play(dropping=True)
    (doctor,) = played.doctors.values()
    assert len(doctor.tasks()) == EPICRISES
    told = [said for name, said in doctor.heard if name == "session_get_test_success"]
    assert {tuple(sorted(each)) for each in told} == {("epicrisisId", "taskId", "testId")}
    assert len({each["taskId"] for each in told}) == EPICRISES
    result = played.trial.published()["red"]["result"]
    assert (result["files"], result["answered"]) == (EPICRISES, EPICRISES)
    turns = [stage.platform.deliveries.get(doctor.session_id, number).turns for number in range(1, EPICRISES + 1)]  # type: ignore[union-attr]
    assert [[each.kind for each in known] for known in turns] == [["preliminary", "study", "diagnosis"]] * EPICRISES


def begun(stage: Stage) -> tuple[Played, Doctor, Mapping[str, Any]]:
    """Begin a stage 1 with its first epicrisis handed out to the client, which does nothing by itself."""
    played = Played(stage, "diagnosis-final", "final", None)
    (doctor,) = played.doctors.values()
    played.channel.go(reading.schedule_now(stage.platform, played.trial.run.run_id).opens_at(1) + 2_000)
    doctor.hears()
    (task,) = doctor.tasks()
    return played, doctor, task


@pytest.mark.clause("TS D-13")
def test_d_13_every_status_is_the_contracts(stage: Stage) -> None:
    played, doctor, task = begun(stage)
    name, right = {"taskId": task["taskId"]}, right_of(played, task)
    assert doctor.posts("get-test", **name, code="A06.09").status == 400, "no preliminary diagnosis yet"
    assert own_answer(doctor, task, right) == 422, "a final diagnosis before the preliminary one"
    assert doctor.posts("upload-result", **name, answer=[{"decorCode": "?", "code": "J44"}]).status == 400
    assert doctor.posts("upload-result", **name, answer="not JSON").status == 400
    for depth in (100, 900, 5_000):
        assert doctor.posts("upload-result", **name, answer="[" * depth + "]" * depth).status == 400
    assert doctor.posts("upload-result", taskId="1234", answer=diagnosis(right)).status == 404
    assert doctor.posts("upload-result", answer=diagnosis(right)).status == 404
    stage.advance(2)
    assert own_answer(doctor, task, right, "diagnosisPreliminary") == 201
    assert own_answer(doctor, task, right, "diagnosisPreliminary") == 201, "the same bytes again are a repetition"
    assert own_answer(doctor, task, "J44" if right != "J44" else "C34", "diagnosisPreliminary") == 409
    assert doctor.posts("get-test", **name, code="X99").status == 404, "no such study in the contest"
    assert doctor.posts("get-test", **name, code=["A06.09"]).status == 400
    assert doctor.posts("get-test", **name, code="A05.10").status == 404, "no such study of this patient"
    doctor.hears()
    event, said = doctor.heard[-1]
    assert (event, said["taskId"]) == ("session_get_test_error", task["taskId"])
    delivery = stage.platform.deliveries.get(doctor.session_id, 1)
    assert delivery is not None
    assert [each.kind for each in delivery.turns] == ["preliminary", "study"], "an absent study costs its price"
    stage.advance(2)
    assert doctor.fetches("", epicrisisId="9" * 15).status == 404
    assert doctor.fetches("/fragment", epicrisisId=task["epicrisisId"], testId="1001").status == 404
    assert doctor.fetches("/fragment", epicrisisId=task["epicrisisId"], testId="x").status == 404
    assert doctor.posts("receive-callback", epicrisisId="9" * 15).status == 404
    played.trial.at(1, 60_001)
    assert doctor.posts("get-test", **name, code="A06.09").status == 408, "the task is overdue"
    late = doctor.posts("upload-result", **name, answer=diagnosis(right))
    assert (late.status, late.json["receipt"]["status"]) == (201, "late"), "stored, and counts nowhere"
    assert doctor.posts("abort").status == 201
    assert doctor.posts("upload-result", **name, answer=diagnosis(right)).status == 406, "no session any more"
    assert doctor.posts("abort").status == 406


@pytest.mark.clause("TS D-13", "platform §1 rights")
def test_d_13_whoever_has_no_token_of_a_program_gets_nothing(stage: Stage) -> None:
    _, doctor, task = begun(stage)
    stranger = Doctor.__new__(Doctor)
    stranger.channel = doctor.channel
    for token in ("", "x", "hrd_" + "0" * 43, stage.person(Role.ORGANIZER)):
        stranger.token = token
        assert stranger.fetches("", epicrisisId=task["epicrisisId"]).status == 401
        assert stranger.posts("abort").status == 401
        assert stranger.posts("upload-result", taskId=task["taskId"], answer=diagnosis("J44")).status == 401
    stranger.token = stage.team("blue")
    assert stranger.fetches("", epicrisisId=task["epicrisisId"]).status == 406
    assert stage.platform.sessions.get(doctor.session_id).is_open  # type: ignore[union-attr]


@pytest.mark.clause("TS D-13", "TS T3")
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("port", "write"), [(S3Blobs, "put_if_absent"), (DynamoDeliveries, "arrive"), (DynamoDeliveries, "send")]
)
def test_d_13_a_function_killed_at_a_write_costs_no_answer_and_no_study_twice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, port: type, write: str, done: bool
) -> None:
    played, doctor, task = begun(stage)
    with monkeypatch.context() as patch:
        dies_once(patch, port, write, done=done)
        assert own_answer(doctor, task, right_of(played, task), "diagnosisPreliminary") == 201
    with monkeypatch.context() as patch:
        dies_once(patch, port, write, done=done)
        asked = doctor.posts("get-test", taskId=task["taskId"], code="A06.09")
    assert asked.status == 201
    delivery = stage.platform.deliveries.get(doctor.session_id, 1)
    assert delivery is not None
    assert [each.kind for each in delivery.turns] == ["preliminary", "study"]
    assert doctor.follows(asked.json[0]["link"]).text == STUDIES[0]["xml"]


@pytest.mark.clause("TS D-13")
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("port", "write"), [(DynamoSessions, "open"), (DynamoConnections, "attach")])
def test_d_13_who_starts_while_the_function_dies_starts_again_and_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, port: type, write: str, done: bool
) -> None:
    stage.load(folder(Contest.named("diagnosis-final"), "final", "reserve", "train"))
    with monkeypatch.context() as patch:
        dies_once(patch, port, write, done=done)
        doctor = Doctor(Channel(stage), stage.team("red"), order("final", "training", countFiles="2"))
    assert doctor.names() == ["session_start_error"]
    assert set(doctor.heard[0][1]) == {"message"}
    doctor.emits("session-start", doctor.start)
    started = "session_start_success" if (port, done) == (DynamoSessions, False) else "session_blank_start"
    assert doctor.names()[1:] == [started, "session_send_next_file"]
    assert len(stage.platform.sessions.of_team("red", 10, None)) == 1


@pytest.mark.clause("TS D-13")
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_d_13_a_push_that_dies_is_done_by_the_next(stage: Stage, monkeypatch: pytest.MonkeyPatch, done: bool) -> None:
    played = Played(stage, "diagnosis-final", "final", None)
    (doctor,) = played.doctors.values()
    dies_once(monkeypatch, DynamoDeliveries, "hand_out", done=done)
    played.channel.go(reading.schedule_now(stage.platform, played.trial.run.run_id).opens_at(1) + 8_000)
    doctor.hears()
    assert [each["taskId"] for each in doctor.tasks()] == [f"{played.trial.files[0].file_id}1"]


@pytest.mark.clause("TS D-13")
def test_d_13_the_cycles_name_is_a_namespace_and_refusals_are_their_message(stage: Stage) -> None:
    stage.load(folder(Contest.named("diagnosis-final")))
    told = {"contest": "readable", "params": {"stage": "third", "sessionType": 7}}
    doctor = Doctor(Channel(stage), stage.team("red"), told, namespace="/contest-1")
    ((refused, said),) = doctor.heard
    assert (refused, set(said)) == ("session_start_error", {"message"})
    assert all(name in said["message"] for name in ("contest", "stage", "sessionType"))
    doctor.emits("session-start", order("final", "training"))
    assert "no set of this stage" in doctor.heard[-1][1]["message"]
    doctor.emits("session-start", order("final", "challenge"))
    assert doctor.names()[-1] == "session_start_error"
    doctor.emits("session-blank-start", None)
    assert doctor.names()[-1] == "session_start_error"


@pytest.mark.clause("TS D-13", "TS T7")
def test_d_13_training_in_pairs_is_pushed_in_its_own_rhythm(stage: Stage) -> None:
    contest = Contest.named("diagnosis-semifinal")
    stage.load(folder(contest, "final", "reserve", "train"))
    channel = Channel(stage)
    told = order("semifinal", "training", countFiles="2", time="15")
    doctor = Doctor(channel, stage.team("red"), told)
    opened = stage.now
    for number in range(4):
        channel.go(opened + 10_000 + number * 15_000 - 1)
        doctor.hears()
        assert len(doctor.tasks()) == number
        channel.go(opened + 10_000 + number * 15_000 + 2_000)
        doctor.hears()
        assert len(doctor.tasks()) == number + 1
    assert [each["versionId"] for each in doctor.tasks()] == ["v3", "v2"] * 2


@pytest.mark.clause("TS D-13")
def test_d_13_an_older_edition_sends_its_answers_as_events(stage: Stage) -> None:
    contest = Contest.named("diagnosis-selection")
    stage.load(contest.folder("train"))
    doctor = Doctor(Channel(stage), stage.team("red"), order("qualifying", "training"))
    (task,) = doctor.tasks()
    named = {name: task[name] for name in ("sessionId", "epicrisisId", "taskId")}
    doctor.emits("session-send-file-result", {**named, "answer": "?"})
    refused, said = doctor.heard[-1]
    assert (refused, set(said)) == ("session_send_file_result_error", {"message"})
    doctor.emits("session-send-file-result", {**named, "answer": diagnosis("J44")})
    assert "session_send_file_result_success" in doctor.names()
    delivery = stage.platform.deliveries.get(doctor.session_id, 1)
    assert delivery is not None
    assert delivery.answer is not None


@pytest.mark.clause("TS D-13")
def test_d_13_named_nosologies_alone_are_drawn(stage: Stage) -> None:
    contest = Contest.named("diagnosis-semifinal")
    stage.load(folder(contest, "final", "reserve", "train"))
    told = order("semifinal", "estimated-training", nosologyString="5,1", time="10")
    doctor = Doctor(Channel(stage), stage.team("red"), told)
    assert doctor.names() == ["session_start_success"], doctor.heard
    plan = stage.platform.sessions.plan(doctor.session_id)
    assert {each.group for each in plan} == {"copd", "lung_cancer"}


@pytest.mark.clause("TS D-13", "platform §1 rights")
def test_d_13_the_channels_timer_sees_to_who_plays_with_the_rights_that_it_has(stage: Stage) -> None:
    """The timer finds sessions other than the connection's own, and has no right to read the cycle."""
    begun(stage)
    assert stage.invoke("channeltimer", {})["playing"] == 1
