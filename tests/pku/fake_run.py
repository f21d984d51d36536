"""A platform in one process whose sessions follow a run: files open one by one, requests have windows."""

from __future__ import annotations

from typing import Any

import httpx

from contest.contracts.exchange import NextBody, OpenRequest
from pku.clock import show_moment
from tests.pku.fake import FakePlatform, FakeSession, refusal

RUN = "r" * 20


class FakeRunPlatform(FakePlatform):
    """Every session follows the one run there is, which begins ten minutes after the making."""

    def __init__(self, clock: Any, essays: list[dict[str, Any]], *, ahead: float = 0.0, interval: float = 60.0) -> None:
        super().__init__(clock, essays)
        self.ahead = ahead
        self.interval = interval
        self.starts_at = self.server_now() + 600
        self.announced_at = 0.0
        self.paused: tuple[float, float] | None = None
        self.decisions: list[dict[str, Any]] = []

    def server_now(self) -> float:
        return float(self.clock.now()) + self.ahead

    def opens_at(self, number: int) -> float:
        moment = self.starts_at + (number - 1) * self.interval
        if self.paused is not None and moment >= self.paused[0]:
            moment += self.paused[1] - self.paused[0]
        return moment

    def run_state(self) -> str:
        if self.paused is not None and self.paused[0] <= self.server_now() < self.paused[1]:
            return "paused"
        return "running" if self.server_now() >= self.starts_at else "planned"

    def run_body(self) -> dict[str, Any]:
        return {
            "run_id": RUN,
            "mode": "final",
            "state": self.run_state(),
            "files": len(self.essays),
            "starts_at": show_moment(self.starts_at),
            "interval_s": self.interval,
            "join_until": show_moment(self.starts_at + 120),
            "limits": {"request_s": 10, "answer_s": 50, "total_s": 60},
        }

    def _handled(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == f"/v1/runs/{RUN}":
            signed = {"commitment": {"statement": {}, "signature": ""}, "amendments": self.decisions}
            return httpx.Response(200, json={**self.run_body(), **signed})
        if request.url.path == "/v1/runs":
            return httpx.Response(200, json={"runs": [self.run_body()], "server_time": self._now()})
        return super()._handled(request)

    def _open(self, request: httpx.Request) -> httpx.Response:
        if self.server_now() < self.announced_at:
            return refusal(404, "no_run", headers={"Retry-After": "30"})
        order = OpenRequest.model_validate_json(request.content).model_dump()
        choice = {name: order[name] for name in ("set", "language", "time_limit_s", "files")}
        assert choice == dict.fromkeys(choice), "a run takes no choice"
        order |= {"set": "final", "language": "all", "time_limit_s": 50, "files": len(self.essays)}
        return self._opened(request, order)

    def _opened(self, request: httpx.Request, order: dict[str, Any]) -> httpx.Response:
        key = request.headers["Idempotency-Key"]
        if key not in self.opened_by_key:
            name = f"1{len(self.sessions) + 1:014d}"
            files = [self._fresh(name, n, each) for n, each in enumerate(self.essays)]
            self.sessions[name] = FakeSession(name, order, files, self.clock.now())
            self.opened_by_key[key] = name
        return self._status(self.sessions[self.opened_by_key[key]], whole=False)

    def _fields(self, session: FakeSession) -> dict[str, Any]:
        times = {"starts_at": show_moment(self.starts_at), "interval_s": self.interval}
        limits = {"request_s": 10, "answer_s": 50, "total_s": 60}
        state = {"run_state": self.run_state(), "paused_until": None}
        return {**super()._fields(session), "run_id": RUN, **times, "limits": limits, **state}

    def _next(self, session: FakeSession) -> httpx.Response:
        if self._coming(session)["number"] is None:
            session.state = "finished"
        return httpx.Response(200, json=self._coming(session))

    def _coming(self, session: FakeSession) -> dict[str, Any]:
        now = self.server_now()
        left = [n for n, each in enumerate(session.files, 1) if each.handed_out_at is None]
        left = [n for n in left if now <= self.opens_at(n) + 10]
        if not left:
            return self._said("complete", None, None, session)
        status = "available" if self.opens_at(left[0]) <= now else "waiting"
        return self._said(status, left[0], self.opens_at(left[0]), session)

    def _said(self, status: str, number: int | None, opens_at: float | None, session: FakeSession) -> dict[str, Any]:
        opening = None if opens_at is None else show_moment(opens_at)
        body = {"status": status, "number": number, "opens_at": opening, "closes_at": None, "paused_until": None}
        body |= {"session_state": session.state, "server_time": self._now(), "run_state": self.run_state()}
        return NextBody.model_validate(body).model_dump(mode="json")

    def _file(self, session: FakeSession, number: int) -> httpx.Response:
        now, opening = self.server_now(), self.opens_at(number)
        if now < opening - 2:
            times = {"opens_at": show_moment(opening), "server_time": self._now()}
            return refusal(425, "not_open_yet", number=number, **times)
        if now > opening + 10 and session.files[number - 1].handed_out_at is None:
            return refusal(410, "file_missed", cause="team_late")
        self.clock.sleep(max(0.0, opening - now))
        return super()._file(session, number)

    def _answer_by(self, session: FakeSession, file: Any) -> float:
        return float(file.handed_out_at or 0) + 50
