"""Grade of an essay in English, exam or free, 14 points at most (markup-scoring §5, eng, eng-free)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.codes import folded
from markup_core.criteria.tally import Formula, Noun, Points, Tally, because, counted, errors, present_errors, volume
from markup_core.model import word_spans
from markup_core.texts import Text, tr

MISSING_ASPECT: Final = Noun(
    "m", *("нераскрытый аспект", "нераскрытых аспекта", "нераскрытых аспектов"), *("missing aspect", "missing aspects")
)
PLAN_FAULT: Final = Noun("n", "нарушение плана", "нарушения плана", "нарушений плана", "plan fault", "plan faults")

MAXIMA: Final = (3, 3, 3, 3, 2)
LEAST_WORDS: Final = 180
MOST_UNPRODUCTIVE: Final = 30  # per cent of the essay's words
ARGUMENTS: Final = 3

PLAN: Final = ("проблема", "лмнение", "прмнение", "обоснование", "вывод")


# Clause: MS §5 eng
def points(tally: Tally) -> Points:
    """Compute K1…K5; K1 = 0: all zero."""
    k1 = _task(tally)
    if k1 == 0:
        return (0,) * len(MAXIMA)
    return k1, _organization(tally), _vocabulary(tally), _grammar(tally), _spelling(tally)


def _task(tally: Tally) -> int:
    if tally.volume < LEAST_WORDS:
        return 0
    unproductive = unproductive_words(tally)
    if unproductive and 100 * unproductive > MOST_UNPRODUCTIVE * tally.volume:
        return 0
    aspects, aspect_errors, style = missing_aspects(tally), tally["а.аспект"], tally["а.стиль"]
    if aspects == 0 and aspect_errors == 0 and style <= 1:
        return 3
    if aspects == 0 and aspect_errors <= 2 and style <= 3:
        return 2
    return int(2 * aspects + aspect_errors <= 4 and style <= 4)


def missing_aspects(tally: Tally) -> int:
    """Count the aspects of the content that the essay lacks (``aspects`` of the formula)."""
    problem = tally["проблема"] == 0 or tally["а.перифр"] > 0 or tally["а.пробл"] > 0
    opinions = sum(tally[block] == 0 for block in ("лмнение", "прмнение", "обоснование"))
    return problem + opinions + max(ARGUMENTS - tally["аргумент"], 0)


def unproductive_words(tally: Tally) -> int:
    """Count words that share a character with a fragment А.непрод; a full-text one covers all. O(n log n)."""
    marked = tally.fragments_of(("а.непрод",))
    if not marked:
        return 0
    words = word_spans(tally.text)
    if any(fragment.is_full_text for fragment in marked):
        return len(words)
    covered, index = 0, 0
    for start, end in words:
        while index < len(marked) and marked[index].end <= start:
            index += 1  # this fragment, and with it every one skipped so far, ends before all words to come
        # The one at hand has the least start of those that are left: if it misses the word, so do they all.
        covered += index < len(marked) and marked[index].start < end
    return covered


def plan_faults(tally: Tally) -> int:
    """Count the plan's blocks that are missing or out of order (``plan`` of the formula).

    Out of order is the least number of blocks, each at the start of its first fragment, whose removal leaves the
    others in non-decreasing order: all but a longest non-decreasing subsequence.
    """
    first: dict[str, int] = {}
    for fragment in tally.fragments:
        code = folded(fragment.code)
        if code in PLAN:
            first[code] = min(fragment.start, first.get(code, fragment.start))
    tails: list[int] = []  # the least last element of a non-decreasing subsequence of each length
    for start in (first[code] for code in PLAN if code in first):
        place = bisect_right(tails, start)
        tails[place : place + 1] = [start]
    return len(PLAN) - len(tails)


def _organization(tally: Tally) -> int:
    faults = plan_faults(tally) + tally["а.логика"] + tally["а.связь"] + tally["а.абзац"]
    if faults == 0:
        return 3
    if faults <= 4:
        return 2
    return int(faults <= 8)


def _vocabulary(tally: Tally) -> int:
    lexical, poor = tally["а.лекс"], tally["а.запас"]
    if lexical <= 1 and poor == 0:
        return 3
    if lexical + 3 * poor <= 3:
        return 2
    return int(lexical <= 4 and poor <= 1)


def _grammar(tally: Tally) -> int:
    grammar, low = tally["а.грамм"], tally["а.уров"]
    if grammar <= 2 and low == 0:
        return 3
    if grammar <= 4 and low == 0:
        return 2
    return int(grammar <= 7 and low <= 1)


def _spelling(tally: Tally) -> int:
    spelling, punctuation = tally["а.орф"], tally["а.пункт"]
    if spelling <= 1 and punctuation <= 1:
        return 2
    return int(spelling + punctuation <= 4)


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield _task_reasons(tally)
    if not scored[0]:
        yield from [[because("K1", 0)]] * (len(MAXIMA) - 1)
        return
    yield [counted(plan_faults(tally), PLAN_FAULT), *present_errors(tally, "А.логика", "А.связь", "А.абзац")]
    yield errors(tally, "А.лекс", "А.запас")
    yield errors(tally, "А.грамм", "А.уров")
    yield errors(tally, "А.орф", "А.пункт")


def _task_reasons(tally: Tally) -> list[Text]:
    words = tally.volume
    facts = [volume(words, LEAST_WORDS)]
    if words < LEAST_WORDS:
        return facts
    borrowed = unproductive_words(tally)
    if borrowed:
        more = 100 * borrowed > MOST_UNPRODUCTIVE * words
        share = tr("{borrowed} of {words} unproductive", borrowed=borrowed, words=words)
        facts.append(tr("{share}, more than 30 %", share=share) if more else share)
    facts.append(counted(missing_aspects(tally), MISSING_ASPECT))
    return facts + present_errors(tally, "А.аспект", "А.стиль")


FORMULA: Final = Formula(MAXIMA, points, reasons)
