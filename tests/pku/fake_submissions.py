"""The platform of :mod:`tests.pku.fake` with submissions: parts at addresses that live for one try, states that go on
by the clock. It speaks in the platform's own wire models."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from contest.contracts import submissions as wire
from contest.contracts.sets import UploadPlaceBody
from markup_core.receipt import canonical_bytes
from tests.pku.fake import KEY_ID, FakePlatform, refusal

PART = 1000
"""Bytes of a part here; a test tells the kit."""
LOGS = {"stdout": "done\n", "stderr": "Traceback\n", "stdout_bytes": 5, "stderr_bytes": 10}
RUN = {
    "run": "1-1",
    "machine": "2 CPU, bubblewrap",
    "image_digest": None,
    "exit_code": 0,
    "seconds": 2.5,
    "not_enforced": [{"en": "no GPU", "ru": "без видеокарты"}],
}


def section(value: float) -> dict[str, Any]:
    return {
        "key": "sum",
        "title": {"en": "Sum of the four", "ru": "Сумма четырёх"},
        "columns": [{"en": "Subtask", "ru": "Подзадача"}, {"en": "Score", "ru": "Оценка"}],
        "rows": [["S", value]],
    }


@dataclass
class FakeSubmission:
    """A submission; ``ahead`` are the states that are still to come, one for each second."""

    submission_id: str
    wanted: dict[str, Any]
    parts: list[str]
    part_size: int = PART
    brought: dict[int, bytes] = field(default_factory=dict)
    state: str = "uploading"
    ahead: list[str] = field(default_factory=list)
    cause: str | None = None
    reasons: list[dict[str, Any]] = field(default_factory=list)
    completed_at: float | None = None

    def size_of(self, number: int) -> int:
        return min(self.part_size, int(self.wanted["bytes"]) - (number - 1) * self.part_size)


class SubmittingPlatform(FakePlatform):
    """``course`` are the states after the upload, ``loses`` the numbers of parts that are gone once they were taken."""

    def __init__(self, clock: Any, track: str = "fusion", takes: tuple[str, ...] = ("program",)) -> None:
        super().__init__(clock)
        self.track, self.takes = track, list(takes)
        self.submissions: dict[str, FakeSubmission] = {}
        self.by_key: dict[str, str] = {}
        self.course = ["checking", "queued", "running", "scoring", "scored"]
        self.fails_by: str | None = None
        self.reasons: list[dict[str, Any]] = []
        self.loses: list[int] = []
        self.addresses: dict[str, tuple[str, int]] = {}
        self.puts: list[int] = []
        self.refused_puts = 0
        self.tokens_at_addresses: set[str | None] = set()
        self.signs_with = self.signer
        self.part_size = PART

    def _routes(self) -> list[tuple[str, str, Callable[..., httpx.Response]]]:
        one = r"/v1/submissions/(\d+)"
        return [
            ("POST", "/v1/submissions", self._begin),
            ("GET", "/v1/submissions", self._submissions),
            ("GET", one, lambda _, name: self._one(name)),
            ("GET", f"{one}/parts/(\\d+)", lambda _, name, number: self._place(name, int(number))),
            ("POST", f"{one}/complete", lambda _, name: self._complete(name)),
            ("POST", f"{one}/give-up", lambda _, name: self._give_up(name)),
            ("GET", f"{one}/report", lambda _, name: self._told(name)),
            ("GET", f"{one}/logs", lambda *_: _ok(wire.SubmissionLogsBody(**LOGS))),
            ("PUT", "/put/([a-z0-9-]+)", self._put),
            ("GET", "/v1/runs", lambda _: httpx.Response(200, json={"runs": [], "server_time": self._now()})),
            *super()._routes(),
        ]

    def _begin(self, request: httpx.Request) -> httpx.Response:
        wanted = wire.SubmissionRequest.model_validate_json(request.content)
        key = request.headers["Idempotency-Key"]
        if key not in self.by_key:
            name = str(100_000_000_000_001 + len(self.submissions))
            self.by_key[key] = name
            parts = wanted.parts or [wanted.sha256]
            self.submissions[name] = FakeSubmission(name, wanted.model_dump(mode="json"), parts, self.part_size)
        return self._one(self.by_key[key], 201)

    def _one(self, name: str, status: int = 200) -> httpx.Response:
        found = self.submissions.get(name)
        if found is None:
            return refusal(404, "unknown_submission")
        if found.completed_at is not None:
            passed = int(self.clock.now() - found.completed_at)
            found.state = found.ahead[min(passed, len(found.ahead) - 1)]
        return _ok(wire.SubmissionBody(**self._body(found)), status)

    def _body(self, found: FakeSubmission) -> dict[str, Any]:
        missing = [n for n in range(1, len(found.parts) + 1) if n not in found.brought]
        return {
            **self._line(found),
            "bytes": found.wanted["bytes"],
            "sha256": found.wanted["sha256"],
            "part_size": found.part_size,
            "missing_parts": missing if found.state == "uploading" else [],
            "upload_until": None,
            "failed_at": None,
            "reasons": self.reasons if found.state == "refused" else [],
            "warnings": [],
        }

    def _line(self, found: FakeSubmission) -> dict[str, Any]:
        return {
            "submission_id": found.submission_id,
            "team_id": "red",
            "kind": found.wanted["kind"],
            "set": found.wanted["set"] or "test",
            "groups": found.wanted["groups"],
            "state": found.state,
            "created_at": self._now(),
            "completed_at": None,
            "ended_at": None,
            "day": None,
            "cause": self.fails_by if found.state == "failed" else None,
            "attempt": 1,
            "value": 1.908 if found.state == "scored" else None,
            "named": False,
            "declaration": None,
        }

    def _submissions(self, request: httpx.Request) -> httpx.Response:
        limit, after = int(request.url.params["limit"]), request.url.params.get("after")
        names = sorted(self.submissions, reverse=True)
        names = names[names.index(after) + 1 :] if after else names
        page = [wire.SubmissionLine(**self._line(self.submissions[each])) for each in names[: min(limit, 2)]]
        following = page[-1].submission_id if len(names) > len(page) and page else None
        left = wire.LeftBody(scored=2, unscored=10, resets_at=self._now())
        return _ok(wire.SubmissionsBody(submissions=page, next=following, left_today=left))

    def _place(self, name: str, number: int) -> httpx.Response:
        found = self.submissions[name]
        if found.state != "uploading":
            return refusal(409, "submission_closed")
        address = f"{name}-{number}-{len(self.addresses)}"
        self.addresses[address] = (name, number)
        told = {
            "method": "PUT",
            "address": f"/put/{address}",
            "expires_at": self._now(),
            "size": found.size_of(number),
            "sha256": found.parts[number - 1],
        }
        return _ok(UploadPlaceBody.model_validate(told))

    def _put(self, request: httpx.Request, address: str) -> httpx.Response:
        self.tokens_at_addresses.add(request.headers.get("Authorization"))
        place = self.addresses.pop(address, None)
        if place is None or self.refused_puts:
            self.refused_puts = max(0, self.refused_puts - 1)
            return httpx.Response(403, text="over")
        found, number = self.submissions[place[0]], place[1]
        self.puts.append(number)
        right = hashlib.sha256(request.content).hexdigest() == found.parts[number - 1]
        if not right or int(request.headers["Content-Length"]) != found.size_of(number):
            return httpx.Response(400, text="wrong")
        if number in self.loses:
            self.loses.remove(number)
        else:
            found.brought[number] = request.content
        return httpx.Response(200, text="kept")

    def _give_up(self, name: str) -> httpx.Response:
        found = self.submissions[name]
        if found.completed_at is not None:
            return refusal(409, "submission_closed")
        found.state = "refused"
        return self._one(name)

    def _complete(self, name: str) -> httpx.Response:
        found = self.submissions[name]
        if found.completed_at is None:
            if len(found.brought) < len(found.parts):
                return refusal(409, "parts_missing")
            found.completed_at, found.ahead = self.clock.now(), list(self.course)
            found.state = found.ahead[0]
        receipt = wire.SubmissionReceipt(
            format=1,
            submission_id=name,
            team_id="red",
            cycle="trial",
            track=self.track,
            kind=found.wanted["kind"],
            set=found.wanted["set"] or "test",
            bytes=found.wanted["bytes"],
            content_sha256=found.wanted["sha256"],
            received_at=self._shown(found.completed_at),
            day="2026-05-29",
            key_id=KEY_ID,
        )
        said = receipt.model_dump(mode="json")
        signature = base64.b64encode(self.signs_with.sign(canonical_bytes(said))).decode()
        body = wire.SubmissionBody(**self._body(found))
        return _ok(wire.CompletedBody(submission=body, receipt=receipt, signature=signature))

    def _told(self, name: str) -> httpx.Response:
        found = self.submissions[name]
        if found.state != "scored":
            return _ok(wire.SubmissionPending(state=found.state), 202)
        body = {
            "format": 1,
            "submission": {"submission_id": name},
            "counts": {"items": 4, "answered": 3, "missing": 1},
            "result": None,
            "sections": [section(1.908)],
            "missing": ["HTR"],
            "invalid": [],
            "warnings": [],
            "barrier": {},
            "run": RUN if found.wanted["kind"] == "program" else None,
            "parameters": {},
            "scorer": {},
        }
        return _ok(wire.SubmissionReport.model_validate(body))


def _ok(body: Any, status: int = 200) -> httpx.Response:
    return httpx.Response(status, content=json.dumps(body.model_dump(mode="json")).encode())
