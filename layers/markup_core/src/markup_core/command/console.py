"""Where the command writes: results to standard output, progress and complaints to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final, TextIO

from markup_core.command.captions import caption
from markup_core.streams import escape_unshowable

_FEW: Final = 5
"""Essays up to which progress is not worth a line."""


@dataclass(frozen=True, slots=True)
class Console:
    """The command's streams and the language it speaks."""

    requests: BinaryIO
    out: TextIO
    err: TextIO
    language: str

    @classmethod
    def standard(cls, language: str) -> Console:
        """The process's own streams; characters that a terminal cannot show are escaped instead of failing."""
        escape_unshowable()
        return cls(sys.stdin.buffer, sys.stdout, sys.stderr, language)

    def say(self, name: str, **values: object) -> str:
        """A sentence in the console's language."""
        return caption(name, self.language).format(**values)

    def line(self, text: str = "") -> None:
        """A line of the result."""
        self.out.write(f"{text}\n")

    def data(self, content: bytes) -> None:
        """Bytes of the result: UTF-8 whatever the terminal's encoding, line ends untouched."""
        self.out.flush()
        self.out.buffer.write(content)
        self.out.buffer.flush()

    def complain(self, text: str) -> None:
        """A line on standard error."""
        self.err.write(f"{text}\n")

    def progress(self) -> Callable[[int, int], None]:
        """Shows how far a long task is, on a terminal only."""
        shown = self.err.isatty()

        def advance(done: int, of: int) -> None:
            if shown and of > _FEW:
                end = "\n" if done == of else "\r"
                self.err.write(f"{self.say('progress', done=done, of=of)}{end}")
                self.err.flush()

        return advance
