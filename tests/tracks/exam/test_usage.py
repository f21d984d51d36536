"""The command of the exam: what it cannot do without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.command import cli


def test_prompts_are_written_to_a_file_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items.json"
    items.write_text("[]", "utf-8")
    assert cli.main(["exam", "prompts", str(items), "--seed", "1"]) == 2
    assert "--output" in capsys.readouterr().err
