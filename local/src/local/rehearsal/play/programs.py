"""Programs that simulated teams submit to fusion: archives of which the rehearsal knows how each run of them ends.

An archive holds ``play.json`` (how its run ends, after how many seconds, what it prints), ``answers.json`` (what it
predicts of each set) and ``run.py``, which does in a real runner what the stand-in does with the two others.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from local.rehearsal.history import MARK_OF_PROGRAMS
from markup_core.receipt import sha256_hex

Json = Any
SUBTASKS: Final = ("C2C", "HTR", "zsOD", "VQA")
PUBLIC, PRIVATE = "public", "private"
TIME_ZONE: Final = "Asia/Magadan"
"""Eleven hours before UTC: a driven clock starts an hour before its midnight, so that a rehearsal has two days."""
FOLDER: Final = "submissions/runs/"
ORDERED, STARTED, OVER = "ordered", "started", "over"
"""Objects of a run's folder by which the stand-in for machines is told of it and tells."""
A_DAY: Final = 3
MINUTES: Final = 2
"""Of a run at most; the cycle's."""
WHOLE: Final = 9
"""Programs of a team with which both its days are filled to what the rules allow; with fewer they are short."""
_FAR: Final = 10
"""Right requests of twenty at most, but for the team's best, so that any two programs differ in ten of them."""
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
    """How a program's first run ends."""

    SCORED = "scored"
    REFUSED = "refused"
    IMAGE = "image"
    EXIT_CODE = "exit_code"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NO_OUTPUT = "no_output"
    BAD_OUTPUT = "bad_output"
    LOST = "platform"
    """Its machine vanishes and leaves no ending; run again, it is scored."""


UNSCORED: Final = (
    Way.EXIT_CODE, Way.TIMEOUT, Way.OUT_OF_MEMORY, Way.NO_OUTPUT, Way.BAD_OUTPUT, Way.IMAGE, Way.REFUSED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """One archive: whose and which of theirs, how its run ends and after how long, how many of the twenty tests of each
    subtask it answers right. ``private_lost``: its first run in the private test is lost. ``real``: the local runner
    itself runs it, not the stand-in. ``near``: it tries to read a request out of its team's best, and answers one of
    each subtask otherwise."""

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
        """What it prints."""
        return f"{MARK_OF_PROGRAMS}{self.team}-{self.number}."


class Programs:
    """The two sets of the demonstration, and archives over them."""

    def __init__(self, folder: Path, seed: int, count: int) -> None:
        self._count = count
        self.unscored_a_day = 4 if count >= WHOLE else 1
        self._folder = folder
        self._seed = seed
        self._truth = {name: dict(_truth(folder / name)) for name in (PUBLIC, PRIVATE)}

    @cached_property
    def asked_in_private(self) -> Json:
        """What is asked of C2C in the private test, by which a program knows it."""
        return json.loads((self._folder / PRIVATE / "input/C2C/requests.json").read_text("utf-8"))

    def write(self, folder: Path, cycle: str) -> None:
        """Write the folder that ``contest cycle load`` imports."""
        shutil.copytree(self._folder, folder)
        head = json.loads((folder / "cycle.json").read_text("utf-8"))
        limits = {"submissions_per_day": A_DAY, "unscored_per_day": self.unscored_a_day}
        resources = {**head["parameters"]["resources"], "minutes": MINUTES}
        parameters = {**head["parameters"], **limits, "resources": resources, "technical": {"enabled": False}}
        said = {**head, "cycle": cycle, "time_zone": TIME_ZONE, "parameters": parameters}
        (folder / "cycle.json").write_text(json.dumps(said, ensure_ascii=False), "utf-8")

    @cached_property
    def _words(self) -> list[tuple[str, str, str]]:
        """Return the true answers that can be recognized: whole programs, and words as JSON has them."""
        programs = [each for of in self._truth.values() for each in of["C2C"].values()]
        words = [each for of in self._truth.values() for each in of["HTR"].values()]
        told = [(text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]) for text in programs]
        return [*told, *((json.dumps(word), json.dumps(word, ensure_ascii=False), f'"{word}"') for word in words)]

    def truths_in(self, received: str) -> tuple[int, ...]:
        """Return the numbers, from 1, of the true answers that stand in a text."""
        return tuple(place for place, ways in enumerate(self._words, start=1) if any(way in received for way in ways))

    def truth(self) -> Iterator[tuple[str, str, Json]]:
        """Set, subtask, true answers."""
        for name, of in self._truth.items():
            for subtask, said in of.items():
                yield name, subtask, said

    def of_team(self, team: int) -> list[list[Program]]:
        """A team's programs of the first day and of the second. Of the even ones the first is lost by its machine; as
        many fail as a day may have but one; what is scored is one more than a day may have, counting what was lost."""
        chance = random.Random(f"{self._seed}/programs/{team}")  # noqa: S311 - reproducible, no secret
        failing = [UNSCORED[(3 * team + each) % len(UNSCORED)] for each in range(3)]
        lost = [Way.LOST] if team % 2 == 0 else []
        if self._count >= WHOLE:
            first = [*lost, *failing, *[Way.SCORED] * (A_DAY + 1 - len(lost)), Way.SCORED]
            second = [Way.SCORED] * (2 + min(2, self._count - WHOLE))
        else:
            first = [*(lost or [Way.SCORED]), Way.SCORED, failing[0]]
            second = [Way.SCORED] * max(1, self._count - len(first))
        ways = [*first, *second]
        made = [
            Program(team, number, way, chance.choice((20, 40, 60)),
                    self._right(chance, number, is_best=number == len(first)),
                    private_lost=team == 0, real=team == 1 and number == len(ways) - 1, near=number == len(first) + 1)
            for number, way in enumerate(ways)
        ]  # fmt: skip
        return [made[: len(first)], made[len(first) :]]

    def _right(self, chance: random.Random, number: int, *, is_best: bool) -> dict[str, int]:
        """How many tests of each subtask it gets right; every third program leaves three subtasks out. A team's
        best, the first of its second day, gets all right, so that there is somebody whom to give the prizes."""
        if is_best:
            return dict.fromkeys(SUBTASKS, 20)
        subtasks = [SUBTASKS[number % len(SUBTASKS)]] if number % 3 == 2 else list(SUBTASKS)
        return {each: chance.randint(4, _FAR) for each in subtasks}

    def predictions(self, program: Program, name: str) -> dict[str, Json]:
        """Return what a program predicts of a set, by subtask: the first requests right, the others wrong in its own
        way, so that no two differ in few; but for one that is ``near``."""
        found = {}
        for subtask, right in (dict.fromkeys(SUBTASKS, 20) if program.near else program.right).items():
            truth = self._truth[name][subtask]
            few = 1 if program.near else 0
            found[subtask] = {
                each: _answer(subtask, truth[each]) if few <= place < right else _wrong(subtask, truth[each], program)
                for place, each in enumerate(sorted(truth))
            }
        return found

    def archive(self, program: Program) -> bytes:
        """Its archive; equal programs, equal bytes."""
        made = io.BytesIO()
        play = {**asdict(program), "mark": program.mark}
        answers = {
            "known": self.asked_in_private,
            **{name: self.predictions(program, name) for name in (PUBLIC, PRIVATE)},
        }
        members = {"play.json": json.dumps(play), "answers.json": json.dumps(answers), "run.py": _RUN}
        if program.way is not Way.REFUSED:
            said = {"image": "registry.example/team/model:1", "entry_point": "python3 run.py"}
            members["metadata.json"] = json.dumps(said)
        with zipfile.ZipFile(made, "w") as archive:
            for path, text in members.items():
                archive.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), text)
        return made.getvalue()

    def told(self, programs: Sequence[Program]) -> Iterator[Mapping[str, Json]]:
        """What a history says of programs: all that its checker knows of them."""
        for each in programs:
            body = self.archive(each)
            yield {
                "sha256": sha256_hex(body),
                "bytes": len(body),
                "team": each.team,
                "number": each.number,
                "way": each.way.value,
                "mark": each.mark,
                "real": each.real,
                "private_lost": each.private_lost,
                "predictions": {name: self.predictions(each, name) for name in (PUBLIC, PRIVATE)},
            }


def _truth(folder: Path) -> Iterator[tuple[str, Json]]:
    for each in SUBTASKS:
        yield each, json.loads((folder / f"true/true_{each}.json").read_text("utf-8"))


def _answer(subtask: str, truth: Json) -> Json:
    return truth["answer"] if subtask == "VQA" else truth


def _wrong(subtask: str, truth: Json, program: Program) -> Json:
    """Return an answer that is wrong, and no other program's."""
    if subtask == "zsOD":
        return {name: [[program.number, 0, 1, 1]] for name in truth}
    return f"wrong {program.number}"
