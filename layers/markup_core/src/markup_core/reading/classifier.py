"""The classifier (КО): the codes of each subject and their properties (markup-scoring §1.2, R 2.12).

The contest's own classifier ships with the library; an organizer can bring another one for a cycle, with other
subjects, codes and languages::

    {"subjects": {"uk": [{"code": "G/Case", "group": "error", "category": "Grammar", "subtypes": ["noun"],
                          "correction": true, "full_text": false, "relation": false,
                          "description": {"ru": "…", "en": "…"}}]},
     "descriptions": {"G/Case": {"ru": "…", "en": "…"}},
     "titles": {"uk": {"ru": "…", "en": "…"}, "Grammar": {"ru": "…", "en": "…"}}}

Only ``code`` and ``group`` are required of a code. Texts may stand beside the code or once for all subjects under
``descriptions``; a code without a text in some language is described there by its category. ``titles`` name
subjects and categories; one without a title goes by its name. docs/classifier.md tells it all to organizers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeGuard, cast

from markup_core.comparable import ERROR, MEANING, Group, fold, folded
from markup_core.texts import Text, tr

LANGUAGES: Final = ("ru", "en")
_FLAGS: Final = ("correction", "full_text", "relation")
_FIELDS: Final = frozenset({"code", "category", "group", "subtypes", "description", "colour", *_FLAGS})
COLOURS: Final = 8
"""Colours of the site, each with a line style of its own; a code that names none has its family's."""


class ClassifierError(ValueError):
    """A classifier that cannot be used; ``problems`` lists everything that is wrong with it, in both languages."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("the classifier cannot be used: " + "; ".join(problems))
        self.problems = problems


class Code(NamedTuple):
    """A type of error or of semantic block.

    ``correction``: the expert may give a correction; ``full_text``: the error may be stated about the whole essay;
    ``relation``: annotators are offered to link fragments of this code by a common tag; ``colour``: one of the site's,
    from 1, or 0.
    """

    code: str
    category: str
    group: Group
    subtypes: tuple[str, ...]
    correction: bool
    full_text: bool
    relation: bool
    description: Mapping[str, str]
    colour: int = 0

    def __hash__(self) -> int:
        """Return a hash of all fields but the descriptions, which are a mapping."""
        return hash((*self[:7], self.colour))

    def knows_subtype(self, subtype: str) -> bool:
        """Return whether the classifier lists the subtype; the empty subtype is always known."""
        return (
            not subtype or subtype in self.subtypes or not (key := fold(subtype)) or key in map(folded, self.subtypes)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the code as :meth:`Classifier.from_dict` reads it."""
        return {
            "code": self.code,
            "category": self.category,
            "group": self.group,
            "subtypes": list(self.subtypes),
            **{flag: getattr(self, flag) for flag in _FLAGS},
            **({"colour": self.colour} if self.colour else {}),
            "description": dict(self.description),
        }


class Classifier:
    """The codes of each subject, in the order of the source. Immutable; look-ups cost O(1)."""

    __slots__ = ("_codes", "_tables", "_titles", "_usual")

    def __init__(
        self, codes: Mapping[str, tuple[Code, ...]], titles: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    ) -> None:
        self._titles = MappingProxyType({name: MappingProxyType(dict(texts)) for name, texts in titles.items()})
        self._codes = MappingProxyType({subject: tuple(listed) for subject, listed in codes.items()})
        # Spelled as listed and folded: the first spares the folding for codes written as the classifier writes them.
        self._tables = {
            subject: {key: code for code in listed for key in (code.code, fold(code.code))}
            for subject, listed in self._codes.items()
        }
        self._usual: dict[str, frozenset[tuple[str, str, str, bool]]] = {}

    @classmethod
    def default(cls) -> Classifier:
        """Return the contest's own classifier, read once."""
        return _shipped()

    # Clause: MS §1.2 own
    @classmethod
    def from_dict(cls, source: object) -> Classifier:
        """Read an organizer's classifier; the shape is in the module's docstring.

        Raises :class:`ClassifierError` with every problem found, not only the first.
        """
        reader = _Reader()
        codes = reader.subjects(source)
        titles = reader.titles(source)
        if reader.problems:
            raise ClassifierError(tuple(reader.problems))
        return cls(codes, titles)

    def to_dict(self) -> dict[str, Any]:
        """Return the classifier as :meth:`from_dict` reads it, ``titles`` only where there are any."""
        titles = {"titles": {name: dict(texts) for name, texts in self._titles.items()}} if self._titles else {}
        return {"subjects": {name: [code.to_dict() for code in codes] for name, codes in self._codes.items()}, **titles}

    def title(self, name: str, language: str) -> str:
        """Return the title of a subject or a category in a language; its name without a title."""
        texts = self._titles.get(name)
        return name if texts is None else texts.get(language, name)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return the subjects' names in the order of the source."""
        return tuple(self._codes)

    @property
    def sole_subject(self) -> str:
        """Return the subject of a classifier of one subject, which markups need not name; empty for several."""
        return next(iter(self._codes)) if len(self._codes) == 1 else ""

    def only(self, subjects: Sequence[str]) -> Classifier:
        """Return the classifier of some of its subjects alone."""
        codes = {subject: self._codes[subject] for subject in subjects}
        named = {*codes, *(code.category for listed in codes.values() for code in listed)}
        return Classifier(codes, {name: texts for name, texts in self._titles.items() if name in named})

    def has_subject(self, subject: str) -> bool:
        """Return whether the classifier knows the subject; names of subjects are compared exactly."""
        return subject in self._codes

    def codes(self, subject: str) -> tuple[Code, ...]:
        """Return all codes of a subject; raises ``KeyError`` for a subject the classifier does not know."""
        return self._codes[subject]

    def table(self, subject: str) -> Mapping[str, Code]:
        """Return the codes of a subject under their listed and folded spellings, for a reader of many fragments."""
        return self._tables[subject]

    def usual(self, subject: str) -> frozenset[tuple[str, str, str, bool]]:
        """Return what fragments of a subject have as the classifier writes it: code, subtype, group, with a correction.

        Made at the first call for a subject.
        """
        if subject not in self._usual:
            self._usual[subject] = frozenset(
                (code.code, subtype, code.group, is_corrected)
                for code in self._codes[subject]
                for subtype in ("", *code.subtypes)
                for is_corrected in {False, code.correction}
            )
        return self._usual[subject]

    def lookup(self, subject: str, code: str) -> Code | None:
        """Return the code of a subject, in any letter case; None when either is unknown."""
        return self._tables.get(subject, {}).get(fold(code))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Classifier) and (self._codes, self._titles) == (other._codes, other._titles)

    def __hash__(self) -> int:
        return hash(tuple(self._codes.items()))

    def __repr__(self) -> str:
        return f"Classifier({', '.join(f'{name}: {len(codes)} codes' for name, codes in self._codes.items())})"


# Clause: MS §1.2 classifier
@cache
def _shipped() -> Classifier:
    with open(f"{__file__.rpartition('reading')[0]}data/classifier.json", "rb") as source:  # noqa: PTH123 -- starts fast
        return Classifier.from_dict(json.load(source))


class _Reader:
    """Reads a classifier and notes every problem on the way instead of stopping at the first."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.shared: dict[str, object] = {}

    def _note(self, problem: Text, place: tuple[object, object] | None = None) -> None:
        """Note a problem of the classifier, or of a code: its subject with its name, or with its number without one."""
        if place is not None:
            # Written here, not beside each code: the classifier that ships has hundreds and no problem.
            subject, name = place
            where = (
                tr("subject {subject!r}, code number {number}", subject=subject, number=name)
                if isinstance(name, int)
                else tr("subject {subject!r}, code {name!r}", subject=subject, name=name)
            )
            problem = tr("{where}: {problem}", where=where, problem=problem)
        self.problems.append(problem)

    def subjects(self, source: object) -> dict[str, tuple[Code, ...]]:
        if not isinstance(source, dict):
            self._note(tr("a JSON object with the field 'subjects' is expected"))
            return {}
        shared = source.get("descriptions", {})
        if isinstance(shared, dict):
            self.shared = {fold(str(name)): text for name, text in shared.items()}
        else:
            self._note(tr("'descriptions' must be an object of code: texts"))
        subjects = source.get("subjects")
        if not isinstance(subjects, dict) or not subjects:
            self._note(tr("'subjects' must be an object with at least one subject: list of codes"))
            return {}
        return {subject: tuple(self._subject(subject, codes)) for subject, codes in subjects.items()}

    def titles(self, source: object) -> dict[str, dict[str, str]]:
        titles = source.get("titles", {}) if isinstance(source, dict) else {}
        if isinstance(titles, dict) and all(isinstance(texts, dict) for texts in titles.values()):
            all_texts = (text for texts in titles.values() for text in texts.values())
            if all(isinstance(text, str) for text in all_texts):
                return titles
        self._note(tr("'titles' must be an object of subject or category: {language: text}"))
        return {}

    def _subject(self, subject: object, codes: object) -> Iterator[Code]:
        if not _is_name(subject):
            self._note(
                tr("the subject's name {subject!r} must be a non-empty string without outer blanks", subject=subject)
            )
        if not isinstance(codes, list) or not codes:
            self._note(tr("subject {subject!r}: a non-empty list of codes is expected", subject=subject))
            return
        folded_codes: set[str] = set()
        for number, item in enumerate(codes, start=1):
            if not isinstance(item, dict):
                self._note(tr("an object is expected"), (subject, number))
                continue
            name = item.get("code")
            if not _is_name(name):
                self._note(tr("'code' must be a non-empty string without outer blanks"), (subject, number))
                continue
            where = subject, name
            if fold(name) in folded_codes:
                self._note(tr("listed twice (letter case does not distinguish codes)"), where)
            folded_codes.add(fold(name))
            yield self._code(where, item)

    def _code(self, where: tuple[object, str], item: dict[str, Any]) -> Code:
        for unknown in sorted(item.keys() - _FIELDS):
            fields = ", ".join(sorted(_FIELDS))
            self._note(tr("unknown field {unknown!r} (known: {fields})", unknown=unknown, fields=fields), where)
        group = item.get("group")
        if group not in (MEANING, ERROR):
            self._note(tr('\'group\' must be "meaning" or "error", not {group!r}', group=group), where)
        category = item.get("category", "")
        if not isinstance(category, str):
            self._note(tr("'category' must be a string"), where)
            category = ""
        texts = item.get("description", self.shared.get(fold(item["code"]), {}))
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            self._note(tr("the description must be an object of language: text"), where)
            texts = {}
        return Code(
            code=item["code"],
            category=category,
            group=cast("Group", group),
            subtypes=self._subtypes(where, item.get("subtypes", [])),
            correction=self._flag(where, item, "correction"),
            full_text=self._flag(where, item, "full_text"),
            relation=self._flag(where, item, "relation"),
            description=MappingProxyType({**dict.fromkeys(LANGUAGES, category), **texts}),
            colour=self._colour(where, item),
        )

    def _colour(self, where: tuple[object, str], item: dict[str, Any]) -> int:
        colour = item.get("colour", 0)
        if type(colour) is int and 0 <= colour <= COLOURS:
            return colour
        self._note(tr("'colour' must be a whole number from 1 to {colours}", colours=COLOURS), where)
        return 0

    def _subtypes(self, where: tuple[object, str], subtypes: object) -> tuple[str, ...]:
        if not isinstance(subtypes, list) or not all(map(_is_name, subtypes)):
            self._note(tr("'subtypes' must be a list of non-empty strings without outer blanks"), where)
            return ()
        if len(set(map(fold, subtypes))) < len(subtypes):
            self._note(tr("a subtype is listed twice (letter case does not distinguish subtypes)"), where)
        return tuple(subtypes)

    def _flag(self, where: tuple[object, str], item: dict[str, Any], name: str) -> bool:
        value = item.get(name, False)
        if not isinstance(value, bool):
            self._note(tr("'{name}' must be true or false, not {value!r}", name=name, value=value), where)
        return value is True


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value) and value == value.strip()
