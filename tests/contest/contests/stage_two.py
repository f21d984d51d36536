"""A final of the diagnosis contest whose work can be replayed for clinicians (stage 2)."""

from __future__ import annotations

from typing import Any

from contest import reading
from contest.people.rules import Pool, Role
from contest.run.rules.run import Run
from tests.contest.contests.epicrises import STUDY, diagnosis, folder
from tests.contest.contests.played import Contest
from tests.stage import Answered, Program, Stage

PEOPLE = tuple(f"doctor-{number}" for number in range(1, 9))
SEED = 20_260_921


def epicrises() -> dict[str, Any]:
    """Return a final of eighteen epicrises: those of the sample, and six once more under other names and texts."""
    files = folder(Contest.named("diagnosis-final"), "final")
    for name in sorted(each for each in files if each.startswith("final/") and "_exp" not in each)[:6]:
        item = files[name]
        again = {
            **item,
            "id": f"N{item['id']}",
            "versions": {"v3F": f"<epicrisis><text>again {name}</text></epicrisis>"},
        }
        files[f"final/{again['id']}.json"] = again
        files[f"final/{again['id']}_exp01.json"] = files[name.replace(".json", "_exp01.json")]
    return files


def asked(stage: Stage, role: Role, method: str, path: str, body: Any = None, who: str = "") -> Answered:
    stage.advance(0.2)
    stage.person(role, who or f"person-{role.value}")
    return stage.request(method, path, body, stage.sign_in(who or f"person-{role.value}", Pool.STAFF))


def doctor(stage: Stage, who: str, method: str = "GET", path: str = "", body: Any = None) -> Answered:
    return asked(stage, Role.CLINICIAN, method, f"/v1/round{path}", body, who)


def played(stage: Stage) -> Run:
    """Play a final: red works the first file from the preliminary diagnosis to the end, the second with studies alone;
    blue takes the first one and diagnoses nothing."""
    stage.load(epicrises())
    made = stage.plan(in_s=600, interval_s=None)
    red, blue = (Program(stage, stage.team(team)) for team in ("red", "blue"))
    stage.advance(590)
    assert (red.join().status, blue.join().status) == (201, 201)
    for number, answers in {
        1: (diagnosis("C34", "diagnosisPreliminary"), STUDY, diagnosis("J44")),
        2: (STUDY, diagnosis("J44")),
        3: (diagnosis("C34", "diagnosisPreliminary"), diagnosis("")),
    }.items():
        stage.set_clock(reading.schedule_now(stage.platform, made.run_id).opens_at(number))
        assert red.get(f"files/{number}").status == 200
        assert number > 1 or blue.get("files/1").status == 200
        for answer in answers:
            stage.advance(2)
            assert red.answer(number, answer).json["receipt"]["status"] == "accepted"
    stage.set_clock(reading.schedule_now(stage.platform, made.run_id).ends_at)
    while reading.run_now(stage.platform, made.run_id).closed_at is None:
        stage.tick(after=60)
    for each in PEOPLE:
        stage.person(Role.CLINICIAN, each)
    return made
