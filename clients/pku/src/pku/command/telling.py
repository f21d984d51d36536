"""What a person is told while nothing comes back: nobody sits before a screen that says nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final

from pku.clock import show_moment
from pku.messages import catalogue
from pku.wire.trouble import BRIEF, Trouble

if TYPE_CHECKING:
    from pku.work.journal import Journal
    from pku.work.runner import Step

Say = Callable[[str], None]
SECOND_TRY: Final = 2
SILENCE_S: Final = 4.0
"""After so long without an answer a person is told that one is waited for."""


class Outages:
    """Says once of each outage since when, why and until when it is tried again, and once that it is over."""

    def __init__(self, language: str, say: Say, at_stake: Callable[[], str] = lambda: "") -> None:
        self._language = language
        self._say = say
        self._at_stake = at_stake
        self._is_told = False
        self._lock = threading.Lock()

    def __call__(self, trouble: Trouble | None) -> None:
        """As :data:`pku.wire.trouble.Listener`. What is over within a command's own patience is not worth a line."""
        with self._lock:
            if trouble is None:
                if self._is_told:
                    self._say(catalogue.say("trouble.over", self._language))
                self._is_told = False
            elif not self._is_told and trouble.tries >= SECOND_TRY and not _ends_soon(trouble):
                self._is_told = True
                said = catalogue.say(
                    "trouble.on",
                    self._language,
                    since=show_moment(trouble.since)[11:19],
                    until=show_moment(trouble.until)[11:19],
                    why=trouble.error.sentence(self._language),
                )
                self._say(f"{said} {self._at_stake()}".rstrip())


class Pauses:
    """Says once of each pause of a run why it is, and once that the run goes on."""

    def __init__(self, language: str, say: Say) -> None:
        self._language = language
        self._say = say
        self._is_told = False

    def __call__(self, step: Step) -> None:
        """Hear where a run is."""
        if step.event != "waiting" or (step.pause is not None) == self._is_told:
            return
        self._is_told = not self._is_told
        name = "run.pause" if step.pause else "run.pause_unexplained" if self._is_told else "run.pause_over"
        self._say(catalogue.say(name, self._language, **({"reason": step.pause} if step.pause else {})))


def _ends_soon(trouble: Trouble) -> bool:
    return trouble.until - trouble.since <= BRIEF.unreachable_s


def files_at_stake(journal: Journal, language: str) -> str:
    """How many files are in hand, and by when the first of them must be answered."""
    due = [each.due for each in list(journal.entries.values()) if each.unsolved or each.unsent]
    if not due:
        return catalogue.say("trouble.no_files", language)
    return catalogue.say("trouble.files", language, count=len(due), due=show_moment(min(due))[11:19])


def silence_is_told(language: str, host: str, say: Say) -> Callable[[], AbstractContextManager[None]]:
    """Something to put around a request: says that its answer is waited for, if that takes long."""

    @contextmanager
    def watched() -> Iterator[None]:
        timer = threading.Timer(SILENCE_S, say, [catalogue.say("trouble.waiting", language, host=host)])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    return watched
