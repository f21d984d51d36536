"""Measure the local cloud at an opening, and while experts save drafts.

    python bench/opening.py [--teams 200] [--experts 50] [--drafts 6]

A final is planned and joined under a held clock; then the clock runs, and every team asks for the same file in one
instant and answers at once. After that every expert saves a draft a second, all in one instant. Latencies are those of
the clients, each with a connection of its own; processor time is that of all processes of the local cloud, without the
clients.

``lost``: requests that were refused or failed. ``late``: runs of a timer that began over a second after their time.
``memory``: resident memory of all processes after the requests, and what a thousand further ones add to it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

TEAMS, EXPERTS, DRAFTS = 40, 50, 2
FILES, INTERVAL_S = 3, 60
LATE_MS = 1000
PAUSE_S = 1.05
"""Seconds between two drafts of an assignment; the platform takes one a second."""
FURTHER = 1000
SUBJECTS = ("rus", "rus-free", "lit", "social", "hist", "eng", "eng-free")
Answer = tuple[float, int, Any]
"""Seconds from the request to its answer, the answer's status and its parsed body."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--teams", type=int, default=TEAMS)
    parser.add_argument("--experts", type=int, default=EXPERTS)
    parser.add_argument("--drafts", type=int, default=DRAFTS)
    options = parser.parse_args()
    if options.teams:
        with cloud_of("final", options.teams) as cloud:
            _print(asyncio.run(opening(cloud)))
    if options.experts:
        with cloud_of("drafts", options.experts) as cloud:
            _print(asyncio.run(drafts(cloud, options.drafts)))


def _print(figures: Mapping[str, float]) -> None:
    for name, value in figures.items():
        label, _, unit = name.rpartition(", ")
        print(f"{label}: {value:.1f} {unit}", flush=True)


class Cloud:
    """A local cloud in a process of its own, which does what its lines of standard input say."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.told = self._line()

    def do(self, word: str) -> Any:
        """Send one command to the cloud; return its result."""
        assert self._process.stdin is not None
        print(word, file=self._process.stdin, flush=True)
        return self._line()

    def _line(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def processor_s(self) -> float:
        """Return the seconds of a processor that the cloud's processes have used, those that have ended included."""
        ticks = sum(sum(map(int, fields[11:15])) for _, fields in self._processes())
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return the memory of the cloud's processes, pages that several share counted once."""
        sizes = [Path("/proc", pid, "smaps_rollup").read_text("ascii") for pid, _ in self._processes()]
        return sum(int(size.partition("\nPss:")[2].split()[0]) for size in sizes) / 1024

    def _processes(self) -> list[tuple[str, list[str]]]:
        """Return each process's number and its fields from the state on (proc(5))."""
        everything: dict[str, list[str]] = {}
        for place in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                everything[place.parent.name] = place.read_text("ascii").rpartition(")")[2].split()
        own, more = set[str](), {str(self._process.pid)}
        while more:
            own |= more
            more = {pid for pid, fields in everything.items() if fields[1] in more}
        return [(pid, everything[pid]) for pid in own]


@contextmanager
def cloud_of(play: str, count: int) -> Iterator[Cloud]:
    """Run the local cloud of the tree in the working folder with so many teams or experts."""
    words = [sys.executable, __file__, "--serve", play, str(count)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Cloud(process)


class Client:
    """A connection that stays open. An HTTP library would use as much of the processor as the cloud."""

    _head: str
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    @classmethod
    async def of(cls, url: str, authorization: str) -> Client:
        """Connect."""
        client = cls()
        host, _, port = url.removeprefix("http://").partition(":")
        client._head = f"host: {host}\r\nauthorization: {authorization}\r\ncontent-type: application/json\r\n"
        client._reader, client._writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
        return client

    async def ask(self, method: str, path: str, body: Any = None, headers: str = "") -> Answer:
        """Make a request."""
        content = b"" if body is None else json.dumps(body).encode()
        begun = perf_counter()
        self._writer.write(
            f"{method} {path} HTTP/1.1\r\n{self._head}{headers}content-length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("\r\ncontent-length:")[2].partition("\r\n")[0] or 0)
        received = await self._reader.readexactly(length)
        return perf_counter() - begun, int(head.split()[1]), json.loads(received or b"null")


async def opening(cloud: Cloud) -> dict[str, float]:
    """Open a file to every team, once under the held clock, so that all processes are warm, then by the running one."""
    url, teams = cloud.told["url"], cloud.told["teams"]
    clients = [await Client.of(url, f"Bearer {team['token']}") for team in teams]
    paths = [f"/v1/sessions/{team['session']}/files" for team in teams]
    cloud.do("open")
    await asyncio.gather(*(_file(client, f"{path}/1") for client, path in zip(clients, paths, strict=True)))
    cloud.do("release")
    before = cloud.processor_s()
    played = await asyncio.gather(*(_file(client, f"{path}/2") for client, path in zip(clients, paths, strict=True)))
    files, acknowledgements = zip(*played, strict=True)
    used = cloud.processor_s() - before
    timers = cloud.do("timers")
    answers = [*files, *acknowledgements]
    figures = {
        **_times("file", files),
        **_times("answer", acknowledgements),
        "processor time of a request, ms": used / len(answers) * 1e3,
        f"requests lost, of {len(answers)}": float(sum(status != 200 for _, status, _ in answers)),
        f"timers late, of {len(timers)}": float(sum(late > LATE_MS for late in timers)),
    }
    memory = []
    for _ in range(2):
        for _ in range(-(-FURTHER // len(clients))):
            further = (client.ask("GET", f"{path}/2") for client, path in zip(clients, paths, strict=True))
            await asyncio.gather(*further)
        memory.append(cloud.memory_mb())
    figures |= {"memory, MB": memory[0], f"memory that {FURTHER} requests more add, MB": memory[1] - memory[0]}
    return figures


async def _file(client: Client, path: str) -> tuple[Answer, Answer]:
    """Ask for a file and answer it with an empty markup."""
    file = await client.ask("GET", path)
    content = {} if file[1] != 200 else {**file[2]["content"], "selections": []}
    return file, await client.ask("PUT", f"{path}/answer", content)


async def drafts(cloud: Cloud, rounds: int) -> dict[str, float]:
    """Save drafts of every expert, all in one instant, after a first round that warms the processes."""
    desks = cloud.told["desks"]
    clients = [await Client.of(cloud.told["url"], desk["token"]) for desk in desks]
    taken: list[Answer] = []
    used = 0.0
    for revision in range(1 + rounds):
        await asyncio.sleep(PAUSE_S)
        before = cloud.processor_s()
        saved = await asyncio.gather(
            *(
                client.ask(
                    "PUT",
                    desk["path"],
                    {**desk["body"], "selections": desk["body"]["selections"][: -1 - revision % 2]},
                    f'if-match: "{revision}"\r\n',
                )
                for client, desk in zip(clients, desks, strict=True)
            )
        )
        if revision:
            used += cloud.processor_s() - before
            taken += saved
    return {
        **_times("draft", taken, 95),
        "processor time of a draft, ms": used / len(taken) * 1e3,
        f"drafts lost, of {len(taken)}": float(sum(status != 200 for _, status, _ in taken)),
    }


def _times(name: str, answers: Sequence[Answer], high: int = 99) -> dict[str, float]:
    """Return the median and a high percentile of the answers' times."""
    ordered = sorted(seconds for seconds, _, _ in answers)
    figures = {50: median(ordered), high: ordered[-(-high * len(ordered) // 100) - 1]}
    return {f"{name}, p{share}, ms": seconds * 1e3 for share, seconds in figures.items()}


def serve_final(teams: int) -> None:
    """Plan a final, let every team join, and open its files as the lines of standard input say."""
    from local.lambdas.schedules import Timers

    # Modules as they are named now, and in trees before rehearsals were a package of their own.
    now = ("rehearsal.stages", "rehearsal.history", "rehearsal.ending", "rehearsal.play.staff")
    before = tuple(f"local.rehearsal.{name}" for name in ("final", "history", "wanted", "play.admission"))
    final, history, settings_module, admitting = map(import_module, now if find_spec("rehearsal") else before)
    late: list[int] = []
    fire = Timers.fire

    def noted(self: Timers, now_ms: int) -> None:
        late.extend(now_ms - schedule.due_ms for schedule in self._schedules if schedule.due_ms <= now_ms)
        fire(self, now_ms)

    Timers.fire = noted  # type: ignore[method-assign]  # to see when timers run
    settings = settings_module.Settings(
        teams=teams, files=FILES, interval=INTERVAL_S, request=30, answer=50, total=60, workers=2
    )
    with closing(history.History()) as story, final.staged(settings, story) as stage:
        stage.participants = [f"team-{number:03d}" for number in range(teams)]
        tokens = admitting.admit(stage.cloud, stage.participants, {})
        timing = stage.plan()
        order = {"mode": "final", "run": timing.run_id}
        joined = asyncio.run(_joined(stage.cloud.url, tokens, order))
        _tell({"url": stage.cloud.url, "teams": joined})
        clock = stage.cloud.clock
        for line in sys.stdin:
            match line.strip():
                case "open":
                    clock.advance((timing.opens_at(1) - clock.now_ms()) / 1000)
                case "release":
                    clock.advance((timing.opens_at(2) - 1 - clock.now_ms()) / 1000)
                    stage.cloud.drain()
                    late.clear()
                    clock.release()
                case "timers":
                    _tell(late)
                    continue
            _tell(None)


async def _joined(url: str, tokens: Mapping[str, str], order: Mapping[str, str]) -> list[dict[str, str]]:
    sessions = []
    for token in tokens.values():
        client = await Client.of(url, f"Bearer {token}")
        _, status, body = await client.ask("POST", "/v1/sessions", order)
        assert status == 201, body
        sessions.append({"token": token, "session": body["session_id"]})
    return sessions


def serve_drafts(experts: int) -> None:
    """Give every expert an essay of the calibration."""
    from local.cloud import DEFAULT_TEMPLATE, LocalCloud
    from local.organizing import Organizer

    home = "local.sample_accounts" if find_spec("local.sample_accounts") else "local.organizing"
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCloud(DEFAULT_TEMPLATE, Path.cwd() / "functions", workers=2, warm=True) as cloud,
    ):
        _write_cycle(Path(folder))
        organizer = Organizer(cloud)
        organizer.load(Path(folder))
        organizer.contest("staff", "invite", "olga@example.org", "Olga", "organizer")
        _tell({"url": cloud.url, "desks": asyncio.run(_desks(cloud.url, experts, import_module(home).token))})
        sys.stdin.read()


def _write_cycle(folder: Path) -> None:
    """Write the demonstration's cycle with its training essays alone."""
    demonstration = Path("local/demonstration")
    described = json.loads((demonstration / "cycle.json").read_text("utf-8"))
    quiet = {**described["parameters"], "technical": {"enabled": False}, "requests_per_second": 1000}
    described |= {"sets": {"train": {"folder": "train", "kind": "training"}}, "parameters": quiet}
    (folder / "cycle.json").write_text(json.dumps(described), "utf-8")
    shutil.copytree(demonstration / "train", folder / "train")


async def _desks(url: str, experts: int, sign_in: Callable[[str, str, str], str]) -> list[dict[str, Any]]:
    """Invite experts, open an essay to each, and return the path, the key and the markup of each draft."""
    olga = await Client.of(url, f"Bearer {sign_in(url, 'olga@example.org', 'staff')}")
    markups = (json.loads(path.read_text("utf-8")) for path in Path("local/demonstration/train").glob("*_exp01.json"))
    selections = {markup["text"]: markup["selections"] for markup in markups}
    profile = {"subjects": [*SUBJECTS], "languages": ["rus", "eng"], "groups": []}
    desks = []
    for email in (f"expert-{number:02d}@example.org" for number in range(experts)):
        _, _, person = await olga.ask("POST", "/v1/staff", {"email": email, "name": email, "role": "expert"})
        await olga.ask("PUT", f"/v1/experts/{person['person_id']}", profile)
        token = f"Bearer {sign_in(url, email, 'staff')}"
        expert = await Client.of(url, token)
        _, _, assignment = await expert.ask("POST", "/v1/calibrations")
        path = f"/v1/assignments/{assignment['assignment_id']}"
        _, status, opened = await expert.ask("POST", f"{path}/open")
        assert status == 200, opened
        content = opened["content"]
        body = {**content, "selections": selections[content["text"]]}
        desks.append({"path": f"{path}/draft", "token": token, "body": body})
    return desks


def _tell(value: Any) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        {"final": serve_final, "drafts": serve_drafts}[sys.argv[2]](int(sys.argv[3]))
    else:
        main()
