"""The command ``markup-core``: exit codes, tables, JSON, folders, records.

The seed of a folder's intervals: the one that is asked for, else 0.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from markup_core.accuracy import score_record
from markup_core.command.cli import main
from markup_core.command.inputs import UnreadableError, find_essays
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from tests.typed_commands import Command


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def save(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def edited(path: Path, **fields: Any) -> Path:
    return save(path, {**load(path), **fields})


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(main, capsys)


@pytest.mark.clause("MS §8 command", "R 4.2.2", "platform §6 markup_core")
def test_valid_files_give_0_and_errors_give_1(essays: Path, run: Command) -> None:
    assert run("validate", "books.json", "summer.json")[0] == 0
    edited(essays / "books.json", text="Короче")
    code, out, _ = run("validate", "books.json", "summer.json")
    assert code == 1
    assert "span_outside_text" in out
    assert "summer.json: valid" in out


def test_a_warning_alone_is_no_finding(essays: Path, run: Command) -> None:
    edited(essays / "books.json", colour="red")
    code, out, _ = run("validate", "books.json", "--lang", "ru")
    assert code == 0
    assert "books.json: верно, фрагментов: 1" in out
    assert "предупреждение" in out


def test_codes_are_listed_in_both_languages(run: Command) -> None:
    code, english, _ = run("codes", "lit")
    assert code == 0
    assert english.startswith("Literature (lit)\n")
    assert "С.тема" in english
    assert "The topic is not treated." in english
    code, russian, _ = run("codes", "lit", "--lang", "ru")
    assert code == 0
    assert russian.startswith("Литература (lit)\n")
    assert "Тема не раскрыта." in russian
    assert re.search(r"С\.композ +ошибка, .*весь текст, связь", russian)


def test_codes_of_all_subjects_as_json_are_the_classifier(run: Command) -> None:
    default = Classifier.default()
    assert json.loads(run("codes", "--json")[1]) == default.to_dict()
    (listed,) = json.loads(run("codes", "eng", "--json")[1])["subjects"].values()
    assert listed == [each.to_dict() for each in default.codes("eng")]


def test_codes_of_an_own_classifier_and_of_an_unknown_subject(tmp_path: Path, run: Command) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"subjects": {"uk": [{"code": "G/Case", "group": "meaning"}]}}', "utf-8")
    code, out, _ = run("codes", "--classifier", str(own))
    assert (code, out.splitlines()[0], out.splitlines()[-2].split()) == (0, "uk (uk)", ["G/Case", "block"])
    code, out, err = run("codes", "hist", "--classifier", str(own))
    assert (code, out, err) == (2, "", "markup-core: the classifier knows no subject hist; it knows uk\n")


def test_the_essay_s_text_must_be_kept(essays: Path, run: Command) -> None:
    assert run("validate", "books_exp01.json", "--essay", "books.json")[0] == 0
    code, out, _ = run("validate", "books_exp01.json", "--essay", "summer.json", "--json")
    assert code == 1
    assert [fault["code"] for fault in json.loads(out)["result"]["errors"]] == ["text_differs"]


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("grade",), ("grade", "--lang", "fr", "books.json")])
def test_wrong_usage_gives_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: markup-core" in capsys.readouterr().err


def test_an_invalid_markup_is_not_scored_and_all_its_errors_are_told(essays: Path, run: Command) -> None:
    edited(essays / "books_exp02.json", text="Короче")
    edited(essays / "summer.json", selections=[5])
    code, out, err = run("compare", ".")
    assert (code, out) == (2, "")
    assert "summer.json" in err
    assert err.count("books_exp02.json") == 4  # two fragments, both ends of each


@pytest.mark.clause("R 2.22")
def test_the_notation_and_json_turn_into_each_other(essays: Path, run: Command) -> None:
    assert run("convert", "summer.json", "-o", "there.txt")[0] == 0
    assert run("convert", "there.txt", "-o", "back.json")[0] == 0
    there, back = load(essays / "summer.json"), load(essays / "back.json")
    assert (back["text"], back["meta"]) == (there["text"], there["meta"])
    assert back["selections"] == there["selections"]
    assert run("match", "there.txt", "summer.json")[1].startswith("pairs: 3, only in X: 0")


def test_line_ends_survive_the_conversion(essays: Path, run: Command) -> None:
    text = "Раз.\r\nДва.\rТри.\n"
    save(essays / "ends.json", {"meta": {"subject": "rus"}, "selections": [], "text": text})
    run("convert", "ends.json", "-o", "ends.txt")
    assert (essays / "ends.txt").read_bytes().endswith(text.encode())
    out = run("convert", "ends.txt")[1]
    assert json.loads(out)["text"] == text


def test_a_mistake_in_the_notation_has_line_and_column(essays: Path, run: Command) -> None:
    (essays / "bad.txt").write_text("Предмет: rus\n\nРаз (\\ Г.упр \\ два.", "utf-8")
    code, _, err = run("convert", "bad.txt")
    assert code == 2
    assert "bad.txt: line 3, column 5" in err


@pytest.mark.clause("MS §8 command", "R 4.2.2")
def test_a_grade_explains_itself_in_both_languages(essays: Path, run: Command) -> None:
    # rus-free: Г.слов and Г.упр are two grammar errors, K1 = 4 - 2; Р.повтор one of speech, K2 = 4 - 1; the rest full:
    # 24 - 3 = 21.
    assert "21 of 24" in run("grade", "summer.json")[1]
    assert "21 из 24" in run("grade", "summer.json", "--lang", "ru")[1]
    assert run.json("grade", "summer.json")["result"]["criteria"]["K1"] == 2


def test_json_of_several_files_is_a_line_each(essays: Path, run: Command) -> None:
    code, out, _ = run("grade", "summer.json", "books.json", "--json")
    assert code == 0
    assert [json.loads(line)["inputs"]["markup"] for line in out.splitlines()] == ["summer.json", "books.json"]


def test_a_pair_shows_its_metrics_and_its_fragments(essays: Path, run: Command) -> None:
    # books against its first expert: one fragment of X, two of Y, one pair: M2 = 2·1 / (1 + 2) = 66.67.
    code, out, _ = run("compare", "books.json", "books_exp01.json")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("M2")]
    assert line.endswith("66.67")
    assert "pairs: 1, only in X: 0, only in Y: 1" in out
    assert "Л.причслед" in out


def test_parameters_come_from_a_file_and_options_win(essays: Path, run: Command) -> None:
    save(essays / "params.json", {"hardness": 0.25, "weights": [0, 1, 0, 0, 0, 0, 0]})
    pair = ("compare", "books.json", "books_exp01.json", "--params", "params.json")
    assert run.json(*pair)["result"]["pair_accuracy"] == pytest.approx(200 / 3)
    found = run.json(*pair, "--hardness", "1", "--separate-groups")["fingerprint"]["parameters"]
    assert (found["hardness"], found["separate_groups"]) == (1.0, True)
    assert found["weights"] == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_ratings_reach_m7(essays: Path, run: Command) -> None:
    markup = load(essays / "books.json")
    markup["selections"][0]["explanation"] = "«Согласно» требует дательного падежа."
    save(essays / "explained.json", markup)
    ratings = save(essays / "ratings.json", {"1": [[1, 1, 1, 1, 0]]})
    pair = ("compare", "explained.json", "books_exp01.json")
    assert run.json(*pair)["result"]["metrics"]["M7"] is None
    assert run.json(*pair, "--ratings", ratings)["result"]["metrics"]["M7"] == pytest.approx(80.0)


@pytest.mark.clause("MS §8 command")
def test_a_folder_gives_the_mean_over_its_essays(essays: Path, run: Command) -> None:
    found = run.json("compare", ".")["result"]
    star = [each["algorithm_accuracy"] for each in found["by_essay"]]
    ster = [each["expert_accuracy"] for each in found["by_essay"]]
    assert len(star) == 2
    assert found["algorithm_accuracy"] == pytest.approx(sum(star) / 2)
    assert found["relative_accuracy"] == pytest.approx(100 * sum(star) / sum(ster))
    table = run("compare", ".")[1]
    for title in ("By metric", "By essay", "subject rus-free", "language rus", "95 %"):
        assert title in table


@pytest.mark.clause("MS §4 common")
def test_star_over_more_essays_has_a_table_of_its_own(essays: Path, run: Command) -> None:
    title = "STAR over all essays with an expert markup, not to be divided by STER"
    assert title not in run("compare", ".")[1]
    before = run.json("compare", ".")["result"]
    for name in ("books.json", "books_exp01.json"):
        shutil.copy(essays / name, essays / name.replace("books", "lonely"))
    found = run.json("compare", ".")["result"]
    common = ("essays", "algorithm_accuracy", "expert_accuracy", "relative_accuracy")
    assert [found[name] for name in common] == [before[name] for name in common]
    assert (found["algorithm_essays"], before["algorithm_essays"]) == (3, 2)
    every = found["by_essay"]
    assert found["algorithm_accuracy_all"] == pytest.approx(sum(each["algorithm_accuracy"] for each in every) / 3)
    apart = run("compare", ".")[1].partition(title)[2].partition("By essay")[0]
    (row,) = [line.split() for line in apart.splitlines() if line.startswith("all ")]
    assert row[:3] == ["all", "3", f"{found['algorithm_accuracy_all']:.2f}"]
    assert "## СТАР по всем эссе с экспертной разметкой" in run("report", ".", "--lang", "ru")[1]


def test_answers_of_another_folder_are_measured_against_the_same_experts(
    essays: Path, tmp_path: Path, run: Command
) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    shutil.copy(essays / "books_exp01.json", answers / "books.json")
    found = run.json("compare", ".", "--answers", answers)
    # The first expert against himself is 100; summer has no answer and is voided.
    assert [each["algorithm_accuracy"] for each in found["result"]["by_essay"]] == [pytest.approx(100.0), None]
    assert found["result"]["essays"] == 1
    shutil.copy(essays / "books.json", answers / "stranger.json")
    code, _, err = run("compare", ".", "--answers", answers)
    assert code == 2
    assert "stranger.json" in err


def test_an_essay_without_experts_is_named_and_not_counted(essays: Path, run: Command) -> None:
    shutil.copy(essays / "books.json", essays / "alone.json")
    code, out, err = run("compare", ".")
    assert code == 0
    assert err == "Without an expert markup, not counted: alone\n"
    assert "alone" in out


def without_programs(essays: Path) -> None:
    for path in essays.glob("*.json"):
        if "_exp" not in path.name:
            path.unlink()


@pytest.mark.parametrize(
    ("language", "told", "absent"),
    [("en", "There is no program's markup (ID.json)", "STAR"), ("ru", "Разметок программы (ID.json) нет", "СТАР")],
)
def test_experts_alone_have_no_columns_of_a_program(
    essays: Path, run: Command, language: str, told: str, absent: str
) -> None:
    expected = [each["expert_accuracy"] for each in run.json("compare", ".")["result"]["by_essay"]]
    without_programs(essays)
    code, out, err = run("compare", ".", "--lang", language)
    assert code == 0
    assert told in err
    assert absent not in out
    for value in expected:
        assert f"{value:.2f}".replace(".", "," if language == "ru" else ".") in out
    assert "```" not in run("report", ".", "--lang", language)[1], "no chart of nothing"


def test_a_folder_in_which_nothing_can_be_compared_is_refused(essays: Path, run: Command) -> None:
    without_programs(essays)
    for path in essays.glob("*_exp02.json"):
        path.unlink()
    for command in ("compare", "report"):
        code, out, err = run(command, ".")
        assert (code, out) == (2, "")
        assert "nothing can be compared" in err
    shutil.copy(essays / "books_exp01.json", essays / "books.json")
    assert run("compare", ".")[0] == 0


def test_a_subject_without_a_formula_says_which_weight_to_change(essays: Path, run: Command) -> None:
    codes = [
        {"code": name, "group": "error", "correction": True} for name in ("Г.упр", "Г.слов", "Р.повтор", "Л.причслед")
    ]
    classifier = save(essays.parent / "codes.json", {"subjects": {"rus-other": codes}})
    for path in essays.iterdir():
        edited(path, meta={"subject": "rus-other"})
    for arguments in (("compare", "."), ("compare", "books.json", "books_exp01.json")):
        code, _, err = run(*arguments, "--classifier", classifier, "--weights", "1,2,1,1,1,1,0")
        assert code == 0
        assert "--weights 0,2,1,1,1,1,0" in err
        code, _, err = run(*arguments, "--classifier", classifier)
        assert (code, "--weights" in err) == (0, False)
        assert run(*arguments, "--classifier", classifier, "--weights", "0,2,1,1,1,1,0")[2] == ""
    code, _, err = run("grade", "books.json", "--classifier", classifier)
    assert code == 2
    assert "no grading formula" in err


def test_a_report_is_the_same_bytes_every_time(essays: Path, run: Command) -> None:
    outputs = essays.parent / "one.md", essays.parent / "two.md"
    for path in outputs:
        assert run("report", ".", "-o", path, "--lang", "ru")[:2] == (0, "")
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    text = outputs[0].read_text("utf-8")
    assert text.startswith("# Отчёт о разметках\n")
    assert "| books | 2 |" in text
    assert str(essays) not in text
    assert run("report", ".")[1].startswith("# Report on markups\n")


def record(run: Command, path: Path, *arguments: object) -> Path:
    return save(path, run.json(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "books.json", "books_exp01.json"),
        ("compare", "books_exp01.json", "books_exp02.json", "--x-is-expert", "--hardness", "0.5"),
        ("match", "summer.json", "summer_exp01.json", "--separate-groups"),
        ("grade", "summer.json"),
        ("compare", ".", "--seed", "5", "--hardness", "1"),
    ],
)
def test_a_record_verifies_and_a_changed_input_does_not(essays: Path, run: Command, arguments: tuple[str, ...]) -> None:
    path = record(run, essays.parent / "record.json", *arguments)
    assert run("verify", path)[:2] == (0, "Verified: the fingerprint and every number agree.\n")
    for each in ("books.json", "books_exp01.json", "summer.json"):
        edited(essays / each, meta={"subject": "rus-free", "note": "changed"})
    code, out, _ = run("verify", path)
    assert code == 1
    assert "fingerprint.inputs[0]" in out


def test_every_changed_number_is_listed(essays: Path, run: Command) -> None:
    path = record(run, essays.parent / "record.json", "compare", "books.json", "books_exp01.json")
    found = load(path)
    found["result"]["metrics"]["M2"] += 1e-12
    found["result"]["pair_accuracy"] = None
    found["fingerprint"]["library"] = "markup_core 0.0.1"
    save(path, found)
    code, out, _ = run("verify", path, "--json")
    assert code == 1
    told = json.loads(out)
    assert told["verified"] is False
    assert [line.partition(":")[0] for line in told["differences"]] == [
        "fingerprint.library",
        "result.metrics.M2",
        "result.pair_accuracy",
    ]


def platform_files(essays: Path) -> tuple[Any, list[Any], dict[str, Any]]:
    answer = load(essays / "summer.json")
    experts = [load(essays / f"summer_exp0{number}.json") for number in (1, 2)]
    return answer, experts, score_record(answer, experts, ScoringParams(hardness=0.5))


def test_the_platform_s_comparison_is_verified_as_it_is(essays: Path, run: Command) -> None:
    answer, experts, score = platform_files(essays)
    path = save(essays.parent / "comparison.json", {"answer": answer, "experts": experts, "score": score})
    assert run("verify", path)[0] == 0
    save(path, {"answer": answer, "experts": experts[::-1], "score": score})
    assert run("verify", path)[0] == 1
    save(path, {"answer": answer, "experts": experts, "score": {**score, "fragments": 4}})
    code, out, _ = run("verify", path)
    assert (code, "fragments: 4 → 3" in out) == (1, True)


TRACK = {"separate_groups": False, "paraphrase": "default", "classifier": "default", "languages": ["rus"]}


@pytest.mark.clause("MS §8 verify")
@pytest.mark.parametrize(
    "told",
    [
        ("--hardness", "0.5"),
        ("--params", {"hardness": 0.5}),
        ("--params", {"hardness": 0}, "--hardness", "0.5"),
        ("--params", {"cycle": "2026", "parameters": {"version": 2, "track": {**TRACK, "hardness": 0.5}}}),
    ],
)
def test_a_record_by_others_than_the_pinned_parameters_does_not_verify(
    essays: Path, run: Command, told: tuple[Any, ...]
) -> None:
    """This holds for every kind of file: the platform's comparison, a record alone, the output of a command."""
    answer, experts, score = platform_files(essays)
    pinned = [save(essays.parent / "cycle.json", each) if isinstance(each, dict) else each for each in told]
    named = ("--answer", "summer.json", "--references", "summer_exp01.json", "summer_exp02.json")
    pair = ("compare", "summer.json", "summer_exp01.json", "--json")
    for right, arguments in ((True, ()), (False, ("--hardness", "0.25"))):
        if not right:
            score = score_record(answer, experts, ScoringParams(hardness=0.25))
        kinds = (
            (save(essays.parent / "comparison.json", {"answer": answer, "experts": experts, "score": score}), ()),
            (save(essays.parent / "score.json", score), named),
            (record(run, essays.parent / "record.json", *pair[:-1], *(arguments or ("--hardness", "0.5"))), ()),
        )
        for path, more in kinds:
            assert run("verify", path, *more)[0] == 0, "right by the parameters that it names"
            code, out, _ = run("verify", path, *more, *pinned)
            assert code == (0 if right else 1), path
            assert ("fingerprint.parameters.hardness: 0.25 → 0.5" in out) is not right


def test_of_a_record_without_parameters_none_can_be_pinned(essays: Path, run: Command) -> None:
    path = record(run, essays.parent / "record.json", "grade", "summer.json")
    code, _, err = run("verify", path, "--hardness", "0")
    assert code == 2
    assert "grade has no parameters" in err


def test_another_contest_s_cycle_pins_nothing(essays: Path, run: Command) -> None:
    """Otherwise the defaults would apply silently."""
    path = save(essays.parent / "score.json", platform_files(essays)[2])
    cycle = save(essays.parent / "cycle.json", {"cycle": "exam", "parameters": {"track": {"variants": 2}}})
    code, _, err = run("verify", path, "--answer", "summer.json", "--params", cycle)
    assert code == 2
    assert "unknown field" in err


def test_a_record_alone_needs_its_markups_named(essays: Path, run: Command) -> None:
    path = save(essays.parent / "score.json", platform_files(essays)[2])
    code, _, err = run("verify", path)
    assert code == 2
    assert "--answer" in err
    named = ("--answer", "summer.json", "--references", "summer_exp01.json", "summer_exp02.json")
    assert run("verify", path, *named)[0] == 0
    assert run("verify", path, *named[:-1])[0] == 1


def test_ratings_and_another_classifier_belong_to_the_record(essays: Path, run: Command) -> None:
    answer, experts, _ = platform_files(essays)
    answer["selections"][0]["explanation"] = "Такого слова нет."
    ratings = {"1": [[1, 0, 0, 0, 0]]}
    params = ScoringParams(weights=(0, 0, 0, 0, 0, 0, 1))
    score = score_record(answer, experts, params, ratings=ratings)
    path = save(essays.parent / "comparison.json", {"answer": answer, "experts": experts, "score": score})
    assert run("verify", path)[0] == 1
    assert run("verify", path, "--ratings", save(essays.parent / "ratings.json", ratings))[0] == 0
    codes = [{"code": name, "group": "error", "correction": True} for name in ("Г.упр", "Г.слов", "Р.повтор")]
    classifier = save(essays.parent / "codes.json", {"subjects": {"rus-free": codes}})
    code, out, _ = run("verify", path, "--ratings", essays.parent / "ratings.json", "--classifier", classifier)
    assert code == 1
    assert "fingerprint.classifier" in out


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"fingerprint": {}},
        {"fingerprint": {"op": 5}},
        {"fingerprint": {"op": "no"}, "inputs": {}},
        {"fingerprint": {"op": "pair", "parameters": []}, "inputs": {}},
        {"fingerprint": {"op": "pair", "parameters": {}}, "inputs": {}},
        {"fingerprint": {"op": "pair", "parameters": {"weights": 5}}, "inputs": {}},
        {"fingerprint": {"op": "pair", "parameters": {}}, "inputs": {"x": 5, "y": 6}},
        {"fingerprint": {"op": "pair", "parameters": {}}, "inputs": {"x": "\0", "y": "nowhere.json"}},
        {"fingerprint": {"op": "sample", "parameters": {}}, "inputs": {"essays": [5]}},
        {"fingerprint": {"op": "sample", "parameters": {}}, "inputs": {"essays": 5}},
        {"fingerprint": {"op": "validate", "parameters": None}, "inputs": {}},
        {"answer": {}, "experts": [], "score": {}},
        {"answer": {}, "experts": 5, "score": {"fingerprint": {"op": "essay", "parameters": {}}}},
        {"answer": {}, "experts": [], "score": {"fingerprint": {"op": "essay", "parameters": {}}}},
    ],
)
def test_what_is_no_record_gives_2(essays: Path, run: Command, value: Any) -> None:
    code, out, err = run("verify", save(essays.parent / "record.json", value))
    assert (code, out) == (2, "")
    assert err.startswith("markup-core: ")


def test_experts_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("a_b_exp10", "a_b_exp9", "a_b", "a_exp_exp01", "z"):
        (tmp_path / f"{name}.json").touch()
    (tmp_path / "note.txt").touch()
    found = [(files.essay, [path.stem for path in files.experts]) for files in find_essays(tmp_path)]
    assert found == [("a_b", ["a_b_exp9", "a_b_exp10"]), ("a_exp", ["a_exp_exp01"]), ("z", [])]
    assert [files.algorithm is None for files in find_essays(tmp_path)] == [False, True, False]


def test_an_empty_folder_is_an_error_not_an_empty_result(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no file"):
        find_essays(tmp_path)


def test_names_of_a_folder_s_files_are_compared_in_nfc(tmp_path: Path) -> None:
    """macOS writes й in a file's name as letter and mark."""
    decomposed = "Мо\u0438\u0306"
    for name in ("Мой.json", f"{decomposed}_exp01.json", "Мой_exp02.json"):
        (tmp_path / name).write_text("{}")
    (essay,) = find_essays(tmp_path)
    assert (essay.essay, essay.algorithm, essay.numbers) == ("Мой", tmp_path / "Мой.json", (1, 2))
    (tmp_path / f"{decomposed}.json").write_text("{}")
    with pytest.raises(UnreadableError, match="two files have this name"):
        find_essays(tmp_path)


ESSAYS = Path(__file__).resolve().parents[3] / "docs" / "examples" / "essays"


@pytest.mark.parametrize(("asked", "used"), [((), 0), (("--seed", "5"), 5), (("--seed", "0"), 0)])
def test_the_seed_is_recorded_as_it_was_used(
    asked: tuple[str, ...], used: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(ESSAYS), *asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["seed"] == used
