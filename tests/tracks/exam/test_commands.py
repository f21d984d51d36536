"""``tracks exam`` for people: tables, JSON, exit codes.

The command of the exam: what it cannot do without.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tracks.exam.exam_items import item, right, variant
from tests.typed_commands import Command
from tracks.command import cli


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
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert found["result"]["grade_norm"] == 17 / 34
    assert len(found["result"]["missed"]) == 13
    assert found["result"]["by_section"]["orthoepy"]["points"] == 1
    assert found["fingerprint"]["op"] == found["op"] == "exam.submission"


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
    made = [folder / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, seed in zip(made, (5, 5, 6), strict=True):
        assert run("prompts", folder / "items.json", "--seed", seed, "-o", path)[0] == 0
    first, again, other = (path.read_bytes() for path in made)
    assert first == again != other
    items = [json.loads(line) for line in first.splitlines()]
    assert [each["meta"] for each in items] == [each["meta"] for each in variant(1)]
    assert len({each["instruction"] for each in items}) > 3


def test_prompts_are_told_in_the_chosen_language(folder: Path, run: Command) -> None:
    path, items = folder / "prepared.json", folder / "items.json"
    for language, told in (("en", r": \d+ items\n"), ("ru", r": заданий: \d+\n")):
        code, out, _ = run("prompts", items, "--seed", 1, "-o", path, "--lang", language)
        assert code == 0
        assert re.search(told, out)


def test_items_that_are_none_get_no_prompts(folder: Path, run: Command) -> None:
    (folder / "wrong.json").write_text("[{}]", "utf-8")
    code, _, err = run("prompts", folder / "wrong.json", "--seed", 1, "-o", folder / "out.json")
    assert code == 2
    assert "item 0: instruction is missing" in err
    assert not (folder / "out.json").exists()


def test_prompts_are_written_to_a_file_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items.json"
    items.write_text("[]", "utf-8")
    assert cli.main(["exam", "prompts", str(items), "--seed", "1"]) == 2
    assert "--output" in capsys.readouterr().err
