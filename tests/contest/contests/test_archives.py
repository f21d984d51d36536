"""Archives of the contests whose items stay closed: contents, omissions, and what they prove (D 14.7; 0034)."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contest import stored_names
from contest.results import publishing
from pku import archive as checking
from tests.contest.contests.epicrises import STUDIES, STUDY, Trial, diagnosis
from tests.contest.contests.played import Contest
from tests.contest.contests.test_finals import Final, run_files
from tests.contest.contests.test_results_of_all_teams import both_stages
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting

pytestmark = [pytest.mark.integration, pytest.mark.slow]
STAGE = Setting("contest-1")


def asked(stage: Stage, run_id: str) -> Answered:
    stage.tick(after=60)
    stage.advance(10)
    return stage.request("GET", f"/v1/runs/{run_id}/archive", follow=True)


def files_of(answered: Answered) -> dict[str, bytes]:
    assert answered.status == 200, answered.text
    with zipfile.ZipFile(io.BytesIO(answered.content)) as found:
        files = {each.filename: found.read(each) for each in found.infolist()}
    listed = json.loads(files.pop("manifest.json"))["files"]
    assert {each["name"]: each["sha256"] for each in listed} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items()
    }
    return files


def remade(files: dict[str, bytes], path: Path, **changed: Any) -> Path:
    """Write an archive with changed contents and a manifest that fits them."""
    contents = {**files, **{name.replace("__", "/"): json.dumps(value).encode() for name, value in changed.items()}}
    listed = [
        {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in contents.items()
    ]
    with zipfile.ZipFile(path, "w") as made:
        for name, content in {**contents, "manifest.json": json.dumps({"files": listed}).encode()}.items():
            made.writestr(name, content)
    return path


@pytest.mark.clause("U closed test", "G sources", "platform §7 exports")
@pytest.mark.parametrize("name", [pytest.param("exam", marks=pytest.mark.long), "gec"])
def test_a_closed_tests_archive_has_answers_and_nothing_of_the_test(stage: Stage, name: str, tmp_path: Path) -> None:
    final = Final(stage, name)
    final.play()
    publishing.publish(stage.platform, "olga", final.run.run_id)
    files = files_of(asked(stage, final.run.run_id))
    planned = run_files(stage, final.run)
    answers = {name for name in files if name.startswith("answers/red/")}
    assert answers == {f"answers/red/{each.file_id}.json" for each in planned} | {"answers/red/files.json"}
    assert len([each for each in files if each.startswith("answers/grey/")]) == len(planned) - 7 + 1
    assert {each.split("/")[0] for each in files if "/" in each} <= {"answers", "boards"}
    everything = b"".join(files.values()).decode()
    loaded = final.contest.folder("final")
    for each in planned:
        assert each.item_id not in files
        item = loaded[f"final/{each.item_id}.json"]
        for text in item["sentences"] if name == "gec" else [item["inputs"]["task"], item["inputs"]["text"]]:
            assert len(text) < 20 or text not in everything
    read, read_ru = files["README.md"].decode(), files["README.ru.md"].decode()
    assert ("Not in this archive" in read, "Чего в архиве нет" in read_ru) == (True, True)
    assert "essays/" not in read
    assert "answers/TEAM/FILE.json" in read
    path = tmp_path / "archive.zip"
    path.write_bytes(asked(stage, final.run.run_id).content)
    verdict = checking.verify(path)
    assert (verdict.faults, verdict.unit) == ((), "answers")
    assert {each.team_id: each.place for each in verdict.results} == {"red": 1, "blue": 2, "grey": 3}
    planted(files, planned[0].file_id, tmp_path / "planted.zip")


def planted(files: dict[str, bytes], file_id: str, path: Path) -> None:
    """Plant changes under a manifest that fits and check that each is found by its own name."""

    def found(**changed: Any) -> set[str]:
        return {each.code for each in checking.verify(remade(files, path, **changed)).faults}

    assert found() == set()
    fates, board = json.loads(files["answers/red/files.json"]), json.loads(files["board.json"])
    fates["files"][0] |= {"state": "voided", "cause": "team_late"}
    assert found(**{"answers__red__files.json": fates}) == {"another_fate", "another_number"}
    board["rows"][0]["place"], board["rows"][1]["place"] = 2, 1
    assert found(**{"board.json": board}) == {"another_number"}
    board = json.loads(files["board.json"])
    board["rows"].append({**board["rows"][0], "team_id": "ghost"})
    assert "unknown_team" in found(**{"board.json": board})
    without = {name: content for name, content in files.items() if name != f"answers/red/{file_id}.json"}
    assert {each.code for each in checking.verify(remade(without, path)).faults} == {"missing_answer"}


def played(stage: Stage, name: str, programs: Mapping[str, Program], turns: list[Any], **more: Any) -> Trial:
    """Play a run of three epicrises in which red answers every publication and blue none, and publish its results."""
    run = stage.plan(in_s=600, interval_s=None, files=3, **more)
    trial = Trial(stage, Contest.named(name), run, programs)
    stage.advance(590)
    for program in programs.values():
        assert program.join(run=run.run_id).status == 201
    for number in range(1, len(trial.files) + 1):
        trial.at(number)
        assert programs["red"].get(f"files/{number}").status == 200
        for body in turns:
            assert programs["red"].answer(number, body).json["receipt"]["status"] == "accepted"
    trial.end()
    trial.published()
    return trial


@pytest.mark.clause("D 14.5", "D 14.7", "D 1.16")
def test_d_14_7_a_semifinals_archive_waits_for_the_final(stage: Stage, tmp_path: Path) -> None:
    loaded, _ = both_stages()
    for name, item in loaded.items():
        if name.startswith("stage-1/") and "versions" in item:
            loaded[name] = {**item, "studies": STUDIES}
    stage.load(loaded)
    programs = {team: Program(stage, stage.team(team)) for team in ("red", "blue")}
    first = played(stage, "diagnosis-semifinal", programs, [diagnosis("J44")])
    assert asked(stage, first.run.run_id).code == "no_archive", "D 14.5: after the trials of the final"
    stage.advance(3600)
    turns: list[Any] = [diagnosis("J44", "diagnosisPreliminary"), STUDY, diagnosis("J44")]
    about = {"set_name": "stage-1", "continues": first.run.run_id}
    last = played(stage, "diagnosis-final", programs, turns, **about)
    texts = [text for each in loaded.values() if "versions" in each for text in each["versions"].values()]
    names = [Path(each).stem for each in loaded if "versions" in each]
    closed = [*texts, *(each["xml"] for each in STUDIES), "Гемоглобин", *names]
    for trial, steps in ((first, ["v3", "v2"]), (last, ["preliminary", "studies", "studies"])):
        answered = asked(stage, trial.run.run_id)
        files = files_of(answered)
        of_red = [each for each in files if each.startswith("answers/red/") and "/files." not in each]
        assert sorted(of_red) == sorted({f"answers/red/{each.file_id}.json" for each in trial.files})
        assert [[turn["step"] for turn in json.loads(files[each])] for each in of_red] == [steps] * 3
        assert [each for each in files if each.startswith("answers/blue/")] == ["answers/blue/files.json"]
        assert ("boards/joined.json" in files or "boards/final.json" in files) == (trial is last)
        everything = b"".join(files.values()).decode()
        assert [each for each in closed if each in everything] == []
        path = tmp_path / "archive.zip"
        path.write_bytes(answered.content)
        assert (checking.verify(path).faults, checking.verify(path).unit) == ((), "answers")
    publishing.hide(stage.platform, "olga", last.run.run_id)
    assert asked(stage, last.run.run_id).code == "results_not_published"
    assert asked(stage, first.run.run_id).code == "no_archive", "it goes with the final it waited for"
    for trial in (first, last):
        assert list(stage.platform.blobs.names(stored_names.archives_of(trial.run.run_id))) == []
