"""How far raters agree (tracks.md §3; G, "Согласованность аннотаторов", Table 2).

Every measure is None where it is undefined, never 0 or 1 for want of something better. All but alpha are fractions of
whole numbers, rounded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Ratings = Sequence[Sequence[str | None]]
"""Per item a label of every rater; None: the rater left the item out."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The four measures of G's Table 2: three with 1 for agreement in everything, the last in per cent."""

    krippendorff_alpha: float | None
    fleiss_kappa: float | None
    randolph_kappa: float | None
    authors_percent: float | None

    def to_dict(self) -> dict[str, float | None]:
        """The result of ``gec.agreement`` (tracks.md §5)."""
        return {
            "krippendorff_alpha": self.krippendorff_alpha,
            "fleiss_kappa": self.fleiss_kappa,
            "randolph_kappa": self.randolph_kappa,
            "authors_percent": self.authors_percent,
        }


def agreement(items: Ratings, categories: Sequence[str], base: Sequence[str | None] | None) -> Agreement:
    """All four measures; ``categories`` are all that a rater could choose, used or not."""
    return Agreement(
        krippendorff_alpha(items),
        fleiss_kappa(items),
        randolph_kappa(items, len(categories)),
        authors_percent(items, base),
    )


def krippendorff_alpha(items: Ratings) -> float | None:
    """Krippendorff's alpha for nominal labels, 1 − observed / expected disagreement (tracks.md §3; G, Table 2).

    Items with fewer than two labels say nothing and are left out. None where all labels that are left are the same, or
    none are left: no disagreement is to be expected then.

    Clause: G agreement alpha, G Table 1, G Table 2, tracks §3 agreement
    """
    paired = [[label for label in item if label is not None] for item in items]
    paired = [labels for labels in paired if len(labels) > 1]
    places = {label: place for place, label in enumerate(sorted({x for labels in paired for x in labels}))}
    if len(places) < 2:
        return None
    import krippendorff  # with numpy it takes longer to load than everything else of the track

    counts = [[Counter(labels)[label] for label in places] for labels in paired]
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def fleiss_kappa(items: Ratings) -> float | None:
    """Fleiss' kappa, (P − Pₑ) / (1 − Pₑ) with Pₑ = Σ p² of the shares of the labels (tracks.md §3; G, Table 2).

    None without items, with fewer than two raters, with missing labels (Fleiss has as many of each item), and where
    there is one label only (Pₑ = 1).

    Clause: G agreement Fleiss, G Table 2, tracks §3 agreement
    """
    observed = _pairs_that_agree(items)
    if observed is None:
        return None
    shares = Counter(label for item in items for label in item)
    every = shares.total()
    if len(shares) == 1:
        return None
    expected = sum(Fraction(count, every) ** 2 for count in shares.values())
    return float((observed - expected) / (1 - expected))


def randolph_kappa(items: Ratings, categories: int) -> float | None:
    """Randolph's free-marginal kappa, (P − 1/k) / (1 − 1/k), k all listed categories (tracks.md §3; G, Table 2).

    None without items, with fewer than two raters or categories, and with missing labels.

    Clause: G agreement Randolph, G Table 2
    """
    observed = _pairs_that_agree(items)
    if observed is None or categories < 2:
        return None
    expected = Fraction(1, categories)
    return float((observed - expected) / (1 - expected))


def authors_percent(items: Ratings, base: Sequence[str | None] | None) -> float | None:
    """100/n · Σᵢ (Σⱼ [itemᵢⱼ = baseᵢ]) / m, the authors' own measure (G, "Согласованность аннотаторов").

    m is the number of labels that an item has; items without a label or without one in the base markup are left out.
    None where no item is left.

    Clause: G agreement authors, G Table 2
    """
    shares = []
    for item, expected in zip(items, base or (), strict=base is not None):
        labels = [label for label in item if label is not None]
        if labels and expected is not None:
            shares.append(Fraction(sum(label == expected for label in labels), len(labels)))
    return float(100 * sum(shares) / len(shares)) if shares else None


def _pairs_that_agree(items: Ratings) -> Fraction | None:
    """Mean share of pairs of raters with the same label (P of Fleiss and Randolph)."""
    raters = len(items[0]) if items else 0
    if raters < 2 or any(label is None for item in items for label in item):
        return None
    agreeing = sum(n * (n - 1) for item in items for n in Counter(item).values())
    return Fraction(agreeing, raters * (raters - 1) * len(items))
