"""Programs that the platform runs in fusion's contest, and a stage for them."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import count
from typing import Any

from contest.people.rules import Role
from contest.submissions.rules import SubmissionTask
from local.environment import folder_of
from tests.contest.submissions.running import Machine
from tests.contest.submissions.submitting import Submitter
from tests.stage import Answered, Stage

FOLDER = folder_of("fusion")
SUBTASKS = ("C2C", "HTR", "zsOD", "VQA")
TEAMS = (f"team-{number}" for number in count())
"""Names that no other test has taken."""


def right(set_name: str = "public") -> dict[str, Any]:
    """Return true answers of a set as predictions."""
    found = {each: json.loads((FOLDER / f"{set_name}/true/true_{each}.json").read_text("utf-8")) for each in SUBTASKS}
    return {**found, "VQA": {key: each["answer"] for key, each in found["VQA"].items()}}


RIGHT = right()


def fusion_cycle(**parameters: Any) -> dict[str, Any]:
    """Return the demonstration's two sets under a head of our own."""
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "fusion-1",
            "name": {"ru": "Цикл", "en": "Cycle"},
            "track": "fusion",
            "languages": {"mul": list(SUBTASKS)},
            "parameters": {"technical": {"enabled": False}, **parameters},
            "sets": {"public": {"kind": "test"}, "private": {"kind": "final"}},
        }
    }
    for path in sorted(each for name in ("public", "private") for each in (FOLDER / name).rglob("*") if each.is_file()):
        files[path.relative_to(FOLDER).as_posix()] = path.read_bytes()
    return files


def program(*lines: str, answers: dict[str, Any] | None = None, **files: Any) -> bytes:
    """Return an archive whose program runs these lines, then writes answers that it brought."""
    made = io.BytesIO()
    said = RIGHT if answers is None else answers
    main = ["import json, pathlib, sys", *lines]
    main += [f"pathlib.Path('output/prediction_{each}.json').write_text(open('{each}.json').read())" for each in said]
    with zipfile.ZipFile(made, "w") as archive:
        metadata = {"image": "registry.example/team/model:1", "entry_point": "python3 /home/jovyan/run.py"}
        archive.writestr("metadata.json", json.dumps(metadata))
        archive.writestr("run.py", "\n".join(main))
        for name, value in said.items():
            archive.writestr(f"{name}.json", json.dumps(value))
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def submitted(red: Submitter, machine: Machine, content: bytes, **order: Any) -> dict[str, Any]:
    """Submit a program, check it, run it and score its outputs if there are any; return the submission."""
    name = red.hand_in(content, "program", **order)
    assert red.stage.judge() == []
    for run in machine.run_all():
        red.stage.platform.submission_tasks.send([SubmissionTask(run)])
    assert red.stage.judge() == []
    return red.look(name)


class Desk:
    """Organizers and the commission."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.organizer = stage.person(Role.ORGANIZER)
        self.commission = stage.person(Role.COMMISSION)

    def post(self, path: str, said: dict[str, Any], token: str = "") -> Answered:
        self.stage.advance(1)
        return self.stage.request("POST", f"/v1/conduct/{path}", said, token or self.organizer)

    def get(self, path: str) -> Answered:
        self.stage.advance(1)
        return self.stage.request("GET", f"/v1/conduct/{path}", token=self.organizer)


def privately(right_in: tuple[str, ...]) -> bytes:
    """Return a program that knows both sets' answers and tells the sets apart by images, in these subtasks alone."""
    public, private = right("public"), right("private")
    asked = "json.load(open('input/C2C/requests.json'))"
    known = json.loads((FOLDER / "private/input/C2C/requests.json").read_text("utf-8"))
    pick = [f"is_private = {asked} == json.loads({json.dumps(json.dumps(known))})"]
    pick += [
        f"pathlib.Path('output/prediction_{each}.json').write_text("
        f"json.dumps(json.loads({json.dumps(json.dumps(private[each]))}) if is_private else "
        f"json.loads({json.dumps(json.dumps(public[each]))})))"
        for each in right_in
    ]
    return program(*pick, answers={})
