"""Pages of a cycle and its earlier cycles: read from a cycle's folder, stored by their hashes, read for everybody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from contest import reading
from contest.cycle.errors import UnknownPageError
from contest.cycle.rules import pages as page_rules
from contest.cycle.rules.cycle import Cycle
from contest.cycle.set_files import Source
from contest.errors import InvalidRequestError
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide
from contest.refusals import Fault
from contest.stored_names import blob_names
from contest.texts import tr
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass

KIND: Final = "pages"
"""Kind of the objects: texts of a page, and the list of earlier cycles."""


_WRONG: Final = tr(
    "a page is UTF-8, not empty, of {most} bytes and {deepest} levels of lists at most",
    most=page_rules.LONGEST_PAGE,
    deepest=page_rules.DEEPEST,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A version of a page with its texts by language."""

    page: page_rules.Page
    number: int
    version: page_rules.PageVersion
    text: Mapping[str, str]


# Clause: D 6.2.1, D 8.19
def read(source: Source, names: Sequence[str]) -> tuple[dict[str, bytes], list[Fault]]:
    """Return the texts of the named pages as they are stored, and all faults of their files."""
    texts, faults = dict[str, bytes](), list[Fault]()
    for name in names:
        of_page = dict[str, str]()
        for language in page_rules.LANGUAGES:
            file = f"{page_rules.FOLDER}/{name}.{language}.md"
            try:
                of_page[language] = _text(source.read(file))
            except LookupError:
                faults.append(Fault("missing_file", file, tr("the page has no text in this language")))
            except ValueError:
                faults.append(Fault("wrong_page", file, _WRONG))
        texts[name] = canonical(of_page)
    return texts, faults


def _text(content: bytes) -> str:
    """Return the text of a page; ValueError for one that cannot be a page's."""
    text = content.decode("utf-8-sig") if len(content) <= page_rules.LONGEST_PAGE else ""
    if not text.strip() or "\0" in text or page_rules.is_too_deep(text):
        raise ValueError
    return text.replace("\r\n", "\n")


def store(platform: Platform, cycle: str, content: bytes) -> str:
    """Store an object of this content unless it is there; return its hash."""
    digest = sha256_hex(content)
    platform.blobs.put_if_absent(blob_names(cycle, KIND, digest), content)
    return digest


def too_many_versions(pages: Sequence[page_rules.Page]) -> Iterator[Fault]:
    """List the pages that have more versions than any may have."""
    for page in pages:
        if len(page.versions) > page_rules.MOST_VERSIONS:
            message = tr("a page has {most} versions at most", most=page_rules.MOST_VERSIONS)
            yield Fault("too_many_versions", f"{page_rules.FOLDER}/{page.name}.en.md", message)


# Clause: D 6.2.1, D 8.19
def publish(
    platform: Platform, who: str, name: str, title: Mapping[str, str] | None, texts: Mapping[str, str]
) -> Shown:
    """Publish a version of a page, or a new page with its title; the same texts again make no version."""
    try:
        content = canonical({language: _text(texts[language].encode()) for language in page_rules.LANGUAGES})
    except (KeyError, ValueError):
        raise InvalidRequestError([{"code": "wrong_page", **_WRONG.as_fields(), "field": "body.text"}]) from None

    def write(before: Cycle) -> Cycle:
        by_name = {page.name: page for page in before.pages}
        if name not in by_name and (title is None or len(by_name) >= page_rules.MOST_PAGES):
            message = tr(
                "a new page has a title in both languages; a cycle has {most} pages at most", most=page_rules.MOST_PAGES
            )
            raise InvalidRequestError([{"code": "no_title", **message.as_fields(), "field": "body.title"}])
        now, digest = platform.clock.now(), store(platform, before.name, content)
        pages = page_rules.published(before.pages, {name: (title or by_name[name].title, digest)}, now)
        if faults := [*too_many_versions(pages)]:
            message = faults[0].message
            raise InvalidRequestError([{"code": faults[0].code, **message.as_fields(), "field": "body.text"}])
        if pages == before.pages:
            return before
        after = replace(before, pages=pages)
        change = Change(now, who, "page published", name, None, {"sha256": digest})
        platform.catalogue.publish(after, None, change, [])
        return after

    cycle = read_and_decide(lambda: reading.written_cycle(platform), write)
    (of_name,) = [page for page in cycle.pages if page.name == name]
    return Shown(of_name, len(of_name.versions), of_name.versions[-1], json.loads(content))


# Clause: D 6.2.1, D 8.19
def page(platform: Platform, name: str, number: int | None) -> Shown:
    """Return a version of a page, by default the last one; :class:`UnknownPageError` without it."""
    cycle = reading.recent_cycle(platform)
    named_page = next((page for page in cycle.pages if page.name == name), None)
    version = None if named_page is None else named_page.numbered(number)
    if named_page is None or version is None:
        raise UnknownPageError
    return Shown(named_page, *version, json.loads(platform.blobs.get(blob_names(cycle.name, KIND, version[1].sha256))))


# Clause: R 4.1, R 4.8
def earlier(platform: Platform) -> Sequence[Mapping[str, Any]]:
    """List the earlier cycles of the contest, the latest first, as the organizers have loaded them."""
    cycle = reading.recent_cycle(platform)
    if not cycle.earlier:
        return []
    listed: list[dict[str, Any]] = json.loads(platform.blobs.get(blob_names(cycle.name, KIND, cycle.earlier)))
    return sorted(listed, key=lambda row: (row["last"], row["cycle"]), reverse=True)
