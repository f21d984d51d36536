"""Measure a final: handlers' own time, a flood beside it, saturation. ``bench/opening.py`` measures openings.

Run from the root as ``python bench/final.py``. Everything is measured on the local cloud, in real time: its figures say
what the functions cost and which part of the local cloud gives out first, not what the cloud of a contest can bear.

``make metered`` (``python bench/final.py fit``) counts the cloud's usage by finals at several sizes, fits the
coefficients of the cost estimate to each kind of request, writes
layers/contest/src/contest/operations/costs/usage.json, and says how far the model is from sizes it was not made from.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import numpy as np

from contest.operations.rules import FINAL, KINDS, cost_terms, estimate_final, usual_final
from rehearsal.ending import Settings
from rehearsal.history import SECOND, History
from rehearsal.play.driver import Timing
from rehearsal.play.staff import admit
from rehearsal.stages import Stage, metered, staged

CLIENTS = 60
FILES = 1
INTERVAL_S = 120
"""Seconds for which the sessions stay open; everything else is measured meanwhile."""
LEAD_S = 45
WORKED_S = (2, 10)
WORKERS = 2
SATURATED_S = 6
AT_ONCE = 16
OTHERS = 10
FLOOD_PER_S = 50
COME_AGAIN = (425, 429, 503)
"""Statuses after which a request is repeated: not open yet, too many requests, busy."""
_TIMED = """

import json as _json, time as _time
from botocore.client import BaseClient as _Client

_spent = [0.0, 0]
_call = _Client._make_api_call


def _timed_call(client, operation, told):
    begun = _time.perf_counter()
    try:
        return _call(client, operation, told)
    finally:
        _spent[0] += _time.perf_counter() - begun
        _spent[1] += 1


_Client._make_api_call = _timed_call
_handler = handler


def handler(event, context):
    _spent[:] = [0.0, 0]
    begun, busy = _time.perf_counter(), _time.process_time()
    result = _handler(event, context)
    line = [event.get("routeKey", "?"), _time.perf_counter() - begun, *_spent, _time.process_time() - busy]
    with open({path!r}, "a") as file:
        file.write(_json.dumps(line) + "\\n")
    return result
"""
"""Goes to the end of a handler's module: writes down each call's time, that of its storage calls, and their number."""
SIZES = ((2, 3), (6, 3), (2, 9), (6, 9), (3, 30), (8, 20), (10, 4), (5, 10))
UNFITTED = ((5, 15), (10, 20))
PLACE = Path(__file__).resolve().parents[1] / "layers/contest/src/contest/operations/costs/usage.json"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, _cloud(Path(folder, "calls.jsonl")) as stage:
        names = [f"client-{number:03d}" for number in range(CLIENTS)]
        tokens = admit(stage.cloud, names, {})
        stage.participants = names
        timing = stage.plan()
        sessions = asyncio.run(_opened(stage, timing, tokens))
        asyncio.run(_final(stage, timing, tokens, sessions))
        _handlers(_calls(Path(folder, "calls.jsonl")))
        asyncio.run(_beside_a_flood(stage, tokens, sessions))
        asyncio.run(_saturation(stage, tokens, sessions, Path(folder, "calls.jsonl")))


def _line(*cells: str) -> None:
    widths = (50, 14, 14, 14)
    print("  ".join(cell.ljust(width) for cell, width in zip(cells, (*widths, 0), strict=True)).rstrip(), flush=True)


@contextmanager
def _cloud(path: Path) -> Iterator[Stage]:
    """Start a stage in real time whose functions record their times."""
    settings = Settings(
        teams=CLIENTS, files=FILES, interval=INTERVAL_S, lead=LEAD_S, driven=False, workers=WORKERS, join=600
    )
    text = _TIMED.replace("{path!r}", repr(str(path)))
    more = {"dispatch/api.py": text, "submit/api.py": text}
    with closing(History()) as history, staged(settings, history, more=more) as stage:
        yield stage


async def _opened(stage: Stage, timing: Timing, tokens: Mapping[str, str]) -> dict[str, str]:
    """Open sessions of all clients."""
    limit = asyncio.Semaphore(AT_ONCE)
    order = {"mode": "final", "run": timing.run_id}

    async def one(http: httpx.AsyncClient, name: str) -> tuple[str, str]:
        async with limit:
            response = await http.post("/v1/sessions", headers=_auth(tokens[name]), json=order)
        return name, str(response.raise_for_status().json()["session_id"])

    async with _client(stage) as http:
        return dict(await asyncio.gather(*(one(http, name) for name in tokens)))


async def _final(stage: Stage, timing: Timing, tokens: Mapping[str, str], sessions: Mapping[str, str]) -> None:
    """Let every client sleep until the announced time of the file, ask for it, and answer."""
    async with _client(stage) as http:
        await asyncio.gather(*(_file(http, stage, timing, tokens[name], sessions[name]) for name in tokens))


async def _file(http: httpx.AsyncClient, stage: Stage, timing: Timing, token: str, session_id: str) -> None:
    path = f"/v1/sessions/{session_id}/files/1"
    await asyncio.sleep(max(0.0, (timing.opens_at(1) - stage.cloud.clock.now_ms()) / SECOND))
    while (response := await http.get(path, headers=_auth(token))).status_code in COME_AGAIN:
        await asyncio.sleep(1)
    answer = stage.material.answer(response.raise_for_status().json()["content"], 0.8)
    await asyncio.sleep(random.Random(session_id).uniform(*WORKED_S))
    (await http.put(f"{path}/answer", headers=_auth(token), json=answer)).raise_for_status()


def _print_times(name: str, times: Sequence[float], note: str) -> None:
    _line(name, f"p50 {_s(statistics.median(times))}", f"p99 {_s(_p99(times))}", f"max {_s(max(times))}", note)


def _p99(times: Sequence[float]) -> float:
    return sorted(times)[-(-99 * len(times) // 100) - 1]


def _handlers(calls: Sequence[list[Any]]) -> None:
    """Print per route the handler's own processor time, and the time and number of its storage calls."""
    routes = Counter(call[0] for call in calls)
    for route, count in sorted(routes.items()):
        mine = [call for call in calls if call[0] == route][2:]
        if len(mine) < 20:
            continue
        own = statistics.median(whole - stored for _, whole, stored, _, _ in mine)
        stored = statistics.median(call[2] for call in mine)
        storage_calls = statistics.median(call[3] for call in mine)
        busy = statistics.median(call[4] for call in mine)
        note = (
            f"{storage_calls:.0f} storage calls take {_s(stored)}; processor {_s(busy)} with theirs; median of {count}"
        )
        _line(f"handler without storage: {route}", _s(own), "", "", note)


async def _beside_a_flood(stage: Stage, tokens: Mapping[str, str], sessions: Mapping[str, str]) -> None:
    """Measure other teams' requests beside a team that floods the platform with answers, and without it."""
    loud, *others = tokens
    async with _client(stage) as http:
        alone = await _latencies(http, tokens, sessions, others[:OTHERS])
        flood = asyncio.create_task(_flood(http, tokens[loud]))
        beside = await _latencies(http, tokens, sessions, others[:OTHERS])
        flood.cancel()
        await asyncio.wait([flood])
    name = f"{OTHERS} teams ask once a second, alone"
    _print_times(name, alone, "")
    name = f"the same beside a team at {FLOOD_PER_S} requests a second"
    ratio = f"{statistics.median(beside) / statistics.median(alone):.1f}× p50, {_p99(beside) / _p99(alone):.1f}× p99"
    _print_times(name, beside, ratio)


async def _latencies(
    http: httpx.AsyncClient, tokens: Mapping[str, str], sessions: Mapping[str, str], names: Sequence[str]
) -> list[float]:
    async def one(place: int, name: str) -> list[float]:
        times = []
        await asyncio.sleep(place / len(names))
        for _ in range(SATURATED_S):
            begun = perf_counter()
            response = await http.get(f"/v1/sessions/{sessions[name]}/files/1", headers=_auth(tokens[name]))
            response.raise_for_status()
            times.append(perf_counter() - begun)
            await asyncio.sleep(max(0.0, 1 - times[-1]))
        return times

    return [seconds for times in await asyncio.gather(*map(one, range(len(names)), names)) for seconds in times]


async def _flood(http: httpx.AsyncClient, token: str) -> None:
    async with asyncio.TaskGroup() as sending:
        while True:
            path = "/v1/sessions/100000000000000/files/1/answer"
            sending.create_task(http.put(path, headers=_auth(token), content=b"x" * 1000))
            await asyncio.sleep(1 / FLOOD_PER_S)


async def _saturation(stage: Stage, tokens: Mapping[str, str], sessions: Mapping[str, str], path: Path) -> None:
    """Measure requests a second of each part by itself, then of the whole, and name the part that is used up."""
    async with _client(stage) as http:
        reads = _reads(stage)
        _line("moto: strong reads of one item", f"{reads:.0f}/s", "", "", f"{AT_ONCE} threads, one process")
        people = list(tokens)

        def again(place: int) -> Awaitable[httpx.Response]:
            name = people[place % len(people)]
            return http.get(f"/v1/sessions/{sessions[name]}/files/1", headers=_auth(tokens[name]))

        before = len(_calls(path))
        whole = await _rate(again)
        calls = _calls(path)[before:]
        _line("a file handed out again: the whole", f"{whole:.0f}/s", "", "", _blame(whole, reads, calls))


def _blame(whole: float, reads: float, calls: Sequence[list[Any]]) -> str:
    """Return the share of each part that a rate uses, and the part used most."""
    stored, busy = (statistics.median(call[place] for call in calls) for place in (3, 4))
    used = {
        f"moto's reads ({stored:.0f} storage calls each)": whole * stored / reads,
        f"the functions ({_s(busy)} of a processor each)": whole * busy / (os.cpu_count() or 1),
    }
    shares = ", ".join(f"{name} {share:.0%}" for name, share in used.items())
    return f"{shares}, of what each can do alone on these processors: {max(used, key=used.__getitem__)} give out first"


async def _rate(ask: Callable[[int], Awaitable[httpx.Response]]) -> float:
    done, begun, places = 0, perf_counter(), iter(range(10**9))

    async def go_on() -> None:
        nonlocal done
        while perf_counter() - begun < SATURATED_S:
            (await ask(next(places))).raise_for_status()
            done += 1

    await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))
    return done / (perf_counter() - begun)


def _reads(stage: Stage) -> float:
    """Measure the strong reads a second that moto gives by itself."""
    tables, table = stage.cloud.client("dynamodb"), stage.cloud.resource("StorageExchange")
    begun, done = perf_counter(), [0] * AT_ONCE

    def go_on(place: int) -> None:
        while perf_counter() - begun < SATURATED_S:
            tables.get_item(TableName=table, Key={"pk": {"S": "x"}, "sk": {"S": "y"}}, ConsistentRead=True)
            done[place] += 1

    threads = [threading.Thread(target=go_on, args=(place,)) for place in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (perf_counter() - begun)


def _calls(path: Path) -> list[list[Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _client(stage: Stage) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=stage.cloud.url, timeout=120, limits=httpx.Limits(max_connections=None))


def _auth(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _s(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms"


def fit() -> None:
    """Measure, fit, write, compare: see ``make metered``."""
    counted = {}
    for teams, files in SIZES:
        counted[teams, files] = metered(teams, files)
        counts = counted[teams, files]
        print(f"{teams} teams × {files} files: {', '.join(f'{kind} {counts[kind]:.6g}' for kind in KINDS)}", flush=True)
    usage = json.loads(PLACE.read_text("utf-8")) if PLACE.exists() else {}
    usage[FINAL] = {kind: _fitted(kind, counted) for kind in KINDS}
    usage["measured"] = {"sizes": [list(size) for size in SIZES], "by": "make metered, without faults"}
    PLACE.write_text(json.dumps(usage, indent=1) + "\n", "utf-8")
    for teams, files in UNFITTED:
        counts, expected = metered(teams, files), estimate_final(usage[FINAL], usual_final(teams, files))
        for kind in KINDS:
            print(f"{teams} × {files}, {kind}: {counts[kind]:.6g} metered, {expected[kind]:.6g} estimated", flush=True)


def _fitted(kind: str, counted: dict[tuple[int, int], dict[str, float]]) -> list[float]:
    """Fit the coefficients of the terms, by least squares of the relative differences; none is below zero.

    Finals without any such request say nothing about it: their differences have no relation.
    """
    some = {size: counts[kind] for size, counts in counted.items() if counts[kind]}
    rows = np.array([cost_terms(usual_final(*size)) for size in some], dtype=float)
    values = np.array(list(some.values()), dtype=float)
    used = list(range(rows.shape[1]))
    while True:
        part = np.linalg.lstsq(rows[:, used] / values[:, None], np.ones(len(values)), rcond=None)[0]
        if (part >= 0).all():
            break
        used.pop(int(np.argmin(part)))
    coefficients = np.zeros(rows.shape[1])
    coefficients[used] = part
    return [float(f"{coefficient:.4g}") for coefficient in coefficients]


if __name__ == "__main__":
    fit() if sys.argv[1:] == ["fit"] else main()
