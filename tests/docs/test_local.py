"""``docs/local.md`` and ``docs/rehearsal.md``: what they print can be typed, and a folder of one's own comes up."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from local.cli import main
from tests.docs.terminals import ROOT, Terminal, typed
from tests.exchange_programs import DEMONSTRATION

DOCS = ROOT / "docs"
PRINTED = sorted({each for name in ("local.md", "rehearsal.md") for each in typed((DOCS / name).read_text("utf-8"))})
UP = "hurdle up --cycle my-cycle/"


@pytest.mark.parametrize("line", PRINTED)
def test_a_printed_line_is_taken(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A printed line must be one that the command does not refuse at once; `tests.local` tests what the lines do."""
    for folder in ("my-cycle", "FOLDER"):
        (tmp_path / folder).mkdir()
    (tmp_path / "FILE").touch()
    monkeypatch.chdir(tmp_path)
    if line.startswith("make "):
        looked_at = f"make --silent -n -C {shlex.quote(str(ROOT))} {line.removeprefix('make ')}"
        line = Terminal(tmp_path, tmp_path).run(looked_at).strip().splitlines()[-1].removeprefix(".venv/bin/")
    program, name, *words = shlex.split(line)
    command = main.get_command(click.Context(main), name)
    assert (program, command is None) == ("hurdle", False)
    with command.make_context(name, words, parent=click.Context(main)) as taken:  # refuses what it does not know
        assert not taken.args


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.slow
def test_a_folder_of_ones_own_comes_up_as_its_cycle_and_contest_finds_it(tmp_path: Path) -> None:
    assert UP in PRINTED
    folder, home = tmp_path / "my-cycle", tmp_path / "home"
    for part in ("train", "test"):
        (folder / part).mkdir(parents=True)
        for path in sorted((DEMONSTRATION / part).glob("eng-free-*"))[:3]:
            shutil.copy(path, folder / part)
    cycle = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8")) | {"cycle": "my-own"}
    cycle["sets"] = {name: cycle["sets"][name] for name in ("train", "test")}
    (folder / "cycle.json").write_text(json.dumps(cycle), "utf-8")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    known = {**os.environ, "PATH": programs, "HURDLE_HOME": str(home), "LC_ALL": "C.UTF-8"}
    words = [*shlex.split(UP), "--port", "0", "--aws-port", "0"]
    with (
        (tmp_path / "waited").open("w") as waited,
        subprocess.Popen(words, cwd=tmp_path, env=known, stdout=subprocess.PIPE, stderr=waited, text=True) as cloud,
    ):
        assert cloud.stdout is not None
        said = ""
        for line in cloud.stdout:
            said += line
            if line.startswith("Ready in"):
                break
        try:
            found = json.loads(Terminal(tmp_path, home).run("contest --local cycle show"))
        finally:
            cloud.send_signal(signal.SIGINT)
            rest = cloud.stdout.read()
    assert re.search(r"cycle my-own: test 1, train 1 files", said), said
    assert found["cycle"] == "my-own"
    assert (cloud.returncode, rest) == (0, "Stopped.\n")
    waits = [
        "The local cloud starts …",
        "Sample accounts are made …",
        "The cycle is loaded …",
    ]
    assert [line for line in (tmp_path / "waited").read_text().splitlines() if line.endswith("…")] == waits
    assert "no local cloud runs" in Terminal(tmp_path, home).tried("contest --local cycle show").stderr


@pytest.mark.parametrize(("language", "words"), [("en", "names a cycle"), ("ru", "назван цикл")])
def test_a_folder_without_a_cycle(language: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nameless").mkdir()
    (tmp_path / "nameless" / "cycle.json").write_text("{}", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process stops as pytest wishes
    line = f"--lang {language} up --cycle nameless --port 0 --aws-port 0"
    refused = CliRunner().invoke(main, line.split())
    assert refused.exit_code == 1
    assert words in refused.stderr
    assert bool(re.search("[а-яё]", refused.stderr)) is (language == "ru")
