"""The contest of programs: archives whose runs are known, teams that submit them, machines that run them."""

from __future__ import annotations

import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from local.cloud import LocalCloud
from local.submissions.engines import strongest
from local.submissions.job import S3Bucket
from local.submissions.work import NOTHING, work
from markup_core.receipt import sha256_hex
from rehearsal.history import MARK_OF_PROGRAMS, MINUTE, SECOND, SUBMITTING, Millis
from rehearsal.play.driver import Actor, Play, Step
from rehearsal.play.material import Cycle
from rehearsal.play.teams import Steps, Team, as_json
from rehearsal.play.wire import Ask, Fault, Reply

Json = Any
SUBTASKS: Final = ("C2C", "HTR", "zsOD", "VQA")
PUBLIC, PRIVATE, _ALL_RIGHT = "public", "private", 1_000_000
TIME_ZONE: Final = "Asia/Magadan"
"""Zone eleven hours ahead of UTC: a driven clock starts an hour before its midnight; so a rehearsal has two days."""
FOLDER: Final = "submissions/runs/"
ORDERED, STARTED, OVER = "ordered", "started", "over"
"""Names of the objects in a run's folder that the worker and the stand-in for machines exchange."""
A_DAY: Final = 3
MINUTES: Final = 2  # longest duration of a run, by the cycle
WHOLE: Final = 9
"""Number of a team's programs that fills both its days up to the limits of the rules; with fewer the days are short."""
_FAR: Final = 10  # most right requests, except of a team's best, so that any two programs differ in ten of them
_RUN: Final = """\
import json, pathlib
play = json.loads(pathlib.Path("play.json").read_text())
answers = json.loads(pathlib.Path("answers.json").read_text())
asked = json.loads(pathlib.Path("input/C2C/requests.json").read_text())
print(play["mark"])
for name, said in answers["private" if asked == answers["known"] else "public"].items():
    pathlib.Path(f"output/prediction_{name}.json").write_text(json.dumps(said))
"""


class Way(StrEnum):
    """The ways in which a program's first run ends."""

    SCORED = "scored"
    EXIT_CODE = "exit_code"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NO_OUTPUT = "no_output"
    BAD_OUTPUT = "bad_output"
    IMAGE = "image"
    REFUSED = "refused"
    LOST = "platform"  # its machine vanishes and leaves no ending; run again, it is scored


UNSCORED: Final = tuple(way for way in Way if way not in (Way.SCORED, Way.LOST))


@dataclass(frozen=True, slots=True)
class Program:
    """One archive: its team and its number there, the ending and duration of its run, its number of right answers in
    each subtask. ``private_lost``: its first run in the private test is lost. ``real``: the local runner itself runs
    it, not the stand-in. ``near``: it differs from its team's best program in one answer of each subtask, so that the
    team could learn that request's answer."""

    team: int
    number: int
    way: Way
    seconds: int
    right: Mapping[str, int]
    private_lost: bool = False
    real: bool = False
    near: bool = False

    @property
    def mark(self) -> str:
        return f"{MARK_OF_PROGRAMS}{self.team}-{self.number}."


class Programs:
    """The two sets of a cycle, and archives over them."""

    open_files = ()  # it has no training set

    def __init__(self, cycle: Cycle, seed: int, count: int) -> None:
        self._cycle, self._seed, self._count = cycle, seed, count
        self.unscored_a_day = 4 if count >= WHOLE else 1
        self._folders = {PUBLIC: cycle.folder("test"), PRIVATE: cycle.folder("final")}
        self._truth = {name: dict(_truth(folder)) for name, folder in self._folders.items()}

    @cached_property
    def asked_in_private(self) -> Json:
        """Return the requests of C2C in the private test, by which a program knows it."""
        return json.loads((self._folders[PRIVATE] / "input/C2C/requests.json").read_text("utf-8"))

    def write(self, folder: Path, cycle: str, parameters: Mapping[str, Json]) -> None:
        """Write the folder that ``contest cycle load`` imports; ``parameters`` hold, as a day's limits and the zone."""
        limits = {"submissions_per_day": A_DAY, "unscored_per_day": self.unscored_a_day}
        rehearsed = {**parameters, **limits, "resources": {"minutes": MINUTES}}
        sets = {PUBLIC: {"kind": "test"}, PRIVATE: {"kind": "final"}}
        self._cycle.write(folder, cycle, rehearsed, time_zone=TIME_ZONE, sets=sets)
        for name, own in self._folders.items():
            shutil.copytree(own, folder / name)

    @cached_property
    def _words(self) -> list[tuple[str, str, str]]:
        """Return the true answers that can be recognized: whole programs, and words as JSON has them."""
        programs = [program for subtasks in self._truth.values() for program in subtasks["C2C"].values()]
        words = [word for subtasks in self._truth.values() for word in subtasks["HTR"].values()]
        escaped = [(text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]) for text in programs]
        return [*escaped, *((json.dumps(word), json.dumps(word, ensure_ascii=False), f'"{word}"') for word in words)]

    def texts_in(self, received: str) -> tuple[int, ...]:
        """Return the numbers, from 1, of the true answers that stand in a text."""
        return tuple(place for place, ways in enumerate(self._words, start=1) if any(way in received for way in ways))

    def truth(self) -> Iterator[tuple[str, str, Json]]:
        for name, subtasks in self._truth.items():
            for subtask, answers in subtasks.items():
                yield name, subtask, answers

    def of_team(self, team: int) -> list[list[Program]]:
        """Return a team's programs of the first day and of the second. Of the even ones the first is lost by its
        machine; as many fail as a day may have but one; the scored ones are one more than a day may have, counting the
        lost one."""
        chance = random.Random(f"{self._seed}/programs/{team}")  # noqa: S311 - reproducible, no secret
        failing = [UNSCORED[(3 * team + place) % len(UNSCORED)] for place in range(3)]
        lost = [Way.LOST] if team % 2 == 0 else []
        if self._count >= WHOLE:
            first = [*lost, *failing, *[Way.SCORED] * (A_DAY + 1 - len(lost)), Way.SCORED]
            second = [Way.SCORED] * (2 + min(2, self._count - WHOLE))
        else:
            first = [*(lost or [Way.SCORED]), Way.SCORED, failing[0]]
            second = [Way.SCORED] * max(1, self._count - len(first))
        ways = [*first, *second]
        programs = [
            Program(team, number, way, chance.choice((20, 40, 60)),
                    _shares(chance, number, is_best=number == len(first)),
                    private_lost=team == 0, real=team == 1 and number == len(ways) - 1, near=number == len(first) + 1)
            for number, way in enumerate(ways)
        ]  # fmt: skip
        return [programs[: len(first)], programs[len(first) :]]

    def predictions(self, program: Program, name: str) -> dict[str, Json]:
        """Return a program's predictions over a set, by subtask: the first requests right, the others wrong in its own
        way, so that no two differ in few; but for one that is ``near``."""
        few, shares = (1, dict.fromkeys(SUBTASKS, _ALL_RIGHT)) if program.near else (0, program.right)
        truth = self._truth[name]
        return {
            subtask: {
                request: _answer(subtask, truth[subtask][request], program, right=few <= place < right)
                for place, request in enumerate(sorted(truth[subtask]))
            }
            for subtask, right in shares.items()
        }

    def archive(self, program: Program) -> bytes:
        """Return its archive; equal programs, equal bytes."""
        packed = io.BytesIO()
        play = {**asdict(program), "mark": program.mark}
        answers = {
            "known": self.asked_in_private,
            **{name: self.predictions(program, name) for name in (PUBLIC, PRIVATE)},
        }
        members = {"play.json": json.dumps(play), "answers.json": json.dumps(answers), "run.py": _RUN}
        if program.way is not Way.REFUSED:
            metadata = {"image": "registry.example/team/model:1", "entry_point": "python3 run.py"}
            members["metadata.json"] = json.dumps(metadata)
        with zipfile.ZipFile(packed, "w") as archive:
            for path, text in members.items():
                archive.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), text)
        return packed.getvalue()

    def told(self, programs: Sequence[Program]) -> Iterator[Mapping[str, Json]]:
        """Yield a history's record of programs: all that its checker knows of them."""
        for program in programs:
            body = self.archive(program)
            names = ("team", "number", "way", "mark", "real", "private_lost")
            yield {
                "sha256": sha256_hex(body),
                "bytes": len(body),
                **{name: getattr(program, name) for name in names},
                "predictions": {name: self.predictions(program, name) for name in (PUBLIC, PRIVATE)},
            }


def _truth(folder: Path) -> Iterator[tuple[str, Json]]:
    for subtask in SUBTASKS:
        yield subtask, json.loads((folder / f"true/true_{subtask}.json").read_text("utf-8"))


def _shares(chance: random.Random, number: int, *, is_best: bool) -> dict[str, int]:
    """Return how many tests of each subtask a program gets right; every third leaves three subtasks out. A team's best,
    the first of its second day, gets all right, so that somebody wins the prizes."""
    if is_best:
        return dict.fromkeys(SUBTASKS, _ALL_RIGHT)
    subtasks = [SUBTASKS[number % len(SUBTASKS)]] if number % 3 == 2 else list(SUBTASKS)
    return {subtask: chance.randint(4, _FAR) for subtask in subtasks}


def _answer(subtask: str, truth: Json, program: Program, *, right: bool) -> Json:
    """Return a right answer, or one that is wrong, and no other program's."""
    if right:
        return truth["answer"] if subtask == "VQA" else truth
    return {name: [[program.number, 0, 1, 1]] for name in truth} if subtask == "zsOD" else f"wrong {program.number}"


LOOKS: Final[Millis] = 30 * SECOND
_PATIENCE: Final = 30
_WAITS: Final = 60  # times that a team looks at a submission, or comes again while another is under way
_LOST_SHARE, _TWICE_SHARE = 0.12, 0.2
FINAL: Final = frozenset({"refused", "scored", "failed"})
UNDER_WAY, EXHAUSTED = "submission_under_way", "submissions_exhausted"


@dataclass(frozen=True, slots=True)
class Times:
    """The moments of the contest: the second day begins, teams choose, the private test begins, all is over."""

    starts_at: Millis
    second_day: Millis
    choosing: Millis
    private: Millis
    ends_at: Millis


class Submitting:
    """The plays of all teams. ``now`` returns the time, ``injected`` is called for each intended loss."""

    def __init__(
        self, programs: Programs, times: Times, settings: Any, now: Callable[[], Millis], injected: Callable[..., None]
    ) -> None:
        self._programs, self._times, self.now, self._injected = programs, times, now, injected
        self._faults: frozenset[Fault] = settings.faults
        self._chance = random.Random(f"{settings.seed}/submitting")  # noqa: S311 - reproducible, no secret
        self.submissions: dict[str, list[str]] = {}
        self.private: dict[str, list[str]] = {}  # submissions so far, and private runs, by team, for the teams that pry

    def play(self, team: Team, days: Sequence[Sequence[Program]]) -> Play:
        moments = (self._times.starts_at, self._times.second_day + MINUTE)
        for moment, programs in zip(moments, days, strict=True):
            yield Step(max(self.now(), moment + team.index * SECOND), ())
            yield from self.day(team, programs)
        name = yield from self._brings(team, days[-1][-1], whole=False)
        yield from self._asks(team, "give_up", f"POST /{name}/give-up", submission=name)
        yield from self._chooses(team)

    def day(self, team: Team, programs: Sequence[Program]) -> Play:
        """Bring programs one after the other, each as soon as the one before has its result."""
        for place, program in enumerate(programs):
            name = yield from self._brings(team, program)
            if not name:
                continue
            accepted = yield from self._hands_in(team, name, program)
            if accepted and place == 0 and len(programs) > 1:  # another one is not taken while the first is under way
                other = programs[place + 1]
                beside = yield from self._brings(team, other)
                how: Json = {"submission": beside, "program": other.number}
                yield from self._asks(team, "complete", f"POST /{beside}/complete", **how)
            if accepted:
                yield from self._watches(team, name)
        if Fault.PRYING in self._faults:
            listed = self.submissions.items()
            others = [submission for name, own in listed if name != team.name for submission in own]
            yield from self._pries(team, others[-2:])

    def _brings(self, team: Team, program: Program, *, whole: bool = True) -> Generator[Step, Sequence[Reply], str]:
        """Announce an archive and put it where the platform says; return its name."""
        body = self._programs.archive(program)
        order = {"kind": "program", "bytes": len(body), "sha256": sha256_hex(body)}
        key = f"program-{program.team}-{program.number}-{'whole' if whole else 'given-up'}"
        begun = yield from self._asks(team, "begin", "POST ", order, key, program=program.number)
        name = str(begun.body.get("submission_id", ""))
        if begun.status != 201 or not whole:
            return name
        own = self.submissions.setdefault(team.name, [])
        own += [] if name in own else [name]
        place = yield from self._asks(team, "part", f"GET /{name}/parts/1")
        yield from self._asks(team, "put", f"PUT {place.body.get('address', '/')}", body, root="")
        return name

    def _hands_in(self, team: Team, name: str, program: Program) -> Generator[Step, Sequence[Reply], bool]:
        """Hand in, again while another one is under way; return whether it was taken."""
        for _ in range(_WAITS):
            how: Json = {"submission": name, "program": program.number}
            twice = self._drawn(Fault.DUPLICATES, _TWICE_SHARE)
            completed = yield from self._asks(team, "complete", f"POST /{name}/complete", twice=twice, **how)
            if completed.code != UNDER_WAY:
                return completed.status == 200
            yield Step(self.now() + LOOKS, ())
        return False

    def _watches(self, team: Team, name: str) -> Play:
        """Look until it is final, then read its report and its output."""
        for _ in range(_WAITS):
            yield Step(self.now() + LOOKS, ())
            submission = yield from self._asks(team, "look", f"GET /{name}", submission=name)
            if submission.body.get("state") in FINAL:
                break
        for what in ("report", "logs"):
            yield from self._asks(team, what, f"GET /{name}/{what}", submission=name)

    def _chooses(self, team: Team) -> Play:
        """Choose submissions: every third team chooses its worst and its best, the next its worst, the third leaves it
        to the platform. The declared share of a team's worst is never enough; of its best it is, but of the third's."""
        yield Step(max(self.now(), self._times.choosing + team.index * SECOND), ())
        listed = yield from self._asks(team, "list", "GET ?limit=100")
        scored = [submission for submission in listed.body.get("submissions", ()) if submission["value"] is not None]
        by_value = sorted(scored, key=lambda submission: (submission["value"], submission["submission_id"]))
        ends = [submission["submission_id"] for submission in (*by_value[:1], *by_value[1:][-1:])]
        chosen = (ends, ends[:1], [])[team.index % 3]
        yield from self._asks(team, "name", "POST /named", {"submissions": chosen}, chosen=chosen)
        for name, shared in zip(ends, (29, 29 if team.index % 3 == 2 else 40), strict=False):
            sizes = {"total_parameters": 100, "shared_parameters": shared}
            way = f"POST /{name}/declaration"
            yield from self._asks(team, "declare", way, sizes, submission=name, shared=shared)
        yield Step(max(self.now(), self._times.private + 20 * SECOND + team.index * SECOND // 4), ())
        yield from self._asks(team, "name_late", "POST /named", {"submissions": chosen})
        for what, rest in (("private", ""), ("archive", "/archive")):  # none of it is out yet
            yield from self._asks(team, what, f"GET /v1/private-test{rest}", root="")
        yield from self._pries(team, self.private.get(team.name, ()))

    def _pries(self, team: Team, names: Sequence[str]) -> Play:
        """Request submissions about which the team may learn nothing."""
        for name in names:
            for what in ("", "/report", "/logs"):
                yield from self._asks(team, "pry", f"GET /{name}{what}", submission=name)

    def _asks(
        self, team: Team, what: str, way: str, body: Json = None, key: str | None = None, *,
        twice: bool = False, root: str = "/v1/submissions", **means: Json,
    ) -> Steps:  # fmt: skip
        """Ask until the platform has answered for good; perhaps the first request or its answer is lost."""
        ask = first = _asking(what, way, root, body, key, means)
        if self._drawn(Fault.DISCONNECTS, _LOST_SHARE):
            reached = self._chance.random() < 0.5
            first = replace(ask, reached=reached, answer_seen=False)
            self._injected("lost_answer" if reached else "lost_request", team=team.name)
        replies: Sequence[Reply] = yield Step(self.now() + SECOND // 4, (first, ask) if twice else (first,))
        for _ in range(_PATIENCE):
            reply = next((answer for answer in replies if not answer.passing), replies[0])
            if not reply.passing or reply.code == EXHAUSTED:  # of a day's last one nothing is asked again
                break
            replies = yield Step(self.now() + SECOND, (ask,))
        return reply

    def _drawn(self, fault: Fault, share: float) -> bool:
        return fault in self._faults and self._chance.random() < share


def _asking(what: str, way: str, root: str, body: Json, key: str | None, means: Mapping[str, Json]) -> Ask:
    """Return a request, ``way`` being its method and its path below the root."""
    method, _, rest = way.partition(" ")
    content = body if isinstance(body, bytes) or body is None else as_json(body)
    return Ask(f"{SUBMITTING}{what}", method, f"{root}{rest}", body=content, key=key, means=means)


class Desk:
    """The organizers, the commission: repeats runs that machines have lost, begins the private test, publishes it."""

    def __init__(self, organizer: Actor, commission: Actor, times: Times, submitting: Submitting) -> None:
        self._organizer, self._commission = organizer, commission
        self._times, self._private, self._now = times, submitting.private, submitting.now

    def ask(self, ask: Ask) -> Reply:
        return (self._commission if ask.means.get("commission") else self._organizer).ask(ask)

    def play(self) -> Play:
        while self._now() < self._times.choosing:
            yield Step(self._now() + 2 * MINUTE, ())
            yield from self._again()
        yield Step(self._times.private, ())
        for _ in range(2):
            yield from self._asks("private_begin", "POST /private-test", {"set": "private"})
        yield from self._confirms()
        for _ in range(40):
            yield from self._looks()
            yield Step(self._now() + MINUTE, ())
            out = yield from self._asks("publish", "POST /private-test/publication", {"reason": "rehearsed"})
            if out.status == 200:
                return
            yield from self._again()

    def _looks(self) -> Play:
        private_test = yield from self._asks("private_shown", "GET /private-test")
        runs = private_test.body.get("runs", ())
        for run in runs:
            names = self._private.setdefault(run["team_id"], [])
            names += [] if run["submission_id"] in names else [run["submission_id"]]
        yield from self._reruns(runs)

    def _again(self) -> Play:
        """Repair the jobs at which a worker has failed for good, and run again those that machines have lost."""
        yield from self._asks("mend", "POST /doctor/mend", {}, root="/v1")
        listed = yield from self._asks("listed", "GET /submissions?limit=100")
        yield from self._reruns(listed.body.get("submissions", ()))

    def _reruns(self, runs: Sequence[Mapping[str, Json]]) -> Play:
        for name in [str(run["submission_id"]) for run in runs if run["cause"] == "platform"]:
            reason = {"reason": "its machine was lost"}
            yield from self._asks("rerun", f"POST /submissions/{name}/rerun", reason, submission=name)

    def _confirms(self) -> Play:
        """Confirm the declarations of more than 30 %."""
        listed = yield from self._asks("listed", "GET /submissions?limit=100")
        for submission in listed.body.get("submissions", ()):
            name, declared = submission["submission_id"], submission.get("declaration")
            if declared is not None:
                ruling = {"confirmed": declared["shared_share"] >= 0.3, "reason": "the weights were looked at"}
                means = {"submission": name, "confirmed": ruling["confirmed"], "commission": True}
                yield from self._asks("ruled", f"POST /submissions/{name}/declaration", ruling, **means)

    def _asks(self, what: str, way: str, body: Json = None, root: str = "/v1/conduct", **means: Json) -> Steps:
        ask = _asking(what, way, root, body, None, means)
        for _ in range(_PATIENCE):
            (reply,) = yield Step(self._now() + SECOND // 2, (ask,))
            if not reply.passing:
                break
        return reply


MACHINES_LOOK: Final[Millis] = 15 * SECOND
_QUEUE: Final = "QueuesSubmissions"
MACHINE: Final = "a rehearsed machine"


@dataclass(frozen=True, slots=True)
class _Running:
    """A run under way: its order, the play and answers in its archive, and its end."""

    order: Mapping[str, Json]
    play: Mapping[str, Json]
    answers: Mapping[str, Json]
    until: Millis


class Machines:
    """All machines; their play makes no request, so its player makes no difference."""

    def __init__(self, cloud: LocalCloud, injected: Callable[..., None]) -> None:
        self._cloud, self._injected = cloud, injected
        self._s3 = cloud.client("s3")
        self._bucket = cloud.environment("FunctionsCommand")["HURDLE_BUCKET"]
        self._running: dict[str, _Running] = {}
        self._begun: set[str] = set()
        self._in_private: set[int] = set()
        """Teams whose first private run was lost."""

    def play(self, until: Millis) -> Play:
        now = self._cloud.clock.now_ms()
        while now < until:
            yield Step(now + MACHINES_LOOK, ())
            now = self._cloud.clock.now_ms()
            self._begin(now)
            for run in [run for run, running in self._running.items() if running.until <= now]:
                self._ended(run, self._running.pop(run))

    def _begin(self, now: Millis) -> None:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=FOLDER)
        for key in sorted(entry["Key"] for page in pages for entry in page.get("Contents", ())):
            run = key.removeprefix(FOLDER).partition("/")[0]
            if not key.endswith(f"/{ORDERED}") or run in self._begun:
                continue
            self._begun.add(run)
            order = json.loads(self._read(f"{FOLDER}{run}/order.json"))
            packed = b"".join(self._read(part["name"]) for part in order["archive"])
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                play, answers = (json.loads(archive.read(f"{document}.json")) for document in ("play", "answers"))
            self._put(f"{FOLDER}{run}/{STARTED}", b"")
            lasts = order["limits"]["wall_s"] if play["way"] == Way.TIMEOUT else play["seconds"]
            self._running[run] = _Running(order, play, answers, now + lasts * SECOND)

    def _ended(self, run: str, running: _Running) -> None:
        """Leave a job's results, the ending last; a vanishing machine leaves nothing. Then send the rule's message."""
        play, folder = running.play, running.order["folder"]
        inputs = {entry["path"]: entry["name"] for entry in running.order["inputs"]}
        # Its requests tell whether it is run over the public test.
        is_public = bool(json.loads(self._read(inputs["C2C/requests.json"])) != running.answers["known"])
        if self._is_lost(running, run, is_public=is_public):
            self._injected("machine_lost", run=run)
        elif play["real"] and is_public:
            work(S3Bucket(self._s3, self._bucket), f"{folder}order.json", strongest(), MACHINE)
            self._injected("run_for_real", run=run)
        else:
            self._leave(run, running, PUBLIC if is_public else PRIVATE)
        self._put(f"{folder}{OVER}", b"")
        body = json.dumps({"run": run})
        self._cloud.client("sqs").send_message(QueueUrl=self._cloud.resource(_QUEUE), MessageBody=body)

    def _is_lost(self, running: _Running, run: str, *, is_public: bool) -> bool:
        play, is_first = running.play, run.endswith("-1")
        if is_public:
            return bool(play["way"] == Way.LOST) and is_first
        if play["private_lost"] and is_first and play["team"] not in self._in_private:
            self._in_private.add(play["team"])
            return True
        return False

    def _leave(self, run: str, running: _Running, name: str) -> None:
        play, folder, way = running.play, running.order["folder"], running.play["way"]
        fine, outputs = way in {Way.SCORED, Way.LOST, Way.BAD_OUTPUT}, []
        for subtask, predicted in running.answers[name].items() if fine else ():
            body = b"no JSON at all" if way == Way.BAD_OUTPUT else json.dumps(predicted).encode()
            path = f"prediction_{subtask}.json"
            self._put(f"{folder}output/{path}", body)
            outputs.append({"name": path, "size": len(body), "sha256": sha256_hex(body)})
        self._put(f"{folder}stdout", f"{play['mark']}{run}\n".encode())
        self._put(f"{folder}stderr", f"{play['mark']}{run} on stderr\n".encode())
        ending = {
            "cause": None if fine else way,
            "exit_code": {Way.EXIT_CODE: 3, Way.TIMEOUT: -15, Way.OUT_OF_MEMORY: -9}.get(way, 0),
            "seconds": float(play["seconds"]),
            "outputs": outputs,
            "machine": MACHINE,
        }
        self._put(f"{folder}ending.json", as_json({"format": 1, **NOTHING, **ending}))

    def _read(self, name: str) -> bytes:
        content: bytes = self._s3.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        return content

    def _put(self, name: str, content: bytes) -> None:
        self._s3.put_object(Bucket=self._bucket, Key=name, Body=content)


INSTALLED: Final = """

from contest.wiring import platform as _platform
from rehearsal.play.programs import MachineOrders as _MachineOrders

_MachineOrders.install(_platform())
"""
"""Ends the module of the worker in a rehearsed copy."""


class MachineOrders:
    """:class:`contest.results.ports.Runner` of a rehearsed copy, by objects that :class:`Machines` find.

    A process and a container for each of a hundred runs would take the rehearsal's time several times over. So the
    worker begins a run by an object and looks at another one; machines leave what the real job leaves. Whatever the
    worker does otherwise is its own.
    """

    def __init__(self, platform: Any) -> None:
        self._blobs = platform.blobs

    @classmethod
    def install(cls, platform: Any) -> None:
        """Let a process's platform run its programs here."""
        platform.__dict__["runner"] = cls(platform)

    def start(self, order: Any) -> None:
        self._blobs.put_if_absent(f"{order.folder}{ORDERED}", order.run.encode())

    def phase(self, run: str) -> Any:
        phases = import_module("contest.submissions.rules").Phase
        there = self._blobs.names(f"{FOLDER}{run}/")
        by_object = {OVER: phases.OVER, STARTED: phases.STARTED, ORDERED: phases.WAITING}
        return next((phase for name, phase in by_object.items() if f"{FOLDER}{run}/{name}" in there), phases.UNKNOWN)

    def stop(self, run: str) -> None:
        """End a run: a machine that finds this has nothing to do."""
        self._blobs.put_if_absent(f"{FOLDER}{run}/{OVER}", b"")
