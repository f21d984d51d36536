"""Words of a text: the one definition behind the volumes of the grading and the word measures of M5.

A word is a maximal run of non-white-space characters that holds at least one letter or digit
(markup-scoring §3): ``кто-то,`` is one word, ``—`` is none. White space, letters and digits are Unicode's,
as ``str.isspace`` and ``str.isalnum`` know them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# The start of a run, its characters before the first letter or digit (never given back), the rest of the run.
# The look-behind keeps a long run without a letter linear: it can only fail once, at its start.
_WORD: Final = re.compile(r"(?<!\S)(?:[^\w\s]|_)*+[^\W_]\S*")


@lru_cache(maxsize=64)
def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Spans ``(start, end)`` of the words in text order, in code points, half-open.

    Time is linear in the length of the text. The last 64 texts are remembered, because the two sides of a pair
    share their text.
    """
    return tuple([match.span() for match in _WORD.finditer(text)])


def count_words(text: str) -> int:
    """Volume of a text in words."""
    return len(word_spans(text))
