"""Measure an expert's autosave and the assignment of essays on the local cloud, in real time, over HTTP.

Run from the root as ``python bench/autosave.py``. Aims: 95 of 100 saves within 100 ms for one expert and within 1 s for
fifty at once; 500 essays given to forty experts within 2 s.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx

from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.organizing import Organizer, token

ROOT = Path.cwd()
DEMONSTRATION = ROOT / "local" / "demonstration"
SUBJECTS = ("rus", "rus-free", "lit", "social", "hist", "eng", "eng-free")
ESSAYS, MARKING = 500, 40
EXPERTS = 50
SAVES = 20
ROUNDS = 6
PAUSE_S = 1.05
"""The platform takes a draft a second of an assignment."""
WORKERS = 4


def main() -> None:
    """Print the figures."""
    workers = {"FunctionsAnnotate": WORKERS, "FunctionsAuthorize": 2}
    with tempfile.TemporaryDirectory() as folder:
        write_cycle(Path(folder), ESSAYS)
        with LocalCloud(DEFAULT_TEMPLATE, ROOT / "functions", workers_of=workers) as cloud:
            organizer = Organizer(cloud)
            organizer.load(Path(folder))
            organizer.contest("staff", "invite", "olga@example.org", "Olga", "organizer")
            asyncio.run(_measure(cloud.url))


def write_cycle(folder: Path, essays: int) -> None:
    """Write a cycle of the demonstration's training essays, repeated, each with a number at its end."""
    described = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    quiet = {**described["parameters"], "technical": {"enabled": False}, "requests_per_second": 1000}
    described |= {"sets": {"train": {"folder": "train", "kind": "training"}}, "parameters": quiet}
    (folder / "cycle.json").write_text(json.dumps(described), "utf-8")
    (folder / "train").mkdir()
    sources = sorted(path for path in (DEMONSTRATION / "train").glob("*.json") if "_exp" not in path.name)
    for number, source in enumerate(islice(cycle(sources), essays)):
        name = f"{source.stem}-{number:03d}"
        for end in ("", "_exp01", "_exp02"):
            essay = json.loads(source.with_name(f"{source.stem}{end}.json").read_text("utf-8"))
            essay["text"] += f" {number:03d}"
            essay["meta"]["id"] = name
            (folder / "train" / f"{name}{end}.json").write_text(json.dumps(essay, ensure_ascii=False), "utf-8")


async def desks(url: str, experts: int, sign_in: Callable[[str, str, str], str]) -> list[dict[str, Any]]:
    """Invite experts, open an essay of the calibration to each, and return their desks (see :func:`_opened`)."""
    async with _client(url) as http:
        olga = _auth(sign_in(url, "olga@example.org", "staff"))
        names = [f"expert-{number:02d}@example.org" for number in range(experts)]
        for name in names:
            await _invite(http, olga, name)
        return [await _opened(http, _auth(sign_in(url, name, "staff"))) for name in names]


def _client(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, timeout=120, limits=httpx.Limits(max_connections=None))


async def _measure(url: str) -> None:
    async with _client(url) as http:
        olga = _auth(token(url, "olga@example.org", "staff"))
        names = [f"expert-{number:02d}@example.org" for number in range(EXPERTS)]
        for name in names[:MARKING]:
            await _invite(http, olga, name)
        begun = perf_counter()
        response = await http.post("/v1/markings", headers=olga, json={"set": "train"})
        _checked(response)
        _print_times(f"{ESSAYS} essays to {MARKING} experts, over HTTP", [perf_counter() - begun])
        for name in names[MARKING:]:  # who comes later calibrates
            await _invite(http, olga, name)
        tokens = [_auth(token(url, name, "staff")) for name in names]
        opened = [await _opened(http, token) for token in tokens]
        await _save(http, opened[0], 3)  # a first save of a process loads what it needs
        _print_times("autosave, one expert", await _save(http, opened[0], SAVES))
        await asyncio.gather(*(_save(http, desk, 1) for desk in opened))
        took = await asyncio.gather(*(_save(http, desk, ROUNDS) for desk in opened))
        _print_times(f"autosave, {EXPERTS} experts at once", [seconds for part in took for seconds in part])


async def _invite(http: httpx.AsyncClient, olga: Mapping[str, str], email: str) -> None:
    """Make a person an expert of every subject."""
    response = await http.post("/v1/staff", headers=olga, json={"email": email, "name": email, "role": "expert"})
    profile = {"subjects": list(SUBJECTS), "languages": ["rus", "eng"], "groups": []}
    _checked(await http.put(f"/v1/experts/{_checked(response)['person_id']}", headers=olga, json=profile))


async def _opened(http: httpx.AsyncClient, token: Mapping[str, str]) -> dict[str, Any]:
    """Open an assignment and return its draft's path and a markup to save."""
    own = _checked(await http.get("/v1/assignments", headers=token))["assignments"]
    assignment = own[0] if own else _checked(await http.post("/v1/calibrations", headers=token))
    path = f"/v1/assignments/{assignment['assignment_id']}"
    content = _checked(await http.post(f"{path}/open", headers=token))["content"]
    selections = _selections()[content["text"].rpartition(" ")[0]]
    return {"path": f"{path}/draft", "token": token, "body": {**content, "selections": selections}, "revision": 0}


@cache
def _selections() -> Mapping[str, Any]:
    """Return the first expert's selections by the text of the demonstration's essay."""
    markups = (json.loads(path.read_text("utf-8")) for path in (DEMONSTRATION / "train").glob("*_exp01.json"))
    return {markup["text"]: markup["selections"] for markup in markups}


async def _save(http: httpx.AsyncClient, desk: dict[str, Any], times: int) -> list[float]:
    seconds = []
    for _ in range(times):
        await asyncio.sleep(PAUSE_S)
        body = {**desk["body"], "selections": desk["body"]["selections"][: -1 - desk["revision"] % 2]}
        headers = {**desk["token"], "If-Match": f'"{desk["revision"]}"'}
        begun = perf_counter()
        response = await http.put(desk["path"], headers=headers, json=body)
        seconds.append(perf_counter() - begun)
        _checked(response)
        desk["revision"] += 1
    return seconds


def _checked(response: httpx.Response) -> Any:
    if response.status_code not in {200, 201}:
        raise RuntimeError(
            f"{response.request.method} {response.request.url.path}: {response.status_code} {response.text[:300]}"
        )
    return response.json()


def _auth(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _print_times(label: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    p95 = ordered[-(-95 * len(ordered) // 100) - 1]
    figures = f"p50 {statistics.median(ordered) * 1e3:.0f} ms  p95 {p95 * 1e3:.0f} ms  max {ordered[-1] * 1e3:.0f} ms"
    print(f"{label}: {figures}  ({len(ordered)}; load {os.getloadavg()[0]:.1f})", flush=True)


if __name__ == "__main__":
    main()
