"""``python -m tools.mutants SOURCES``: change the code at random places with Cosmic Ray and list what no test notices.

A seed draws places, and one change at each. Every mutant stands in a copy of the working tree, where the tests of the
module's own room run up to the first failure, or the command of ``--by``: a rehearsal, for one.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from cosmic_ray.commands import init  # type: ignore[import-untyped]  # none of its modules has types
from cosmic_ray.config import load_config  # type: ignore[import-untyped]
from cosmic_ray.mutating import mutate_and_test  # type: ignore[import-untyped]
from cosmic_ray.testing import run_tests  # type: ignore[import-untyped]
from cosmic_ray.tools.filters.operators_filter import OperatorsFilter  # type: ignore[import-untyped]
from cosmic_ray.work_db import use_db  # type: ignore[import-untyped]
from cosmic_ray.work_item import TestOutcome  # type: ignore[import-untyped]

ROOT: Final = Path(__file__).resolve().parents[1]
CONFIG: Final = ROOT / "tools/mutants.toml"
NEEDED: Final = 0.88
"""Share of the mutants that tests of their own room have to notice."""


def main() -> int:
    """Try the mutants; 1 where fewer are noticed than needed, or where the tests fail without any mutant."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path, help="modules or folders, from the root")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--by", help="command instead of the tests of each module's room")
    options = parser.parse_args()
    config = load_config(CONFIG)
    with TemporaryDirectory(prefix="mutants-") as name:
        _copy(Path(name))
        os.chdir(name)
        os.environ |= {"PATH": f"{name}/.venv/bin:{os.environ['PATH']}", "HYPOTHESIS_PROFILE": "mutants"}
        drawn = _drawn(_places(options.sources, config, Path(name)), options.seed, options.count)
        print(f"{len(drawn)} mutants, seed {options.seed}", flush=True)
        commands = {str(item.job_id): options.by or _room_tests(item.mutations[0].module_path) for item in drawn}
        for command in sorted(set(commands.values())):
            outcome, output = run_tests(command, config.timeout)
            if outcome is not TestOutcome.SURVIVED:
                print(f"{command}\nfails without any mutant:\n{output}")
                return 1
        words = Counter(_tried(item, commands[item.job_id], config.timeout) for item in drawn)
    print(", ".join(f"{count} {word}" for word, count in sorted(words.items())))
    return int(not options.by and words["survived"] > (1 - NEEDED) * len(drawn))


def _copy(folder: Path) -> None:
    """Copy the working tree, with what is not committed, and link its environment: Cosmic Ray changes files where they
    are, and every process that a rehearsal starts has to load them from the copy."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")  # noqa: S603
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    here, environment = Path(sys.prefix), folder / ".venv"
    for part in (Path(), Path("bin"), Path(sysconfig.get_path("purelib")).relative_to(here)):
        (environment / part).mkdir(parents=True)
        for path in (path for path in (here / part).iterdir() if path.name not in {"bin", "lib", "lib64"}):
            linked = environment / part / path.name
            if path.is_dir() or path.name.startswith("python"):
                linked.symlink_to(path)
            else:
                linked.write_bytes(path.read_bytes().replace(bytes(ROOT), bytes(folder)))
                linked.chmod(path.stat().st_mode)


def _places(sources: list[Path], config: Any, folder: Path) -> dict[tuple[str, tuple[int, int]], list[Any]]:
    """Return every place of the sources that may be changed, with its changes."""
    modules = sorted({path for source in sources for path in (source.rglob("*.py") if source.is_dir() else [source])})
    places: dict[tuple[str, tuple[int, int]], list[Any]] = {}
    with use_db(str(folder / "mutants.sqlite")) as session:
        init(modules, session, {})
        filters = config.sub("filters", "operators-filter")
        OperatorsFilter()._skip_filtered(session, filters["exclude-operators"])
        for item in session.pending_work_items:
            (change,) = item.mutations
            places.setdefault((str(change.module_path), change.start_pos), []).append(item)
    return places


def _drawn(places: dict[tuple[str, tuple[int, int]], list[Any]], seed: int, count: int) -> list[Any]:
    """Draw places, and one change at each, so that ``==`` with five other comparisons weighs no more than ``not``."""
    chance = random.Random(seed)  # noqa: S311 - reproducible, nothing secret
    chosen = chance.sample(sorted(places), min(count, len(places)))
    return [
        chance.choice(
            sorted(places[place], key=lambda item: (item.mutations[0].operator_name, item.mutations[0].occurrence))
        )
        for place in chosen
    ]


def _room_tests(module: Path) -> str:
    """Return the command for the tests of a module's room.

    That is the folder of tests with the name of the innermost folder of the module that has one, in that of its
    package; where none has, the tests of the package itself.
    """
    package, *folders = module.parts[module.parts.index("src") + 1 : -1] if "src" in module.parts else module.parts[:-1]
    rooms = [Path("tests", package, folder) for folder in reversed(folders)]
    room = next((room for room in rooms if room.is_dir()), None)
    tests = [room] if room is not None else sorted(Path("tests", package).glob("test_*.py"))
    return shlex.join(["python", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)])


def _tried(item: Any, command: str, timeout_s: float) -> str:
    """Try a mutant; its outcome in a word."""
    started = time.monotonic()
    result = mutate_and_test(item.mutations, command, timeout_s)
    word = str(result.test_outcome.value)
    lines = [line for line in (result.diff or "").splitlines() if line[:3] not in {"---", "+++"}]
    change = " → ".join(line[1:].strip() for line in lines if line[:1] in {"-", "+"})
    (where,) = item.mutations
    print(
        f"{word:9} {where.module_path}:{where.start_pos[0]}  {change}  {time.monotonic() - started:.0f} s", flush=True
    )
    return word


if __name__ == "__main__":
    sys.exit(main())
