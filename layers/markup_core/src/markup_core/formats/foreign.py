"""The common parts of foreign formats' readers: places of errors, declared losses, and labels that become codes.

A classifier's codes have names in Latin letters. The label set of an annotated corpus becomes an organizer's classifier
to be completed (docs/classifier.md).

Labels that differ in letter case alone are one code, as everywhere: the most frequent spelling is the code's, and the
others are told. **Decision**: a corpus in which some annotation has a correction marks errors; any other marks semantic
blocks. Only labels that were seen with a correction, a tag or on a whole text take one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from markup_core.comparable import ERROR, MEANING, fold
from markup_core.extras import LABEL_SET
from markup_core.model import Fragment
from markup_core.reading.classifier import COLOURS, Classifier, Code
from markup_core.reading.classifier import LANGUAGES as TITLE_LANGUAGES
from markup_core.reading.wire import short
from markup_core.texts import LANGUAGES, Text, at, in_language, tr

if TYPE_CHECKING:
    from markup_core.formats.corpus import Document, Span

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
"""Every kind of loss. ``offsets`` is no loss but an assumption that must be reported."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Number of things of one kind that a conversion lost; ``first``: place and words of the first, or empty."""

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
        """Return the loss of a file, whose name is added to the place."""
        return replace(self, first=at(source, self.first)) if self.first else self

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as JSON."""
        return {"kind": self.kind, "count": self.count}


class Tally:
    """Counter of losses while a conversion runs."""

    __slots__ = ("_counts", "_firsts")

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, str] = {}

    def add(self, kind: str, count: int = 1, place: str = "", words: str = "") -> None:
        """Count lost things of one kind; the first place of a kind is stored, with its words."""
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
        raise FormatError(tr("the span begins or ends outside the text or inside a character"), place)
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


STORED: Final = re.compile(r"[a-zA-Z0-9_-]+")
"""Types that brat stores as they are."""
_LATIN: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a b v g d e yo zh z i j k l m n o p r s t u f kh ts ch sh shch  y  eh yu ya".split(" "),
        strict=True,
    )
)
Codes = Mapping[str, str | None]
_Code = TypeVar("_Code")
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


def in_any_case(codes: Mapping[str, _Code]) -> dict[str, _Code]:
    """Return each label's code under the label and under the folded label; the label's own spelling wins."""
    return {**{fold(label): code for label, code in codes.items()}, **codes}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Settings of reading: the classifier, the subject (empty: the file's own), and labels that are no codes.

    ``codes`` maps a label to a code; None leaves everything with the label out.
    """

    classifier: Classifier = field(default_factory=Classifier.default)
    subject: str = ""
    codes: Codes = field(default_factory=lambda: NO_CODES)

    def labels(self, own_subject: object = "") -> Labels:
        """Return the labels of a file that names this subject, or none.

        **Decision**: a classifier's only subject is that of every file, also of one that names another.
        """
        own = own_subject if isinstance(own_subject, str) else ""
        subject = self.subject or self.classifier.sole_subject or own
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
    """Converter of labels to codes; collects the unknown labels, to report all of them at once."""

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
        self._mapped = in_any_case(self._mapped)

    @cached_property
    def _by_latin_name(self) -> dict[str, str]:
        return {name: code for code, name in type_names(self._classifier).items()}

    def has(self, label: str) -> bool:
        """Return whether a label is a code, stands for one, or is to be left out."""
        names = (label, self._by_latin_name.get(label, ""))
        is_listed = label in self._mapped or fold(label) in self._mapped
        return is_listed or any(self._classifier.lookup(self.subject, name) is not None for name in names)

    def fragment(self, span: Span, source: str, tally: Tally) -> Fragment | None:
        """Return the fragment of a span; None where its label is to be left out, or unknown: an error at :meth:`check`.

        A label is a code, one of the labels with a code, or a code's name in Latin letters (:func:`type_names`).
        """
        label = span.label
        code = self._classifier.lookup(self.subject, label)
        if code is not None:
            name = label.strip()
        elif (spelled := label if label in self._mapped else fold(label)) in self._mapped:
            code = self._mapped[spelled]
            if code is None:
                tally.add("labels")
                return None
            name = code.code
        else:
            code = self._classifier.lookup(self.subject, self._by_latin_name.get(label, ""))
            if code is None:
                self._unknown.setdefault(label, ": ".join(part for part in (source, span.place) if part))
                return None
            name = code.code
        return Fragment(span.start, span.end, name, **span.texts, group=code.group, id=span.ident)

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
            placed = [(short(label), in_both(self._unknown[label])) for label in labels[1:]]
            others = Text(
                *(
                    ", ".join(f"{in_language(label, chosen)} ({in_language(where, chosen)})" for label, where in placed)
                    for chosen in LANGUAGES
                )
            )
            sentence = tr("{sentence}; nor are {others}", sentence=sentence, others=others)
            if more := len(self._unknown) - len(labels):
                sentence = tr("{sentence} and {count} more", sentence=sentence, count=more)
        names = [short(label) for label in labels[:3]]
        example = Text(
            *("{" + ", ".join(f'{in_language(label, chosen)}: "…"' for label in names) + "}" for chosen in LANGUAGES)
        )
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


def type_names(classifier: Classifier) -> dict[str, str]:
    """Return brat's type of each code of a classifier, by the folded code; no two codes have one type.

    A code that brat can store is its own type. Of codes that come to the same name the later ones get a number.
    """
    codes = {fold(code.code): code.code for subject in classifier.subjects for code in classifier.codes(subject)}
    names = {key: code for key, code in codes.items() if STORED.fullmatch(code)}
    used = {name.casefold() for name in names.values()}
    for key, code in codes.items():
        if key not in names:
            number, name = 1, _transliterated(code)
            names[key] = name
            while names[key].casefold() in used:
                number += 1
                names[key] = f"{name}_{number}"
            used.add(names[key].casefold())
    return names


def _transliterated(code: str) -> str:
    letters = []
    for letter in unicodedata.normalize("NFC", code):
        latin = _LATIN.get(letter.lower())
        if latin is None:
            latin = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
            latin = re.sub(r"[^a-zA-Z0-9_-]", "_", latin) or "_"
        letters.append(latin.capitalize() if letter.isupper() and letter.lower() in _LATIN else latin)
    name = "".join(letters).upper() if code.isupper() else "".join(letters)
    return name if re.search(r"[a-zA-Z0-9]", name) else "code"


_MOST_LABELS: Final = 1000
_LONGEST: Final = 200
_MOST_SUBTYPES: Final = 100
_SEPARATOR: Final = re.compile(r"[/:.]")


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The codes of a corpus as a classifier's file lists them, with the merged spellings and omitted spans.

    ``variants``: every spelling with its times, of codes that have several; ``unlabelled``: spans with an empty label.
    """

    subject: str
    codes: tuple[Mapping[str, Any], ...]
    times: Mapping[str, int]
    variants: Mapping[str, Mapping[str, int]]
    unlabelled: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the classifier's file: each name stands in both languages until somebody translates it."""
        names = dict.fromkeys([self.subject, *(code["category"] for code in self.codes)])
        titles = {name: dict.fromkeys(TITLE_LANGUAGES, name) for name in names}
        return {"subjects": {self.subject: [dict(code) for code in self.codes]}, "titles": titles}

    def remarks(self) -> Iterator[Text]:
        """Yield remarks on merged spellings and on omitted spans."""
        for code, spellings in self.variants.items():
            listed = ", ".join(f"{name} ({times})" for name, times in spellings.items())
            yield tr("one label in several spellings, counted as {code}: {listed}", code=code, listed=listed)
        if self.unlabelled:
            yield tr("annotations without a label, which are left out: {count}", count=self.unlabelled)


class _Uses:
    """Counter of one label's spans, spellings and corrections."""

    def __init__(self) -> None:
        self.spellings: Counter[str] = Counter()
        self.subtypes: Counter[str] = Counter()
        self.flags: set[str] = set()


def label_set(documents: Iterable[Document], subject: str = LABEL_SET, codes: Codes = NO_CODES) -> LabelSet:
    """Return the label set of documents; ``codes`` renames labels, or leaves those out that it maps to None.

    Raises FormatError for a corpus without labels, for more or longer labels than a label set has, and for a subject
    whose essays are graded: the grading formula knows other codes. Linear in the spans.
    """
    from markup_core.criteria import FORMULAS, max_total  # formats are read without grading

    if max_total(subject) is not None:
        message = tr(
            "{subject} is a subject of graded essays ({graded}); name the label set otherwise: --subject",
            subject=subject,
            graded=", ".join(FORMULAS),
        )
        raise FormatError(message)
    if not subject.strip() or subject != subject.strip():
        raise FormatError(tr("the name of a label set is not empty and has no outer blanks: --subject"))
    uses: defaultdict[str, _Uses] = defaultdict(_Uses)
    unlabelled, has_corrections = 0, False
    renamed = in_any_case(codes)
    for document in documents:
        for span in (span for layer in document.layers for span in layer.spans):
            label = renamed.get(span.label if span.label in renamed else fold(span.label), span.label)
            if label is None:
                continue
            if not (name := label.strip()):
                unlabelled += 1
                continue
            is_one_too_many = len(uses) == _MOST_LABELS and fold(name) not in uses
            _check(name, document, span.place, is_one_too_many=is_one_too_many)
            use = uses[fold(name)]
            use.spellings[name] += 1
            if subtype := span.texts.get("subtype", "").strip():
                use.subtypes[subtype] += 1
            if span.texts.get("correction"):
                use.flags.add("correction")
                has_corrections = True
            use.flags |= {"relation"} if span.texts.get("tag") else set()
            use.flags |= {"full_text"} if span.end == 0 else set()
    if not uses:
        raise FormatError(tr("no annotation has a label, so there is no label set"))
    named = {  # by the most frequent spelling; of equally frequent ones by the first by code points
        min(use.spellings.items(), key=lambda item: (-item[1], item[0]))[0]: use for use in uses.values()
    }
    return LabelSet(
        subject,
        tuple(_codes(named, subject, ERROR if has_corrections else MEANING)),
        {name: use.spellings.total() for name, use in named.items()},
        {name: dict(use.spellings.most_common()) for name, use in named.items() if len(use.spellings) > 1},
        unlabelled,
    )


def _check(name: str, document: Document, place: str, *, is_one_too_many: bool) -> None:
    """Refuse free text in the place of labels."""
    where = ": ".join(part for part in (document.source or document.name, place) if part)
    if len(name) > _LONGEST:
        raise FormatError(tr("a label has at most {most} characters: {label}", most=_LONGEST, label=short(name)), where)
    if is_one_too_many:
        raise FormatError(tr("a label set has at most {most} labels; are these labels?", most=_MOST_LABELS), where)


def _codes(named: Mapping[str, _Uses], subject: str, group: str) -> Iterable[dict[str, Any]]:
    """Yield codes by category, the more frequent ones first; colours follow categories where there are several.

    A category is what stands before the first separator, where several labels have the same; else the subject.
    """
    before = {name: _SEPARATOR.split(name, maxsplit=1)[0].strip() for name in named}
    shared = Counter(prefix for name, prefix in before.items() if prefix and prefix != name)
    categories = {name: prefix if shared[prefix] > 1 else subject for name, prefix in before.items()}
    sizes: Counter[str] = Counter()
    for name, use in named.items():
        sizes[categories[name]] += use.spellings.total()
    by_size = sorted(sizes, key=lambda category: (-sizes[category], category))
    tones = {category: number for number, category in enumerate(by_size)}
    ordered = sorted(named, key=lambda name: (tones[categories[name]], -named[name].spellings.total(), name))
    for number, name in enumerate(ordered):
        use = named[name]
        tone = tones[categories[name]] if len(tones) > 1 else number
        subtypes = {fold(subtype): subtype for subtype, _ in reversed(use.subtypes.most_common(_MOST_SUBTYPES))}
        yield {
            "code": name,
            "group": group,
            "category": categories[name],
            "subtypes": sorted(subtypes.values()),
            "colour": tone % COLOURS + 1,
            **dict.fromkeys(sorted(use.flags), True),
            "description": dict.fromkeys(TITLE_LANGUAGES, name),
        }
