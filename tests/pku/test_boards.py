"""Leaderboards as tables: from a final's archive, from the platform's answer; other input is refused."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from markup_core.extras import ExtraNeededError
from markup_core.receipt import canonical_bytes, sha256_hex
from pku.errors import PkuError
from pku.tables import Board, read_board
from tests.pku.platform import pku, pku_error

RESULT = {"relative_accuracy": 98.5, "interval_95": {"relative_accuracy": [95.0, 101.0], "expert_accuracy": [1.0, 2.0]}}
ROW = {"place": 1, "value": 98.5, "team_id": "red", "session_id": "s1", "files": 3, "answered": 2, "result": RESULT}
BASELINE = {**ROW, "place": None, "value": None, "overcame": None, "team_id": "base", "result": {}}
ARCHIVED = {"cycle": "autumn", "run_id": "final-1", "rows": [{**ROW, "overcame": False}, BASELINE]}
PARAMETERS = {"version": 4, "bootstrap_seed": 7, "scorer": {"track": "essay", "version": "9"}}
ANSWERED = {
    "cycle": "autumn",
    "board": {"key": "relative"},
    "rows": [{**ROW, "team": "Red", "barrier": True, "interval": [80.0, 95.0], "parameters_version": 2}],
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "final.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("board.json", json.dumps(ARCHIVED))
        file.writestr("parameters.json", json.dumps(PARAMETERS))
        file.writestr("boards/other.json", json.dumps({**ARCHIVED, "rows": []}))
    return path


def test_an_archives_board_has_its_interval_and_a_baseline_no_place(archive: Path) -> None:
    frame = read_board(archive).to_frame()
    first, baseline = frame.rows()
    digest = sha256_hex(canonical_bytes(RESULT))[:16]
    assert (first["place"], first["value"], first["low"], first["high"], first["overcame"]) == (1, 98.5, 95, 101, False)
    assert first["team"] is None
    assert first["signature"] == (
        f"hurdle|cycle:autumn|run:final-1|session:s1|parameters:4|scorer:essay 9|seed:7|fingerprint:{digest}"
    )
    assert [baseline[name] for name in ("place", "value", "low", "overcame")] == [None] * 4


def test_another_board_of_an_archive_and_a_board_without_rows(archive: Path) -> None:
    assert read_board(archive, "boards/other.json").to_frame().encoded("json") == b"[]\n"


def test_the_platforms_answer_names_teams_and_its_board() -> None:
    (row,) = Board(ANSWERED, {}).to_frame().rows()
    assert (row["team"], row["low"], row["overcame"]) == ("Red", 80.0, True)
    assert row["signature"].startswith("hurdle|cycle:autumn|board:relative|session:s1|parameters:2|fingerprint:")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"rows": [{}]}', b'{"rows": 5}', b"\xff", b"PK\x03\x04"])
def test_what_holds_no_board_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pku_error("not_a_board"):
        read_board(path)


def test_an_archive_without_a_board_is_refused(archive: Path) -> None:
    with pytest.raises(PkuError, match="holds no leaderboard"):
        read_board(archive, "boards/none.json")


def test_a_board_too_large_is_refused_before_it_is_read(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pku.tables.MOST_BYTES", 10)
    (archive.parent / "large.json").write_text(json.dumps(ANSWERED))
    for path in (archive, archive.parent / "large.json"):
        with pytest.raises(PkuError, match="holds no leaderboard"):
            read_board(path)


def test_the_command_writes_an_archives_board_without_a_platform(archive: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(pku("board-table", str(archive)).stdout.splitlines()))
    assert (rows[0]["team_id"], rows[0]["overcame"], rows[1]["overcame"]) == ("red", "false", "")
    assert pku("board-table", str(archive), "--format", "json", "-o", str(tmp_path / "b.json")).stdout == ""
    assert json.loads((tmp_path / "b.json").read_text())[0]["overcame"] is False


def test_what_cannot_be_written_is_refused_with_its_reason(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = str(tmp_path / "none" / "b.csv")
    assert "cannot be used" in pku("board-table", str(archive), "-o", nowhere, "--lang", "en", code=1).stderr

    def missing(module: str, extra: str) -> Any:
        raise ExtraNeededError(f"{module} is not installed")

    monkeypatch.setattr("markup_core.frames.needed", missing)
    refused = pku("board-table", str(archive), "--format", "parquet", "--lang", "en", code=1)
    assert "pyarrow is not installed" in refused.stderr
