"""The label set of an annotated corpus, as an organizer's classifier to be completed (docs/classifier.md).

Labels that differ in letter case alone are one code, as everywhere: the most frequent spelling is the code's, and the
others are told. **Decision**: a corpus in which some annotation has a correction marks errors; any other marks semantic
blocks. Only labels that were seen with a correction, a tag or on a whole text take one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from markup_core.codes import ERROR, MEANING, fold
from markup_core.criteria import FORMULAS, max_total
from markup_core.extras import LABEL_SET
from markup_core.formats.corpus import Document
from markup_core.formats.foreign import FormatError
from markup_core.formats.labels import NO_CODES, Codes, in_any_case
from markup_core.reading.classifier import COLOURS, LANGUAGES
from markup_core.reading.wire import short
from markup_core.texts import Text, tr

SUBJECT: Final = LABEL_SET
"""The subject of a label set for which nobody names one."""
_MOST_LABELS: Final = 1000
_LONGEST: Final = 200
_MOST_SUBTYPES: Final = 100
_SEPARATOR: Final = re.compile(r"[/:.]")


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The codes of a corpus as a classifier's file lists them, and what was merged or left out for them.

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
        titles = {name: dict.fromkeys(LANGUAGES, name) for name in names}
        return {"subjects": {self.subject: [dict(code) for code in self.codes]}, "titles": titles}

    def remarks(self) -> Iterator[Text]:
        """Yield what was merged and what was left out."""
        for code, spellings in self.variants.items():
            listed = ", ".join(f"{name} ({times})" for name, times in spellings.items())
            yield tr("one label in several spellings, counted as {code}: {listed}", code=code, listed=listed)
        if self.unlabelled:
            yield tr("annotations without a label, which are left out: {count}", count=self.unlabelled)


class _Uses:
    """Count one label's spans, spellings and corrections."""

    def __init__(self) -> None:
        self.spellings: Counter[str] = Counter()
        self.subtypes: Counter[str] = Counter()
        self.flags: set[str] = set()


def label_set(documents: Iterable[Document], subject: str = SUBJECT, codes: Codes = NO_CODES) -> LabelSet:
    """Return the label set of documents; ``codes`` renames labels, or leaves those out that it maps to None.

    Raises FormatError for a corpus without labels, for more or longer labels than a label set has, and for a subject
    whose essays are graded: the grading formula knows other codes. Linear in the spans.
    """
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
    """Refuse what is no label set but free text in the place of labels."""
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
            "description": dict.fromkeys(LANGUAGES, name),
        }
