"""Tables and pictures by the command: what is written where, and what is refused before anything is scored."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path

import pytest

from markup_core.command.cli import PICTURES, main

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "essays"
SUMMER = [str(EXAMPLES / "summer.json"), str(EXAMPLES / "summer_exp01.json")]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a folder with a second program's answers: the first expert's markups."""
    folder = tmp_path / "other"
    folder.mkdir()
    for essay in ("books", "summer"):
        shutil.copy(EXAMPLES / f"{essay}_exp01.json", folder / f"{essay}.json")
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


@pytest.mark.parametrize(
    ("words", "tables"),
    [
        (["match", *SUMMER], ["fragments", "matching"]),
        (["compare", *SUMMER], ["fragments", "matching", "metrics"]),
        (["compare", str(EXAMPLES)], ["accuracies", "essays", "pairs"]),
        (["report", str(EXAMPLES)], ["accuracies", "essays", "pairs"]),
        (["agree", str(EXAMPLES)], ["alpha", "codes", "confusion", "couples"]),
    ],
)
def test_all_tables_go_to_the_folder_and_every_row_is_signed(
    words: list[str], tables: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--format", "csv", "-o", str(tmp_path / "new" / "out")]) == 0
    written = {path.stem: rows(path) for path in (tmp_path / "new" / "out").iterdir()}
    assert sorted(written) == tables
    assert all(row["signature"].startswith("markup_core:") for table in written.values() for row in table)
    assert capsys.readouterr().out == ""


def test_standard_output_has_the_first_table_and_the_others_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", str(EXAMPLES), "--format", "json", "--lang", "en"]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out)[0]["essays"] == 2
    assert output.err == "Not written to standard output: codes, confusion, alpha; -o FOLDER writes all tables.\n"


def test_the_fingerprint_of_a_table_is_that_of_the_record_and_of_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import markup_core
    from markup_core.receipt import canonical_bytes, sha256_hex

    main(["compare", str(EXAMPLES), "--format", "csv", "-o", str(tmp_path)])
    (signature, *_) = (row["signature"] for row in rows(tmp_path / "accuracies.csv"))
    main(["compare", str(EXAMPLES), "--json"])
    record = json.loads(capsys.readouterr().out)
    assert signature.endswith(f"|fingerprint:{sha256_hex(canonical_bytes(record['fingerprint']))[:16]}")
    sample = markup_core.score_sample(list(markup_core.load_folder(EXAMPLES).values()))
    assert sample.to_frame().columns["signature"][0] == signature


def test_two_programs_are_compared_by_table_frame_and_a_record_that_verifies(
    other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", str(EXAMPLES), "--against", str(other)]
    assert main([*words, "--lang", "en"]) == 0
    assert "p, permutation" in capsys.readouterr().out
    assert main([*words, "--format", "csv", "-o", str(tmp_path / "t")]) == 0
    star = rows(tmp_path / "t" / "differences.csv")[0]
    assert (star["measure"], star["essays"], star["low"]) == ("STAR", "2", "")
    assert "|op:systems|" in star["signature"]
    assert main([*words, "--json"]) == 0
    record = tmp_path / "record.json"
    record.write_text(capsys.readouterr().out, "utf-8")
    assert main(["verify", str(record)]) == 0
    value = json.loads(record.read_text("utf-8"))
    value["result"]["measures"][0]["difference"] += 1
    record.write_text(json.dumps(value), "utf-8")
    assert main(["verify", str(record)]) == 1


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_each_picture_is_drawn(kind: str, language: str, other: Path, tmp_path: Path) -> None:
    words = ["plot", kind, str(EXAMPLES), "-o", str(tmp_path / "a.svg"), "--lang", language]
    assert main([*words, *(["--against", str(other)] if kind == "systems" else [])]) == 0
    svg = (tmp_path / "a.svg").read_text("utf-8")
    assert "fingerprint:" in svg
    assert ("процент" in svg or "азност" in svg or "эксперт" in svg or "рограмм" in svg) == (language == "ru")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["agree", "FOLDER", "-o", "x"], "-o FOLDER takes tables"),
        (["agree", "FOLDER", "--format", "csv", "--json"], "--format and --json exclude each other"),
        (["agree", "FOLDER", "--format", "json", "-o", "FOLDER"], "the tables would lie among their inputs"),
        (["compare", "FOLDER", "--format", "csv", "-o", "EMPTY", "--against", "EMPTY"], "among their inputs"),
        (["plot", "whiskers", "FOLDER", "-o", "a.gif"], "a.gif: a picture is .svg or .png"),
        (["plot", "systems", "FOLDER"], "--against FOLDER names the second program"),
        (["plot", "errors", "FOLDER", "--against", "FOLDER"], "--against FOLDER names the second program"),
        (["compare", *SUMMER, "--against", "FOLDER"], "are for a folder"),
        (["plot", "errors", "FOLDER", "--answers", "EMPTY"], "no essay has a program's markup"),
        (["compare", "FOLDER", "--against", "EMPTY"], "the programs cannot be compared"),
    ],
)
def test_what_cannot_be_drawn_or_written_is_refused(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"FOLDER": str(EXAMPLES), "EMPTY": str(tmp_path)}
    assert main([*(named.get(word, word) for word in words), "--lang", "en"]) == 2
    output = capsys.readouterr()
    assert complaint in output.err
    assert output.out == ""


@pytest.mark.parametrize(
    "words", [["agree", "nowhere", "--format", "parquet"], ["plot", "errors", "nowhere", "-o", "a.png"]]
)
def test_a_missing_package_is_told_before_anything_is_read(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("pyarrow", "resvg_py"):
        monkeypatch.setitem(sys.modules, module, None)
    assert main(words) == 2
    assert " is not installed: pip install 'markup-core[" in capsys.readouterr().err
