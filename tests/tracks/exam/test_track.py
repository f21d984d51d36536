"""The exam behind the Track Protocol, and its command for people (tracks.md §2).

``tracks exam`` for people: tables, JSON, exit codes.

The command of the exam: what it cannot do without.
"""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from tests.tracks.exam.exam_items import item, right, variant
from tests.typed_commands import Command
from tracks.command import cli
from tracks.exam.tasks import TASKS, TYPES, UnusableGoldError, counted, score
from tracks.exam.track import ExamTrack
from tracks.protocol import ItemFacts, Missed, Outcome

TRACK = ExamTrack()


def judged(body: bytes) -> Any:
    return TRACK.validate(item(), "f1", "task", body, {})


def codes(reasons: Any) -> list[str]:
    assert all(each.message.en and each.message.ru for each in reasons)
    return [each.code for each in reasons]


def test_a_missed_item_counts_as_wrong_and_ends_no_session() -> None:
    policies = TRACK.policies("algorithmic")
    assert policies.missed is Missed.WRONG
    assert policies.max_voided_share == 1.0


def test_a_cycle_gives_no_parameters_of_the_exams_own() -> None:
    assert TRACK.read_parameters({"classifier": "default", "languages": {"rus": ["1"]}}) == ({}, ())
    assert codes(TRACK.read_parameters({"weights": [1], "seed": 1})[1]) == ["unknown_field", "unknown_field"]
    assert codes(TRACK.read_parameters([])[1]) == ["not_an_object"]


def test_an_items_group_is_its_variant() -> None:
    assert TRACK.read_item(item("16", 25, 137), {}) == (ItemFacts("137", "rus", "25"), ())


def test_a_right_answer_that_stands_apart_is_the_items_own() -> None:
    assert TRACK.read_reference(item(), {"outputs": item()["outputs"]}, {}) == ()
    for other in ({"outputs": "другое"}, {}, [], None):
        assert codes(TRACK.read_reference(item(), other, {})) == ["invalid_reference"]


@pytest.mark.clause("U closed test")
def test_what_is_handed_out_is_the_prompt_and_its_parts_under_an_opaque_name() -> None:
    shown = TRACK.hand_out(item("26", 3, 866), "f-17", "task")
    assert shown["id"] == "f-17"
    assert shown["prompt"] == "Прочти и реши.\nУсловие задания 26\nОтрывок\n1) да\n2) нет\n\nОтвет: "
    assert shown["inputs"] == item("26")["inputs"]
    assert shown["meta"] == {"id_task": "26", "score": 4, "type": "matching"}
    assert set(shown) == {"id", "prompt", "instruction", "inputs", "meta"}


@pytest.mark.parametrize("body", [b'"4,9,2,8"', '"да"'.encode(), b'""', b'"\\u0434"', b' "1"\n'])
def test_any_string_is_an_answer_and_is_kept_as_it_is(body: bytes) -> None:
    verdict = judged(body)
    assert verdict.valid
    assert (verdict.kind, verdict.canonical) == ("answer", json.loads(body))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "malformed_json"),
        (b"2,3", "malformed_json"),
        (b"\xff", "malformed_json"),
        (b"NaN", "malformed_json"),
        (b'"' + b"x" * 20_000 + b'"', "malformed_json"),
        (b"23", "wrong_type"),
        (b"null", "wrong_type"),
        (b'["2", "3"]', "wrong_type"),
        (b'{"outputs": "2"}', "wrong_type"),
        (b'"' + b"x" * 1001 + b'"', "text_too_long"),
        (b'"\\ud83d"', "lone_surrogate"),
    ],
)
def test_what_is_no_string_is_refused_with_a_reason(body: bytes, code: str) -> None:
    assert codes(judged(body).reasons) == [code]


def test_a_record_has_the_points_and_where_they_count() -> None:
    record = TRACK.score(item("26", 3, 866), "4,9,2", (), {})
    assert {name: value for name, value in record.items() if name != "fingerprint"} == {
        "answered": True,
        "score": 3,
        "max": 4,
        "variant": "3",
        "task": "26",
        "section": "text analysis",
        "type": "matching",
    }


def test_the_fingerprint_does_not_tell_the_right_answer() -> None:
    inputs = TRACK.score(item("12"), "1", (), {})["fingerprint"]["inputs"]
    assert set(inputs) == {"prediction", "id_task", "type"}


def test_a_missed_item_has_a_record_of_no_points() -> None:
    record = TRACK.score(item("16"), None, (), {})
    assert (record["answered"], record["score"], record["max"]) == (False, 0, 2)


def outcomes(items: list[Any], answers: dict[str, str], voided: tuple[str, ...] = ()) -> list[Outcome]:
    found = []
    for raw in items:
        ident = str(raw["meta"]["id"])
        record = None if ident in voided else TRACK.score(raw, answers.get(ident), (), {})
        found.append(Outcome(ItemFacts(ident, "rus", str(raw["meta"]["variant"])), ident in answers, record))
    return found


@pytest.mark.clause("U human")
def test_a_session_has_grade_norm_with_missed_items_as_zeros_and_the_human_level() -> None:
    answers = right(variant(2))
    del answers["2029"]  # task 26: 4 points
    found = TRACK.aggregate(outcomes(variant(2), answers), {}, 1)
    assert found["grade_norm"] == 30 / 34
    assert (found["items"], found["answered"], found["complete"]) == (30, 29, ["2"])
    assert found["human"] == {"grade_norm": 0.701, "points": 23.835, "of": 34}
    assert found["by_task"]["26"] == found["by_type"]["matching"] == {"items": 1, "points": 0, "max": 4, "share": 0.0}


def test_a_voided_item_counts_for_nobody_and_leaves_its_variant_incomplete() -> None:
    items = variant(1) + variant(2)
    fates = outcomes(items, right(items[:17] + items[30:]), voided=("2005",))
    found = TRACK.aggregate(fates, {}, 1)
    assert found["grade_norm"] == 17 / 34
    assert found["complete"] == ["1"]
    assert found["variants"] == {"1": 17, "2": 33}
    assert found["by_task"]["6"]["items"] == 1


@pytest.mark.clause("TS U-6", "TS T10")
@pytest.mark.parametrize(("variants", "told"), [(9, False), (10, True), (30, True)])
def test_u_6_of_a_closed_test_a_group_is_told_from_ten_items_on(variants: int, told: bool) -> None:
    items = [each for number in range(1, variants + 1) for each in variant(number)]
    outcomes = []
    for each in items:
        facts, _ = TRACK.read_item(each, {})
        assert facts is not None
        outcomes.append(Outcome(facts, True, TRACK.score(each, each["outputs"], [], {})))
    whole = TRACK.aggregate(outcomes, {}, 0)
    totals = TRACK.totals(whole, outcomes)
    assert totals["by_task"] == (whole["by_task"] if told else {}), "every task has one item a variant"
    for key in ("by_section", "by_type"):
        left_out = [each["items"] for name, each in whole[key].items() if name not in totals[key]]
        assert all(each["items"] >= 10 for each in totals[key].values())
        assert not left_out or sum(left_out) >= 10, "the total of what is left out follows from the rest"
        assert totals[key]
    assert (totals["grade_norm"], totals["complete"]) == (whole["grade_norm"], variants)
    assert "variants" not in totals


def test_an_empty_session_is_undefined() -> None:
    found = TRACK.aggregate([], {}, 1)
    assert (found["grade_norm"], found["items"], found["variants"]) == (None, 0, {})


@pytest.mark.clause("TS U-5")
@pytest.mark.parametrize(("grade", "above"), [(0.7011, True), (0.701, False), (0.7009, False), (None, None)])
def test_who_is_as_good_as_people_is_not_above_them(grade: float | None, above: bool | None) -> None:
    assert TRACK.overcame({"grade_norm": grade}) is above


def test_the_report_shows_the_program_beside_people_and_every_item() -> None:
    fates = outcomes(variant(1), right(variant(1)[:-1]))
    tables = {each.key: each for each in TRACK.report_sections(TRACK.aggregate(fates, {}, 1), fates)}
    assert list(tables) == ["overall", "variants", "by_section", "by_task", "by_type", "files"]
    assert tables["overall"].rows == (
        ("program · программа", 30 / 34, pytest.approx(30), 1),
        ("people · люди", 0.701, 23.835, None),
    )
    assert tables["by_section"].rows[-1] == ("Text analysis · Анализ текста", 3, 2, 6, 2 / 6, 0.701)
    assert all(tables[f"by_{each}"].shares == (5, 4) for each in ("section", "task", "type")), (
        "people, then the program"
    )
    assert tables["files"].rows[-1] == ("1029", "1", "26", "matching", 0, 4)
    assert tables["files"].rows[15 + 4] == ("1019", "1", "16", "multiple_choice_independent_options", 2, 2)


@pytest.mark.clause("TS T10")
def test_t10_answers_from_which_the_same_points_follow_are_one() -> None:
    def view(answer: str | None, task: str, kind: str) -> Any:
        return counted(answer, task, kind)

    assert view("Слово 1", "1", "text") == view("слово", "1", "text") == "слово"
    assert view("12", "1", "text") is view("", "1", "text") is view(None, "1", "text") is None, "no letter, no answer"
    choice = "multiple_choice_independent_options"
    assert view("3, 1,1", "2", choice) == view("1,3", "2", choice) == ["1", "3"]
    assert view("1,3", "26", "matching") != view("3,1", "26", "matching"), "each has its position"
    assert view("1,2,3,4,5", "26", "matching") == view("1,2,3,4", "26", "matching"), "a fifth counts for nothing"


@pytest.mark.clause("TS T10")
def test_t10_whatever_is_right_equal_forms_have_equal_points_and_no_form_has_none() -> None:
    said = ["", "1", "2,1", "1,2", " 1 , 2", "1,1,2", "1,2,", ",1", "1,,2", "а", "А1", "а,б", "1,2,3,4,5", "5,2,3,4"]
    forms = 0
    for task, kind in product(sorted(TASKS), sorted(TYPES)):
        points = {each: [_points(right, each, task, kind) for right in said] for each in said}
        by_form = {each: counted(each, task, kind) for each in said}
        assert not [each for each in said if by_form[each] is None and any(points[each])]
        for one, other in combinations(said, 2):
            if by_form[one] == by_form[other]:
                forms += 1
                assert points[one] == points[other], (task, kind, one, other)
    assert forms


def _points(right: str, answer: str, task: str, kind: str) -> int | None:
    """Return the points of an answer; None if the right answer cannot be one."""
    try:
        return score(right, answer, task, kind)
    except UnusableGoldError:
        return None


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(cli.main, capsys, "exam")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "items.json").write_text(json.dumps({"data": {"dev": variant(1)}}), "utf-8")
    (tmp_path / "all.json").write_text(json.dumps(right(variant(1))), "utf-8")
    (tmp_path / "some.json").write_text(json.dumps(right(variant(1)[:17])), "utf-8")
    return tmp_path


def test_a_submission_is_scored_in_tables(folder: Path, run: Command) -> None:
    code, out, err = run("score", folder / "items.json", folder / "all.json", "--lang", "ru")
    assert (code, err) == (0, "")
    assert "программа" in out
    assert "1,000" in out
    assert "По разделам" in out


def test_items_without_an_answer_are_exit_code_one(folder: Path, run: Command) -> None:
    code, _, err = run("score", folder / "items.json", folder / "some.json")
    assert code == 1
    assert err.strip() == "no answer, 0 points: 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 1026 and 3 more"
    _, _, russian = run("score", folder / "items.json", folder / "some.json", "--lang", "ru")
    assert russian.strip().startswith("нет ответа, 0 баллов: 1017, ")
    assert russian.strip().endswith("1026 и ещё 3")


def test_a_submissions_json_has_the_result_and_its_fingerprint(folder: Path, run: Command) -> None:
    code, out, err = run("score", folder / "items.json", folder / "some.json", "--json")
    reply = json.loads(out)
    assert (code, err) == (1, "")
    assert reply["result"]["grade_norm"] == 17 / 34
    assert len(reply["result"]["missed"]) == 13
    assert reply["result"]["by_section"]["orthoepy"]["points"] == 1
    assert reply["fingerprint"]["op"] == reply["op"] == "exam.submission"


def test_a_submission_for_other_items_cannot_be_scored(folder: Path, run: Command) -> None:
    (folder / "other.json").write_text('{"5": "да"}', "utf-8")
    code, out, err = run("score", folder / "items.json", folder / "other.json")
    assert (code, out) == (2, "")
    assert "answers.5" in err


def test_items_are_checked_with_doubled_ids(folder: Path, run: Command) -> None:
    assert run("check", folder / "items.json")[:2] == (
        0,
        f"{folder / 'items.json'}: 30 items, nothing to object to\n",
    )
    assert run("check", folder / "items.json", "--lang", "ru")[:2] == (
        0,
        f"{folder / 'items.json'}: заданий 30, возражений нет\n",
    )
    (folder / "wrong.json").write_text(json.dumps([item("1"), item("2"), item("3", outputs=5)]), "utf-8")
    code, out, _ = run("check", folder / "wrong.json", "--json")
    assert code == 1
    assert [(each["item"], each["field"]) for each in json.loads(out)["faults"]] == [
        (1, "meta.id"),
        (2, "outputs"),
        (2, "meta.id"),
    ]
    assert "item 0's" in run("check", folder / "wrong.json")[1]


def test_prompts_are_chosen_by_the_seed_and_written(folder: Path, run: Command) -> None:
    actual = [folder / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, seed in zip(actual, (5, 5, 6), strict=True):
        assert run("prompts", folder / "items.json", "--seed", seed, "-o", path)[0] == 0
    first, again, other = (path.read_bytes() for path in actual)
    assert first == again != other
    items = [json.loads(line) for line in first.splitlines()]
    assert [each["meta"] for each in items] == [each["meta"] for each in variant(1)]
    assert len({each["instruction"] for each in items}) > 3


def test_prompts_are_told_in_the_chosen_language(folder: Path, run: Command) -> None:
    path, items = folder / "prepared.json", folder / "items.json"
    for language, result in (("en", r": \d+ items\n"), ("ru", r": заданий: \d+\n")):
        code, out, _ = run("prompts", items, "--seed", 1, "-o", path, "--lang", language)
        assert code == 0
        assert re.search(result, out)


def test_items_that_are_none_get_no_prompts(folder: Path, run: Command) -> None:
    (folder / "wrong.json").write_text("[{}]", "utf-8")
    code, _, err = run("prompts", folder / "wrong.json", "--seed", 1, "-o", folder / "out.json")
    assert code == 2
    assert "item 0: instruction is missing" in err
    assert not (folder / "out.json").exists()


def test_prompts_are_written_to_a_file_that_is_named(folder: Path, run: Command) -> None:
    code, _, err = run("prompts", folder / "items.json", "--seed", 1)
    assert (code, "--output" in err) == (2, True)
