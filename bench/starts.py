"""Measure starts: of the commands, and of each function against an earlier commit.

    python bench/starts.py
    python bench/starts.py COMMIT

Of a command it is the processor time of ``--help`` and of one real call. Each line is the least of CALLED fresh
processes: the interpreter's own start is in it, and stands in the first line. The calls need no platform.

Of a function it is the import CPU; the earlier commit was deployed without compiled files. Both trees run on this
Python with the same libraries: the earlier one with no compiled file of its own code nor of the libraries in its
layers, today's with the files that the layers carry (infra/layers.py). The SDK is compiled in both. CPU seconds of a
fresh process, the least of RUNS; only the ratios mean anything on another machine.

``import`` is the import of the entry point and nothing else. ``ahead`` is what a function does that is started before
its requests (a snapshot, or an execution kept running): with the variables of its row it loads what its first request
needs. ``floor`` is a process that imports the libraries alone which the function has loaded by then, the standard one
included, and none of our code: no import of ours can make the function faster than that. ``modules`` are counted then,
too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # an earlier commit's commands are measured in its own tree, whose infra is another
    from infra.rights import FunctionRow

CALLED = 10
CALLS = {
    "markup-core --help": 0,
    "markup-core codes": 0,
    "contest --help": 0,
    "contest cycle schema": 0,
    "pku --help": 0,
    "pku cycle": 1,
    "tracks --help": 0,
    "tracks gec check docs/examples/gec/reference.m2": 0,
    "hurdle --help": 0,
    "hurdle up --cycle missing": 2,
}
"""Calls with their exit codes: nobody is signed in to a platform, and the last folder is not there."""
RUNS = 3
SDK = {"boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3"}
RENAMED = {
    "organize.run_control": "organize.conduct",
    "organize.operations": "organize.operate",
    "submit.submissions": "submit.whole",
    "dispatch.legacy_clients": "dispatch.earlier",
    "dispatch.minute_timer": "dispatch.minute",
    "dispatch.channel_timer": "dispatch.tend",
    "score.submission_worker": "score.submissions",
    "score.background.settle": "score.settle",
    "score.background.rescore": "score.rescore",
    "score.background.collect_letters": "score.letters",
    "score.background.plan_audits": "score.audit",
    "score.background.audit": "score.verify",
}
"""Entry points as c72123f5 named them: by module, or by handler where several are in one."""
PACKAGES = ("contest", "tracks", "shadow", "markup_core")
PROGRAM = """
import importlib, sys, time
from contextlib import suppress
sys.path[:] = [*{paths!r}, *sys.path]
sys.dont_write_bytecode = True
before = time.process_time()
{statement}
print(time.process_time() - before, *sys.modules)
"""
FLOOR = """for name in {names!r}:
    with suppress(Exception):
        importlib.import_module(name)
"""
"""Some libraries enter names among the modules that cannot be imported by themselves; the floor does without them."""


def main() -> None:
    """Print the starts of the commands, or of the functions against the named commit."""
    if sys.argv[1:]:
        functions(sys.argv[1])
    else:
        commands()


def processor_s(command: Sequence[str], code: int = 0) -> float:
    """Return the least processor seconds of the command. RuntimeError where it ends with another code."""
    least, environment = float("inf"), {**os.environ, "HOME": tempfile.gettempdir(), "LANG": "C.UTF-8"}
    for _ in range(CALLED):
        before = getrusage(RUSAGE_CHILDREN)
        ended = subprocess.run(
            command, check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if ended.returncode != code:
            raise RuntimeError(f"{command} ended with {ended.returncode}")
        now = getrusage(RUSAGE_CHILDREN)
        least = min(least, now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime)
    return least


def commands() -> None:
    """Print a line for each call."""
    print(f"python itself: {processor_s([sys.executable, '-c', 'pass']) * 1000:.0f} ms")
    for call, code in CALLS.items():
        name, *words = call.split()
        print(
            f"{call}: {processor_s([str(Path(sys.executable).with_name(name)), *words], code) * 1000:.0f} ms",
            flush=True,
        )


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
    parts |= {f"layer/{name}": source / "layers" / name / "src" / name for name in PACKAGES}
    for name, place in parts.items():
        shutil.copytree(place, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return [folder / "functions", folder / "layer"]


def cost(statement: str, paths: list[Path], variables: Mapping[str, str]) -> tuple[float, list[str]]:
    """Return the least CPU seconds of imports under these variables, and the modules loaded."""
    program = PROGRAM.format(paths=[str(path) for path in paths], statement=statement)
    environment = {"AWS_DEFAULT_REGION": "eu-central-1", "PATH": os.environ["PATH"], **variables}
    costs = []
    for _ in range(RUNS):
        done = subprocess.run(
            [sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        seconds, *loaded = done.stdout.split()
        costs.append((float(seconds), loaded))
    return min(costs)


def measured(row: FunctionRow, earlier: Path, before: list[Path], now: list[Path]) -> str:
    """Return a function's line of the table."""
    from infra.rights import FUNCTIONS, variables

    module = row.handler.rpartition(".")[0]
    is_named_alike = (earlier / "functions" / f"{module.replace('.', '/')}.py").is_file()
    named = module if is_named_alike else RENAMED.get(row.handler, RENAMED.get(module, module))
    was, _ = cost(f"import {named}", before, {})
    seconds, loaded = cost(f"import {module}", now, {})
    line = f"{row.name:<18} {was:9.2f} {seconds:6.2f} {seconds / was:6.2f}"
    if row.prompt:
        environment = {**dict.fromkeys(variables(row), "given"), "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}
        was, _ = cost(f"import {named}", before, environment)
        seconds, loaded = cost(f"import {module}", now, environment)
        line += f" {was:9.2f} {seconds:6.2f} {seconds / was:6.2f}"
    else:
        line += f" {'-':>9} {'-':>6} {'-':>6}"
    ours = {*PACKAGES, *(function.handler.partition(".")[0] for function in FUNCTIONS)}
    names = [name for name in loaded if name.partition(".")[0] not in ours | sys.stdlib_module_names]
    floor, _ = cost(FLOOR.format(names=names), now, {})
    return f"{line} {len(loaded):8} {floor:6.2f} {floor / was:6.2f}"


def functions(commit: str) -> None:
    """Print the table of the functions, against a commit."""
    from infra import layers
    from infra.rights import FUNCTIONS

    names = {name for layer in layers.LAYERS for name in layers.contents(layer)}
    with tempfile.TemporaryDirectory() as workshop:
        work = Path(workshop)
        earlier = work / "checkout"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", earlier, commit], cwd=layers.ROOT, check=True)
        try:
            sdk = libraries(work / "sdk", SDK)
            layers.compile_all(sdk, sys.executable, str(sdk))
            bare = libraries(work / "bare", names - SDK)
            carried = libraries(work / "carried", names - SDK)
            before = [*tree(work / "before", earlier), bare, sdk]
            now = [*tree(work / "now", layers.ROOT), carried, sdk]
            for folder in (work / "now", carried):
                layers.compile_all(folder, sys.executable, str(folder))

            print(f"{'':<18} {'import':>23} {'ahead':>23} {'':>8} {'floor':>13}")
            times = f"{'before, s':>9} {'now, s':>6} {'ratio':>6}"
            print(f"{'function':<18} {times} {times} {'modules':>8} {'s':>6} {'ratio':>6}")
            for row in FUNCTIONS:
                print(measured(row, earlier, before, now), flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", earlier], cwd=layers.ROOT, check=True)


if __name__ == "__main__":
    main()
