"""The ports of mails in memory."""

from __future__ import annotations

from collections.abc import Sequence

from contest.messages.rules import Addressed, Choices, Mail, Position, Stop
from contest.ports import LostRaceError
from contest.values import Millis


class FakeMails:
    def __init__(self) -> None:
        self._made: set[str] = set()
        self._waiting: dict[str, Mail] = {}
        self._position: Position | None = None
        self._links: dict[str, Stop] = {}

    def add(self, mail: Mail) -> None:
        if mail.mail_id not in self._made:
            self._made.add(mail.mail_id)
            self._waiting[mail.mail_id] = mail

    def get(self, mail_id: str) -> Mail | None:
        return self._waiting.get(mail_id)

    def waiting(self) -> Sequence[Mail]:
        return [mail for _, mail in sorted(self._waiting.items())]

    def claim(self, before: Mail, after: Mail) -> None:
        stored = self._waiting.get(before.mail_id)
        if stored is None or stored.attempts != before.attempts:
            raise LostRaceError
        self._waiting[after.mail_id] = after

    def done(self, mail: Mail) -> None:
        self._waiting.pop(mail.mail_id, None)

    def note_link(self, token_sha256: str, stop: Stop, at: Millis) -> None:
        self._links[token_sha256] = stop

    def stopped_by(self, token_sha256: str) -> Stop | None:
        return self._links.get(token_sha256)

    def position(self) -> Position | None:
        return self._position

    def move(self, before: Position | None, after: Position) -> None:
        if (self._position and self._position.version) != (before and before.version):
            raise LostRaceError
        self._position = after


class FakeMailChoices:
    def __init__(self) -> None:
        self._known: dict[str, Choices] = {}

    def get(self, person_id: str) -> Choices:
        return self._known.get(person_id, Choices())

    def put(self, person_id: str, before: Choices, after: Choices) -> None:
        if self.get(person_id).version != before.version:
            raise LostRaceError
        self._known[person_id] = after


class FakeMailer:
    """Mailer that records the mails it gets; it refuses the first ``failures`` mails."""

    site = "https://contest.example"

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.sent: list[tuple[Addressed, str, str]] = []

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("not taken")
        self.sent.append((addressed, subject, text))
