"""Measure imports: essays with three markups each, through the interface of the local cloud.

Run from the root as ``python bench/importing.py [ESSAYS…]``, with 250 and 500 essays by default. The zip is announced,
sent in parts, checked and loaded by the worker, as ``contest cycle load`` does; the figure is the time from the
announcement to the state ``done``. The essays are the demonstration's, each with a number of its own behind its text.
The second figure is the time to pack and download them part by part, the third that of the one file, which is made with
them.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import time
import zipfile
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx

from contest.values import PART
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.organizing import Organizer, token

ROOT = Path(__file__).resolve().parents[1]
DEMONSTRATION = ROOT / "local" / "demonstration"
SIZES = (250, 500)
MARKUPS = 3
LIMIT_S = 60
EMAIL = "organizer@example.org"


def main() -> None:
    """Print the figures; exit code 1 where the largest import takes longer than it may."""
    took = 0.0
    for essays in map(int, sys.argv[1:]) if sys.argv[1:] else SIZES:
        content = _zip(essays)
        with LocalCloud(DEFAULT_TEMPLATE, ROOT / "functions", workers=1, warm=True) as cloud:
            organizer = Organizer(cloud)
            organizer.contest("staff", "invite", EMAIL, "Olga", "organizer")
            headers = {"Authorization": f"Bearer {token(cloud.url, EMAIL, 'staff')}"}
            with httpx.Client(base_url=cloud.url, headers=headers, timeout=60) as http:
                took = _imported(http, content, essays * (1 + MARKUPS))
                brought = _downloaded(http, essays * (1 + MARKUPS))
                at_once = _downloaded_as_one(http, essays * (1 + MARKUPS))
        print(
            f"{essays} essays with {MARKUPS} markups each, {len(content) / 1e6:.1f} MB of zip:"
            f" imported in {took:.1f} s, packed and downloaded in {brought:.1f} s, as one file in {at_once:.1f} s more",
            flush=True,
        )
    sys.exit(took > LIMIT_S)


def _zip(essays: int) -> bytes:
    """Build a zip with a cycle of one training set."""
    head = json.loads((DEMONSTRATION / "cycle.json").read_text("utf-8"))
    head["sets"] = {"train": {"kind": "training"}}
    stems = sorted({path.stem.partition("_exp")[0] for path in (DEMONSTRATION / "train").glob("*.json")})
    sources = {stem: [_read(stem), *(_read(f"{stem}_exp{number:02d}") for number in (1, 2, 1))] for stem in stems}
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cycle.json", json.dumps(head, ensure_ascii=False))
        for index in range(essays):
            name = f"essay-{index:05d}"
            for number, raw in enumerate(sources[stems[index % len(stems)]]):
                meta = {**raw["meta"], "id": name, **({"expert": f"{name}-{number}"} if number else {})}
                essay = {**raw, "meta": meta, "text": f"{raw['text']}\n{index}."}
                ending = f"_exp{number:02d}" if number else ""
                archive.writestr(f"train/{name}{ending}.json", json.dumps(essay, ensure_ascii=False))
    return place.getvalue()


def _read(stem: str) -> Any:
    return json.loads((DEMONSTRATION / "train" / f"{stem}.json").read_text("utf-8"))


def _imported(http: httpx.Client, content: bytes, files: int) -> float:
    begun = perf_counter()
    parts = [content[start : start + PART] for start in range(0, len(content), PART)]
    order = {"kind": "cycle", "size": len(content), "sha256": _sha(content), "parts": [_sha(part) for part in parts]}
    record = http.post("/v1/imports", json=order).raise_for_status().json()
    place = f"/v1/imports/{record['import_id']}"
    for number, part in enumerate(parts, 1):
        there = http.get(f"{place}/parts/{number}").raise_for_status().json()["address"]
        httpx.put(http.base_url.join(there), content=part).raise_for_status()
    http.post(f"{place}/complete").raise_for_status()
    while (status := http.get(place).raise_for_status().json())["state"] not in {"done", "refused"}:
        time.sleep(0.25)
    took = perf_counter() - begun
    assert (status["state"], status["read"]) == ("done", files + 1), status
    return took


def _downloaded(http: httpx.Client, files: int) -> float:
    begun = perf_counter()
    while (response := http.get("/v1/sets/train").raise_for_status()).status_code != httpx.codes.OK:
        time.sleep(0.25)
    manifest, had = response.json(), 0
    for part in manifest["parts"]:
        content = http.get(f"/v1/sets/train/parts/{part['number']}").raise_for_status().content
        assert _sha(content) == part["sha256"]
        assert len(content) <= 4_500_000
        had += len(json.loads(content)["files"])
        time.sleep(0.1)  # below the rate of a person's requests
    assert had == files
    return perf_counter() - begun


def _downloaded_as_one(http: httpx.Client, files: int) -> float:
    begun = perf_counter()
    pack = http.get("/v1/sets/train/pack").raise_for_status().json()
    content = httpx.get(http.base_url.join(pack["address"]), timeout=60).raise_for_status().content
    assert _sha(content) == pack["sha256"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert len(archive.namelist()) == files
    return perf_counter() - begun


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
