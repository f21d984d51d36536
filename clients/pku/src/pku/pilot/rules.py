"""The form of a rule of the pilot program: a row of the tables in ``rules_ru`` and ``rules_en``.

Patterns are Python regular expressions, searched without regard to letter case unless they say ``(?-i:…)``. They are
kept free of nested repetition, so that marking takes time proportional to the text.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

ANY: Final = r"\w"
"""A cue that any sentence has: for blocks that are known by their place alone. It never ends another block's run."""


class Place(Enum):
    """Which paragraphs of the essay a semantic block is looked for in."""

    ANYWHERE = "anywhere"
    FIRST = "first"
    BODY = "body"  # neither the first nor the last
    AFTER_FIRST = "after_first"
    BEFORE_LAST = "before_last"
    LAST = "last"


class Reach(Enum):
    """How far a semantic block goes on after the sentence that its cue stands in."""

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
