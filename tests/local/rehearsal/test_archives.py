"""What the checker finds in the archive of a final: it has what there was and may be given over, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from local.rehearsal.proof.checks_archive import kept_of_items
from local.rehearsal.proof.oracle import EXAM, SEMIFINAL
from tests.local.rehearsal.spoiling import ARCHIVE, faults_of, red
from tests.local.rehearsal.story import FILES, Pen
from tracks import registry

Json = Any
FIRST = FILES[1]


def spoiled(pen: Pen, name: str, change: Callable[[Json], Any]) -> list[str]:
    """List the findings where a file of the archive is another one, by the manifest's name of it."""
    files = pen.answer("archive")
    content = json.loads(files[name]["text"])
    change(content)
    files[name] = pen.archived(content)
    pen.list_archive()
    return faults_of(pen, ARCHIVE)


def test_a_right_archive_is_right(pen: Pen) -> None:
    assert faults_of(pen, ARCHIVE) == []


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (f"essays/{FIRST}.json", lambda told: told.update(text="another"), "has not the essay of file 1"),
        (f"experts/{FIRST}/1-expert-1.json", lambda told: told["selections"].pop(), "other experts' markups of file 1"),
        (f"markups/ann/{FIRST}.json", lambda told: told["selections"].pop(), "ann, file 1: the archive has another"),
        (
            "markups/bob/files.json",
            lambda told: told["files"][0].update(state="voided"),
            "bob: the archive tells other",
        ),
        ("board.json", lambda told: told["rows"].reverse(), "the archive's board shows"),
        ("record.json", lambda told: told["record"].update(more=1), "the archive's record is another one"),
    ],
)
def test_what_is_archived_otherwise_is_found(pen: Pen, name: str, change: Callable[[Json], Any], said: str) -> None:
    found = spoiled(pen, name, change)
    assert any(said in each for each in found), found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"essays/{FIRST}.json", "has not the essay of file 1"),
        (f"experts/{FIRST}/2-expert-2.json", "other experts' markups of file 1"),
        (f"markups/ann/{FIRST}.json", "ann, file 1: the archive has another answer"),
        ("markups/bob/files.json", "bob: the archive does not tell of the team"),
    ],
)
def test_what_is_missing_is_found(pen: Pen, name: str, said: str) -> None:
    del pen.answer("archive")[name]
    assert any("manifest tells of" in each for each in faults_of(pen, ARCHIVE))
    pen.list_archive()
    assert any(said in each for each in faults_of(pen, ARCHIVE))


def test_what_nobody_gives_over_is_found(pen: Pen) -> None:
    pen.answer("archive")["people.json"] = pen.archived({"people": ["Ann"]})
    pen.list_archive()
    assert faults_of(pen, ARCHIVE) == ["the archive has people.json, which nobody gives over"]


@pytest.mark.parametrize(
    ("verified", "said"),
    [
        ({"rows": 2, "faults": ["another_number"]}, "the archive is refused by who verifies it, another_number"),
        ({"rows": 1, "faults": []}, "the archive's verifier makes 1 rows of its board, it has others"),
    ],
)
def test_an_archive_that_its_verifier_refuses_is_found(pen: Pen, verified: Json, said: str) -> None:
    pen.answer_line("archive_verified")["body"] = verified
    assert faults_of(pen, ARCHIVE) == [said]


def test_an_expert_is_not_named(pen: Pen) -> None:
    (own,) = [each["experts"] for each in pen.all("own", number=1)]
    author = own[0]["meta"]["expert"]
    found = spoiled(pen, f"experts/{FIRST}/1-expert-1.json", lambda told: told["meta"].update(expert=author))
    assert any("tells who has made" in each for each in found), found


SESSION = "1" * 15
SENT = {1: "42", 2: "дом"}


def of_exam() -> Any:
    """Return a final of two tasks of one team as the check sees it, and its right archive."""
    track = registry.get("exam")
    rules, _ = track.read_parameters({})
    names = {number: f"{number}" * 15 for number in SENT}
    fates = [{"number": each, "file_id": names[each], "state": "answered", "cause": None} for each in SENT]
    session = {"format": 1, "team_id": "ann", "session_id": SESSION, "state": "finished", "files": fates}
    row = {"place": 1, "team_id": "ann", "files": 2, "answered": 2, "result": {"points": 2}, "value": 1.0}
    record = {"plans": [{"rows": [{"number": each, "file_id": names[each], "content_sha256": ""} for each in SENT]}]}
    made = {
        "record.json": {"record": record},
        "parameters.json": {"track": rules},
        "classifier.json": track.classifier(rules),
        "board.json": {"rows": [{**row, "overcame": None, "session_id": SESSION}]},
        "answers/ann/files.json": session,
        **{f"answers/ann/{names[number]}.json": answer for number, answer in SENT.items()},
    }
    files = {name: Pen.archived(each) for name, each in made.items()}
    files |= {name: {"sha256": "", "text": "words"} for name in ("LICENSE.txt", "README.md", "README.ru.md")}
    answers = {
        "archive_before": 403,
        "archive_status": 200,
        "archive": files,
        "archive_verified": {"rows": 1, "faults": []},
        "board/grade_norm": {"rows": [{**row, "team": "ann"}]},
        "status/ann": {"state": "finished"},
    }
    objects = {f"answers/{SESSION}/{each}/{each}.json": ("", json.dumps(sent)) for each, sent in SENT.items()}
    catalogue = {"CYCLE#demo": {"PARAMETERS#000001": {"body": json.dumps({"track": rules})}}}
    receipts = [{"number": each, "send": 1, "status": "accepted", "content_sha256": str(each)} for each in SENT]
    case = SimpleNamespace(
        story=SimpleNamespace(header={"stage": EXAM}),
        facts=SimpleNamespace(answers=answers, objects=objects, items={"catalogue": catalogue}),
        record=record,
        sessions={"ann": SESSION},
        schedule=SimpleNamespace(numbers=range(1, 3)),
        statuses={("ann", each): {"state": "answered", "cause": None} for each in SENT},
        accepted=lambda _, number: [each for each in receipts if each["number"] == number],
        answer=lambda session, number, digest: objects.get(f"answers/{session}/{number}/{digest}.json", ("", None))[1],
        item=lambda *_: None,
    )
    listed(files)
    return case


def listed(files: Json) -> None:
    """Have the manifest list these files."""
    files.pop("manifest.json", None)
    told = [{"name": name, "sha256": each["sha256"]} for name, each in files.items()]
    files["manifest.json"] = Pen.archived({"files": told})


def test_a_right_archive_of_another_contest_is_right() -> None:
    found = kept_of_items(of_exam())
    assert found.faults == []
    assert found.examined == 9


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("essays/1.json", {"inputs": "2 + 2"}, "the archive has essays/1.json, which nobody gives over"),
        ("answers/ann/files.json", None, "the archive has no answers/ann/files.json"),
        (f"answers/ann/{'1' * 15}.json", "43", "ann, file 1: the archive has another answer than the one that counts"),
        (f"answers/ann/{'2' * 15}.json", None, "ann, file 2: the archive has another answer than the one that counts"),
        ("answers/ann/files.json", {"points": 1}, "ann: the archive tells other fates of the files than the session"),
        ("board.json", {"rows": [{"sums": [1]}]}, "board.json: the archive has other rows than everybody is shown"),
        ("parameters.json", {"track": {"more": 1}}, "the archive has other parameters than the run"),
        ("classifier.json", {}, "the archive has another classifier than the contest"),
        ("record.json", {"record": {}}, "the archive's record is another one than everybody's"),
    ],
)
def test_another_archive_of_another_contest_is_found(name: str, change: Json, said: str) -> None:
    case = of_exam()
    files = case.facts.answers["archive"]
    files.pop(name, None)
    if change is not None:
        files[name] = Pen.archived(change)
    listed(files)
    assert said in kept_of_items(case).faults


def test_an_archive_of_another_contest_is_there_only_when_it_may_be() -> None:
    case = of_exam()
    case.facts.answers["archive_before"] = 200
    assert kept_of_items(case).faults == ["the archive is answered 200 before the publication"]
    case.facts.answers |= {"archive_before": 403, "archive_verified": {"rows": 0, "faults": ["another_fate"]}}
    assert kept_of_items(case).faults == ["the archive is refused by who verifies it, another_fate"]
    case.story.header["stage"] = SEMIFINAL
    assert kept_of_items(case).faults == ["there is an archive of a stage whose data wait for the final"]
    case.facts.answers["archive_status"] = 404
    assert kept_of_items(case).faults == []
    case.story.header["stage"] = EXAM
    del case.facts.answers["archive"]
    assert kept_of_items(case).faults == ["there is no archive of the published results"]


def test_there_is_an_archive_and_none_before_the_results_are_out(pen: Pen) -> None:
    pen.answer_line("archive_before")["body"] = 200
    assert faults_of(pen, ARCHIVE) == ["the archive is answered 200 before the publication"]
    pen.forget(pen.find("answer", of="archive"))
    assert "there is no archive of the published results" in faults_of(pen, ARCHIVE)
    assert red(pen) == set()
