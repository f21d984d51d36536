"""What the grading formulas count in a markup."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from markup_core.model import Fragment, Markup, fold
from markup_core.words import count_words, has_words

# A session writes the same few dozen codes over and over; an organizer's own classifier stays within the bound too.
folded = lru_cache(maxsize=4096)(fold)


class Tally:
    """Counts of a markup's codes, the ``#code`` of markup-scoring §5.

    ``tally[code]`` takes the code folded (``"п.факткомм"``). Fragments with the same code and the same non-empty tag
    count once; blanks around a tag do not distinguish it, a tag of blanks alone is no tag.

    Clause: MS §5 counting
    """

    __slots__ = ("_counts", "_kinds", "fragments", "text")

    def __init__(self, markup: Markup) -> None:
        self.text = markup.text
        self.fragments = markup.fragments
        counts: dict[str, int] = defaultdict(int)
        seen: set[tuple[str, str]] = set()
        for fragment in markup.fragments:
            code = folded(fragment.code)
            tag = fragment.tag and fragment.tag.strip()
            if tag:
                if (code, tag) in seen:
                    continue
                seen.add((code, tag))
            counts[code] += 1
        self._counts = dict(counts)
        self._kinds: dict[str, int] | None = None

    def __getitem__(self, code: str) -> int:
        return self._counts.get(code, 0)

    def kind(self, letter: str) -> int:
        """Sum of the counts over the codes that begin with the folded letter and a dot: ``kind("г")`` is ``ошГрам``."""
        if self._kinds is None:
            self._kinds = defaultdict(int)
            for code, count in self._counts.items():
                self._kinds[code[:2]] += count
        return self._kinds.get(letter + ".", 0)

    @property
    def volume(self) -> int:
        """Words of the text."""
        return count_words(self.text)

    def has_words(self, least: int) -> bool:
        """Whether the text has at least so many words; quicker than the whole volume."""
        return has_words(self.text, least)

    def fragments_of(self, codes: Iterable[str]) -> list[Fragment]:
        """Fragments of the folded codes in text order: by start, then end; each fragment, tagged or not."""
        wanted = frozenset(codes)
        found = [fragment for fragment in self.fragments if folded(fragment.code) in wanted]
        return sorted(found, key=lambda fragment: (fragment.start, fragment.end))
