"""Seven simulated teams beside the pilot for pictures: programs give an expert's markup, less what they miss.

What a program misses follows from the names of team, essay and fragment alone, so the board is the same every time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from time import sleep
from typing import Any, Final

import httpx

from local.organizing import Organizer

TEAMS: Final[Mapping[str, tuple[str, float]]] = {
    "meridian": ("Meridian", 0.8),
    "northern-lights": ("Northern Lights", 0.86),
    "red-pencil": ("Red Pencil", 0.88),
    "margin-notes": ("Margin Notes", 0.9),
    "second-reader": ("Second Reader", 0.93),
    "comma": ("Comma", 0.95),
    "first-draft": ("First Draft", 0.98),
}
"""Each team's name, and the share of an expert's fragments that its program misses."""


def missed(team: str, essay: str, fragment: int, share: float) -> bool:
    """Return whether a team's program misses a fragment."""
    digest = hashlib.sha256(f"{team}\n{essay}\n{fragment}".encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32


def play(url: str, organizer: Organizer, folder: Path, wait: Callable[[], object]) -> int:
    """Let all teams answer the whole test set; return their number."""
    markups = {}
    for path in sorted((folder / "test").glob("*_exp01.json")):
        markup = json.loads(path.read_text("utf-8"))
        markups[markup["text"]] = (path.name, markup["selections"])
    for team, (name, share) in TEAMS.items():
        token = organizer.team(team, name)
        with httpx.Client(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=60) as program:
            _answer_all(program, team, share, markups)
    wait()
    return len(TEAMS)


def _answer_all(program: httpx.Client, team: str, share: float, markups: Mapping[str, tuple[str, Any]]) -> None:
    session = _asked(program, "POST", "/v1/sessions", {"set": "test"})
    for number in range(1, session["files"] + 1):
        place = f"/v1/sessions/{session['session_id']}/files/{number}"
        content = _asked(program, "GET", place)["content"]
        essay, selections = markups[content["text"]]
        kept = [each for each in selections if not missed(team, essay, each["id"], share)]
        _asked(program, "PUT", f"{place}/answer", {**content, "selections": kept})


def _asked(program: httpx.Client, method: str, path: str, body: Any = None) -> Any:
    """Return the answer to a request, which is repeated while its team asks too often (platform §1)."""
    answered = program.request(method, path, json=body)
    while answered.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        sleep(float(answered.headers.get("retry-after", 1)))
        answered = program.request(method, path, json=body)
    return answered.raise_for_status().json()
