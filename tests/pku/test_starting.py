"""``pku new``: the starter kits are written, their tests run, and they play a session to a report above zero."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pku.cli import write_kit
from tests.pku.platform import pku, pku_error

PROGRAMS = {"python": "python", "node": "node", "r": "Rscript"}


@pytest.mark.parametrize("kit", PROGRAMS)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_both_readmes_print_the_same_commands(kit: str, language: str, tmp_path: Path) -> None:
    pku("new", str(tmp_path / "ours"), "--language", kit, "--lang", language)
    english, russian = (
        re.findall(r"^```\w+\n(.*?)^```$", (tmp_path / "ours" / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for name in ("README.md", "README.ru.md")
    )
    assert english == russian
    assert "@" not in "".join(english)
    assert (tmp_path / "ours" / "README.md").read_text("utf-8").startswith("# ours\n")


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "solver.py").write_text("mine", "utf-8")
    with pku_error("kit_folder_in_use"):
        write_kit(tmp_path, "python")
    assert [path.name for path in tmp_path.iterdir()] == ["solver.py"]


def test_the_kit_of_python_learns_and_answers_without_a_platform(tmp_path: Path) -> None:
    write_kit(tmp_path, "python")
    sample = json.loads((tmp_path / "sample.json").read_text("utf-8"))
    learn = (
        "import json, solver; annotations = json.load(open('sample.json'))['annotations']; "
        "json.dump(solver.learn(annotations), open('model.json', 'w'))"
    )
    typed(tmp_path, f'python -c "{learn}"')
    (tmp_path / "essay.json").write_text(json.dumps(sample["essay"]), "utf-8")
    typed(tmp_path, "python solver.py essay.json answer.json")
    assert json.loads((tmp_path / "answer.json").read_text("utf-8"))["selections"] == sample["selections"]


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.parametrize(
    "kit", ["python", *(pytest.param(kit, marks=pytest.mark.long) for kit in PROGRAMS if kit != "python")]
)
def test_a_kit_plays_a_session_as_its_readme_prints_it(kit: str, prepared: Path, tmp_path: Path) -> None:
    from tests.exchange_programs import exchange_cloud

    if not shutil.which(PROGRAMS[kit], path=_PATH):
        pytest.skip(f"there is no {PROGRAMS[kit]} here")
    with exchange_cloud(prepared) as exchange:
        exchange.clock.release()
        folder = tmp_path / kit
        write_kit(folder, kit)
        printed = "".join(re.findall(r"^```sh\n(.*?)^```$", (folder / "README.md").read_text("utf-8"), re.M | re.S))
        typed(
            folder,
            printed.replace("http://127.0.0.1:8700", exchange.cloud.url)
            .replace("hrd_…", exchange.program().token)
            .replace("train 4", "train 1")
            .replace("test 32", "test 10"),
        )
        report = json.loads((folder / "report.json").read_text("utf-8"))
        assert report["result"]["essays"] == 10
        assert report["result"]["relative_accuracy"] > 20, kit
        assert "phrases" in shown(folder)


_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def typed(folder: Path, commands: str) -> None:
    """Type commands into a shell that stops at the first failure."""
    completed = subprocess.run(
        [str(shutil.which("bash")), "-e", "-u", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": _PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr


def shown(folder: Path) -> str:
    """Return what the notebook's cells print, run one after the other in the kit's folder."""
    notebook: Any = json.loads((folder / "notebook.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    completed = subprocess.run(
        [sys.executable, "-c", "\n".join(cells)], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout
