"""Experts at work around a final: the drafts that count, the third expert, results by them; what the checks find."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rehearsal.history import MARK, QUALIFYING
from rehearsal.play.material import Material
from tests.rehearsal.spoiling import faults_of
from tests.rehearsal.story import Pen

Json = Any
APART, COUNTED = "experts_apart", "experts_counted"
TEAM, ORGANIZER = "qualify-ready", "organizer@example.org"
AGREED, DIFFERENT = 0, 1
"""Places of the essays."""


def name(expert: int) -> str:
    return f"expert-{expert}@example.org"


class Marking:
    """Writes calls of a final of two files: one on which both experts agree, one with a third."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self.items = [line["item"] for line in pen.all("own")][:2]
        material: Material = pen.material
        self.known = [list(material.experts(item["text"])[0]["selections"]) for item in self.items]
        self.brought: list[list[Json]] = [[], []]

    def call(
        self, what: str, team: str, said: Json, *, number: int | None = None, marks: Sequence[str] = (), **means: Json
    ) -> None:
        n = 1 + max(line["n"] for line in self.pen.lines if line["kind"] == "request")
        at = {"n": n, "at": 1_800_000_000_000 + n}
        wanted = {"status": [200], "says": {}, **means}
        named = {"team": team, "what": f"{QUALIFYING}experts{what}", "number": number, "path": f"/v1{what}"}
        self.pen.lines += [
            {"kind": "request", **at, **named, "means": wanted},
            {"kind": "response", **at, "status": 200, "said": said, "marks": list(marks)},
        ]

    def opens(self, expert: int, place: int, *, third: bool = False, marks: Sequence[str] = ()) -> None:
        said = {"assignment": {"third": third}, "content": {"text": self.items[place]["text"]}}
        self.call("_opened", name(expert), said, assignment=f"{expert}-{place}", marks=marks)

    def saves(self, expert: int, place: int, marked: Sequence[Json], mark: str, *, valid: bool = True) -> Json:
        selections = [{**each, "comment": f"{MARK}draft-{mark}"} for each in marked]
        markup = {**self.items[place], "selections": selections}
        self.call("_saved", name(expert), {}, assignment=f"{expert}-{place}", markup=markup, valid=valid)
        return markup

    def marks_up(self) -> None:
        """Who gets what, and what everybody brings."""
        people = [{"person_id": f"p{expert}", "email": name(expert)} for expert in range(1, 5)]
        self.call("_staff", ORGANIZER, {"staff": people})
        given = [(AGREED, (1, 2)), (DIFFERENT, (3, 4))]
        said = {self.items[place]["meta"]["id"]: [f"p{each}" for each in experts] for place, experts in given}
        self.call("_given", ORGANIZER, {"given": said})
        whole, most = self.known[AGREED], self.known[DIFFERENT]
        for expert, place in ((1, AGREED), (2, AGREED), (3, DIFFERENT), (4, DIFFERENT)):
            self.opens(expert, place)
            marked = most[:1] if expert == 4 else self.known[place]
            self.saves(expert, place, self.known[place][:2], f"000{expert}-1")
            self.brought[place].append(self.saves(expert, place, marked, f"000{expert}-2"))
        self.saves(2, AGREED, whole[:3], "0002-3", valid=False)
        self.opens(1, DIFFERENT, third=True, marks=("draft-0003-2", "draft-0004-2"))
        self.brought[DIFFERENT].append(self.saves(1, DIFFERENT, most[1:], "0001-4"))

    def results(self) -> None:
        """Write the platform's results."""
        files, archive = [], {}
        for place, item in enumerate(self.items):
            item_id = item["meta"]["id"]
            files.append({"name": f"{item_id}.json", "text": json.dumps(item)})
            archive[f"essays/{place}.json"] = {"text": json.dumps(item)}
            for number, each in enumerate(self.brought[place], start=1):
                files.append({"name": f"{item_id}_exp0{number}.json", "text": json.dumps(each)})
                archive[f"experts/{place}/{number}-expert-{number}.json"] = {"text": json.dumps(each)}
        self.call("_markups", ORGANIZER, {"files": files})
        result = {"relative_accuracy": 87.5}
        archive["board.json"] = {"text": json.dumps({"rows": [{"team_id": TEAM, "result": result}]})}
        self.pen.add("answer", of="experts_archive", body=archive)
        self.pen.add("answer", of="experts_archive_verified", body={"rows": 1, "faults": []})
        self.call("_published", ORGANIZER, {})
        self.call("_report", TEAM, {"result": result})
        shown = [["draft-0001-2", "draft-0002-2"], ["draft-0003-2", "draft-0004-2", "draft-0001-4"]]
        for place, marks in enumerate(shown):
            self.call("_shown", TEAM, {}, number=place + 1, marks=marks)
        row = {"place": 1, "team_id": TEAM, "value": result["relative_accuracy"], "result": result}
        self.call("_board", TEAM, {"rows": [row]})

    def answers(self) -> None:
        """Write the team's hand-outs and answers."""
        for place, item in enumerate(self.items):
            self.call("_file", TEAM, {"content": {"text": item["text"]}}, number=place + 1)
            said = {"receipt": {"status": "accepted"}}
            self.call("_answer", TEAM, said, number=place + 1, markup=self.answer(place))

    def answer(self, place: int) -> Json:
        return {**self.items[place], "selections": self.known[place][::2]}


@pytest.fixture
def marked(pen: Pen) -> Pen:
    """Everything as it is right; nothing is asked for in the size of this story."""
    pen.find("header").update(faults=[])
    marking = Marking(pen)
    marking.answers()
    marking.marks_up()
    marking.results()
    return pen


def last(pen: Pen, what: str, place: int = -1) -> tuple[Json, Json]:
    """Return the last request of a name and its response."""
    request = pen.all("request", what=f"{QUALIFYING}experts{what}")[place]
    return request, pen.find("response", n=request["n"])


def test_what_experts_brought_counts(marked: Pen) -> None:
    assert faults_of(marked, APART) == []
    assert faults_of(marked, COUNTED) == []


def no_third(pen: Pen) -> None:
    for what in ("_opened", "_saved"):
        for line in last(pen, what):
            pen.forget(line)


def changed(place: int, **said: Json) -> Callable[[Pen], None]:
    """Return a change of a board's row to other values."""

    def change(pen: Pen) -> None:
        last(pen, "_board")[1]["said"]["rows"][place].update(said)

    return change


@pytest.mark.parametrize(
    ("check", "change", "said"),
    [
        (APART, no_third, "0 third experts have marked it up, by the rule 1"),
        (APART, lambda pen: last(pen, "_saved")[1].update(marks=["draft-0002-2"]), "is shown the drafts draft-0002-2"),
        (APART, lambda pen: last(pen, "_shown")[1].update(marks=["draft-0003-1"]), "shows the drafts ['draft-0003-1']"),
        (APART, lambda pen: last(pen, "_opened")[1].update(marks=[]), "the third expert is shown the drafts []"),
        (APART, lambda pen: last(pen, "_saved")[1].update(status=409), "is answered 409"),
        (COUNTED, lambda pen: last(pen, "_markups")[1]["said"]["files"].pop(), "are told, 3 were brought"),
        (
            COUNTED,
            lambda pen: pen.find("answer", of="experts_archive")["body"].pop("experts/1/3-expert-3.json"),
            "the archive has 2 markups",
        ),
        (COUNTED, lambda pen: last(pen, "_report")[1]["said"].update(result={}), "the report has another result"),
        (COUNTED, changed(0, result={}), "the board shows other results"),
        (
            COUNTED,
            lambda pen: pen.find("answer", of="experts_archive_verified").update(body={"rows": 2}),
            "is refused by",
        ),
        (COUNTED, lambda pen: last(pen, "_published")[1].update(status=409), "is answered 409"),
    ],
    ids=[
        *("no third", "another's draft", "an earlier draft", "a third who sees nothing", "refused"),
        *(
            "one less is told",
            "one less in the archive",
            "another report",
            "another row",
            "another value",
            "unpublished",
        ),
    ],
)
def test_what_is_otherwise_is_found(marked: Pen, check: str, change: Callable[[Pen], Any], said: str) -> None:
    change(marked)
    found = faults_of(marked, check)
    assert any(said in each for each in found), found


def test_an_essay_that_one_expert_has_marked_up_alone_is_found(marked: Pen) -> None:
    back = last(marked, "_opened", 1)[0]["means"]["assignment"]
    Marking(marked).call("_back", name(2), {}, assignment=back)
    assert any("is marked up by expert-1@example.org" in each for each in faults_of(marked, APART))
