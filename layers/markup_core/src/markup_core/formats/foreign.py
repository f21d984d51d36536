"""The common parts of foreign formats' readers: places of errors, labels that become codes, declared losses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from markup_core.model import Fragment, Markup, fold
from markup_core.reading.classifier import Classifier, Code
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
        "fields": tr("fields of the task"),
        "labels": tr("labels to be left out"),
        "offsets": tr("spans without their words (positions are taken as Unicode code points)"),
    }
)
"""Every kind of loss. ``offsets`` is no loss but an assumption that has to be told."""


@dataclass(frozen=True, slots=True)
class Loss:
    """So many things of one kind that a conversion did not carry."""

    kind: str
    count: int

    def text(self, language: str) -> str:
        """Return the loss as text."""
        return f"{in_language(WORDING[self.kind], language)}: {self.count}"

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as JSON."""
        return {"kind": self.kind, "count": self.count}


class Tally:
    """Counts losses while a conversion runs."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, count: int = 1) -> None:
        """Note that so many things of a kind are not carried."""
        self._counts[kind] += count

    def take(self, losses: Iterable[Loss]) -> None:
        """Add counted losses."""
        for loss in losses:
            self._counts[loss.kind] += loss.count

    def losses(self) -> tuple[Loss, ...]:
        """Return the counted losses, in the order of :data:`WORDING`."""
        return tuple(Loss(kind, self._counts[kind]) for kind in WORDING if self._counts[kind])


class Utf16:
    """The code units of a text. Building is linear in the text, a look-up takes O(log n)."""

    __slots__ = ("_pairs", "_units")

    def __init__(self, text: str) -> None:
        self._pairs: list[int] = []
        """Where the first half of each surrogate pair stands."""
        for point, character in enumerate(text):
            if character > "\uffff":
                self._pairs.append(point + len(self._pairs))
        self._units = len(text) + len(self._pairs)

    def code_point(self, unit: int) -> int | None:
        """Return the position in code points; None outside the text and inside a surrogate pair."""
        before = bisect_left(self._pairs, unit)
        if not 0 <= unit <= self._units or (before and self._pairs[before - 1] == unit - 1):
            return None
        return unit - before


class FormatError(ValueError):
    """A file that cannot be converted; ``place`` is a line or a JSON path, empty where the whole file is meant.

    ``text`` is the whole message in both languages.
    """

    def __init__(self, message: str, place: str = "") -> None:
        self.text = at(place, message) if place else message
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


TEXTS: Final = ("subtype", "comment", "explanation", "correction", "tag")
"""The texts of a fragment, which readers look for under these names in any letter case."""

Codes = Mapping[str, str | None]
_MOST_TOLD: Final = 20
NO_CODES: Final[Codes] = MappingProxyType({})


def directed(codes: Codes, classifier: Classifier) -> Codes:
    """Return ``codes`` as a code for each label, whichever way round the file has them.

    An entry whose name is a code and whose value is none is read backwards, so that one file serves both ways.
    """

    def is_code(name: str | None) -> bool:
        return name is not None and any(classifier.lookup(subject, name) for subject in classifier.subjects)

    return {
        **{name: value for name, value in codes.items() if not (is_code(name) and value and not is_code(value))},
        **{value: name for name, value in codes.items() if is_code(name) and value and not is_code(value)},
    }


@dataclass(frozen=True, slots=True)
class Import:
    """A markup made of a foreign file and what did not come with it; ``name`` tells several of one file apart."""

    markup: Markup
    losses: tuple[Loss, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a file is to be read: the classifier, the subject (empty: the file's own), and labels that are no codes.

    ``codes`` maps a label to a code; None leaves everything with the label out.
    """

    classifier: Classifier = field(default_factory=Classifier.default)
    subject: str = ""
    codes: Codes = field(default_factory=lambda: NO_CODES)

    def labels(self, own_subject: object = "") -> Labels:
        """Return the labels of a file that names this subject, or none."""
        subject = self.subject or (own_subject if isinstance(own_subject, str) else "") or self.classifier.sole_subject
        if not subject:
            message = tr("the file does not name its subject; give it: --subject {value}", value=self._subjects())
            raise FormatError(message)
        if not self.classifier.has_subject(subject):
            message = tr(
                "the classifier has no subject {subject}; give another: --subject {value}",
                subject=short(subject),
                value=self._subjects(),
            )
            raise FormatError(message)
        return Labels(self.classifier, subject, self.codes)

    def _subjects(self) -> str:
        return "|".join(self.classifier.subjects)


class Labels:
    """Turns labels into codes and remembers those that are none, to tell them all at once."""

    def __init__(self, classifier: Classifier, subject: str, codes: Codes) -> None:
        self.subject = subject
        self._classifier = classifier
        self._mapped: dict[str, Code | None] = {}
        self._unknown: dict[str, str] = {}
        for label, name in codes.items():
            code = None if name is None else classifier.lookup(subject, name)
            if name is not None and code is None:
                near = self._suggestion(name)
                message = tr(
                    "{label} stands for {name}, which is no code of the subject {subject}{near}",
                    label=short(label),
                    name=short(name),
                    subject=subject,
                    near=near,
                )
                raise FormatError(message, "--codes")
            self._mapped[label] = code

    def fragment(
        self, label: str, span: tuple[int, int], texts: Mapping[str, str], ident: int | str, place: str, tally: Tally
    ) -> Fragment | None:
        """Return the fragment that a label makes of a span; None where the label is left out or unknown.

        Unknown labels are an error at :meth:`check`.
        """
        start, end = span
        code = self._classifier.lookup(self.subject, label)
        if code is not None:
            return Fragment(start, end, label.strip(), **texts, group=code.group, id=ident)
        if label not in self._mapped:
            self._unknown.setdefault(label, place)
            return None
        code = self._mapped[label]
        if code is None:
            tally.add("labels")
            return None
        return Fragment(start, end, code.code, **texts, group=code.group, id=ident)

    def check(self) -> None:
        """Refuse the file if a label was unknown; the error names all of them and what to do."""
        if not self._unknown:
            return
        labels = list(self._unknown)[:_MOST_TOLD]
        (first, place), *_ = self._unknown.items()
        near = self._suggestion(first)
        if re.fullmatch("_+[-_]*", first):
            near = tr(
                "{near}; brat stores such a name for one with other letters than a-zA-Z0-9_-: export the "
                "texts again, with the annotation.conf that comes with them",
                near=near,
            )
        sentence = tr(
            "the label {label} is no code of the subject {subject}{near}",
            label=short(first),
            subject=self.subject,
            near=near,
        )
        if len(labels) > 1:
            others = ", ".join(f"{short(label)} ({self._unknown[label]})" for label in labels[1:])
            sentence = tr("{sentence}; nor are {others}", sentence=sentence, others=others)
            if more := len(self._unknown) - len(labels):
                sentence = tr("{sentence} and {count} more", sentence=sentence, count=more)
        example = "{" + ", ".join(f'{short(label)}: "…"' for label in labels[:3]) + "}"
        message = tr(
            "{sentence}; name their codes by --codes FILE: {example}, null leaves a label out",
            sentence=sentence,
            example=example,
        )
        raise FormatError(message, place)

    def _suggestion(self, label: str) -> Text:
        if len(label) > 40:
            return Text("", "")
        names = {fold(listed.code): listed.code for listed in self._classifier.codes(self.subject)}
        near = get_close_matches(fold(label), names, n=1, cutoff=0.7)
        if not near:
            return Text("", "")
        return tr(" (did you mean {names}?)", names=names[near[0]])
