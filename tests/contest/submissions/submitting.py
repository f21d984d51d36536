"""A team that submits over HTTP, fusion's programs and their stage, and the machine that runs them by the real job."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from itertools import count
from typing import Any

from contest import stored_names
from contest.adapters import aws
from contest.people.rules import Role
from contest.submissions.rules import Phase, RunOrder, SubmissionTask
from local.environment import folder_of
from local.submissions.job import Engine, S3Bucket
from local.submissions.work import work
from tests.stage import Answered, Program, Stage
from tests.stage_services import BUCKET

PART = re.compile(r"^/(uploads/submissions/\d{15}/\d+-[0-9a-f]{64})\?Policy=")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Submitter(Program):
    """A participant's program that submits."""

    def announce(self, content: bytes, kind: str = "answers", key: str | None = None, **order: Any) -> Answered:
        headers = {"key": key} if key else {}
        said = {"kind": kind, "bytes": len(content), "sha256": sha(content), **order}
        return self.ask("POST", "/v1/submissions", said, **headers)

    def put(self, name: str, number: int, content: bytes) -> None:
        place = self.ask("GET", f"/v1/submissions/{name}/parts/{number}").json
        found = PART.match(place["address"])
        assert found is not None, place
        assert place["size"] == len(content)
        assert found[1].startswith(stored_names.submission_uploads(name))
        aws.client("s3").put_object(Bucket=BUCKET, Key=found[1], Body=content)

    def complete(self, name: str) -> Answered:
        return self.ask("POST", f"/v1/submissions/{name}/complete")

    def give_up(self, name: str) -> Answered:
        return self.ask("POST", f"/v1/submissions/{name}/give-up")

    def hand_in(self, content: bytes, kind: str = "answers", **order: Any) -> str:
        """Announce, upload and hand in a file; return the submission's name."""
        begun = self.announce(content, kind, **order).body(201)
        name = str(begun["submission_id"])
        self.put(name, 1, content)
        assert self.complete(name).status == 200
        self.stage.advance(1)
        return name

    def submit(self, content: bytes, kind: str = "answers", **order: Any) -> dict[str, Any]:
        """Hand a file in and work on it; return the submission."""
        name = self.hand_in(content, kind, **order)
        assert self.stage.judge() == []
        return self.look(name)

    def look(self, name: str) -> dict[str, Any]:
        submission = self.ask("GET", f"/v1/submissions/{name}").body()
        self.stage.advance(1)
        return dict(submission)

    def report_of(self, name: str) -> Answered:
        return self.ask("GET", f"/v1/submissions/{name}/report")


class Machine:
    """:class:`contest.results.ports.Runner` whose runs happen when a test says so, outside of any function."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.orders: dict[str, RunOrder] = {}
        self.loses_endings = False
        """True if jobs vanish without a trace."""
        self._over: set[str] = set()

    def start(self, order: RunOrder) -> None:
        self.orders.setdefault(order.run, order)

    def phase(self, run: str) -> Phase:
        if run in self._over:
            return Phase.OVER
        return Phase.STARTED if run in self.orders else Phase.UNKNOWN

    def stop(self, run: str) -> None:
        self._over.add(run)

    def run_all(self) -> list[str]:
        """Run everything that was started and is not over; the runs' names."""
        waiting = [each for each in self.orders if each not in self._over]
        for each in waiting:
            if not self.loses_endings:
                order = f"{self.orders[each].folder}order.json"
                work(S3Bucket(aws.client("s3"), BUCKET), order, self._engine, "a machine")
            self._over.add(each)
        return waiting


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


def submitted_runs(stage: Stage, machine: Machine, runs: list[Any]) -> None:
    """Run the programs of begun private runs, and score their outputs."""
    assert stage.judge() == []
    machine.run_all()
    stage.platform.submission_tasks.send([SubmissionTask(run["submission_id"]) for run in runs])
    assert stage.judge() == []


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
