"""``pku doctor --archive``: an archive is judged as the platform judges it, and run on the sample of its contest."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from markup_core.texts import in_language
from pku import trial
from pku.config import Clock
from pku.doctor import Finding, Verdict
from pku.pilot import archive as pilot
from pku.trial import Programs, check_archive

pytestmark = pytest.mark.clause("TS T16")
CYCLE: dict[str, Any] = {"track": "fusion", "parameters": {"track": {}}}
SUBTASKS = ["C2C", "HTR", "VQA", "zsOD"]


def contest(**parameters: Any) -> Programs:
    found = Programs.of({**CYCLE, "parameters": {"track": parameters}})
    assert found is not None
    return found


def program(*lines: str, entry_point: str = "python /home/jovyan/run.py") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("metadata.json", json.dumps({"image": "example/model:1", "entry_point": entry_point}))
        archive.writestr("run.py", "\n".join(["import json, os, pathlib, sys, time", *lines]))
    return made.getvalue()


def tried(folder: Path, content: bytes, rules: Programs | None = None) -> dict[str, list[Finding]]:
    """Return findings of an archive by their names."""
    path = folder / "model.zip"
    path.write_bytes(content)
    found: dict[str, list[Finding]] = {}
    for each in check_archive(path, rules or contest(), Clock()):
        found.setdefault(each.name, []).append(each)
    return found


def values(found: Mapping[str, list[Finding]], name: str) -> Mapping[str, Any]:
    (finding,) = found[name]
    return finding.values


def test_the_sample_is_a_set_of_every_subtask() -> None:
    unpacked = contest().track.unpack(contest().sample(), contest().parameters)
    assert unpacked.reasons == ()
    assert sorted(contest().items()) == SUBTASKS


def test_the_pilots_archive_answers_the_whole_sample(tmp_path: Path) -> None:
    found = tried(tmp_path, pilot())
    assert [each.values["item"] for each in found["output"]] == SUBTASKS
    assert {each.verdict for findings in found.values() for each in findings} == {Verdict.GOOD}


def test_an_archive_that_would_be_refused_is_not_run_and_all_its_faults_are_told(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("../outside.py", "")
    found = tried(tmp_path, made.getvalue())
    assert set(found) == {"archive_fault"}
    assert len(found["archive_fault"]) > 1
    said = [
        {in_language(each.values["message"], language) for language in ("en", "ru")} for each in found["archive_fault"]
    ]
    assert [len(each) for each in said] == [2] * len(said)


def test_a_program_that_fails_is_told_with_what_it_said(tmp_path: Path) -> None:
    found = tried(tmp_path, program("print('weights are missing', file=sys.stderr)", "sys.exit(3)"))
    failed = values(found, "program_failed")
    assert (failed["code"], failed["said"]) == (3, "weights are missing")
    missing = [(finding.verdict, finding.values["file"]) for finding in found["output_missing"]]
    assert missing == [(Verdict.WARNING, f"output/prediction_{subtask}.json") for subtask in SUBTASKS]


def test_an_output_that_is_no_answer_is_a_fault(tmp_path: Path) -> None:
    found = tried(tmp_path, program("pathlib.Path('output/prediction_HTR.json').write_text('[1]')"))
    assert (values(found, "output_invalid")["item"], found["output_invalid"][0].verdict) == ("HTR", Verdict.FAULT)


def test_a_program_whose_time_is_over_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_LOOK_S", 60.0)  # one look is more than the limit of a second: no waiting
    slow = contest(resources={"minutes": 1 / 60})
    assert slow.limits["wall_s"] == 1
    found = tried(tmp_path, program("time.sleep(600)"), slow)
    assert values(found, "program_timeout")["limit_s"] == 1


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    found = tried(tmp_path, program(entry_point="no-such-program-here"))
    assert values(found, "program_not_started")["entry_point"] == "no-such-program-here"


def test_the_program_is_where_the_platform_puts_it_and_never_sees_the_answers_or_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HURDLE_TOKEN", "hrd_secret")
    lines = (
        "seen = sorted(str(each) for each in pathlib.Path('.').rglob('*') if each.is_file())",
        "assert os.environ['HOME'] == os.getcwd()",
        "assert 'HURDLE_TOKEN' not in os.environ",
        "print(json.dumps(seen)); sys.exit(1)",
    )
    seen = json.loads(values(tried(tmp_path, program(*lines)), "program_failed")["said"])
    assert "input/VQA/questions.json" in seen
    assert not [each for each in seen if "true" in each]


@pytest.mark.parametrize("track", ["essay", "exam", "gec", "diagnosis", "another"])
def test_other_contests_take_no_programs(track: str) -> None:
    assert Programs.of({"track": track, "parameters": {"track": {}}}) is None
