"""``markup-core batch --jobs N``: requests are dealt to N processes in turn, the answers collected in that order.

Each process is ``markup-core batch`` itself, so that the bytes are the same as without ``--jobs``. A line that waits
stands in a pipe and not in memory: the dealer stops where a pipe is full, and goes on when answers have left.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from subprocess import PIPE, Popen
from threading import Thread
from typing import IO, BinaryIO, Final, cast

from markup_core.command.folder import UnreadableError
from markup_core.texts import tr

MOST: Final = 64
"""Processes that a command may start; each takes the memory of a stream."""
_PIECE: Final = 1 << 20
"""Bytes of a long line that are passed on at once."""


def number_of(option: str) -> int:
    """Return the number of processes that ``--jobs`` asks for; raises :class:`UnreadableError`."""
    if option.isascii() and option.isdigit() and 1 <= int(option[:9]) <= MOST:
        return int(option)
    message = tr("--jobs: a whole number from 1 to {most} is expected, not {jobs}", most=MOST, jobs=option)
    raise UnreadableError(message)


# Clause: MS §8.1 batch
def serve(requests: BinaryIO, answers: BinaryIO, options: Sequence[str], jobs: int) -> None:
    """Answer request after request in order, by so many processes; ``options`` are those of each.

    Raises what reading and writing raise, and :class:`UnreadableError` where a process ends before its input.
    """
    command = [sys.executable, "-m", "markup_core", "batch", *options]
    workers = [Popen(command, stdin=PIPE, stdout=PIPE) for _ in range(jobs)]  # noqa: S603  the same command
    inputs = [cast("IO[bytes]", worker.stdin) for worker in workers]
    outputs = [cast("IO[bytes]", worker.stdout) for worker in workers]
    try:
        # It may wait for a line for ever, when nobody reads the answers any more.
        Thread(target=_deal, args=(requests, inputs), daemon=True).start()
        answered = 0
        while (answer := outputs[answered % jobs].readline()).endswith(b"\n"):
            answers.write(answer)
            answers.flush()
            answered += 1
        if code := workers[answered % jobs].wait():
            message = tr(
                "a process of --jobs ended with code {code}; {answered} lines are answered, those behind them are not",
                code=code,
                answered=answered,
            )
            raise UnreadableError(message)
    finally:
        for worker, output in zip(workers, outputs, strict=True):
            worker.kill()
            worker.wait()
            output.close()


def _deal(requests: BinaryIO, inputs: Sequence[IO[bytes]]) -> None:
    """Pass each line to the next process, in pieces, and end all inputs with the requests or with a process."""
    with suppress(OSError):  # a process has ended: the answers end there too
        for target in cycle(inputs):
            while (piece := requests.readline(_PIECE)) and not piece.endswith(b"\n"):
                target.write(piece)
            if not piece:
                break
            target.write(piece)
            target.flush()
    for target in inputs:
        with suppress(OSError):
            target.close()
