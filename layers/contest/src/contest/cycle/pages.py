"""Pages of a cycle and its earlier cycles: read from a cycle's folder, stored by their hashes, read for everybody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest import reading
from contest.cycle.errors import UnknownPageError
from contest.cycle.rules.pages import (
    DEEPEST,
    FOLDER,
    LANGUAGES,
    LONGEST_PAGE,
    MOST_VERSIONS,
    Page,
    PageVersion,
    is_too_deep,
)
from contest.cycle.set_files import Source
from contest.platform import Platform
from contest.refusals import Fault
from contest.stored_names import blob_names
from contest.texts import tr
from contest.values import canonical, sha256_hex

KIND: Final = "pages"
"""Kind of the objects: texts of a page, and the list of earlier cycles."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A version of a page with its texts by language."""

    page: Page
    number: int
    version: PageVersion
    text: Mapping[str, str]


def read(source: Source, names: Sequence[str]) -> tuple[dict[str, bytes], list[Fault]]:
    """Return the texts of the named pages as they are stored, and all faults of their files.

    Clause: D 6.2.1, D 8.19
    """
    texts, faults = dict[str, bytes](), list[Fault]()
    for name in names:
        of_page = dict[str, str]()
        for language in LANGUAGES:
            file = f"{FOLDER}/{name}.{language}.md"
            try:
                of_page[language] = _text(source.read(file))
            except LookupError:
                faults.append(Fault("missing_file", file, tr("the page has no text in this language")))
            except ValueError:
                message = tr(
                    "a page is UTF-8, not empty, of {most} bytes and {deepest} levels of lists at most",
                    most=LONGEST_PAGE,
                    deepest=DEEPEST,
                )
                faults.append(Fault("wrong_page", file, message))
        texts[name] = canonical(of_page)
    return texts, faults


def _text(content: bytes) -> str:
    """Return the text of a page; ValueError for one that cannot be a page's."""
    text = content.decode("utf-8-sig") if len(content) <= LONGEST_PAGE else ""
    if not text.strip() or "\0" in text or is_too_deep(text):
        raise ValueError
    return text.replace("\r\n", "\n")


def store(platform: Platform, cycle: str, content: bytes) -> str:
    """Store an object of this content unless it is there; return its hash."""
    digest = sha256_hex(content)
    platform.blobs.put_if_absent(blob_names(cycle, KIND, digest), content)
    return digest


def too_many_versions(pages: Sequence[Page]) -> Iterator[Fault]:
    """List the pages that have more versions than any may have."""
    for page in pages:
        if len(page.versions) > MOST_VERSIONS:
            message = tr("a page has {most} versions at most", most=MOST_VERSIONS)
            yield Fault("too_many_versions", f"{FOLDER}/{page.name}.en.md", message)


def page(platform: Platform, name: str, number: int | None) -> Shown:
    """Return a version of a page, by default the last one; :class:`UnknownPageError` without it.

    Clause: D 6.2.1, D 8.19
    """
    cycle = reading.recent_cycle(platform)
    named_page = next((page for page in cycle.pages if page.name == name), None)
    version = None if named_page is None else named_page.numbered(number)
    if named_page is None or version is None:
        raise UnknownPageError
    return Shown(named_page, *version, json.loads(platform.blobs.get(blob_names(cycle.name, KIND, version[1].sha256))))


def earlier(platform: Platform) -> Sequence[Mapping[str, Any]]:
    """List the earlier cycles of the contest, the latest first, as the organizers have loaded them.

    Clause: R 4.1, R 4.8
    """
    cycle = reading.recent_cycle(platform)
    if not cycle.earlier:
        return []
    listed: list[dict[str, Any]] = json.loads(platform.blobs.get(blob_names(cycle.name, KIND, cycle.earlier)))
    return sorted(listed, key=lambda row: (row["last"], row["cycle"]), reverse=True)
