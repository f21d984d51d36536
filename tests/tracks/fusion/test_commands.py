"""``tracks fusion`` for people: files in, tables or JSON out, exit codes (tracks.md §4)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tracks.command.cli import main

PROGRAM = "def f ( x ) : NEW_LINE INDENT return x + 1 NEW_LINE DEDENT"
TRUTHS: dict[str, Any] = {
    "C2C": {"0": PROGRAM},
    "HTR": {"0.png": "слово"},
    "zsOD": {"0.jpg": {"cat": [[0, 0, 10, 10]], "dog": []}},
    "VQA": {"0": {"answer": "коты", "lang": "ru"}},
}
PREDICTIONS = {**TRUTHS, "VQA": {"0": "кот"}}
FOUR = ["--c2c", "40", "--htr", "0.8", "--zsod", "0.2", "--vqa", "0.4"]


def folder(path: Path, prefix: str, files: dict[str, Any]) -> str:
    path.mkdir()
    for name, content in files.items():
        (path / f"{prefix}_{name}.json").write_text(json.dumps(content), "utf-8")
    return str(path)


def submission(path: Path, **members: str) -> str:
    with zipfile.ZipFile(path, "w") as made:
        for name, content in {"metadata.json": '{"image": "a", "entry_point": "b"}', **members}.items():
            made.writestr(name, content)
    return str(path)


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_valid_archive_is_described_and_unpacked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = submission(tmp_path / "s.zip", **{"run.py": "print()"})
    assert main(["fusion", "archive", path, "--unpack", str(tmp_path / "job"), "--json"]) == 0
    assert printed(capsys)["metadata"] == {"image": "a", "entry_point": "b"}
    assert (tmp_path / "job" / "run.py").read_text() == "print()"


def test_a_bad_archive_is_told_in_the_language_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = submission(tmp_path / "s.zip", **{"../x": "x"})
    assert main(["fusion", "archive", path, "--lang", "ru", "--unpack", str(tmp_path / "job")]) == 1
    shown = capsys.readouterr().out
    assert "path_escape" in shown
    assert "выводит за пределы папки" in shown
    assert not (tmp_path / "job").exists()


def test_limits_of_the_cycle_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, params = submission(tmp_path / "s.zip"), tmp_path / "cycle.json"
    params.write_text('{"resources": {"unpacked_gb": 1e-9}}')
    assert main(["fusion", "archive", path, "--params", str(params), "--json"]) == 1
    assert printed(capsys)["reasons"][0]["code"] == "unpacked_too_big"
    params.write_text('{"resources": {"unpacked_gb": -1}}')
    assert main(["fusion", "archive", path, "--params", str(params)]) == 2
    assert "resources.unpacked_gb must be at least 0" in capsys.readouterr().err


def test_folders_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true, prediction = folder(tmp_path / "t", "true", TRUTHS), folder(tmp_path / "p", "prediction", PREDICTIONS)
    assert main(["fusion", "score", true, prediction, "--json"]) == 0
    found = printed(capsys)
    assert (found["s"], found["subtasks"]["vqa"]["reached"]) == (3.0, False)
    assert found["scored"]["zsod"]["result"]["tp"] == 1
    assert main(["fusion", "score", true, prediction, "--vqa", "normalised"]) == 0
    assert "4.000" in capsys.readouterr().out


def test_what_predictions_lack_is_told_and_is_worth_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true = folder(tmp_path / "t", "true", TRUTHS)
    prediction = folder(tmp_path / "p", "prediction", {"C2C": {}, "HTR": {**TRUTHS["HTR"], "9.png": "x"}})
    assert main(["fusion", "score", true, prediction]) == 1
    told = capsys.readouterr().err
    assert "c2c: 1 without a prediction" in told
    assert "htr: 1 unknown, ignored: 9.png" in told
    assert "vqa: there is no file of predictions" in told
    assert main(["fusion", "score", true, prediction, "--json"]) == 1
    assert printed(capsys)["s"] == 1


def test_cyrillic_letters_in_a_files_name_are_taken_for_what_they_look_like(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = folder(tmp_path / "t", "true", {"C2C": TRUTHS["C2C"]})
    prediction = folder(tmp_path / "p", "prediction", {"С2С": TRUTHS["C2C"]})
    assert main(["fusion", "score", true, prediction, "--json"]) == 0
    found = printed(capsys)
    assert (found["subtasks"]["c2c"]["score"], found["s"]) == (100, None)
    folder(tmp_path / "q", "prediction", {"С2С": {}, "C2C": {}})
    assert main(["fusion", "score", true, str(tmp_path / "q")]) == 2
    assert "both" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "told"), [("{", "line 1"), ('{"0": 1}', 'prediction["0"] must be a string')])
def test_predictions_that_cannot_be_read_are_told_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, told: str
) -> None:
    true, prediction = folder(tmp_path / "t", "true", TRUTHS), folder(tmp_path / "p", "prediction", PREDICTIONS)
    (tmp_path / "p" / "prediction_C2C.json").write_text(content)
    assert main(["fusion", "score", true, prediction]) == 2
    assert told in capsys.readouterr().err


def test_the_sum_of_four_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fusion", "integral", *FOUR, "--json"]) == 0
    assert printed(capsys)["s"] == 1.8
    assert main(["fusion", "integral", *FOUR[:-1], "0.3"]) == 1
    assert "−" in capsys.readouterr().out
    assert main(["fusion", "integral", *FOUR[:-1], "nan"]) == 2


def test_the_prize_of_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fusion", "prize", "1", *FOUR]) == 0
    assert "2 000 000" in capsys.readouterr().out
    assert main(["fusion", "prize", "4", *FOUR, "--json"]) == 1
    assert printed(capsys) == {"s": 1.8, "place": 4, "roubles": 0.0}
    (tmp_path / "rules.json").write_text('{"fix": [5, 1, 1], "max": [9, 2, 2]}')
    assert main(["fusion", "prize", "1", *FOUR, "--prizes", str(tmp_path / "rules.json"), "--json"]) == 0
    assert printed(capsys)["roubles"] == 6_000_000


def test_boards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    team = {"c2c": 40, "htr": 0.8, "zsod": 0.2, "vqa": 0.4}
    path.write_text(json.dumps([{"team": "a", **team}, {"team": "b", **team}, {"team": "c", **team, "htr": None}]))
    assert main(["fusion", "board", str(path), "--json"]) == 0
    found = printed(capsys)
    assert found["places"]["s"] == {"a": 1, "b": 1, "c": 3}
    assert found["places"]["c2c"] == {"a": 1, "b": 1, "c": 1}
    assert found["s"] == {"a": 1.8, "b": 1.8, "c": None}
    assert main(["fusion", "board", str(path)]) == 0
    assert "1.800" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{}", "a list of teams"),
        ("[1]", "results[0] must be an object"),
        ('[{"team": "a", "htr": 2}]', "results[0].htr must be from 0 to 1"),
        ('[{"team": "a"}, {"team": "a"}]', "results[1].team is a"),
    ],
)
def test_results_that_cannot_be_ranked_are_told_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, told: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text(content)
    assert main(["fusion", "board", str(path)]) == 2
    assert told in capsys.readouterr().err
