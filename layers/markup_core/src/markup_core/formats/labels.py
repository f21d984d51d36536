"""Labels of other tools become codes of the classifier; and what every reader is given and gives back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from markup_core.formats.losses import Loss, Tally
from markup_core.formats.places import FormatError
from markup_core.model import Fragment, Markup, fold
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said

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
        return name is not None and any(classifier.lookup(each, name) for each in classifier.subjects)

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
        """The labels of a file whose own subject is this, or none."""
        subject = self.subject or (own_subject if isinstance(own_subject, str) else "")
        if not subject:
            message = Said(
                f"the file does not name its subject; give it: --subject {self._subjects()}",
                f"в файле не указан предмет; укажите его: --subject {self._subjects()}",
            )
            raise FormatError(message)
        if not self.classifier.has_subject(subject):
            message = Said(
                f"the classifier has no subject {short(subject)}; give another: --subject {self._subjects()}",
                f"предмета {short_ru(subject)} в классификаторе нет; укажите другой: --subject {self._subjects()}",
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
                message = Said(
                    f"{short(label)} stands for {short(name)}, which is no code of the subject {subject}{near}",
                    f"метке {short_ru(label)} соответствует {short_ru(name)}, "
                    f"а такого кода у предмета {subject} нет{near.russian}",
                )
                raise FormatError(message, "--codes")
            self._mapped[label] = code

    def fragment(
        self, label: str, span: tuple[int, int], texts: Mapping[str, str], ident: int | str, place: str, tally: Tally
    ) -> Fragment | None:
        """The fragment that a label makes of a span; None where the label is left out or unknown.

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
        told = list(self._unknown)[:_MOST_TOLD]
        (first, place), *_ = self._unknown.items()
        near = self._suggestion(first)
        if re.fullmatch("_+[-_]*", first):
            near = Said(
                f"{near}; brat stores such a name for one with other letters than a-zA-Z0-9_-: export the texts again,"
                " with the annotation.conf that comes with them",
                f"{near.russian}; так brat записывает имя с буквами не из a-zA-Z0-9_-: выгрузите тексты заново вместе"
                " с annotation.conf",
            )
        english = f"the label {short(first)} is no code of the subject {self.subject}{near}"
        russian = f"метка {short_ru(first)} — не код предмета {self.subject}{near.russian}"
        if len(told) > 1:
            others = ", ".join(f"{short(label)} ({self._unknown[label]})" for label in told[1:])
            more = len(self._unknown) - len(told)
            english += f"; nor are {others}" + (f" and {more} more" if more else "")
            russian += f"; не коды и {others}" + (f" и ещё {more}" if more else "")
        example = "{" + ", ".join(f'{short(label)}: "…"' for label in told[:3]) + "}"
        message = Said(
            f"{english}; name their codes by --codes FILE: {example}, null leaves a label out",
            f"{russian}; назовите коды ключом --codes FILE: {example}, null — метку не переносить",
        )
        raise FormatError(message, place)

    def _suggestion(self, label: str) -> Said:
        if len(label) > 40:
            return Said("", "")
        names = {fold(listed.code): listed.code for listed in self._classifier.codes(self.subject)}
        near = get_close_matches(fold(label), names, n=1, cutoff=0.7)
        if not near:
            return Said("", "")
        return Said(f" (did you mean {names[near[0]]}?)", f" (возможно, имелся в виду {names[near[0]]})")
