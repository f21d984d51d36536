"""Programs as the contest writes them: tokens with blanks between, their layout spelled out (tracks.md §4, C2C).

``def f ( x ) : NEW_LINE INDENT return x NEW_LINE DEDENT`` is a program; Python has to see lines and indents.
"""

from __future__ import annotations

import re
from typing import Final

NEW_LINE: Final = "NEW_LINE"
INDENT: Final = "INDENT"
DEDENT: Final = "DEDENT"
_STEP: Final = "    "
DEEPEST: Final = 100
"""Levels of indents that Python itself reads; deeper lines stand at the last one, so that depth costs nothing more."""
_LAYOUT: Final = re.compile(rf"(?<!\S)({NEW_LINE}|{INDENT}|{DEDENT})(?!\S)")


def laid_out(program: str) -> str:
    """The program with its layout tokens turned into line breaks and indents; linear in its length.

    INDENT and DEDENT begin a line also where no NEW_LINE stands before them, since Python knows them nowhere else;
    a DEDENT at the margin changes nothing. In a program with such tokens a real line break is a blank, as it is for
    the n-grams; a program without any is taken as it stands. A line deeper than :data:`DEEPEST` stands at that level.

    Clause: tracks §4 layout
    """
    pieces = _LAYOUT.split(program)
    if len(pieces) == 1:
        return program
    depth, lines, line = 0, [], ""
    for piece in pieces:
        if piece not in (NEW_LINE, INDENT, DEDENT):
            line = " ".join(piece.splitlines()).strip()
            continue
        if line:
            lines.append(_STEP * min(depth, DEEPEST) + line)
            line = ""
        depth = max(0, depth + (piece == INDENT) - (piece == DEDENT))
    if line:
        lines.append(_STEP * min(depth, DEEPEST) + line)
    return "\n".join(lines)
