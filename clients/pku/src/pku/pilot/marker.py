"""The engine of the pilot program: applies a subject's rules to a text. Pure: no files, no clock, no chance.

A rule is a row of the tables in ``rules_ru`` and ``rules_en``. Patterns are Python regular expressions, searched
without regard to letter case unless they say ``(?-i:…)``. They are kept free of nested repetition, so that marking
takes time proportional to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple

ANY: Final = r"\w"
"""A cue that any sentence has: for blocks that are known by their place alone. It never ends another block's run."""
_PARAGRAPH: Final = re.compile(r"[^\r\n]+")
_END: Final = re.compile(r"[.!?…]+[»”\"')\]]*(?=\s+(\S))")
_LAST_WORD: Final = re.compile(r"([^\W\d_]+)\.$")
_ABBREVIATIONS: Final = frozenset(
    {
        *("г", "гг", "в", "вв", "т", "д", "п", "др", "пр", "см", "ср", "им", "св", "стр", "рис", "тыс", "млн", "млрд"),
        *("н", "э", "ул", "mr", "mrs", "ms", "dr", "st", "vs"),
    }
)


class Place(Enum):
    """Paragraphs of the essay in which a semantic block is searched for."""

    ANYWHERE = "anywhere"
    FIRST = "first"
    BODY = "body"  # neither the first nor the last
    AFTER_FIRST = "after_first"
    BEFORE_LAST = "before_last"
    LAST = "last"


class Reach(Enum):
    """Extent of a semantic block beyond the sentence with its cue."""

    SENTENCE = "sentence"
    RUN = "run"  # up to the next sentence with a cue of its own, at most to the end of the paragraph
    PARAGRAPH = "paragraph"  # to the end of the paragraph, over other cues


class BlockRule(NamedTuple):
    """A semantic block begins with a sentence that holds the cue.

    ``most``: how many blocks of this rule an essay gets at most.
    """

    code: str
    cue: str
    place: Place = Place.ANYWHERE
    reach: Reach = Reach.SENTENCE
    most: int = 1
    comment: str = ""


class ErrorRule(NamedTuple):
    """An error is where the pattern is found: its group ``at``, or all of it when there is no such group.

    ``correction`` is a template as for ``re.Match.expand``; it takes over the capital letter of what was found.
    """

    code: str
    pattern: str
    correction: str = ""
    subtype: str = ""
    comment: str = ""
    explanation: str = ""


class PhraseRule(NamedTuple):
    """A semantic block that is a part of a sentence and may stand inside another block: a term, a named event.

    The span is the pattern's group ``at``, or all that was found. The same words, whatever their case, count once.
    """

    code: str
    pattern: str
    most: int = 3


class PairRule(NamedTuple):
    """A cause and its effect: the groups ``cause`` and ``effect`` get one tag (hist, K3 in markup-scoring §5).

    A pattern without the group ``cause`` takes the sentence before, in the same paragraph, for the cause.
    """

    pattern: str
    most: int = 2


class RepeatRule(NamedTuple):
    """The same long word again within ``distance`` characters is a needless repetition; at most ``most`` are marked.

    Words are compared by their first letters, a substitute for lemmas: ``stem`` letters of words of at least
    ``shortest`` letters.
    """

    code: str
    comment: str
    explanation: str
    shortest: int
    stem: int
    distance: int
    most: int
    ignored: frozenset[str]


class SubjectRules(NamedTuple):
    """All rules of one subject, tried in this order."""

    blocks: tuple[BlockRule, ...] = ()
    phrases: tuple[PhraseRule, ...] = ()
    errors: tuple[ErrorRule, ...] = ()
    pairs: tuple[PairRule, ...] = ()
    repeats: tuple[RepeatRule, ...] = ()


class Sentence(NamedTuple):
    """A sentence ``[start, end)`` without outer blanks.

    ``paragraph`` and ``number`` count from 0: the paragraph in the essay, the sentence in the paragraph;
    ``paragraphs`` is how many paragraphs the essay has.
    """

    start: int
    end: int
    paragraph: int
    number: int
    paragraphs: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return all sentences in text order, in linear time. Lines of blanks are no paragraphs; a text without words has
    none.

    A full stop after an initial (П. Лугавин) or a usual abbreviation ends no sentence, nor does any mark before a
    small letter. A sentence never goes over a line end.
    """
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text) if match[0].strip()]
    return tuple(
        Sentence(end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip()), paragraph, number, count)
        for count in [len(paragraphs)]
        for paragraph, span in enumerate(paragraphs)
        for number, (start, end) in enumerate(_pieces(text, *span))
    )


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for mark in _END.finditer(text, start, end):
        if _ends(mark, text, start):
            yield start, mark.end()
            start = mark.end()
    if text[start:end].strip():
        yield start, end


def _ends(mark: re.Match[str], text: str, start: int) -> bool:
    if mark[1].islower():
        return False
    word = _LAST_WORD.search(text, max(start, mark.start() - 8), mark.start() + 1)
    if word is None or mark[0] != ".":
        return True
    # "I" is the pronoun or a ruler's number far more often than a name.
    is_initial = len(word[1]) == 1 and word[1].isupper() and word[1] != "I"
    return not (is_initial or word[1].lower() in _ABBREVIATIONS)


MOST_FRAGMENTS: Final = 500
"""Most fragments of a text; later ones are cut off. A markup may hold 2 000 (markup-scoring §1)."""

_WORD: Final = re.compile(r"[^\W\d_]+")


class MarkedFragment(NamedTuple):
    """A fragment without its id; the order of the fields is the order of the fragments in the answer."""

    start: int
    end: int
    code: str
    group: str
    subtype: str = ""
    comment: str = ""
    explanation: str = ""
    correction: str = ""
    tag: str = ""

    def selection(self, ident: int) -> dict[str, Any]:
        """Return the fragment as the canonical markup has it (markup-scoring §1)."""
        return {
            "id": ident,
            "startSelection": self.start,
            "endSelection": self.end,
            "type": self.code,
            "subtype": self.subtype,
            "comment": self.comment,
            "explanation": self.explanation,
            "correction": self.correction,
            "tag": self.tag,
            "group": self.group,
        }


def fragments(text: str, rules: SubjectRules) -> tuple[MarkedFragment, ...]:
    """Return the rules' findings, in text order; no two fragments have the same span and code.

    Of two errors whose spans overlap, the one whose rule stands first in the table is kept.
    """
    split = sentences(text)
    phrases = (islice(_phrases(text, phrase), phrase.most) for phrase in rules.phrases)
    repeats = (islice(_repeats(text, repeat), repeat.most) for repeat in rules.repeats)
    blocks = chain(_blocks(text, split, rules.blocks), *phrases, _pairs(text, split, rules.pairs))
    errors = chain(*(_errors(text, rule) for rule in rules.errors), *repeats)
    by_span = {(block.start, block.end, block.code): block for block in blocks}
    for error in _apart(errors):
        by_span.setdefault((error.start, error.end, error.code), error)
    return tuple(sorted(by_span.values())[:MOST_FRAGMENTS])


def _blocks(text: str, split: tuple[Sentence, ...], rules: tuple[BlockRule, ...]) -> Iterator[MarkedFragment]:
    remaining = [rule.most for rule in rules]
    position = 0
    while position < len(split):
        chosen = _first_rule(text, split[position], rules, remaining)
        if chosen is None:
            position += 1
            continue
        rule = rules[chosen]
        remaining[chosen] -= 1
        last = _last_sentence(text, split, position, rules, remaining, rule.reach)
        yield MarkedFragment(split[position].start, split[last].end, rule.code, "meaning", comment=rule.comment)
        position = last + 1


def _first_rule(text: str, sentence: Sentence, rules: tuple[BlockRule, ...], remaining: list[int]) -> int | None:
    for number, rule in enumerate(rules):
        if not (remaining[number] and _stands(sentence, rule.place)):
            continue
        if _compiled(rule.cue).search(text[sentence.start : sentence.end]):
            return number
    return None


def _last_sentence(
    text: str,
    split: tuple[Sentence, ...],
    position: int,
    rules: tuple[BlockRule, ...],
    remaining: list[int],
    reach: Reach,
) -> int:
    last = position
    if reach is Reach.SENTENCE:
        return last
    for following in range(position + 1, len(split)):
        if split[following].paragraph != split[position].paragraph:
            break
        chosen = _first_rule(text, split[following], rules, remaining)
        if reach is Reach.RUN and chosen is not None and rules[chosen].cue != ANY:
            break
        last = following
    return last


def _stands(sentence: Sentence, place: Place) -> bool:
    first = sentence.paragraph == 0
    last = sentence.paragraph == sentence.paragraphs - 1
    return {
        Place.ANYWHERE: True,
        Place.FIRST: first,
        Place.BODY: not first and not last,
        Place.AFTER_FIRST: not first,
        Place.BEFORE_LAST: not last,
        Place.LAST: last,
    }[place]


def _phrases(text: str, rule: PhraseRule) -> Iterator[MarkedFragment]:
    pattern = _compiled(rule.pattern)
    group: str | int = "at" if "at" in pattern.groupindex else 0
    earlier: set[str] = set()
    for match in pattern.finditer(text):
        start, end = match.span(group)
        if start < end and match[group].lower() not in earlier:
            earlier.add(match[group].lower())
            yield MarkedFragment(start, end, rule.code, "meaning")


def _pairs(text: str, split: tuple[Sentence, ...], rules: tuple[PairRule, ...]) -> Iterator[MarkedFragment]:
    """Yield linked pairs, numbered in the order of the rules; a sentence belongs to one link at most."""
    links = 0
    used: set[int] = set()
    for rule in rules:
        for cause, effect, numbers in islice(_links(text, split, rule, used), rule.most):
            links += 1
            used |= numbers
            yield MarkedFragment(*cause, "ПРИЧИНА", "meaning", tag=f"связь {links}")
            yield MarkedFragment(*effect, "СЛЕДСТВИЕ", "meaning", tag=f"связь {links}")


def _links(
    text: str, split: tuple[Sentence, ...], rule: PairRule, used: set[int]
) -> Iterator[tuple[tuple[int, int], tuple[int, int], set[int]]]:
    pattern = _compiled(rule.pattern)
    for number, sentence in enumerate(split):
        match = pattern.search(text[sentence.start : sentence.end])
        inside = "cause" in pattern.groupindex
        numbers = {number} if inside else {number - 1, number}
        if match is None or numbers & used or not (inside or sentence.number):
            continue
        before = split[number - 1]
        cause = _shifted(match.span("cause"), sentence.start) if inside else (before.start, before.end)
        yield cause, _shifted(match.span("effect"), sentence.start), numbers


def _shifted(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _errors(text: str, rule: ErrorRule) -> Iterator[MarkedFragment]:
    pattern = _compiled(rule.pattern)
    group: str | int = "at" if "at" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        start, end = match.span(group)
        piece = text[start:end]
        start, end = end - len(piece.lstrip()), start + len(piece.rstrip())
        if start < end:
            correction = match.expand(rule.correction).strip()
            if text[start].isupper():
                correction = correction[:1].upper() + correction[1:]
            yield MarkedFragment(
                start, end, rule.code, "error", rule.subtype, rule.comment, rule.explanation, correction
            )


def _repeats(text: str, rule: RepeatRule) -> Iterator[MarkedFragment]:
    last_ends: dict[str, int] = {}
    for word in _WORD.finditer(text):
        stem = word[0].lower()[: rule.stem]
        if len(word[0]) < rule.shortest or stem in rule.ignored:
            continue
        before = last_ends.get(stem)
        last_ends[stem] = word.end()
        # A capital letter is a name or the head of a sentence; neither is a slip of style.
        if before is not None and word[0].islower() and word.start() - before <= rule.distance:
            comment = rule.comment.format(word=word[0].lower())
            yield MarkedFragment(word.start(), word.end(), rule.code, "error", "", comment, rule.explanation)


def _apart(errors: Iterable[MarkedFragment]) -> Iterator[MarkedFragment]:
    covered: set[int] = set()
    for error in errors:
        places = range(error.start, error.end)
        if covered.isdisjoint(places):
            covered.update(places)
            yield error


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
