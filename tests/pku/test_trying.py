"""``pku try``: a program on essays with experts' markups, without a session and without the platform."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contest.results.rules.reports import described_parameters
from markup_core import ScoringParams, score_essay, validate
from markup_core.sample import EssayInput, score_sample
from pku import config
from pku.pilot import mark
from tests.pku.platform import essay, pku
from tests.samples import PARAMETERS

DEMONSTRATION = Path(__file__).parents[2] / "local" / "demonstration" / "train"
TEXT = "Первое эссе: раз, два, три."


def marked(*spans: tuple[int, int, str]) -> dict[str, Any]:
    """Return a markup of the only text."""
    fragments = [
        {"id": number, "startSelection": start, "endSelection": end, "type": code, "subtype": ""}
        for number, (start, end, code) in enumerate(spans, start=1)
    ]
    return {**essay("e1", TEXT), "selections": fragments}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One essay with two experts: both found a, one found b, and they name a differently."""
    place = tmp_path / "essays"
    place.mkdir()
    put(place, "e1", essay("e1", TEXT))
    put(place, "e1_exp01", marked((0, 6, "Р.повтор"), (13, 16, "Г.упр")))
    put(place, "e1_exp02", marked((0, 6, "Р.тавт")))
    return place


def put(folder: Path, name: str, value: Any) -> None:
    (folder / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def program(tmp_path: Path, answer: str) -> list[str]:
    """Write a module whose function answers with an expression over ``essay``."""
    name = f"solver_{abs(hash((str(tmp_path), answer)))}"
    (tmp_path / f"{name}.py").write_text(
        f"import json\nfrom pathlib import Path\ndef mark(essay):\n    return {answer}\n", "utf-8"
    )
    return ["--entry-point", f"{name}:mark"]


def told(*words: str, code: int = 0) -> Any:
    return json.loads(pku("try", *words, "--json", code=code).stdout)


def found_of(answer: Mapping[str, Any], tmp_path: Path, folder: Path) -> dict[str, tuple[int, ...]]:
    put(folder.parent, "answer", answer)
    said = told(str(folder), *program(tmp_path, "json.loads(Path('answer.json').read_text('utf-8'))"))
    names = ("experts", "found", "named", "own", "stray")
    return {each["code"]: tuple(each[name] for name in names) for each in said["codes"]}


@pytest.mark.integration
def test_the_numbers_are_those_of_the_library_over_the_same_answers() -> None:
    said = told(str(DEMONSTRATION), "--entry-point", "pku.pilot:mark", "--workers", "2", "--files", "8")
    inputs = []
    for path in sorted(each for each in DEMONSTRATION.glob("*.json") if "_exp" not in each.name)[:8]:
        sides = [json.loads((path.parent / f"{path.stem}_exp0{n}.json").read_text("utf-8")) for n in (1, 2)]
        given = {**json.loads(path.read_text("utf-8")), "selections": [], "criteria": {}}
        markups = [validate(each).markup for each in (mark(given), *sides)]
        assert None not in markups
        inputs.append(EssayInput(markups[0], markups[1:]))  # type: ignore[arg-type]
    assert (said["files"], said["answered"], said["failures"]) == (8, 8, [])
    assert said["result"] == score_sample(inputs).to_dict()


def test_fragments_are_counted_by_code_over_all_experts(tmp_path: Path, folder: Path) -> None:
    assert found_of(marked((0, 6, "р.ПОВТОР"), (18, 21, "Ф.факт")), tmp_path, folder) == {
        "р.ПОВТОР": (1, 1, 1, 1, 0),  # the second expert has another name for it
        "Р.тавт": (1, 1, 0, 0, 0),
        "Г.упр": (1, 0, 0, 0, 0),
        "Ф.факт": (0, 0, 0, 1, 1),
    }


def test_a_fragment_that_one_expert_has_is_not_stray(tmp_path: Path, folder: Path) -> None:
    assert found_of(marked((13, 16, "Г.упр")), tmp_path, folder)["Г.упр"] == (1, 1, 1, 1, 0)


def test_an_answer_that_would_be_refused_is_none(tmp_path: Path, folder: Path) -> None:
    said = told(str(folder), *program(tmp_path, "{**essay, 'text': 'другой'}"), code=3)
    assert [each["code"] for each in said["failures"]] == ["invalid_answer_here"]
    assert said["result"]["algorithm_accuracy_all"] is None
    output = pku("try", str(folder), *program(tmp_path, "{**essay, 'text': 'другой'}"), "--lang", "en", code=3).stdout
    assert "essay e1: " in output
    assert "Validly answered: 0 of 1 essay (0%)." in output


def test_an_answer_that_takes_too_long_is_none(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(0, 10_000, 11))
    monkeypatch.setattr("pku.config.time.time", lambda: float(next(moments)))
    said = told(str(folder), *program(tmp_path, "essay"), "--time-limit", "10", code=3)
    assert [each["code"] for each in said["failures"]] == ["try_late"]


def test_answers_without_a_fragment_are_told(tmp_path: Path, folder: Path) -> None:
    output = pku("try", str(folder), *program(tmp_path, "essay"), "--lang", "en").stdout
    assert "None of the 1 answers has a fragment" in output


def test_experts_fragments_and_criteria_are_not_given_to_the_program(tmp_path: Path, folder: Path) -> None:
    (folder / "e1.json").unlink()
    seen = "(Path('seen').write_text(json.dumps([essay['selections'], essay['criteria']])), essay)[1]"
    told(str(folder), *program(tmp_path, seen))
    assert json.loads((tmp_path / "seen").read_text()) == [[], {}]


def test_the_cycle_of_the_login_gives_parameters_and_demands(tmp_path: Path, folder: Path) -> None:
    parameters = {**described_parameters(PARAMETERS), "track": {"hardness": 0.5, "weights": [1, 0, 0, 0, 0, 0, 0]}}
    words = (str(folder), *program(tmp_path, "{**essay, 'selections': []}"))
    before = told(*words)
    config.save_cycle(
        {"track": "essay", "parameters": parameters, "classifier": "default", "languages": {"rus": ["rus-free"]}}
    )
    after = told(*words)
    markups = [
        validate(json.loads((folder / f"{name}.json").read_text("utf-8"))).markup
        for name in ("e1", "e1_exp01", "e1_exp02")
    ]
    scored = score_essay(markups[0], markups[1:], ScoringParams(hardness=0.5, weights=(1, 0, 0, 0, 0, 0, 0)))  # type: ignore[arg-type]
    assert after["result"]["algorithm_accuracy"] == scored.algorithm_accuracy != before["result"]["algorithm_accuracy"]
    least = parameters["readiness_min_files"]
    assert f"needs 95% of at least {least} files" in pku("try", *words, "--lang", "en").stdout
    assert "Для финала достаточно" in pku("try", *words, "--lang", "ru").stdout


def test_an_essay_is_shown_beside_its_experts(tmp_path: Path, folder: Path) -> None:
    words = (str(folder), *program(tmp_path, "{**essay, 'selections': []}"), "--lang", "en", "--compare")
    output = pku("try", *words, "e1").stdout
    assert "File e1, expert 1" in output
    assert "Р.тавт «Первое»" in output
    broken = (str(folder), *program(tmp_path, "None"), "--compare", "e1")
    assert "[try_no_answer]" in pku("try", *broken, code=1).stderr


def test_an_essay_that_is_not_there_is_refused_before_any_is_solved(tmp_path: Path, folder: Path) -> None:
    solver = program(tmp_path, "(Path('solved').touch(), essay)[1]")
    assert "[try_no_such_essay]" in pku("try", str(folder), *solver, "--compare", "e9", code=1).stderr
    assert not (tmp_path / "solved").exists()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("e1_exp01", "no markup", "e1_exp01.json"),
        ("e1_exp01", {**essay("e1", TEXT), "text": "Другой текст."}, "e1_exp01.json: its text is not that of"),
        ("e1_exp02", {**marked(), "selections": [{"type": "Р.повтор"}]}, "e1_exp02.json"),
    ],
)
def test_what_cannot_be_tried_on_is_named(tmp_path: Path, folder: Path, name: str, value: Any, said: str) -> None:
    put(folder, name, value)
    refused = pku("try", str(folder), *program(tmp_path, "essay"), code=1)
    assert "[try_unreadable]" in refused.stderr
    assert said in refused.stderr


def test_what_cannot_be_tried_on_is_told_in_russian(tmp_path: Path, folder: Path) -> None:
    put(folder, "e1_exp01", {**essay("e1", TEXT), "text": "Другой текст."})
    refused = pku("try", str(folder), *program(tmp_path, "essay"), "--lang", "ru", code=1)
    assert "e1_exp01.json: текст не тот, что в " in refused.stderr
    (folder / "e1_exp01.json").write_text("{")
    refused = pku("try", str(folder), *program(tmp_path, "essay"), "--lang", "ru", code=1)
    assert "e1_exp01.json: строка 1, столбец 2: " in refused.stderr


def test_a_folder_without_experts_says_how_to_get_some(tmp_path: Path, folder: Path) -> None:
    for path in folder.glob("*_exp*"):
        path.unlink()
    refused = pku("try", str(folder), *program(tmp_path, "essay"), "--lang", "ru", code=1)
    assert "pku data get train" in refused.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "[try_unreadable]" in pku("try", str(empty), *program(tmp_path, "essay"), code=1).stderr


def test_the_solver_may_be_a_command(tmp_path: Path, folder: Path) -> None:
    command = f"'{sys.executable}' -c 'import shutil, sys; shutil.copy(*sys.argv[1:])' {{input}} {{output}}"
    assert told(str(folder), "--solver", command)["answered"] == 1
