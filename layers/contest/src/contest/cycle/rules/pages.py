"""Pages of a cycle in Markdown, its regulation and knowledge base, in versions that stay (D 6.2.1, 8.19).

**Decision**: a page that a later loading does not name stays as it is, as a kit does: people have applied under it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from contest.values import Millis
from markup_core.lazy import dataclass

REGULATION: Final = "rules"
"""Name of the page with the regulation's text; every other page belongs to the knowledge base."""
FOLDER: Final = "pages"
"""Folder of the pages' files beside the cycle's own: ``pages/NAME.ru.md`` and ``pages/NAME.en.md``."""
LANGUAGES: Final = ("en", "ru")
MOST_PAGES: Final = 20
MOST_VERSIONS: Final = 50
"""Versions of a page; another one is refused, for none is ever given up."""
LONGEST_PAGE: Final = 200_000
"""Bytes of a page in one language."""
DEEPEST: Final = 32
"""Levels of quotations and lists on a line; a level of a list is two blanks or a marker."""
_BEGINNING: Final = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_MARKER: Final = re.compile(r"[>*+-]|\d+")


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One version of a page: since when it holds, and the SHA-256 under which its texts are stored."""

    at: Millis
    sha256: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page with all its versions, the earliest first; ``title`` in both languages is that of the last one."""

    name: str
    title: Mapping[str, str]
    versions: tuple[PageVersion, ...]

    def numbered(self, number: int | None) -> tuple[int, PageVersion] | None:
        """Return a version with its number, from 1, by default the last one; None where it has none of this number."""
        chosen = len(self.versions) if number is None else number
        return (chosen, self.versions[chosen - 1]) if 1 <= chosen <= len(self.versions) else None


def is_too_deep(text: str) -> bool:
    """Return whether a line is nested deeper than :data:`DEEPEST`: readers of Markdown take time and stack for each.

    O(characters).
    """
    for line in text.split("\n"):
        beginning = next(_BEGINNING.finditer(line)).group()
        blanks = beginning.count(" ") // 2 + beginning.count("\t") * 2
        if max(len(_MARKER.findall(beginning)), blanks) > DEEPEST:
            return True
    return False


# Clause: D 8.19
def published(
    before: Sequence[Page], named: Mapping[str, tuple[Mapping[str, str], str]], now: Millis
) -> tuple[Page, ...]:
    """Return the pages after a loading that names these titles and texts; the same text makes no version."""
    pages = {page.name: page for page in before}
    for name, (title, sha256) in named.items():
        earlier = pages.get(name, Page(name, title, ()))
        is_same = bool(earlier.versions) and earlier.versions[-1].sha256 == sha256
        versions = earlier.versions if is_same else (*earlier.versions, PageVersion(now, sha256))
        pages[name] = replace(earlier, title=title, versions=versions)
    return tuple(pages[name] for name in sorted(pages, key=lambda name: (name != REGULATION, name)))
