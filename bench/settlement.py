"""Measure the settlement of finals of 20, 60 and 200 teams, 500 essays each, and how it grows.

Run from the root as ``python bench/settlement.py [FILES]``. Each size is a process of its own; storage is in memory, so
that the seconds of a processor are the platform's own work. A step of one team is done for one and counted for all:
the others' parts are its own under another name, made when they are read. A step of the whole is done with all
teams. Memory is the most that the process had in a step, above what it had before it, and what its imports take.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the final is the one that the tests settle

from contest import reading  # noqa: E402
from contest.adapters.aws import S3Blobs  # noqa: E402
from contest.cycle.loading import load_cycle  # noqa: E402
from contest.cycle.rules.cycle import Mode  # noqa: E402
from contest.exchange import files as exchange  # noqa: E402
from contest.results import boards, publishing, settling  # noqa: E402
from contest.results.rules import leaderboard  # noqa: E402
from contest.results.rules.jobs import SettlingTask, ShadowTask  # noqa: E402
from contest.results.scoring import score_answer  # noqa: E402
from contest.results.wire import board_row  # noqa: E402
from contest.run import planning, recording, under_way  # noqa: E402
from contest.run.planning import RunOrder  # noqa: E402
from contest.session import following  # noqa: E402
from contest.session.rules.session import IN_FLIGHT  # noqa: E402
from contest.values import MINUTE, canonical  # noqa: E402
from infra.config import CycleConfig  # noqa: E402
from tests.contest.run.played_runs import Played  # noqa: E402
from tests.fakes import FakePlatform, FakeQueue, FakeShadows  # noqa: E402
from tests.toys import FolderInMemory  # noqa: E402
from tracks import registry  # noqa: E402

DEMONSTRATION = ROOT / "local" / "demonstration"
TEAMS = (20, 60, 200)
FILES = 500
SAMPLE = 1
ANSWER_BYTES = 6_000_000
"""Upper bound of a function's answer, in bytes."""
SETTLED = ("scoring", "record", "entries", "recomputation")
FUNCTIONS = {"scoring": "Score", "recomputation": "Shadow", "request": "Public"}
"""Function of each step; all other steps run in the function Settle."""
Measured = dict[str, tuple[float, float]]
"""Seconds of a processor and MiB, by step."""


def main() -> None:
    """Print the table, with the growth of each step relative to linear, and its share of memory."""
    files = int(sys.argv[1]) if sys.argv[1:] else FILES
    by_size: dict[int, Measured] = {}
    for teams in TEAMS:
        print(f"{teams} teams × {files} files …", end="\r", file=sys.stderr, flush=True)
        program = [sys.executable, __file__, str(teams), str(files)]
        by_size[teams] = json.loads(subprocess.run(program, stdout=subprocess.PIPE, check=True).stdout)
    first, *_, last = TEAMS
    print(
        f"{'s of a processor, MiB':<28}" + "".join(f"{teams:>10} teams    " for teams in TEAMS) + "of linear  of memory"
    )
    memory = CycleConfig(cycle="bench", retain_data=False).sizes
    for step in by_size[first]:
        cells = "".join("{:>8.2f} s {:>6.0f} MiB".format(*by_size[teams][step]) for teams in TEAMS)
        linear = by_size[last][step][0] * first / last / by_size[first][step][0]
        function = FUNCTIONS.get(step.partition(",")[0].partition(" ")[0], "Settle")
        share = by_size[last][step][1] / memory[function].memory_mib
        print(f"{step:<28}{cells} {linear:>9.2f}× {share:>6.0%} of {function}")
    for teams, measured in by_size.items():
        spent = {name: sum(measured[step][0] for step in measured if step.startswith(f"{name}, ")) for name in SETTLED}
        total = sum(spent.values())
        steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in spent.items())
        cost = f"{total:.1f} s of one processor ({1000 * total / teams / files:.2f} ms an item)"
        print(f"{teams} teams × {files} files × 3 experts: {cost}: {steps}")


class Final:
    """A final that is over, of which one team has answered and the others are its copies."""

    def __init__(self, teams: int, files: int) -> None:
        self.measured: Measured = {}
        self.imports = _now("VmRSS")
        self.played = answered(teams, files)
        self.platform = cast("Any", self.played.platform)
        self.sample = dict(islice(self.played.sessions.items(), SAMPLE))
        self.platform.blobs.objects = self.objects = Objects(self.platform.blobs.objects)
        stored: Any = SimpleNamespace(
            _put_first=lambda name, content, **_: self.objects.setdefault(name, content),
            _put_object=lambda name, content, **_: self.objects.__setitem__(name, content),
        )
        vars(self.platform.blobs)["publish"] = partial(S3Blobs.publish, stored)  # compressed as it is in the cloud
        self.played.at(under_way.over_at(self.played.schedule) + IN_FLIGHT)
        for team in self.played.sessions:
            following.by_time(self.platform, self.played.session(team), self.platform.clock.now(), unseen=IN_FLIGHT)
        self.teams = teams

    def work(self, step: str, work: Callable[[], object], times: float = 1.0) -> None:
        """Do a part of a step and add what it took, for so many of them."""
        Path("/proc/self/clear_refs").write_text("5")  # what a process had at most is counted from here
        before, began = _now("VmRSS"), process_time()
        work()
        took, more = process_time() - began, _now("VmHWM") - before
        seconds, most = self.measured.get(step, (0.0, 0.0))
        self.measured[step] = seconds + took * times, max(most, self.imports + more)

    def settle(self, step: str, part: Callable[..., str]) -> None:
        """Settle the sampled part, give all others copies of it, and settle the whole."""
        settling.send_due_steps(self.platform, self.played.run_id)
        jobs = self._taken()
        for job in jobs:
            if job.session_id in self.sample.values():
                self.work(f"{step}, of a team", partial(settling.settle, self.platform, job), self.teams / SAMPLE)
        self.copy(partial(part, self.played.run))
        self._taken()
        self.work(f"{step}, of a team", partial(settling.send_due_steps, self.platform, self.played.run_id))
        for job in self._taken():
            self.work(f"{step}, whole", partial(settling.settle, self.platform, job))

    def copy(self, name_of: Callable[[str], str]) -> None:
        """Give every other team a copy of a sampled team's part, by the name of a session's part."""
        sampled = list(self.sample.items())
        for place, (team, session_id) in enumerate(islice(self.played.sessions.items(), SAMPLE, None)):
            names = dict(zip(sampled[place % SAMPLE], (team, session_id), strict=True))
            self.objects.copy(name_of(sampled[place % SAMPLE][1]), name_of(session_id), names)

    def recompute(self) -> None:
        """Recompute the sample's sessions, give all others copies, and recompute the whole."""
        shadows, jobs = FakeShadows(self.platform), self.platform.shadows.jobs
        for job in jobs:
            if job.session_id in self.sample.values():
                again = partial(shadows.send, [job])
                self.work("recomputation, of a team", again, self.teams / SAMPLE)
        (folder,) = {name.rpartition("/")[0] for name in self.objects if name.startswith("reports/shadow/")}
        self.copy(lambda session_id: f"{folder}/{session_id}.json")
        self.work("recomputation, whole", lambda: shadows.send([ShadowTask(self.played.run_id)]))
        assert settling.recomputation_state(self.platform, self.played.run).is_clean

    def _taken(self) -> list[SettlingTask]:
        jobs, self.played.platform.settling.jobs = self.played.platform.settling.jobs, []
        return jobs


class Objects(dict[str, Any]):
    """Objects by name, of which a copy is made when it is read, as bytes of storage are."""

    def copy(self, name: str, of: str, names: Mapping[str, str]) -> None:  # type: ignore[override]
        self[of] = partial(self._renamed, name, names)

    def _renamed(self, name: str, names: Mapping[str, str]) -> bytes:
        content: bytes = self[name]
        for sampled, other in names.items():
            content = content.replace(f'"{sampled}"'.encode(), f'"{other}"'.encode())
        return content

    def __getitem__(self, name: str) -> Any:
        stored = super().__getitem__(name)
        return stored() if callable(stored) else stored

    def get(self, name: str, _default: Any = None) -> Any:
        return self[name] if name in self else None  # noqa: SIM401 -- it is made there


def measure(teams: int, files: int) -> Measured:
    """Settle a final and return what each step took."""
    final = Final(teams, files)
    platform, run_id = final.platform, final.played.run_id
    jobs = list(platform.store.outbox)
    final.work("scoring, of a team", lambda: list(map(partial(score_answer, platform), jobs)), teams / SAMPLE)
    final.settle("record", recording.part_name)
    final.settle("entries", boards.entry_name)
    final.recompute()
    publishing.publish(platform, "bench", run_id)
    final.settle("archive", settling.archive_part_name)
    platform.memory = type(platform.memory)()
    platform.clock.advance(10)
    final.work("request for the board", lambda: board_as_sent(platform, run_id))
    now = platform.clock.now()
    final.work("request for the record", lambda: recording.public_path(platform, run_id, recording.RECORD, now))
    return final.measured


def board_as_sent(platform: Any, run_id: str) -> int:
    """Return the bytes of a final's board as a request gets it, without the head; at most a function's answer."""
    board = boards.final_board(platform, run_id)
    ahead = leaderboard.ahead(board.rows)
    rows = (
        board_row(row, board.names[row.entry.team_id], by, board.tables[row.entry.team_id])
        for row, by in zip(board.rows, ahead, strict=True)
    )
    size = sum(len(row.model_dump_json().encode()) for row in rows)
    assert size < ANSWER_BYTES, size
    return size


def answered(teams: int, files: int) -> Played:
    """Return a final whose every file is answered by the sampled team, with what its last expert says of it."""
    platform: Any = FakePlatform(registry.get)
    platform.shadows = FakeQueue[ShadowTask]()
    load_cycle(platform, "bench", "demo", FolderInMemory(folder(files)), lambda _: None)
    start = platform.clock.now() + MINUTE
    run = planning.plan_run(platform, "bench", RunOrder(Mode.FINAL, "final", start, MINUTE, files=files))
    played = Played(platform, run.run_id)
    played.join(*(f"team-{number:03d}" for number in range(teams)))
    for number in range(1, files + 1):
        played.at(played.schedule.opens_at(number))
        for team in islice(played.sessions, SAMPLE):
            session = played.session(team)
            item = reading.item_of(platform, session, reading.planned_file(platform, session, number))
            played.ask(team, number)
            platform.clock.advance(9)
            answer = canonical(reading.references(platform, session, item)[-1])
            exchange.submit_answer(platform, played.request(team, number), answer)
    return played


def folder(final: int) -> dict[str, Any]:
    """Return the demonstration's essays: the training ones in two sets, copies of the test ones as a final.

    The final's have a third markup: the first expert's under another name.
    """
    cycle = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    kinds = {"train": "training", "test": "test", "final": "final"}
    cycle["sets"] = {name: {"folder": name, "kind": kind} for name, kind in kinds.items()}
    files: dict[str, Any] = {"cycle.json": cycle}
    sources = {name: sorted((DEMONSTRATION / name).glob("*_exp01.json")) for name in ("train", "test")}
    for number, path in enumerate(sources["train"]):
        stem = path.name.partition("_")[0]
        files |= copied(path.with_name(stem), "train" if number % 2 else "test", stem)
    for number in range(final):
        path = sources["test"][number % len(sources["test"])]
        files |= copied(path.with_name(path.name.partition("_")[0]), "final", f"essay-{number:03d}")
    thirds = {name.replace("_exp01", "_exp03"): files[name] for name in files if name.startswith("final/")}
    return {**thirds, **files}


def copied(path: Path, place: str, name: str) -> dict[str, Any]:
    """Return an essay and its markups under another name."""
    contents = {}
    for file in sorted(path.parent.glob(f"{path.name}*.json")):
        content = json.loads(file.read_text("utf-8"))
        content["meta"] |= {"id": name, "name": f"{name}.txt"}
        contents[f"{place}/{name}{file.stem.removeprefix(path.name)}.json"] = content
    return contents


def _now(quantity: str) -> float:
    """Return a quantity of memory of this process, in MiB."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{quantity}:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    if sys.argv[2:]:
        print(json.dumps(measure(*map(int, sys.argv[1:]))))
    else:
        main()
