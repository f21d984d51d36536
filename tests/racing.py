"""Race a team's requests in memory: something happens, or the process dies, between a read and a write of a port."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.exchange.files import HandedOut, hand_out_file, submit_answer
from contest.people.rules import Identity, Role
from contest.platform import Memory
from contest.session import following
from contest.session.access import Request
from contest.session.rules.session import Session, State
from contest.values import Millis
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory

ME = Identity(Role.PROGRAM, "red", "k")


class DeathError(BaseException):
    """The process is gone; no handler of errors sees it."""


class Race:
    """A platform with a loaded cycle, and the requests of one team about its session."""

    session: Session

    def __init__(self, patch: pytest.MonkeyPatch, cycle: dict[str, Any]) -> None:
        self.patch = patch
        self.platform = FakePlatform()
        self.clock = self.platform.clock
        load_cycle(self.platform, "tests", "toy-1", FolderInMemory(cycle), lambda _: None)

    def request(self, number: int | None = None, key: str | None = None, at: Millis | None = None) -> Request:
        return Request(ME, self.clock.now() if at is None else at, self.session.session_id, number, key)

    def ask(self, number: int, at: Millis | None = None) -> HandedOut:
        return hand_out_file(self.platform, self.request(number, at=at))

    def answer(self, letters: str = "abcd", number: int = 1, key: str | None = None) -> Any:
        """Send an answer; return its receipt."""
        body = json.dumps({"letters": letters}).encode()
        return json.loads(submit_answer(self.platform, self.request(number, key), body).receipt)["receipt"]

    def answer_nonsense(self) -> object:
        return submit_answer(self.platform, self.request(1), b"[]")

    def end(self, state: State = State.ABORTED) -> Session:
        return following.end_session(self.platform, self.session, state, self.clock.now())

    def just_before(self, port: str, name: str, event: Callable[[], object]) -> None:
        """Let something happen once between the reading and the next write of a port."""
        place = getattr(self.platform, port)
        write, pending = getattr(place, name), [event]

        def interrupted(*args: Any) -> Any:
            if pending:
                pending.pop()()
            return write(*args)

        self.patch.setattr(place, name, interrupted)

    def killed(self, port: str, name: str, act: Callable[[], object], *, after: bool) -> None:
        """Let a process die once at a port, before or after its work there; the next process remembers nothing."""
        place = getattr(self.platform, port)
        work, deaths = getattr(place, name), [1]

        def deadly(*args: Any) -> Any:
            if not deaths:
                return work(*args)
            deaths.pop()
            if after:
                work(*args)
            raise DeathError

        self.patch.setattr(place, name, deadly)
        with pytest.raises(DeathError):
            act()
        self.platform.memory = Memory()
