"""The command ``tracks``: its commands, its exit codes, what becomes of errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from tracks.command import batch, cli


def test_every_track_has_a_command_of_its_name_and_batch_is_there() -> None:
    context = click.Context(cli.group)
    names = cli.group.list_commands(context)
    assert names == ["batch", "custom", "diagnosis", "exam", "fusion", "gec"]
    for name in names:
        command = cli.group.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
    assert cli.group.get_command(context, "essay") is None


def test_help_and_version_are_no_failures(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == "tracks 0.1.0\n"
    assert cli.main(["--help"]) == 0
    assert "diagnosis" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["essay"], ["exam", "mark"], ["batch", "file"], ["exam", "score"], ["--json"]])
def test_wrong_usage_is_two_and_said_on_standard_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Usage: tracks" in told.err


def test_a_file_that_is_not_there_is_two_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["exam", "check", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err == f"tracks: {tmp_path / 'none.json'}: no such file or directory\n"


def test_an_interrupt_is_one_hundred_and_thirty(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "serve", interrupted)
    assert cli.main(["batch"]) == 130


def test_a_command_loads_no_other_track() -> None:
    program = (
        "import sys; from tracks.command import cli; cli.main(['exam', '--help']); "
        "print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('tracks.')}))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"diagnosis", "fusion", "gec", "essay"} & set(run.stdout.splitlines()[-1].split()) == set()


def test_a_terminal_that_cannot_show_a_character_gets_its_escape(tmp_path: Path) -> None:
    (tmp_path / "items.json").write_text('[{"outputs": "ж", "meta": {"id": "ж"}}]', "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "tracks", "exam", "check", "items.json"],
        cwd=tmp_path,
        env={"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 1
    assert b"\\u0436" in run.stdout
    assert run.stderr == b""
