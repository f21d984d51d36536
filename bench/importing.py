"""Measure imports of essays with three markups each, and a contest from one's own corpus, on the local cloud.

Run from the root as ``python bench/importing.py [ESSAYS…]``, with 250 and 500 essays by default. The zip is announced,
sent in parts, checked and loaded by the worker, as ``contest cycle load`` does; the figure is the time from the
announcement to the state ``done``. The essays are the demonstration's, each with a number of its own behind its text.
The second figure is the time to pack and download them part by part, the third that of the one file, which is made with
them.

``python bench/importing.py corpora``: the time from an export to a published board, and the memory for a large one. The
export is a brat project of 200 documents by two annotators. The commands are those that an organizer gives; a file a
second opens in the final, and a program answers as the first annotator did. Then a cycle is made of 10 000 documents,
and the most memory that the process had is told.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx

from contest.cycle.commands.folders import read_file
from contest.values import PART
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.organizing import Organizer, token
from markup_core.reading.classifier import Classifier
from pku.answers import Order
from pku.exchange import Exchange
from pku.journal import Journals
from pku.runner import run
from pku.sessions import start_when_possible
from pku.solvers import Essays

ROOT = Path(__file__).resolve().parents[1]
DEMONSTRATION = ROOT / "local" / "demonstration"
SIZES = (250, 500)
MARKUPS = 3
LIMIT_S = 60
EMAIL = "organizer@example.org"
CORPORA = "corpora"
DOCUMENTS, MANY = 200, 10_000
TEAM, SEED, SHARE = "own-team", 20_261_129, 0.9
AHEAD_S = 30
NAMES = {"Kyiv": "LOC", "Lviv": "LOC", "Odesa": "LOC", "Ivan": "PER", "Olha": "PER", "Petro": "PER", "Naftogaz": "ORG"}
WORDS = [*NAMES, *"went to the market by the river and bought bread with salt from an old friend near home".split()]


def main() -> None:
    """Print the figures; exit code 1 where the largest import takes longer than it may."""
    words = sys.argv[1:]
    if words[:1] == [CORPORA]:
        corpora(*words[1:])
        return
    took = 0.0
    for essays in map(int, words) if words else SIZES:
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
            f" imported in {took:.1f} s, packed and downloaded in {brought:.1f} s, "
            + ("of one part" if at_once is None else f"as one file in {at_once:.1f} s more"),
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


def _downloaded_as_one(http: httpx.Client, files: int) -> float | None:
    """Return the seconds of the whole set as one file; None for a set of one part, which has no such file."""
    begun = perf_counter()
    answer = http.get("/v1/sets/train/pack")
    if answer.status_code == httpx.codes.NOT_FOUND:
        return None
    pack = answer.raise_for_status().json()
    content = httpx.get(http.base_url.join(pack["address"]), timeout=60).raise_for_status().content
    assert _sha(content) == pack["sha256"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert len(archive.namelist()) == files
    return perf_counter() - begun


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def corpora(corpus: str = "") -> None:
    """Print the figures of a contest from one's own corpus; of a large corpus alone where its folder is named."""
    if corpus:
        place = str(Path(corpus).parent / "many")
        took = _timed(lambda: _contest("cycle", "create", place, "--from", corpus, "--language", "en=ner"))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{MANY} documents by 2 annotators: a checked cycle in {took:.0f} s, at most {most:.0f} MiB", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="hurdle-corpora-") as name:
        scratch = Path(name)
        _played(scratch)
        _write(scratch / "large", MANY)
        subprocess.run([sys.executable, __file__, CORPORA, str(scratch / "large")], check=True)


def _write(folder: Path, documents: int) -> None:
    """Write a brat project: a folder for each annotator, who overlooks a tenth of the names."""
    chance = random.Random(SEED)
    for number in range(documents):
        words = [chance.choice(WORDS) for _ in range(80)]
        text = f"{' '.join(words)} {number}.\n"
        for who in ("anna", "boris"):
            (folder / who).mkdir(parents=True, exist_ok=True)
            (folder / who / f"text-{number:05}.txt").write_text(text, "utf-8")
            lines: list[str] = []
            place = 0
            for word in words:
                if word in NAMES and chance.random() < SHARE:
                    lines.append(f"T{len(lines) + 1}\t{NAMES[word]} {place} {place + len(word)}\t{word}\n")
                place += len(word) + 1
            (folder / who / f"text-{number:05}.ann").write_text("".join(lines), "utf-8")


def _played(scratch: Path) -> None:
    place, began = scratch / "own", perf_counter()
    _write(scratch / "export", DOCUMENTS)
    with LocalCloud(DEFAULT_TEMPLATE, ROOT / "functions", workers=1, warm=True) as cloud:
        organizer = Organizer(cloud)
        began = perf_counter()
        options = ("--from", str(scratch / "export"), "--language", "en=ner", "--name", organizer.cycle)
        took = {"contest cycle create --from": _timed(lambda: _contest("cycle", "create", str(place), *options))}
        took["contest cycle load"] = _timed(lambda: organizer.load(place))
        tokens: list[str] = []
        took["contest team add, contest token issue"] = _timed(lambda: tokens.append(organizer.team(TEAM, TEAM)))
        starts = (datetime.now(UTC) + timedelta(seconds=AHEAD_S)).isoformat(timespec="seconds")
        planned: list[str] = []
        words = ("run", "plan", "--start", starts, "--interval", "1", "--admit", TEAM, "--json")
        took["contest run plan"] = _timed(lambda: planned.append(organizer.contest(*words)))
        run_id = json.loads(planned[0])["run_id"]
        took["the final itself"] = _timed(lambda: _answered(cloud, scratch, place, tokens[0]))
        published = ("run", "publish", run_id, "--reason", "measured", "--wait")
        took["contest run publish --wait"] = _timed(lambda: print(organizer.contest(*published), flush=True))
        whole = perf_counter() - began
    files = len(list((place / "final").glob("*_exp01.json")))
    print(f"from an export of {DOCUMENTS} documents by 2 annotators to a board: {whole / 60:.1f} minutes, 6 commands")
    for name, seconds in took.items():
        print(f"  {name}: {seconds:.1f} s" + (f" ({files} files)" if name == "the final itself" else ""), flush=True)


def _answered(cloud: LocalCloud, scratch: Path, place: Path, token: str) -> None:
    """Take part in the final as the first annotator."""
    markups = [json.loads(path.read_text("utf-8")) for path in (place / "final").glob("*_exp01.json")]
    selections = {markup["text"]: markup["selections"] for markup in markups}

    def solve(content: dict[str, Any]) -> dict[str, Any]:
        return {**content, "selections": selections[content["text"]]}

    with Exchange(cloud.url, token) as exchange:
        own = Classifier.from_dict(read_file(place / "cycle.yaml")["classifier"])
        order = Order(mode="final")
        _, journal = start_when_possible(exchange, Journals(scratch / "journals"), order, on_wait=lambda _: None)
        run(exchange, journal, solve, contest=Essays(own))


def _contest(*words: str) -> None:
    command = Path(sys.executable).with_name("contest")
    subprocess.run([str(command), *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


if __name__ == "__main__":
    main()
