"""The common parts of foreign formats' readers: places of errors, declared losses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from markup_core.reading.wire import short
from markup_core.texts import Text, at, in_language, tr

WORDING: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "meta": tr("fields of meta"),
        "criteria": tr("claimed criteria"),
        "ids": tr("ids of fragments (numbers stand in their place)"),
        "line_ends": tr("fields with line ends or tabs (blanks stand in their place)"),
        "borders": tr("line ends and tabs at the borders of spans"),
        "carriage_returns": tr(
            "carriage returns in the text: newer versions of brat do not count them, and places behind them move"
        ),
        "full_text": tr("fragments about the whole text, which is empty"),
        "gaps": tr("discontinuous spans (their gaps are marked too)"),
        "relations": tr("relations"),
        "events": tr("events"),
        "normalizations": tr("links to knowledge bases"),
        "attributes": tr("attributes"),
        "notes": tr("notes"),
        "bodies": tr("bodies of annotations"),
        "empty": tr("annotations of no length"),
        "layers": tr("annotations of other layers"),
        "features": tr("features"),
        "views": tr("other views of the document"),
        "places": tr("labelled regions without a place (start or end is null)"),
        "granularity": tr(
            "regions whose words are only a part of their place (granularity word): the whole place is taken"
        ),
        "behind": tr("regions that end one behind the text (they end with it)"),
        "regions": tr("results of other kinds"),
        "predictions": tr("predictions of models"),
        "cancelled": tr("cancelled annotations"),
        "drafts": tr("drafts of annotations"),
        "unannotated": tr("tasks without a finished annotation"),
        "fields": tr("fields of the task"),
        "labels": tr("labels to be left out"),
        "subjects": tr("subjects of texts (the one named for the import, or the classifier's only one, is taken)"),
        "offsets": tr("spans without their words (positions are taken as Unicode code points)"),
        "utf16": tr(
            "spans without their words (positions are taken as UTF-16 code units, as the tool's editor counts)"
        ),
        "categories": tr("labels of whole texts"),
        "comments": tr("comments on texts"),
        "rejected": tr("rejected or ignored tasks"),
        "repeated": tr("repeated annotations of one annotator (one is taken)"),
        "columns": tr("columns of words (parts of speech, lemmas, other tags)"),
        "texts_differ": tr("sentences whose words are not those of their text (the words are taken)"),
        "tags": tr("tags that break their scheme (each begins a span)"),
        "plain_tags": tr("sentences with labels without B- and I- (neighbours with one label are one span)"),
        "insertions": tr("insertions (the word before is marked, the correction holds both)"),
        "deletions": tr("deletions (their correction is empty)"),
        "pointers": tr("annotations whose pointers are of other kinds (XPath, other files)"),
        "elements": tr("elements inside the text"),
        "overlaps": tr("overlapping spans (the later one is left out)"),
        "inner_borders": tr("spans that begin or end inside a word (they are widened to the word)"),
        "blanks": tr("blanks around words (one stands between two words, one line end between two lines)"),
        "line_breaks": tr("line ends inside spans (a blank stands in their place, so that the span stays whole)"),
        "whole": tr("fragments about the whole text (written as spans over all of it)"),
        "texts": tr("comments, corrections and other texts of spans"),
    }
)
"""Every kind of loss. ``offsets`` is no loss but an assumption that has to be told."""


@dataclass(frozen=True, slots=True)
class Loss:
    """So many things of one kind that a conversion did not carry; ``first``: place and words of the first, or empty."""

    kind: str
    count: int
    first: str = field(default="", compare=False)

    def text(self, language: str) -> str:
        """Return the loss as text."""
        counted = f"{in_language(WORDING[self.kind], language)}: {self.count}"
        return (
            in_language(tr("{counted} (first: {first})", counted=counted, first=self.first), language)
            if self.first
            else counted
        )

    def of(self, source: str) -> Loss:
        """Return the loss of a file, whose name is told with the place."""
        return replace(self, first=at(source, self.first)) if self.first else self

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as JSON."""
        return {"kind": self.kind, "count": self.count}


class Tally:
    """Counts losses while a conversion runs."""

    __slots__ = ("_counts", "_firsts")

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, str] = {}

    def add(self, kind: str, count: int = 1, place: str = "", words: str = "") -> None:
        """Note that so many things of a kind are not carried; the first place of a kind is told, with its words."""
        self._counts[kind] += count
        if place and count and kind not in self._firsts:
            self._firsts[kind] = at(in_both(place), short(words))

    def take(self, losses: Iterable[Loss]) -> None:
        """Add counted losses."""
        for loss in losses:
            self._counts[loss.kind] += loss.count
            if loss.first:
                self._firsts.setdefault(loss.kind, loss.first)

    def losses(self) -> tuple[Loss, ...]:
        """Return the counted losses, in the order of :data:`WORDING`."""
        return tuple(
            Loss(kind, self._counts[kind], self._firsts.get(kind, "")) for kind in WORDING if self._counts[kind]
        )


_LINE: Final = re.compile(r"(?:^|(?<=: ))line ([0-9]+)(?=$|:)")


def in_both(place: str) -> Text:
    """Return a place in both languages; readers name it in English for each span, of which few are ever printed."""
    if isinstance(place, Text):
        return place
    return Text(place, _LINE.sub(lambda match: tr("line {line}", line=match[1]).ru, place))


class FormatError(ValueError):
    """A file that cannot be converted; ``place`` is a line or a JSON path, empty where the whole file is meant.

    ``text`` is the whole message in both languages.
    """

    def __init__(self, message: str, place: str = "") -> None:
        self.text = at(in_both(place), message) if place else message
        super().__init__(self.text)
        self.message = message
        self.place = place


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON file and its path, as ``$[0].result[2].value``; every look that fails names the path."""

    value: Any
    path: str = "$"

    def error(self, message: str) -> FormatError:
        """Return the error of this place, to be raised."""
        return FormatError(message, self.path)

    def _unexpected(self, expected: Text) -> FormatError:
        return self.error(tr("{wanted} is expected, not {value}", wanted=expected, value=short(self.value)))

    def has(self, name: str) -> bool:
        """Return whether a field is there and not null."""
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def child(self, name: str) -> Node:
        """Return a field of an object; null if it is missing."""
        return Node(self.object().get(name), f"{self.path}.{name}")

    def object(self) -> dict[str, Any]:
        """Return the value as an object."""
        if not isinstance(self.value, dict):
            raise self._unexpected(tr("an object"))
        return self.value

    def items(self) -> Iterator[Node]:
        """Return the items of a list."""
        if not isinstance(self.value, list):
            raise self._unexpected(tr("a list"))
        return (Node(item, f"{self.path}[{number}]") for number, item in enumerate(self.value))

    def one_or_more(self) -> Iterator[Node]:
        """Return the items of a list; a single value counts as a list of one, null as none."""
        if self.value is None:
            return iter(())
        return self.items() if isinstance(self.value, list) else iter((self,))

    def text(self) -> str:
        """Return the value as a string."""
        if not isinstance(self.value, str):
            raise self._unexpected(tr("a string"))
        return self.value

    def whole(self) -> int:
        """Return the value as a whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self._unexpected(tr("a whole number"))
        return self.value


def checked_span(start: int | None, end: int | None, text: str, place: str) -> tuple[int, int]:
    """Return a span in code points that lies in the text and is not empty; None stands for an invalid place."""
    if start is None or end is None:
        message = tr("the span begins or ends outside the text or inside a character")
        raise FormatError(message, place)
    if not 0 <= start < end <= len(text):
        message = tr(
            "the span {start}, {end} does not lie in the text, which spans 0 to {text}, or is empty",
            start=start,
            end=end,
            text=len(text),
        )
        raise FormatError(message, place)
    return start, end


def same_words(one: str, other: str) -> bool:
    r"""Return whether two quotations agree but for white space, which tools rewrite (``\n`` for a blank)."""
    return _squeezed(one) == _squeezed(other)


def _squeezed(quotation: str) -> str:
    return "".join(quotation.replace("\\n", "\n").split())


META: Final = ("id", "uuid", "name", "theme", "taskText", "class", "year", "subject", "test", "category")
"""Fields of a foreign text that are a markup's meta."""
TEXTS: Final = ("subtype", "comment", "explanation", "correction", "tag")
"""The texts of a fragment, which readers look for under these names in any letter case."""
