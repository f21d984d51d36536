"""The catalogues of sentences are whole, and ``python -m tools.texts --check`` sees what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import texts

RUSSIAN = (
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "{count} files"\nmsgstr "файлов: {count}"\n'
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a package of one sentence whose catalogue is up to date."""
    (tmp_path / "module.py").write_text('tr("{count} files", count=1)\n', "utf-8")
    (tmp_path / "ru.po").write_text(RUSSIAN, "utf-8")
    monkeypatch.setattr(texts, "PACKAGES", (tmp_path,))
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    assert texts.main([]) == 0
    return tmp_path


def test_a_whole_catalogue_passes_and_gives_the_same_bytes_again(package: Path) -> None:
    before = (package / "ru.mo").read_bytes()
    assert texts.main(["--check"]) == 0
    assert texts.main([]) == 0
    assert (package / "ru.mo").read_bytes() == before


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ('tr("a new sentence")', "no Russian for 'a new sentence'"),
        ("print(f\"{say('{count} files', count=1)}\")", "say(…) in an f-string is not collected"),
        ('tr("{count} files", number=1)', "has other fields than its sentence"),
        ('tr(f"{count} files")', "Skipping f-string"),
        ("pass", "ru.po is not up to date"),
    ],
)
def test_a_lacking_sentence_is_found(package: Path, capsys: pytest.CaptureFixture[str], code: str, fault: str) -> None:
    (package / "module.py").write_text(f"{code}\n", "utf-8")
    assert texts.main(["--check"]) == 1
    assert fault in capsys.readouterr().out


def test_other_fields_and_a_stale_compiled_file_are_refused(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package / "ru.po").write_text(RUSSIAN.replace("файлов: {count}", "файлов: {number}"), "utf-8")
    assert texts.main(["--check"]) == 1
    output = capsys.readouterr().out
    assert "other fields in Russian: '{count} files'" in output
    assert "ru.mo is not up to date" in output
