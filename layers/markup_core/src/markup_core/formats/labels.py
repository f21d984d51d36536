"""Labels of other tools that become codes of a classifier; a classifier's codes as names in Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from markup_core.codes import fold
from markup_core.formats.foreign import FormatError, Tally, in_both
from markup_core.model import Fragment
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.wire import short
from markup_core.texts import LANGUAGES, Text, in_language, tr

if TYPE_CHECKING:
    from markup_core.formats.corpus import Span

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
    """Return what stands for each label under the label and under the folded one: the label's own spelling wins."""
    return {**{fold(label): code for label, code in codes.items()}, **codes}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Hold the settings of reading: the classifier, the subject (empty: the file's own), and labels that are no codes.

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
