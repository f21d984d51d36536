"""Stage 2 of the diagnosis contest for the site's browser tests: a final is played over HTTP, to be replayed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from shutil import copytree
from typing import Any, Final

import httpx

from local.clock import Clock, utc
from local.organizing import Organizer
from tests.site_experts import Experts

CLINICIANS: Final = tuple(f"clinician-{number}@example.org" for number in range(1, 9))
_LEAD_S: Final = 600
_STUDY: Final = {"study": "A06.09"}
_LOOKS: Final = 60
_PATIENCE_S: Final = 60
"""A loaded machine answers late; nothing here is about how fast."""
_WORKS: Final[Mapping[str, tuple[Any, ...]]] = {
    "red": (
        [{"decorCode": "diagnosisPreliminary", "code": "C34"}],
        _STUDY,
        {"study": "A03.30"},
        [{"decorCode": "diagnosisMain", "code": "J44"}],
    ),
    "blue": (),
}
"""Answers of each team to the first epicrisis, in order; the teams see nothing of the following ones."""


class Rounds:
    """A final of the demonstration's epicrises, and eight clinicians to whom the work in it is replayed."""

    def __init__(self, url: str, organizer: Organizer, experts: Experts, clock: Clock) -> None:
        self._url, self._organizer, self._experts, self._clock = url, organizer, experts, clock

    def prepare(self, demonstration: Path, home: Path) -> dict[str, Any]:
        """Load the cycle, play its final to the end; the run and its clinicians. No lot is drawn yet."""
        self._organizer.load(_of_final(demonstration, home / "stage-two"))
        self._organizer.staff()
        with ThreadPoolExecutor(len(_WORKS)) as pool:
            made = pool.map(lambda team: self._organizer.team(team, f"Team {team}"), _WORKS)
            tokens = dict(zip(_WORKS, made, strict=True))
        for email in CLINICIANS:
            self._invite(email)
        run_id = self._played(tokens)
        return {"run": run_id, "clinicians": CLINICIANS, "token": tokens["red"], "team": "red", "captain": ""}

    def _invite(self, email: str) -> None:
        said = {"email": email, "name": f"Sample {email.partition('@')[0]}", "role": "clinician"}
        self._experts.organize("POST", "/v1/staff", said)

    def _played(self, tokens: Mapping[str, str]) -> str:
        self._clock.hold()
        start = utc(self._clock.now_ms()) + timedelta(seconds=_LEAD_S)
        times = ("--start", start.isoformat(timespec="milliseconds"), "--admit", ",".join(tokens))
        run_id = self._organizer.contest("run", "plan", "--set", "final", *times)
        self._clock.advance(_LEAD_S - 30)
        sessions = {team: self._joined(token) for team, token in tokens.items()}
        self._clock.advance(30)
        for team, work in _WORKS.items():
            file = f"/v1/sessions/{sessions[team]}/files/1"
            self._as(tokens[team], "GET", file)
            for answer in work:
                self._clock.advance(2)
                self._as(tokens[team], "PUT", f"{file}/answer", answer)
        self._until(lambda: self._experts.organize("GET", f"/v1/conduct/runs/{run_id}")["closed_at"] is not None)
        self._clock.release()
        return run_id

    def _joined(self, token: str) -> str:
        return str(self._as(token, "POST", "/v1/sessions", {"mode": "final"})["session_id"])

    def _as(self, token: str, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        answered = httpx.request(
            method, self._url + path, json=body, headers=headers, follow_redirects=True, timeout=_PATIENCE_S
        )
        if answered.is_error:
            raise RuntimeError(f"{method} {path}: {answered.text}")
        return answered.json()

    def _until(self, done: Callable[[], bool]) -> None:
        for _ in range(_LOOKS):
            if done():
                return
            self._clock.advance(60)
        raise RuntimeError("the final is never over")


def _of_final(demonstration: Path, folder: Path) -> Path:
    """Write the demonstration's cycle with a final alone, whose content is that of the training set."""
    copytree(demonstration, folder)
    cycle = json.loads((folder / "cycle.json").read_text("utf-8"))
    cycle["sets"] = {"final": {"folder": "train", "kind": "final"}}
    (folder / "cycle.json").write_text(json.dumps(cycle, ensure_ascii=False), "utf-8")
    return folder
