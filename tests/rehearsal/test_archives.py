"""What the checker finds in the archive of a contest with closed items."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from rehearsal.proof.checks_archive import kept_of_items
from rehearsal.proof.oracle import EXAM, SEMIFINAL
from tests.rehearsal.story import Pen
from tracks import registry

Json = Any
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
    files |= {
        name: {"sha256": "", "text": "{}"} for name in ("LICENSE.txt", "README.md", "README.ru.md", "manifest.json")
    }
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
    return SimpleNamespace(
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
    assert said in kept_of_items(case).faults


def test_an_archive_of_another_contest_is_there_only_when_it_may_be() -> None:
    case = of_exam()
    case.facts.answers["archive_before"] = 200
    assert kept_of_items(case).faults == ["the archive is answered 200 before the publication"]
    case.facts.answers |= {"archive_before": 403, "archive_verified": {"rows": 0, "faults": ["another_fate"]}}
    assert kept_of_items(case).faults == ["the archive is refused by who verifies it: another_fate"]
    case.story.header["stage"] = SEMIFINAL
    assert kept_of_items(case).faults == ["there is an archive of a stage whose data wait for the final"]
    case.facts.answers["archive_status"] = 404
    assert kept_of_items(case).faults == []
    case.story.header["stage"] = EXAM
    del case.facts.answers["archive"]
    assert kept_of_items(case).faults == ["there is no archive of the published results"]
