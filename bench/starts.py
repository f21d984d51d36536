"""Measure the import CPU of each function against an earlier commit, which was deployed without compiled files.

    python bench/starts.py [COMMIT]

Both trees run on this Python with the same libraries: the earlier one with no compiled file of its own code nor of the
libraries in its layers, today's with the files that the layers carry (infra/bytecode.py). The SDK is compiled in both.
CPU seconds of a fresh process, the least of RUNS; only the ratios mean anything on another machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from infra import bytecode, layers
from infra.rights import FUNCTIONS

BASE = "c72123f5"
RUNS = 2
SDK = {"boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3"}
RENAMED = {
    "organize.run_control": "organize.conduct",
    "organize.operations": "organize.operate",
    "submit.submissions": "submit.whole",
    "dispatch.legacy_clients": "dispatch.earlier",
    "dispatch.minute_timer": "dispatch.minute",
    "dispatch.channel_timer": "dispatch.tend",
    "score.submission_worker": "score.submissions",
    "score.dead_letters": "score.letters",
}
"""Entry points as BASE named them."""
PROGRAM = """
import os, sys
sys.path[:] = [*{paths!r}, *sys.path]
sys.dont_write_bytecode = True
before = os.times()
import {module}
after = os.times()
print(after.user + after.system - before.user - before.system, len(sys.modules))
"""


def libraries(folder: Path, names: set[str]) -> Path:
    """Copy installed distributions without their compiled files."""
    for name in names:
        for file in metadata.files(name) or ():
            place = folder / file
            if ".." in file.parts or file.suffix == ".pyc" or not Path(file.locate()).is_file():
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), place)
    return folder


def tree(folder: Path, source: Path) -> list[Path]:
    """Copy a checkout's functions and packages without compiled files."""
    parts = {"functions": source / "functions"}
    parts |= {
        f"layer/{name}": source / "layers" / name / "src" / name
        for name in ("contest", "tracks", "shadow", "markup_core")
    }
    for name, place in parts.items():
        shutil.copytree(place, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return [folder / "functions", folder / "layer"]


def cost(module: str, paths: list[Path]) -> tuple[float, int]:
    """Return the least CPU seconds of an import and the number of modules loaded."""
    program = PROGRAM.format(paths=[str(path) for path in paths], module=module)
    environment = {"AWS_DEFAULT_REGION": "eu-central-1", "PATH": os.environ["PATH"]}
    costs = []
    for _ in range(RUNS):
        done = subprocess.run(
            [sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        seconds, modules = done.stdout.split()
        costs.append((float(seconds), int(modules)))
    return min(costs)


def main() -> None:
    commit = sys.argv[1] if len(sys.argv) > 1 else BASE
    names = {name for layer in layers.LAYERS for name in layers.contents(layer)}
    with tempfile.TemporaryDirectory() as workshop:
        work = Path(workshop)
        earlier = work / "checkout"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", earlier, commit], cwd=layers.ROOT, check=True)
        try:
            sdk = libraries(work / "sdk", SDK)
            bytecode.compile_all(sdk, sys.executable, str(sdk))
            bare = libraries(work / "bare", names - SDK)
            carried = libraries(work / "carried", names - SDK)
            before = [*tree(work / "before", earlier), bare, sdk]
            now = [*tree(work / "now", layers.ROOT), carried, sdk]
            for folder in (work / "now", carried):
                bytecode.compile_all(folder, sys.executable, str(folder))

            print(f"{'function':<18} {'before, s':>9} {'now, s':>7} {'ratio':>6} {'modules':>8}")
            for row in FUNCTIONS:
                module = row.handler.rpartition(".")[0]
                named = (
                    module
                    if (earlier / "functions" / f"{module.replace('.', '/')}.py").is_file()
                    else RENAMED.get(module, module)
                )
                was, _ = cost(named, before)
                seconds, modules = cost(module, now)
                print(f"{row.name:<18} {was:9.2f} {seconds:7.2f} {seconds / was:6.2f} {modules:8}", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", earlier], cwd=layers.ROOT, check=True)


if __name__ == "__main__":
    main()
