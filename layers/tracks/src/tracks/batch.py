"""``tracks batch``: the tracks for programs in any language, one JSON object per line (tracks.md §5).

The stream is the one of :mod:`markup_core.batch`: one line of answer per request, in order and at once, whatever a
line holds. Codes of errors: those of :mod:`tracks.operations` and of the tracks' own operations, ``invalid_json`` and
``internal_error``.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from markup_core.batch import reply, stream
from tracks.operations import answer


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer request after request until the input ends. Raises only what reading and writing raise."""
    stream(requests, answers, answer)


def reply_to(line: bytes) -> dict[str, Any]:
    """The answer to one line; never raises."""
    return reply(line, answer)
