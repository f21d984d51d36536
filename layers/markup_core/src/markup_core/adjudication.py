"""When two experts' results differ so much that a third one is needed (markup-scoring §6, R 7.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.criteria import FORMULAS, grade
from markup_core.criteria.wording import Noun, russian_form
from markup_core.model import Markup, check_markups
from markup_core.said import Said


class Reason(NamedTuple):
    """Why a third expert is needed, in two languages; ``code`` is stable: total, criterion, zero or count."""

    code: str
    ru: str
    en: str


class Adjudication(NamedTuple):
    """The answer of the rule; ``reasons`` is empty exactly when no third expert is needed."""

    needed: bool
    reasons: tuple[Reason, ...]


class Thresholds(NamedTuple):
    """Differences of a subject from which a third expert is needed (each "by this much or more").

    ``criteria`` limits single criteria; ``zero`` names the criterion that must not be 0 for exactly one of the two;
    ``differing`` is the number of criteria that may not differ at once.
    """

    total: int
    criteria: Mapping[str, int] = MappingProxyType({})
    zero: str = ""
    differing: int | None = None


LIMITS: Final[Mapping[str, Thresholds]] = MappingProxyType(
    {
        # K7 and K8 of rus cannot differ while spelling and punctuation are not marked up.
        "rus": Thresholds(8, {"K7": 2, "K8": 2}),
        "rus-free": Thresholds(8),
        "lit": Thresholds(7, dict.fromkeys(FORMULAS["lit"].names, 2), zero="K1"),
        "social": Thresholds(3, {"K2": 2, "K4": 2}, zero="K1"),
        "hist": Thresholds(5, {"K1": 2, "K2": 2, "K3": 2, "K6": 2}, differing=4),
        "eng": Thresholds(4),
        "eng-free": Thresholds(4),
    }
)
"""Clause: MS §6 rus, MS §6 lit, MS §6 social, MS §6 hist, MS §6 eng, platform §5 third, R 7.10"""

_CRITERION: Final = Noun("m", "критерий", "критерия", "критериев", "criterion", "criteria")


def third_expert(first: Markup, second: Markup) -> Adjudication:
    """Whether two valid expert markups of one essay call for a third expert, and why.

    The order of the two does not matter. A subject without a grading formula has no points that could differ: no
    third expert is needed. Raises ``ValueError`` when the markups are of different subjects.
    """
    check_markups(first, second)
    if first.subject != second.subject:
        raise ValueError(
            Said(
                "a third expert can be decided only for two markups of one essay: "
                f"their subjects are {first.subject!r} and {second.subject!r}",
                "о третьем эксперте решают по двум разметкам одного эссе, "
                f"а здесь предметы {first.subject!r} и {second.subject!r}",
            )
        )
    one, other = grade(first), grade(second)
    if one is None or other is None:
        return Adjudication(needed=False, reasons=())
    return decide(first.subject, one.criteria, other.criteria)


def decide(subject: str, first: Mapping[str, int], second: Mapping[str, int]) -> Adjudication:
    """The same on two lists of criteria ``{"K1": 1, …}`` of a subject that has limits."""
    reasons = tuple(_reasons(LIMITS[subject], first, second))
    return Adjudication(needed=bool(reasons), reasons=reasons)


def _reasons(limits: Thresholds, first: Mapping[str, int], second: Mapping[str, int]) -> Iterator[Reason]:
    """Clause: MS §6 rus, MS §6 lit, MS §6 social, MS §6 hist, MS §6 eng"""
    total = abs(sum(first.values()) - sum(second.values()))
    if total >= limits.total:
        yield Reason(
            "total",
            f"итог расходится на {total} (предел {limits.total})",
            f"total differs by {total} (limit {limits.total})",
        )
    gaps = {name: abs(points - second[name]) for name, points in first.items()}
    for name, limit in limits.criteria.items():
        if gaps[name] >= limit:
            yield Reason(
                "criterion",
                f"{name} расходится на {gaps[name]} (предел {limit})",
                f"{name} differs by {gaps[name]} (limit {limit})",
            )
    if limits.zero and (first[limits.zero] == 0) != (second[limits.zero] == 0):
        yield Reason("zero", f"ровно у одного {limits.zero} = 0", f"exactly one has {limits.zero} = 0")
    differing = sum(gap > 0 for gap in gaps.values())
    if limits.differing is not None and differing >= limits.differing:
        yield Reason(
            "count",
            f"расходятся {differing} {russian_form(differing, _CRITERION)} (предел {limits.differing})",
            f"{differing} criteria differ (limit {limits.differing})",
        )
