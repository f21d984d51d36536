"""Grade of an exam essay in history, 12 points at most (markup-scoring §5, hist)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from markup_core.codes import fold
from markup_core.criteria.tally import Formula, Noun, Points, Tally, because, counted, errors, present_errors
from markup_core.model import Fragment
from markup_core.texts import Text, tr

EVENT: Final = Noun("n", "событие", "события", "событий", "event", "events")
PERSON: Final = Noun("f", "личность", "личности", "личностей", "person", "persons")
CAUSAL_LINK: Final = Noun(
    "f",
    *("причинно-следственная связь", "причинно-следственные связи", "причинно-следственных связей"),
    *("cause–effect link", "cause–effect links"),
)
ASSESSMENT: Final = Noun("f", "оценка", "оценки", "оценок", "assessment", "assessments")

MAXIMA: Final = (2, 2, 2, 1, 1, 3, 1)
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
def points(tally: Tally) -> Points:
    """Compute K1…K7; K1 = 0: all zero."""
    k1 = max(0, min(2, tally["сяп"] - tally["и.сяп"] - tally["и.период"]))
    if k1 == 0:
        return (0,) * len(MAXIMA)
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


def reasons(tally: Tally, scored: Points) -> Iterator[Sequence[Text]]:
    """Yield the counted facts behind each criterion."""
    yield [counted(tally["сяп"], EVENT), *present_errors(tally, "И.сяп", "И.период")]
    if not scored[0]:
        yield from [[because("K1", 0)]] * (len(MAXIMA) - 1)
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


FORMULA: Final = Formula(MAXIMA, points, reasons)
