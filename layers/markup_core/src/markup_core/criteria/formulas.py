"""The grading formulas of the subjects (markup-scoring §5): the points of K1, K2 … and the facts behind them.

The greatest totals are 24 points in Russian (rus, rus-free), 14 in literature (lit), 6 in social studies (social), 12
in history (hist) and 14 in English (eng, eng-free).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.comparable import fold, folded
from markup_core.criteria.tally import (
    NOTION,
    SPEECH,
    Formula,
    Noun,
    Points,
    Tally,
    because,
    counted,
    errors,
    present_errors,
    volume,
)
from markup_core.model import Fragment, word_spans
from markup_core.texts import Text, tr

PROBLEM: Final = Noun(
    "f", "формулировка проблемы", "формулировки проблемы", "формулировок проблемы", "problem statement"
)
EXAMPLE: Final = Noun("m", "пример", "примера", "примеров", "example")
EXPLANATION: Final = Noun("n", "пояснение", "пояснения", "пояснений", "explanation")
LINK: Final = Noun("f", "связь", "связи", "связей", "link")
POSITION: Final = Noun("f", "позиция автора", "позиции автора", "позиций автора", "author's position")
ATTITUDE: Final = Noun("n", "отношение", "отношения", "отношений", "attitude")
GRAMMAR: Final = Noun("f", "грамматическая ошибка", "грамматические ошибки", "грамматических ошибок", "grammar error")
LOGIC: Final = Noun("f", "логическая ошибка", "логические ошибки", "логических ошибок", "logic error")
FACT: Final = Noun("f", "фактическая ошибка", "фактические ошибки", "фактических ошибок", "factual error")
ETHICS: Final = Noun("f", "этическая ошибка", "этические ошибки", "этических ошибок", "ethical error")
NO_SPELLING: Final = tr("spelling is not counted in this contest")
NO_PUNCTUATION: Final = tr("punctuation is not counted in this contest")

RUS_MAXIMA: Final = (1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1)
RUS_LEAST_WORDS: Final = 70
FULL_WORDS: Final = 150

# Spelling and punctuation are not marked up in this contest: ошОрф and ошПункт are 0 by definition.
SPELLING_ERRORS: Final = 0
PUNCTUATION_ERRORS: Final = 0


# Clause: MS §5 rus
def rus_points(tally: Tally) -> Points:
    """Compute K1…K12; fewer than 70 words: all zero."""
    words = tally.volume
    if words < RUS_LEAST_WORDS:
        return (0,) * len(RUS_MAXIMA)
    short = 2 * (words < FULL_WORDS)  # in halves of a point, like the sums under the floors below
    k10 = max(0, (5 - tally.kind("р") - short) // 2)
    return (
        *_rus_content(tally),
        max(0, 2 - tally.kind("л")),
        _rus_expressiveness(tally, k10),
        max(0, (6 - SPELLING_ERRORS - short) // 2),
        max(0, (7 - PUNCTUATION_ERRORS - short) // 2),
        max(0, (4 - tally.kind("г") - short) // 2),
        k10,
        int(tally.kind("э") == 0),
        int(tally.kind("ф") == 0),
    )


def _rus_content(tally: Tally) -> Points:
    if not tally["проблема"] or tally["п.проблема"] or tally["п.факт"]:
        return 0, 0, 0, 0
    position = tally["позиция"] > 0 and tally["п.позиция"] == 0
    attitude = tally["отношение"] > 0 and tally["п.отнош"] + tally["п.обоснов"] == 0
    return 1, _rus_comment(tally), int(position), int(attitude)


def _rus_comment(tally: Tally) -> int:
    if tally["п.опора"] + tally["п.пересказ"] + tally["п.факткомм"] + tally["п.другая"] + tally["п.копир"]:
        return 0
    examples, explanations, links = tally["пример"], tally["пояснение"], tally["связь"]
    if examples >= 2 and explanations >= 2 and links >= 1:
        return 5
    if examples >= 2 and explanations + links >= 2:
        return 4
    if examples + explanations + links >= 3:
        return 3
    return examples  # two, one or none: three would be three blocks


def _rus_expressiveness(tally: Tally, k10: int) -> int:
    faults = tally["п.однообр"] + tally["п.точность"]
    if faults == 0 and k10 >= 2:
        return 2
    return int(faults == 1 or k10 < 2)


def rus_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    if tally.volume < RUS_LEAST_WORDS:
        yield from [[volume(tally.volume, RUS_LEAST_WORDS)]] * len(RUS_MAXIMA)
        return
    size = volume(tally.volume, FULL_WORDS)
    yield from _rus_content_reasons(tally, scored)
    yield [counted(tally.kind("л"), LOGIC)]
    yield [*errors(tally, "П.однообр", "П.точность"), Text(f"K10 = {scored[9]}", f"K10 = {scored[9]}")]
    yield [NO_SPELLING, size]
    yield [NO_PUNCTUATION, size]
    yield [counted(tally.kind("г"), GRAMMAR), size]
    yield [counted(tally.kind("р"), SPEECH), size]
    yield [counted(tally.kind("э"), ETHICS)]
    yield [counted(tally.kind("ф"), FACT)]


def _rus_content_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    yield [counted(tally["проблема"], PROBLEM), *present_errors(tally, "П.проблема", "П.факт")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * 3
        return
    yield [
        counted(tally["пример"], EXAMPLE),
        counted(tally["пояснение"], EXPLANATION),
        counted(tally["связь"], LINK),
        *present_errors(tally, "П.опора", "П.пересказ", "П.фактКомм", "П.другая", "П.копир"),
    ]
    yield [counted(tally["позиция"], POSITION), *present_errors(tally, "П.позиция")]
    yield [counted(tally["отношение"], ATTITUDE), *present_errors(tally, "П.отнош", "П.обоснов")]


RUS_FREE_MAXIMA: Final = (4, 4, 4, 3, 3, 3, 3)

# K1…K5: each error of a kind costs one of the criterion's points.
_KINDS: Final = (("г", GRAMMAR), ("р", SPEECH), ("л", LOGIC), ("ф", FACT), ("э", ETHICS))


# Clause: MS §5 rus-free
def rus_free_points(tally: Tally) -> Points:
    """Compute K1…K7; the volume does not matter."""
    kinds = [max(0, most - tally.kind(letter)) for most, (letter, _) in zip(RUS_FREE_MAXIMA, _KINDS, strict=False)]
    return (*kinds, max(0, (6 - SPELLING_ERRORS) // 2), max(0, (7 - PUNCTUATION_ERRORS) // 2))


def rus_free_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:  # noqa: ARG001  one signature for all subjects
    """Yield the counted facts behind each criterion."""
    for letter, noun in _KINDS:
        yield [counted(tally.kind(letter), noun)]
    yield [NO_SPELLING]
    yield [NO_PUNCTUATION]


ARGUMENT: Final = Noun("m", "аргумент", "аргумента", "аргументов", "argument")

LIT_MAXIMA: Final = (3, 3, 2, 3, 3)
LIT_LEAST_WORDS: Final = 150


# Clause: MS §5 lit
def lit_points(tally: Tally) -> Points:
    """Compute K1…K5; fewer than 150 words: all zero."""
    if tally.volume < LIT_LEAST_WORDS:
        return (0,) * len(LIT_MAXIMA)
    return (
        _lit_topic(tally),
        _lit_use_of_the_work(tally),
        _lit_notions(tally),
        _lit_composition(tally),
        max(0, (7 - tally.kind("р")) // 2),
    )


def _lit_topic(tally: Tally) -> int:
    if tally["с.тема"]:
        return 0
    if tally["с.поверхн"]:
        return 1
    return 2 if tally["с.одностор"] else 3


def _lit_use_of_the_work(tally: Tally) -> int:
    facts = tally["с.факт"]
    if not tally["аргумент"] or tally["с.опора"] or tally["с.позиция"] or facts >= 4:
        return 0
    if tally["с.упрощен"] or tally["с.пересказ"] or facts >= 3:
        return 1
    return 2 if facts else 3  # the source leaves one factual error open: it costs one point


def _lit_notions(tally: Tally) -> int:
    if not tally["понятие"] or tally["с.понятие"] >= 2:
        return 0
    return 1 if tally["с.неиспол"] or tally["с.понятие"] else 2


def _lit_composition(tally: Tally) -> int:
    if tally["с.композ"]:
        return 0
    if tally["с.неразв"] or tally["с.связь"]:
        return 1
    return 2 if tally["с.послед"] else 3


def lit_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:  # noqa: ARG001  one signature for all subjects
    """Yield the counted facts behind each criterion."""
    if tally.volume < LIT_LEAST_WORDS:
        yield from [[volume(tally.volume, LIT_LEAST_WORDS)]] * len(LIT_MAXIMA)
        return
    yield errors(tally, "С.тема", "С.поверхн", "С.одностор")
    yield [
        counted(tally["аргумент"], ARGUMENT),
        *present_errors(tally, "С.опора", "С.позиция", "С.упрощен", "С.пересказ", "С.факт"),
    ]
    yield [counted(tally["понятие"], NOTION), *present_errors(tally, "С.понятие", "С.неиспол")]
    yield errors(tally, "С.композ", "С.неразв", "С.связь", "С.послед")
    yield [counted(tally.kind("р"), SPEECH)]


THEORY: Final = Noun(
    "n", "теоретическое положение", "теоретических положения", "теоретических положений", "theoretical proposition"
)
IDEA: Final = Noun("f", "идея", "идеи", "идей", "idea")
REASONING: Final = Noun("n", "рассуждение", "рассуждения", "рассуждений", "piece of reasoning", "pieces of reasoning")
PUBLIC_EXAMPLE: Final = Noun(
    "m", "общественный пример", "общественных примера", "общественных примеров", "public example"
)
PERSONAL_EXAMPLE: Final = Noun("m", "личный пример", "личных примера", "личных примеров", "personal example")
HISTORICAL_EXAMPLE: Final = Noun(
    "m", "исторический пример", "исторических примера", "исторических примеров", "historical example"
)

SOCIAL_MAXIMA: Final = (1, 2, 1, 2)


# Clause: MS §5 social
def social_points(tally: Tally) -> Points:
    """Compute K1…K4; K1 = 0: all zero."""
    if not tally["идея"] or tally["о.смысл"] or tally["о.подмена"] or tally["о.пересказ"]:
        return 0, 0, 0, 0
    wrong = int(tally["о.понятие"] + tally["о.теория"] > 0) + tally["о.теорсвязь"] + tally["о.нехватает"]
    theory = 0 if tally["о.упрощ"] else int(tally["понятие"] > 0) + int(tally["теория"] > 0) - wrong
    reasoning = int(tally["логика"] > 0) - tally["о.рассужд"] - tally["о.вывод"]
    kinds = sum(tally[kind] > 1 for kind in ("пример.общ", "пример.лич", "пример.ист"))
    faults = ("о.примсвязь", "о.подтв", "о.дубл", "о.факт", "о.подробн")
    return 1, max(0, theory), max(0, reasoning), max(0, min(2, kinds) - sum(tally[code] for code in faults))


def social_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield [counted(tally["идея"], IDEA), *present_errors(tally, "О.смысл", "О.подмена", "О.пересказ")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * 3
        return
    yield [
        counted(tally["понятие"], NOTION),
        counted(tally["теория"], THEORY),
        *present_errors(tally, "О.упрощ", "О.понятие", "О.теория", "О.теорСвязь", "О.неХватает"),
    ]
    yield [counted(tally["логика"], REASONING), *present_errors(tally, "О.рассужд", "О.вывод")]
    yield [
        counted(tally["пример.общ"], PUBLIC_EXAMPLE),
        counted(tally["пример.лич"], PERSONAL_EXAMPLE),
        counted(tally["пример.ист"], HISTORICAL_EXAMPLE),
        *present_errors(tally, "О.примСвязь", "О.подтв", "О.дубл", "О.факт", "О.подробн"),
    ]


EVENT: Final = Noun("n", "событие", "события", "событий", "event")
PERSON: Final = Noun("f", "личность", "личности", "личностей", "person")
CAUSAL_LINK: Final = Noun(
    "f",
    "причинно-следственная связь",
    "причинно-следственные связи",
    "причинно-следственных связей",
    "cause–effect link",
)
ASSESSMENT: Final = Noun("f", "оценка", "оценки", "оценок", "assessment")

HIST_MAXIMA: Final = (2, 2, 2, 1, 1, 3, 1)
COUNTED: Final = 2  # persons and links beyond the first two are not assessed
ENOUGH_FOR_FORM: Final = 5

_PERSON_ERRORS: Final = ("И.личность", "И.лСвязь", "И.лПериод", "И.лРоль", "И.лДейств")
_LINK_ERRORS: Final = ("И.причин", "И.следств")
_FOLDED_PERSON_ERRORS: Final = tuple(map(fold, _PERSON_ERRORS))
_FOLDED_LINK_ERRORS: Final = tuple(map(fold, _LINK_ERRORS))


class Target(NamedTuple):
    """A person or a cause–effect link that errors can be about. Its order is the text order of its fragments."""

    spans: tuple[tuple[int, int], ...]
    tag: str

    def distance(self, error: Fragment) -> int:
        """Count code points between the error and the nearest fragment; 0 where they overlap or touch."""
        if error.is_full_text:
            return 0
        return min(max(0, start - error.end, error.start - end) for start, end in self.spans)


# Clause: MS §5 hist
def hist_points(tally: Tally) -> Points:
    """Compute K1…K7; K1 = 0: all zero."""
    k1 = max(0, min(2, tally["сяп"] - tally["и.сяп"] - tally["и.период"]))
    if k1 == 0:
        return (0,) * len(HIST_MAXIMA)
    k2 = spoiled(persons(tally), tally.fragments_of(_FOLDED_PERSON_ERRORS)).count(False)
    k3 = spoiled(links(tally), tally.fragments_of(_FOLDED_LINK_ERRORS)).count(False)
    k4 = max(0, int(tally["оценка"] > 0) - int(tally["и.влиян"] + tally["и.упрощ"] > 0))
    k5 = int(tally["и.понятие"] + tally["и.неиспол"] == 0)
    k6 = max(0, 3 - tally["и.факт"])
    k7 = int(tally["и.излож"] == 0 and k1 + k2 + k3 + k4 >= ENOUGH_FOR_FORM)
    return k1, k2, k3, k4, k5, k6, k7


def persons(tally: Tally) -> list[Target]:
    """Return all persons in text order: fragments РОЛЬ with the same tag are one person, an untagged one is its own."""
    tagged, untagged = _by_tag(tally, "роль")
    alone = [Target((_span(fragment),), "") for fragment in untagged]
    return sorted([*alone, *(Target(tuple(map(_span, same)), tag) for tag, same in tagged.items())])


def links(tally: Tally) -> list[Target]:
    """Return all cause–effect links in the order of their first fragment.

    A tag that both a ПРИЧИНА and a СЛЕДСТВИЕ carry makes one link; the untagged are paired in text order, and what
    finds no partner is no link.
    """
    causes, lone_causes = _by_tag(tally, "причина")
    effects, lone_effects = _by_tag(tally, "следствие")
    targets = [Target(_spans(causes[tag] + effects[tag]), tag) for tag in causes if tag in effects]
    targets += [Target(_spans(pair), "") for pair in zip(lone_causes, lone_effects, strict=False)]
    return sorted(targets)


# Clause: MS §5 hist
def spoiled(targets: Sequence[Target], faults: Iterable[Fragment]) -> list[bool]:
    """Return which of the first two targets have an error about them.

    A tagged error is about the target with its tag, or about none of them; an untagged one is about the nearest,
    the first of equally near ones.
    """
    first = targets[:COUNTED]
    hit = [False] * len(first)
    for fault in faults:
        tag = fault.tag.strip()
        if tag:
            hit = [was or target.tag == tag for was, target in zip(hit, first, strict=True)]
        elif first:
            nearest = min(range(len(first)), key=lambda index: first[index].distance(fault))
            hit[nearest] = True
    return hit


def _by_tag(tally: Tally, code: str) -> tuple[dict[str, list[Fragment]], list[Fragment]]:
    tagged: dict[str, list[Fragment]] = {}
    untagged = []
    for fragment in tally.fragments_of((code,)):
        tag = fragment.tag.strip()
        if tag:
            tagged.setdefault(tag, []).append(fragment)
        else:
            untagged.append(fragment)
    return tagged, untagged


def _span(fragment: Fragment) -> tuple[int, int]:
    return fragment.start, fragment.end


def _spans(fragments: Iterable[Fragment]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(map(_span, fragments)))


def hist_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield [counted(tally["сяп"], EVENT), *present_errors(tally, "И.сяп", "И.период")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * (len(HIST_MAXIMA) - 1)
        return
    people, causal = persons(tally), links(tally)
    yield [
        counted(len(people), PERSON),
        *_about(people, tally.fragments_of(_FOLDED_PERSON_ERRORS)),
        *present_errors(tally, *_PERSON_ERRORS),
    ]
    yield [
        counted(len(causal), CAUSAL_LINK),
        *_about(causal, tally.fragments_of(_FOLDED_LINK_ERRORS)),
        *present_errors(tally, *_LINK_ERRORS),
    ]
    yield [counted(tally["оценка"], ASSESSMENT), *present_errors(tally, "И.влиян", "И.упрощ")]
    yield errors(tally, "И.понятие", "И.неиспол")
    yield errors(tally, "И.факт")
    content = f"K1 + K2 + K3 + K4 = {sum(scored[:4])}"
    yield [Text(content, content), *present_errors(tally, "И.излож")]


def _about(targets: Sequence[Target], faults: Iterable[Fragment]) -> Iterator[Text]:
    if len(targets) > COUNTED:
        yield tr("the first two count")
    match spoiled(targets, faults):
        case [True, True]:
            yield tr("both with errors")
        case [True, False]:
            yield tr("the first with an error")
        case [False, True]:
            yield tr("the second with an error")
        case [True]:
            yield tr("with an error")


MISSING_ASPECT: Final = Noun("m", "нераскрытый аспект", "нераскрытых аспекта", "нераскрытых аспектов", "missing aspect")
PLAN_FAULT: Final = Noun("n", "нарушение плана", "нарушения плана", "нарушений плана", "plan fault")

ENG_MAXIMA: Final = (3, 3, 3, 3, 2)
ENG_LEAST_WORDS: Final = 180
MOST_UNPRODUCTIVE: Final = 30  # per cent of the essay's words
ARGUMENTS: Final = 3

PLAN: Final = ("проблема", "лмнение", "прмнение", "обоснование", "вывод")


# Clause: MS §5 eng
def eng_points(tally: Tally) -> Points:
    """Compute K1…K5; K1 = 0: all zero."""
    k1 = _eng_task(tally)
    if k1 == 0:
        return (0,) * len(ENG_MAXIMA)
    spelling, punctuation = tally["а.орф"], tally["а.пункт"]
    k5 = 2 if max(spelling, punctuation) <= 1 else int(spelling + punctuation <= 4)
    return k1, _eng_organization(tally), _eng_vocabulary(tally), _eng_grammar(tally), k5


def _eng_task(tally: Tally) -> int:
    if tally.volume < ENG_LEAST_WORDS:
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


def _eng_organization(tally: Tally) -> int:
    faults = plan_faults(tally) + tally["а.логика"] + tally["а.связь"] + tally["а.абзац"]
    if faults == 0:
        return 3
    if faults <= 4:
        return 2
    return int(faults <= 8)


def _eng_vocabulary(tally: Tally) -> int:
    lexical, poor = tally["а.лекс"], tally["а.запас"]
    if lexical <= 1 and poor == 0:
        return 3
    if lexical + 3 * poor <= 3:
        return 2
    return int(lexical <= 4 and poor <= 1)


def _eng_grammar(tally: Tally) -> int:
    grammar, low = tally["а.грамм"], tally["а.уров"]
    if grammar <= 2 and low == 0:
        return 3
    if grammar <= 4 and low == 0:
        return 2
    return int(grammar <= 7 and low <= 1)


def eng_reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield _eng_task_reasons(tally)
    if not scored[0]:
        yield from [[because("K1", 0)]] * (len(ENG_MAXIMA) - 1)
        return
    yield [counted(plan_faults(tally), PLAN_FAULT), *present_errors(tally, "А.логика", "А.связь", "А.абзац")]
    yield errors(tally, "А.лекс", "А.запас")
    yield errors(tally, "А.грамм", "А.уров")
    yield errors(tally, "А.орф", "А.пункт")


def _eng_task_reasons(tally: Tally) -> list[Text]:
    words = tally.volume
    facts = [volume(words, ENG_LEAST_WORDS)]
    if words < ENG_LEAST_WORDS:
        return facts
    borrowed = unproductive_words(tally)
    if borrowed:
        more = 100 * borrowed > MOST_UNPRODUCTIVE * words
        share = tr("{borrowed} of {words} unproductive", borrowed=borrowed, words=words)
        facts.append(tr("{share}, more than 30 %", share=share) if more else share)
    facts.append(counted(missing_aspects(tally), MISSING_ASPECT))
    return facts + present_errors(tally, "А.аспект", "А.стиль")


_ENGLISH: Final = Formula(ENG_MAXIMA, eng_points, eng_reasons)
FORMULAS: Final[Mapping[str, Formula]] = MappingProxyType(
    {
        "rus": Formula(RUS_MAXIMA, rus_points, rus_reasons),
        "rus-free": Formula(RUS_FREE_MAXIMA, rus_free_points, rus_free_reasons),
        "lit": Formula(LIT_MAXIMA, lit_points, lit_reasons),
        "social": Formula(SOCIAL_MAXIMA, social_points, social_reasons),
        "hist": Formula(HIST_MAXIMA, hist_points, hist_reasons),
        "eng": _ENGLISH,
        "eng-free": _ENGLISH,
    }
)
