"""Totals over hidden sets: none of fewer than ten answered items, and no two whose difference is of fewer (T10)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from contest import stored_names
from contest.people.rules import Role
from contest.results import boards
from contest.results.rules import set_access
from contest.results.rules.set_access import Answers, Earlier, Request
from contest.session.following import known_of
from contest.session.wire import WithheldBody
from contest.values import canonical
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.contests.test_gec import BOTH, SPELLING, gec_cycle, rescored
from tests.contest.submissions.submitting import Submitter
from tests.stage import Program, Stage
from tests.stage_kept import Setting, played_once
from tracks.rules import told_groups, told_labels

TEN = {f"t{number}": "a" for number in range(10)}
TWENTY = {f"t{number}": "a" for number in range(20)}


def changed(answers: dict[str, str], number: int, other: str = "b") -> dict[str, str]:
    return {name: other if place < number else each for place, (name, each) in enumerate(answers.items())}


def counting(answers: dict[str, str], truth: str) -> dict[str, dict[str, Request]]:
    """Return answers as totals take them: twice, once without the digits in them."""
    return {"": {name: Request((each.strip("0123456789"), each), truth, (name[-1],)) for name, each in answers.items()}}


def code(answers: dict[str, str], *earlier: dict[str, str]) -> str:
    before = [Earlier(str(at), counting(each, "x")) for at, each in enumerate(earlier)]
    reason = set_access.reason_to_withhold(Answers(counting(answers, "x"), len(answers)), before, 10)
    return reason.code if reason else "told"


@pytest.mark.clause("TS T10")
def test_t10_totals_are_told_of_ten_answered_items_and_of_differences_in_ten_that_count() -> None:
    assert code(TEN) == "told"
    assert code(dict(list(TEN.items())[:9])) == code({}) == "too_few_items"
    assert code(TWENTY, TWENTY) == "told", "the same answers once more have the same totals"
    assert [code(changed(TWENTY, number), TWENTY) for number in (1, 9, 10)] == ["too_similar", "too_similar", "told"]
    assert code(TWENTY, dict(list(TWENTY.items())[:11])) == "too_similar", "an item that one of them missed differs"
    assert code(changed(TWENTY, 1), changed(TWENTY, 12), TWENTY) == "too_similar", "any earlier one counts"
    assert code(changed(TWENTY, 19, "")) == "too_few_items", "nineteen say nothing, so the totals are of one"
    assert code(changed(TWENTY, 20, "")) == "told", "of nothing"
    written = changed(changed(TWENTY, 10, "a1"), 1, "b")
    assert code(written, TWENTY) == "too_similar", "nine are written otherwise and count as before"
    assert code(changed(TWENTY, 10, "a1"), TWENTY) == "told", "ten are, and no total of theirs is another one"


@pytest.mark.clause("TS T10")
@pytest.mark.parametrize(("corrected", "expected"), [(0, "told"), (1, "too_similar"), (9, "too_similar"), (10, "told")])
def test_t10_the_same_answers_are_told_by_corrected_references_where_ten_are(corrected: int, expected: str) -> None:
    before, after = counting(TWENTY, "x"), counting(TWENTY, "another")
    names = list(TWENTY)[:corrected]
    mixed = {"": {name: after[""][name] if name in names else each for name, each in before[""].items()}}
    reason = set_access.reason_to_withhold(Answers(mixed, 20), [Earlier("first", before)], 10)
    assert (reason.code if reason else "told") == expected


@pytest.mark.clause("TS T10")
def test_t10_breakdowns_are_left_out_where_a_group_differs_in_few() -> None:
    groups = {f"t{number}": "a" for number in range(200)}
    spread = {name: "b" if int(name[1:]) < 10 else each for name, each in groups.items()}
    gathered = {name: "b" if name.endswith("3") else each for name, each in groups.items()}

    def bare(answers: dict[str, str], *, breakdowns: bool = True) -> bool:
        before = [Earlier("first", counting(groups, "x"), breakdowns)]
        return set_access.without_breakdowns(Answers(counting(answers, "x"), 200), before, 10)

    assert bare(spread), "each of the ten groups differs in one"
    assert not bare(gathered), "one group differs in twenty"
    assert not bare(groups)
    few = {name: "" if name.endswith("3") and name != "t3" else each for name, each in groups.items()}
    alone = set_access.without_breakdowns(Answers(counting(few, "x"), 181), (), 10)
    assert alone, "of a group of twenty one answer alone counts"
    assert not set_access.without_breakdowns(Answers(counting(TWENTY, "x"), 20), (), 10), (
        "small groups are told nowhere"
    )
    assert not bare(spread, breakdowns=False), "the earlier one has told nothing of groups"
    reason = set_access.described_reason(set_access.left_out(10))
    assert WithheldBody.model_validate(reason).model_dump() == reason


def grouped(sizes: dict[str, int], counting: dict[str, int], said: str = "a") -> dict[str, Request]:
    """Return requests of items in groups of these sizes; ``counting`` of each group have an answer that counts."""
    return {
        f"{name}{place}": Request((said if place < counting.get(name, 0) else "",), "x", (name,))
        for name, size in sizes.items()
        for place in range(size)
    }


@pytest.mark.clause("TS T10")
def test_t10_groups_that_are_told_nowhere_are_one_group_since_their_total_is_the_rest() -> None:
    sizes = {"large": 30, "b": 9, "c": 9, "d": 9}

    def bare(counting: dict[str, int], *earlier: dict[str, int]) -> bool:
        before = [Earlier("first", {"eng": grouped(sizes, each)}) for each in earlier]
        return set_access.without_breakdowns(Answers({"eng": grouped(sizes, counting)}, 57), before, 10)

    assert bare({"large": 20, "b": 1}), "one answer is the whole without the large group"
    assert not bare({"large": 20, "b": 5, "c": 5})
    assert not bare({"large": 20})
    full = {"large": 30, "b": 9, "c": 9, "d": 9}
    assert bare({**full, "large": 20, "b": 0}, full), "nine differ in the rest"
    assert not bare({**full, "b": 0, "c": 8}, full), "ten differ in it"
    both = {name: grouped({"a": 6, "b": 30}, {"b": 30, "a": number}) for name, number in (("eng", 0), ("rus", 1))}
    assert set_access.without_breakdowns(Answers(both, 61), (), 10), "twelve items of two languages are a group of all"
    sizes = {"a": 12, "b": 30}, {"a": 5, "b": 30, "c": 9}
    spread = {name: grouped(each, dict.fromkeys(each, 30)) for name, each in zip(("eng", "rus"), sizes, strict=True)}
    assert set_access.without_breakdowns(Answers(spread, 86), (), 10), "of all less one language five are left"


@pytest.mark.clause("TS T10")
def test_t10_the_rest_of_all_languages_is_compared_beside_the_rest_of_each() -> None:
    sizes = {"large": 30, "a": 12, "c": 3, "d": 3}
    before = grouped(sizes, sizes)
    others = grouped(sizes, sizes, "b")

    def bare(names: list[str]) -> bool:
        now = before | {name: others[name] for name in names}
        earlier = [Earlier("first", {"eng": before, "rus": before})]
        return set_access.without_breakdowns(Answers({"eng": now, "rus": now}, 96), earlier, 10)

    ten = [f"a{place}" for place in range(10)]
    assert bare([*ten, "c0"]), "eleven differ in the rest of each language, two in the rest of both"
    assert not bare(ten), "in the rest of both none differs"


@pytest.mark.clause("TS T10", "TS G-6")
def test_t10_breakdowns_by_labels_are_left_out_where_what_answers_say_of_a_label_differs_in_few() -> None:
    def labelled(**said: dict[int, str]) -> dict[str, dict[str, Request]]:
        """Return the requests of thirty texts; ``said`` has each label's value by text."""
        return {
            "eng": {
                f"t{place}": Request(
                    (str([(name, texts.get(place)) for name, texts in said.items()]),),
                    "x",
                    (),
                    ({name: texts[place] for name, texts in said.items() if place in texts},),
                )
                for place in range(30)
            }
        }

    def bare(earlier: dict[str, dict[str, Request]], now: dict[str, dict[str, Request]]) -> bool:
        assert set_access.reason_to_withhold(Answers(now, 30), [Earlier("first", earlier)], 10) is None
        return set_access.without_breakdowns(Answers(now, 30), [Earlier("first", earlier)], 10)

    many, other = dict.fromkeys(range(20), "a"), dict.fromkeys(range(10, 30), "b")
    first = labelled(TENSE=many, ART=many)
    assert not bare(first, labelled(TENSE=many, ART={**many, **dict.fromkeys(range(10), "b")}))
    turned = labelled(TENSE={**many, 0: "b"}, ART={**many, **dict.fromkeys(range(10), "b")})
    assert bare(first, turned), "ten texts differ, of one label in one of them"
    rare = labelled(TENSE=many, ART=other, **{f"RARE{place}": {place: "a"} for place in range(10)})
    assert not bare(first, rare), "ten rare labels are told nowhere, and their rest differs in ten"
    assert bare(first, labelled(TENSE=many, ART=other, RARE={0: "a"})), "the rest is one text"
    corrected = {"eng": {name: replace(each, truth="y") for name, each in first["eng"].items()}}
    assert bare(first, corrected), "which labels a corrected reference has is not known"


@pytest.mark.clause("TS T10")
def test_t10_each_test_of_requests_has_a_total_and_no_two_differ_in_few_of_its_requests() -> None:
    def told(tests: dict[str, dict[str, str]], *earlier: dict[str, dict[str, str]]) -> str:
        def made(several: dict[str, dict[str, str]]) -> dict[str, dict[str, Request]]:
            found = {name: {**changed(TWENTY, 20, ""), **several.get(name, {})} for name in ("HTR", "VQA")}
            return {name: counting(each, "")[""] for name, each in found.items()}

        before = [Earlier(str(at), made(each)) for at, each in enumerate(earlier)]
        reason = set_access.reason_to_withhold(Answers(made(tests), 40), before, 10)
        return f"{reason.code} {reason.where['test']}" if reason else "told"

    both = {"HTR": TWENTY, "VQA": TWENTY}
    assert told(both) == told(both, both) == told({"HTR": TWENTY}, both) == told({}, both) == told({}) == "told"
    assert told({"HTR": TWENTY, "VQA": {}}) == "told", "a test without answers tells nothing"
    assert told({"HTR": TWENTY, "VQA": changed({"t1": ""}, 1)}) == "too_few_items VQA"
    assert told({"HTR": TWENTY, "VQA": changed(TWENTY, 1)}, both) == "too_similar VQA"
    assert told({"HTR": changed(TWENTY, 9), "VQA": changed(TWENTY, 9)}, both) == "too_similar HTR", "not in all"
    assert told({"HTR": changed(TWENTY, 10), "VQA": TWENTY}, both) == "told"


@pytest.mark.clause("TS T10")
def test_t10_groups_and_labels_from_which_fewer_than_ten_items_follow_are_left_out() -> None:
    assert told_groups({"a": 30, "b": 30}) == {"a", "b"}
    assert told_groups({"a": 30, "b": 20, "c": 9}) == {"a"}, "b with c are 29; c alone would be the rest"
    assert told_groups({"a": 30, "b": 6, "c": 4}) == {"a"}, "b and c together are ten"
    assert told_groups({"a": 30, "b": 9}) == told_groups({"a": 9}) == told_groups({}) == frozenset()

    def texts(*numbers: int) -> set[int]:
        return set(range(*numbers))

    asked: dict[str | None, set[int]] = {"a": texts(30), "b": texts(20), "c": texts(12)}
    assert told_labels(asked) == {"a", "b", "c"}
    assert told_labels({**asked, "d": texts(9)}) == {"a", "b"}, "the rest would be nine texts"
    assert told_labels({**asked, "d": texts(6), "e": texts(6)}) == {"a", "b"}, "of two labels, and six texts"
    assert told_labels({**asked, "d": texts(6), "e": texts(6, 12)}) == {"a", "b", "c"}
    assert told_labels({**asked, None: texts(1)}) == {"a", "b"}, "what has no label is in the rest"
    named = dict[str | None, set[int]]
    assert told_labels(asked, named(a=texts(10))) == {"a", "b", "c"}
    assert told_labels(asked, named(a=texts(9))) == frozenset(), "nine answers; the rest would be these nine"
    assert told_labels(asked, named(a=texts(10), b=texts(1), c=texts(10))) == {"a"}, "the rest has ten answers and more"
    assert told_labels(asked, named(a=texts(10), zzz=texts(1))) == frozenset(), "one edit's rest"
    assert told_labels({}) == told_labels({"a": texts(9)}, named(b=texts(20))) == frozenset()


RIGHT = {name: SPELLING[name] for name in SPELLING if name != "context_dependent"}
WRONG = {**RIGHT, "correction": "thier"}


def twelve_texts() -> dict[str, Any]:
    """Twelve hidden texts with the same references."""
    files = gec_cycle()
    files["cycle.json"] = {**files["cycle.json"], "parameters": {}}
    for number in range(12):
        files[f"test/t{number}.json"] = {"id": f"t{number}", "source": "letters", "sentences": ["I go their ."]}
        files[f"test/t{number}_exp01.json"] = {"edits": BOTH}
    return files


STAGE = Setting("gec-1", lambda stage: stage.load(twelve_texts()))


def session(program: Program, files: int, other: int = 0) -> Any:
    """Return the report of a session over so many texts with an edit each, another one in the set's first texts."""
    program.open(set="test", files=files)
    plan = program.stage.platform.sessions.plan(program.session_id)
    first = sorted(each.item_id for each in plan)[:other]
    for number, each in enumerate(plan, start=1):
        program.get(f"files/{number}")
        sent = json.dumps({"edits": [RIGHT if each.item_id in first else WRONG]})
        assert program.answer(number, sent.encode()).status == 200
        program.stage.advance(1)
    program.stage.score_all()
    report = program.get("report")
    assert report.status == 200
    return report.json


def first_told(stage: Stage) -> Program:
    red = Program(stage, stage.team("red"))
    assert session(red, 12)["result"] is not None
    return red


@pytest.fixture
def told(stage: Stage) -> Program:
    """Return the program of a team that has seen the totals of one session over all twelve texts."""
    return played_once(stage, first_told)


@pytest.mark.clause("TS T10", "TS G-6")
def test_t10_a_session_of_one_hidden_text_is_told_no_totals_and_is_on_no_board(stage: Stage, red: Program) -> None:
    told = session(red, 1)
    assert (told["result"], told["sections"]) == (None, [])
    assert told["withheld"]["code"] == "too_few_items"
    assert told["withheld"]["message_ru"]
    assert "tp" not in red.get("report").text
    assert red.get("report.html").status == 200
    assert stage.request("GET", "/v1/boards/all").json["rows"] == []
    checks = stage.request("GET", "/v1/check", token=stage.person(Role.ORGANIZER)).json["checks"]
    assert [check["where"]["least_hidden_items"] for check in checks if check["name"] == "hidden_totals"] == [10]


@pytest.mark.slow
@pytest.mark.clause("TS T10", "TS G-6")
def test_of_two_similar_sessions_the_first_alone_is_told(stage: Stage, red: Program) -> None:
    first = session(red, 12)
    assert first["result"]["correction"]["tp"] == 0
    similar = session(red, 12, other=1)
    assert (similar["result"], similar["withheld"]["code"]) == (None, "too_similar")
    assert red.session_id not in stage.request("GET", "/v1/boards/all").text
    again = session(red, 12)
    assert again["result"] == first["result"], "the same answers are the same totals"
    assert session(red, 12, other=10)["result"]["correction"]["tp"] == 10
    blue = Program(stage, stage.team("blue"))
    assert session(blue, 12, other=1)["result"] is not None, "another team's sessions are nothing to it"


@pytest.mark.slow
@pytest.mark.clause("TS T10", "TS G-6")
def test_t10_a_set_that_is_loaded_anew_remembers_what_was_told_of_it(stage: Stage, told: Program) -> None:
    red = told
    before = stage.platform.sessions.get(red.session_id)
    stage.load({**twelve_texts(), "test/t11_exp01.json": {"edits": [SPELLING]}})
    stage.restart()
    similar = session(red, 12, other=1)
    after = stage.platform.sessions.get(red.session_id)
    assert before is not None
    assert after is not None
    assert before.manifest != after.manifest
    assert (similar["result"], similar["withheld"]["code"]) == (None, "too_similar")
    again = session(red, 12)
    assert (again["result"], again["withheld"]["code"]) == (None, "too_similar"), "by one corrected reference"


@pytest.mark.clause("TS T10")
def test_t10_a_note_that_was_deleted_stops_no_later_result(stage: Stage, told: Program) -> None:
    blobs = stage.platform.blobs
    folder = stored_names.hidden_answers_folder("gec-1", "test", "red")
    (first,) = blobs.names(folder)
    blobs.put(stored_names.hidden_answers_name(folder, 2), blobs.get(first))
    blobs.delete(first)
    assert session(told, 12, other=10)["result"] is not None
    assert sorted(blobs.names(folder)) == [stored_names.hidden_answers_name(folder, number) for number in (2, 3)]


@pytest.mark.clause("TS T10", "TS T13")
def test_two_results_at_once_are_compared(stage: Stage, told: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both requests read that no result has been told yet, before either result is noted."""
    platform = stage.platform
    closed = platform.sessions.get(told.session_id)
    assert closed is not None
    known = known_of(platform, closed)
    folder = stored_names.hidden_answers_folder(closed.cycle, "test", "red")
    for name in platform.blobs.names(folder):
        platform.blobs.delete(name)
    write = platform.blobs.put_if_absent

    def late(name: str, content: bytes) -> None:
        if name.startswith(folder):
            note = json.loads(content)
            next(iter(note["tests"].values()))["t0"]["views"][-1] = "another"
            write(name, canonical({**note, "name": "faster"}))
        write(name, content)

    monkeypatch.setattr(platform.blobs, "put_if_absent", late)
    reason = boards.of_session(platform, closed, known, decides=True).withheld
    assert reason is not None
    assert (reason.code, reason.where["name"], reason.where["differing"]) == ("too_similar", "faster", 1)
    assert [name.rpartition("/")[2] for name in platform.blobs.names(folder)] == ["000001.json"]


def file_of_answers(other: int) -> bytes:
    """Return the same answers as a file in M2, with another one to the first texts."""
    words = ["there" if number < other else "thier" for number in range(12)]
    return "\n".join(f"S I go their .\nA 2 3|||R:SPELL|||{each}|||REQUIRED|||-NONE-|||0\n" for each in words).encode()


@pytest.mark.clause("TS T10", "TS G-2")
def test_t10_a_file_of_answers_and_a_session_are_compared_with_each_other(stage: Stage, told: Program) -> None:
    red, blue = Submitter(stage, told.token), Submitter(stage, stage.team("blue"))
    refused = red.submit(file_of_answers(1))
    assert (refused["state"], [each["code"] for each in refused["reasons"]]) == ("refused", ["too_similar"])
    assert red.submit(file_of_answers(0))["state"] == "scored", "the same answers"
    assert blue.submit(file_of_answers(1))["state"] == "scored"
    assert session(blue, 12)["withheld"]["code"] == "too_similar"


@pytest.mark.slow
@pytest.mark.clause("TS T10", "platform §2 rescoring")
def test_a_rescoring_waits_for_ten_changes(stage: Stage, told: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session and a file of the same answers: by one corrected reference both keep what they had, by ten neither."""
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(file_of_answers(0))["submission_id"]
    board = stage.request("GET", "/v1/boards/all").json["rows"]

    def corrected(number: int) -> Any:
        files = {f"test/t{place}_exp01.json": {"edits": [SPELLING]} for place in range(number)}
        stage.load({**twelve_texts(), **files})
        stage.restart()
        found = rescored(stage, set="test")
        stage.advance(60)
        return found

    few = corrected(1)
    assert (few["held_back"], [each["held_back"] for each in few["sessions"]]) == (2, [True, True])
    assert {value["difference"] for each in few["sessions"] for value in each["metrics"].values()} <= {0, None}
    assert few["boards"] == []
    assert [each["result"] for each in stage.request("GET", "/v1/boards/all").json["rows"]] == [
        each["result"] for each in board
    ]
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER))
    said = run("rescore", "show", few["rescoring_id"])
    assert "keep the references that they had: 2" in " ".join(said.output.split())
    many = corrected(10)
    assert (many["held_back"], len(many["sessions"])) == (0, 2)
    assert {each["metrics"]["correction.fn"]["difference"] for each in many["sessions"]} == {-10}
    assert "keep the references" not in run("rescore", "show", many["rescoring_id"]).output
    assert told.get("report").json["result"]["correction"]["fn"] == 14
    assert blue.report_of(submission).json["result"]["correction"]["fn"] == 14
