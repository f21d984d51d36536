"""A mutant tried in a copy: noticed or not, the copy as before, the tree never touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from tools.mutants.trying import Copy

tree, folder, source = Path(sys.argv[1]), Path(sys.argv[2]), Path("functions/twice.py")
copy = Copy(tree, folder)
for text in ("def twice(x): return x + x", "def twice(x): return x * x", "def twice(x): return 2 * x", "def twice("):
    with copy.changed(source, text):
        ran = copy.test(["tests/test_twice.py"])
    print(ran.outcome.value, ran.fell or "-")
print((copy.root / source).read_text() == (tree / source).read_text())
print(copy.test(["tests/test_twice.py"]).outcome.value)
"""


def test_what_changes_an_answer_is_noticed_by_name_and_what_does_not_is_not(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name, text in {
        "functions/twice.py": "def twice(x):\n    return x + x\n",
        "tests/test_twice.py": "from twice import twice\n\ndef test_three():\n    assert twice(3) == 6\n",
        "pyproject.toml": "",
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, "utf-8")
    subprocess.run(["git", "init", "--quiet", str(tree)], check=True)  # noqa: S607
    command = [sys.executable, "-c", PROGRAM, str(tree), str(tmp_path / "copy")]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the small tree needs no plug-in, and they take long
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=alone)
    assert ran.stdout.splitlines() == [
        "stood -",
        "fell tests/test_twice.py::test_three",
        "stood -",
        "fell tests/test_twice.py",
        "True",
        "stood",
    ]
    assert (tree / "functions/twice.py").read_text("utf-8").startswith("def twice(x):\n")
