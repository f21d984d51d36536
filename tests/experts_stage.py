"""Experts and their coordinator on a stage: real essays of the demonstration, marked up over HTTP on the held clock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from contest.people.rules import Role
from tests.stage import Answered, Stage
from tests.toys import FolderInMemory

DEMONSTRATION = Path(__file__).resolve().parents[1] / "local" / "demonstration"
CYCLE = "demo"
AGREED, DIFFERENT = "hist-01", "hist-02"
"""An essay whose two experts agree well enough, and one for which the rule calls a third."""


@cache
def _read(name: str) -> str:
    folder = next(each for each in ("train", "test") if (DEMONSTRATION / each / f"{name}.json").exists())
    return (DEMONSTRATION / folder / f"{name}.json").read_text("utf-8")


def shipped(item: str, expert: int = 0) -> Any:
    """Return a demonstration essay, or one of the two markups of it."""
    return json.loads(_read(f"{item}_exp{expert:02d}" if expert else item))


def essay_cycle(train: Sequence[str], final: Sequence[str] = (), **parameters: Any) -> FolderInMemory:
    """Return a cycle of demonstration essays; those of the final have no markups yet."""
    described = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    sets = {"train": {"kind": "training"}, **({"final": {"kind": "final"}} if final else {})}
    # The clock stands still while somebody works: what a person may do in a second is tested elsewhere.
    quiet = {"technical": {"enabled": False}, "requests_per_second": 1_000, **parameters}
    files: dict[str, Any] = {"cycle.json": {**described, "sets": sets, "parameters": quiet}}
    for item in train:
        files[f"train/{item}.json"] = shipped(item)
        for number in (1, 2):
            files[f"train/{item}_exp{number:02d}.json"] = shipped(item, number)
    for item in final:
        files[f"final/{item}.json"] = shipped(item)
    return FolderInMemory(files)


class Person:
    """Person who is signed in."""

    def __init__(self, stage: Stage, role: Role, name: str) -> None:
        self.stage, self.name = stage, name
        self.token = stage.person(role, name)

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answered:
        return self.stage.request(method, path, body, self.token, headers)


class Coordinator(Person):
    """Organizer who assigns essays to experts."""

    def __init__(self, stage: Stage, name: str = "olga", role: Role = Role.ORGANIZER) -> None:
        super().__init__(stage, role, name)

    def add(self, name: str, subjects: Sequence[str] = ("hist",), groups: Sequence[str] = (), **more: Any) -> Answered:
        """Let somebody be an expert, with an account if there is none."""
        self.stage.person(Role.EXPERT, name)
        said = {"subjects": list(subjects), "languages": ["rus", "eng"], "groups": list(groups), **more}
        return self.ask("PUT", f"/v1/experts/{name}", said)

    def assign(self, **order: Any) -> Answered:
        return self.ask("POST", "/v1/markings", order or {"set": "train"})

    def progress(self, marking_id: str | None = None) -> Any:
        known = marking_id or self.ask("GET", "/v1/markings").json["markings"][0]["marking_id"]
        answered = self.ask("GET", f"/v1/markings/{known}")
        assert answered.status == 200, answered.text
        return answered.json

    def essay(self, item: str, marking_id: str | None = None) -> Any:
        return next(each for each in self.progress(marking_id)["essays"] if each["item_id"] == item)

    def decide(self, what: str, expert: str, assignment_id: str, **said: Any) -> Answered:
        path = f"/v1/experts/{expert}/assignments/{assignment_id}/{what}"
        return self.ask("POST", path, {"reason": "a reason", **said})


class Expert(Person):
    """An expert at work on the first assignment, or on a named one."""

    def __init__(self, stage: Stage, name: str) -> None:
        super().__init__(stage, Role.EXPERT, name)

    def own(self) -> Any:
        return self.ask("GET", "/v1/assignments").json["assignments"]

    def work(self, assignment_id: str) -> Answered:
        return self.ask("GET", f"/v1/assignments/{assignment_id}")

    def open(self, assignment_id: str) -> Answered:
        return self.ask("POST", f"/v1/assignments/{assignment_id}/open")

    def save(self, assignment_id: str, based_on: int | None, markup: Any) -> Answered:
        headers = {} if based_on is None else {"If-Match": f'"{based_on}"'}
        return self.ask("PUT", f"/v1/assignments/{assignment_id}/draft", markup, headers)

    def draft(self, assignment_id: str, markup: Any) -> Answered:
        """Open an assignment and save a first draft."""
        assert self.open(assignment_id).status == 200
        return self.save(assignment_id, 0, markup)

    def hand_in(self, assignment_id: str, based_on: int | None) -> Answered:
        headers = {} if based_on is None else {"If-Match": f'"{based_on}"'}
        return self.ask("POST", f"/v1/assignments/{assignment_id}/hand-in", None, headers)

    def mark_up(self, assignment_id: str, markup: Any) -> None:
        """Open, save once, hand in."""
        saved = self.draft(assignment_id, markup)
        assert saved.status == 200, saved.text
        handed_in = self.hand_in(assignment_id, 1)
        assert handed_in.status == 200, handed_in.text


class Desk:
    """Cycle with two or more historians to whom its training essays are assigned."""

    def __init__(self, stage: Stage, items: Sequence[str] = (AGREED,), names: str = "anna boris", **rules: Any) -> None:
        from contest.cycle.loading import load_cycle

        self.stage = stage
        parameters = {"experts": rules} if rules else {}
        load_cycle(stage.platform, "tests", CYCLE, essay_cycle(items, **parameters), lambda _: None)
        self.olga = Coordinator(stage)
        self.experts = {name: Expert(stage, name) for name in names.split()}
        for name in self.experts:
            assert self.olga.add(name).status == 200
        assigned = self.olga.assign()
        assert assigned.status == 200, assigned.text

    def given(self, item: str) -> list[tuple[Expert, str]]:
        """List the experts of an essay with their assignment ids, in the order of assignment; ended ones too."""
        found = self.olga.essay(item)["assignments"]
        return [
            (self.experts.setdefault(each["expert_id"], Expert(self.stage, each["expert_id"])), each["assignment_id"])
            for each in found
        ]

    def mark_up(self, item: str, *markups: Any) -> None:
        """Let the experts of an essay hand these markups in; the shipped ones without any."""
        for number, (expert, assignment_id) in enumerate(self.given(item), start=1):
            expert.mark_up(assignment_id, markups[number - 1] if markups else shipped(item, number))
