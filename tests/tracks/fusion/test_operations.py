"""The operations ``fusion.*`` through the stream that programs use (tracks.md §5).

Prediction files: what the published schema takes.

``tracks fusion`` for people: files in, tables or JSON out, exit codes (tracks.md §4).
"""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from markup_core.command.inputs import RefusedError
from tests.tracks.samples import reply_to
from tracks.base import Fields
from tracks.command.cli import main
from tracks.fusion.items import SCHEMA
from tracks.fusion.score import MOST_FAULTS, OPERATIONS
from tracks.protocol import Json

PROGRAM = "def f ( x ) : NEW_LINE INDENT return x + 1 NEW_LINE DEDENT"
FOUR = {"c2c": 40, "htr": 0.8, "zsod": 0.2, "vqa": 0.4}


def done(op: str, **fields: Any) -> Any:
    reply = reply_to({"id": 1, "op": f"fusion.{op}", **fields})
    assert reply["ok"], reply
    return reply["result"]


def refused(op: str, **fields: Any) -> Any:
    reply = reply_to({"id": 1, "op": f"fusion.{op}", **fields})
    assert not reply["ok"], reply
    return reply["error"]


def test_c2c_gives_a_score_to_a_hundred_and_four_fractions() -> None:
    assert done("c2c", true={"0": PROGRAM}, prediction={"0": PROGRAM}) == {
        "score": 100,
        "ngram": 1,
        "weighted_ngram": 1,
        "syntax": 1,
        "dataflow": 1,
    }


def test_htr_and_vqa_give_shares() -> None:
    assert done("htr", true={"a": "x", "b": "y"}, prediction={"a": "x"})["score"] == 0.5
    truth = {"0": {"answer": "два кота", "lang": "ru"}}
    assert done("vqa", true=truth, prediction={"0": "2 кота"})["score"] == 0
    assert done("vqa", true=truth, prediction={"0": "2 кота"}, mode="normalised")["score"] == 1


def test_zsod_gives_f1_and_its_counts() -> None:
    truth = {"0.jpg": {"cat": [[0, 0, 10, 10], [50, 50, 10, 10]], "dog": [[]]}}
    found = done("zsod", true=truth, prediction={"0.jpg": {"cat": [[1, 0, 9, 10.0]], "dog": [[]]}})
    assert (found["score"], found["tp"], found["fp"], found["fn"]) == (2 / 3, 1, 0, 1)
    strict = done("zsod", true=truth, prediction={"0.jpg": {"dog": [[1, 1, 1, 1]]}}, mode="strict_text")
    assert (strict["score"], strict["tp"], strict["fp"], strict["fn"]) == (0, 0, 1, 1)


def test_an_empty_box_list_may_be_written_in_two_ways() -> None:
    for empty in ([], [[]]):
        found = done("zsod", true={"0.jpg": {"cat": empty}}, prediction={"0.jpg": {"cat": [[]]}})
        assert (found["tp"], found["fp"], found["fn"]) == (0, 0, 0)


def test_empty_dictionaries_have_defined_answers() -> None:
    scores = [done(op, true={}, prediction={})["score"] for op in ("c2c", "htr", "zsod", "vqa")]
    assert scores == [None, None, 0, None]


def test_integral_and_prize() -> None:
    assert done("integral", **FOUR) == {"s": 1.8}
    assert done("integral", **{**FOUR, "vqa": None}) == {"s": None}
    assert done("prize", s=1.8, place=1) == {"roubles": 2_000_000}
    assert done("prize", s=1.8, place=1, scores=FOUR) == {"roubles": 2_000_000}
    assert done("prize", s=1.8, place=1, scores={**FOUR, "vqa": 0.349}) == {"roubles": 0}
    assert done("prize", s=1.29, place=3) == {"roubles": 0}


def test_a_prize_by_other_rules() -> None:
    """Hand count: 0.1 + 0.5 · (1.5 − 1) = 0.35 million."""
    params = {"smin": 1, "full": 2, "alpha": [0.5], "fix": [0.1], "max": [2]}
    assert done("prize", s=1.5, place=1, params=params) == {"roubles": 350_000}
    assert done("prize", s=2, place=1, params=params) == {"roubles": 2_000_000}
    assert done("prize", s=3, place=2, params=params) == {"roubles": 0}
    assert done("prize", s=1.4, place=1, params={"smin": 1.4}) == {"roubles": 1_000_000}
    assert done("prize", s=1.3000005, place=1) == {"roubles": 1_000_001}
    assert done("prize", s=1.30000025, place=1) == {"roubles": 1_000_000.5}


@pytest.mark.parametrize(
    ("op", "fields", "field"),
    [
        ("c2c", {"prediction": {}}, "true"),
        ("c2c", {"true": {}, "prediction": []}, "prediction"),
        ("c2c", {"true": {}, "prediction": {}, "mode": "exact"}, "mode"),
        ("htr", {"true": {}, "prediction": {}, "mode": "normalised"}, "mode"),
        ("zsod", {"true": {}, "prediction": {}, "mode": "normalised"}, "mode"),
        ("vqa", {"true": {}, "prediction": {}, "mode": "strict_text"}, "mode"),
        ("integral", {**FOUR, "c2c": 100.1}, "c2c"),
        ("integral", {**FOUR, "htr": 1.01}, "htr"),
        ("integral", {**FOUR, "vqa": -0.1}, "vqa"),
        ("integral", {"c2c": 1, "htr": 1, "vqa": 1}, "zsod"),
        ("integral", {**FOUR, "zsod": True}, "zsod"),
        ("prize", {"s": 4.1, "place": 1}, "s"),
        ("prize", {"s": 2, "place": 0}, "place"),
        ("prize", {"s": 2, "place": 1.5}, "place"),
        ("prize", {"s": 2, "place": 1, "params": {"alpha": [1]}}, "params"),
        ("prize", {"s": 2, "place": 1, "params": {"alpha": [1, 2, "3"]}}, "params.alpha.2"),
        ("prize", {"s": 2, "place": 1, "params": {"least": 1}}, "params.least"),
        ("prize", {"s": 2, "place": 1, "scores": {"c2c": 1}}, "scores.htr"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(op: str, fields: Any, field: str) -> None:
    error = refused(op, **fields)
    assert (error["code"], error["details"]) == ("invalid_request", {"field": field})


@pytest.mark.parametrize(
    ("op", "fields", "code", "field"),
    [
        ("c2c", {"true": {"0": 1}, "prediction": {}}, "not_a_string", 'true["0"]'),
        ("htr", {"true": {}, "prediction": {"0.png": None}}, "not_a_string", 'prediction["0.png"]'),
        ("vqa", {"true": {"0": "yes"}, "prediction": {}}, "not_an_object", 'true["0"]'),
        ("vqa", {"true": {"0": {"lang": "en"}}, "prediction": {}}, "missing_field", 'true["0"].answer'),
        ("vqa", {"true": {"0": {"answer": 2, "lang": "en"}}, "prediction": {}}, "not_a_string", 'true["0"].answer'),
        ("vqa", {"true": {"0": {"answer": "a", "lang": "de"}}, "prediction": {}}, "unknown_lang", 'true["0"].lang'),
        ("zsod", {"true": {"i": []}, "prediction": {}}, "not_an_object", 'true["i"]'),
        ("zsod", {"true": {"i": {"cat": None}}, "prediction": {}}, "not_a_list", 'true["i"]["cat"]'),
        ("zsod", {"true": {}, "prediction": {"i": {"cat": [[1, 2, 3]]}}}, "not_a_box", 'prediction["i"]["cat"][0]'),
        ("zsod", {"true": {}, "prediction": {"i": {"cat": [1]}}}, "not_a_box", 'prediction["i"]["cat"][0]'),
        ("zsod", {"true": {"i": {"c": [[1, 2, 3, 4], []]}}, "prediction": {}}, "not_a_box", 'true["i"]["c"][1]'),
        ("zsod", {"true": {"i": {"c": [[1, 2, -3, 4]]}}, "prediction": {}}, "negative_size", 'true["i"]["c"][0]'),
        ("zsod", {"true": {"i": {"c": [[1, "2", 3, 4]]}}, "prediction": {}}, "not_a_number", 'true["i"]["c"][0]'),
        ("zsod", {"true": {"i": {"c": [[1, True, 3, 4]]}}, "prediction": {}}, "not_a_number", 'true["i"]["c"][0]'),
        ("zsod", {"true": {"i": {"c": [[10**6, 1, 3, 4]]}}, "prediction": {}}, "too_large", 'true["i"]["c"][0]'),
        ("zsod", {"true": {"i": {"c": [[10**400, 1, 3, 4]]}}, "prediction": {}}, "not_a_number", 'true["i"]["c"][0]'),
    ],
)
def test_what_is_wrong_in_a_dictionary_is_told_with_its_place(op: str, fields: Any, code: str, field: str) -> None:
    error = refused(op, **fields)
    assert error["code"] == "invalid_data"
    assert [(each["code"], each["field"]) for each in error["details"]] == [(code, field)]
    assert error["message"].startswith(field)


def test_faults_of_both_dictionaries_are_told_at_once_up_to_a_bound() -> None:
    wrong = {str(number): None for number in range(1000)}
    error = refused("htr", true=wrong, prediction={"0": 1})
    assert len(error["details"]) == MOST_FAULTS + 1
    assert error["message"].endswith(f"(and {MOST_FAULTS} more)")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused(number: float) -> None:
    """JSON cannot say them; a program that calls the operation can."""
    with pytest.raises(RefusedError, match="finite number for w"):
        OPERATIONS["fusion.zsod"](Fields({"true": {"i": {"c": [[0, 0, number, 1]]}}, "prediction": {}}))
    with pytest.raises(RefusedError, match="htr must be a finite number"):
        OPERATIONS["fusion.integral"](Fields({**FOUR, "htr": number}))


def test_a_fingerprint_names_the_dictionaries_only_where_words_were_looked_up() -> None:
    request = {"op": "fusion.vqa", "true": {"0": {"answer": "да", "lang": "ru"}}, "prediction": {}}
    asked = [request, {**request, "mode": None}, {**request, "mode": "normalised"}]
    libraries = [reply_to(libraries)["fingerprint"]["libraries"].keys() for libraries in asked]
    assert libraries == [set(), set(), {"pymorphy3", "pymorphy3-dicts-ru"}]


@pytest.mark.parametrize(
    ("prediction", "is_taken"),
    [
        ({"1": "text", "2": {"cat": [[0, 0, 10, 20.5]], "dog": []}}, True),
        *(({"1": {"cat": [[1] * numbers]}}, False) for numbers in (0, 3, 5)),
        *((other, False) for other in ([], "x", {"1": 1}, {"1": ["x"]}, {"1": {"cat": [["a", 0, 1, 1]]}})),
    ],
)
def test_the_schema_takes_texts_and_boxes_of_four_numbers(prediction: Json, is_taken: bool) -> None:
    jsonschema.Draft202012Validator.check_schema(dict(SCHEMA))
    assert jsonschema.Draft202012Validator(dict(SCHEMA)).is_valid(prediction) is is_taken


TRUTHS: dict[str, Any] = {
    "C2C": {"0": PROGRAM},
    "HTR": {"0.png": "слово"},
    "zsOD": {"0.jpg": {"cat": [[0, 0, 10, 10]], "dog": []}},
    "VQA": {"0": {"answer": "коты", "lang": "ru"}},
}
PREDICTIONS = {**TRUTHS, "VQA": {"0": "кот"}}
SCORES = ["--c2c", "40", "--htr", "0.8", "--zsod", "0.2", "--vqa", "0.4"]


def folder(path: Path, prefix: str, files: dict[str, Any]) -> str:
    path.mkdir()
    for name, content in files.items():
        (path / f"{prefix}_{name}.json").write_text(json.dumps(content), "utf-8")
    return str(path)


def submission(path: Path, **members: str) -> str:
    with zipfile.ZipFile(path, "w") as result:
        for name, content in {"metadata.json": '{"image": "a", "entry_point": "b"}', **members}.items():
            result.writestr(name, content)
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
    output = capsys.readouterr().out
    assert "path_escape" in output
    assert "выводит за пределы папки" in output
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
    output = printed(capsys)
    assert (output["s"], output["subtasks"]["vqa"]["reached"]) == (3.0, False)
    assert output["scored"]["zsod"]["result"]["tp"] == 1
    assert main(["fusion", "score", true, prediction, "--vqa", "normalised"]) == 0
    assert "4.000" in capsys.readouterr().out


def test_what_predictions_lack_is_told_and_is_worth_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true = folder(tmp_path / "t", "true", TRUTHS)
    prediction = folder(tmp_path / "p", "prediction", {"C2C": {}, "HTR": {**TRUTHS["HTR"], "9.png": "x"}})
    assert main(["fusion", "score", true, prediction]) == 1
    output = capsys.readouterr().err
    assert "c2c: 1 without a prediction" in output
    assert "htr: 1 unknown, ignored: 9.png" in output
    assert "vqa: there is no file of predictions" in output
    assert main(["fusion", "score", true, prediction, "--json"]) == 1
    assert printed(capsys)["s"] == 1


def test_cyrillic_letters_in_a_files_name_are_taken_for_what_they_look_like(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = folder(tmp_path / "t", "true", {"C2C": TRUTHS["C2C"]})
    prediction = folder(tmp_path / "p", "prediction", {"С2С": TRUTHS["C2C"]})
    assert main(["fusion", "score", true, prediction, "--json"]) == 0
    output = printed(capsys)
    assert (output["subtasks"]["c2c"]["score"], output["s"]) == (100, None)
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
    assert main(["fusion", "integral", *SCORES, "--json"]) == 0
    assert printed(capsys)["s"] == 1.8
    assert main(["fusion", "integral", *SCORES[:-1], "0.3"]) == 1
    assert "−" in capsys.readouterr().out
    assert main(["fusion", "integral", *SCORES[:-1], "nan"]) == 2


def test_the_prize_of_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fusion", "prize", "1", *SCORES]) == 0
    assert "2 000 000" in capsys.readouterr().out
    assert main(["fusion", "prize", "4", *SCORES, "--json"]) == 1
    assert printed(capsys) == {"s": 1.8, "place": 4, "roubles": 0.0}
    (tmp_path / "rules.json").write_text('{"fix": [5, 1, 1], "max": [9, 2, 2]}')
    assert main(["fusion", "prize", "1", *SCORES, "--prizes", str(tmp_path / "rules.json"), "--json"]) == 0
    assert printed(capsys)["roubles"] == 6_000_000


def test_boards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    team = {"c2c": 40, "htr": 0.8, "zsod": 0.2, "vqa": 0.4}
    path.write_text(json.dumps([{"team": "a", **team}, {"team": "b", **team}, {"team": "c", **team, "htr": None}]))
    assert main(["fusion", "board", str(path), "--json"]) == 0
    output = printed(capsys)
    assert output["places"]["s"] == {"a": 1, "b": 1, "c": 3}
    assert output["places"]["c2c"] == {"a": 1, "b": 1, "c": 1}
    assert output["s"] == {"a": 1.8, "b": 1.8, "c": None}
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
