"""Essay contests made of annotated corpora: items and references of a document, and whether a barrier means something.

**Decision**, the rule of the human interval. The barrier is 100 % of what people reach against each other. Measured on
other texts of the same kind, people themselves would come to more or less than 100: to the 95 % interval of the expert
accuracy over the texts of the set, as a share of its mean. Where its ends lie farther than 10 from 100, the choice of
texts decides who overcomes the barrier, and where a program that marks nothing comes into it, so does chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.accuracy import score_essay
from markup_core.bootstrap import MIN_ESSAYS
from markup_core.model import Markup
from markup_core.reading.wire import dump
from markup_core.sample import accuracies
from tracks.capabilities import FromCorpus, PeopleMeasured
from tracks.essay.items import EssayParameters
from tracks.protocol import Reason, Text
from tracks.texts import tr

WIDEST: Final = 10.0
"""Per cent that the ends of the human interval may lie from 100."""
_FULL: Final = 100.0


def of_corpus(item_id: str, text: str, meta: Mapping[str, Any], markups: Mapping[int, Markup]) -> FromCorpus:
    """Return a document as an essay; a reference says its author's number, never the name that the corpus has."""
    essay = dump(Markup(text, (), {**meta, "id": item_id, "expert": ""}))
    references = {
        number: {**dump(markup), "meta": {**essay["meta"], "expert": f"{number:02}"}}
        for number, markup in markups.items()
    }
    return FromCorpus(essay, references)


def people_measured(items: Sequence[Sequence[Markup]], rules: EssayParameters, seed: int) -> PeopleMeasured:
    """Judge by the rule of the human interval whether a barrier means something on essays with these references."""
    compared = [markups for markups in items if len(markups) > 1]
    blanks = [Markup(markups[0].text, (), markups[0].meta) for markups in compared]
    scores = [score_essay(blank, markups, rules.scoring) for blank, markups in zip(blanks, compared, strict=True)]
    measured = accuracies(scores, seed)
    accuracy, ends = measured.expert_accuracy, measured.expert_interval
    interval = None if not accuracy or ends is None else (ends[0] / accuracy * _FULL, ends[1] / accuracy * _FULL)
    reasons = []
    if len(compared) < len(items):
        message = tr(
            "{count} of {items} texts have no second annotator: nobody can be compared with people there",
            count=len(items) - len(compared),
            items=len(items),
        )
        reasons.append(Reason("one_annotator", message, {}))
    if len(compared) < MIN_ESSAYS:
        message = tr("{count} texts with two annotators are too few for an interval", count=len(compared))
        reasons.append(Reason("too_few_texts", message, {}))
    if accuracy == 0:
        message = tr("annotators agree on nothing, so that nothing can be measured by them")
        reasons.append(Reason("no_agreement", message, {}))
    if interval is not None and max(_FULL - interval[0], interval[1] - _FULL) > WIDEST:
        message = tr(
            "on other texts people themselves would come to between {low} and {high} % of the barrier, more "
            "than {widest:g} away: the choice of the texts would decide; take more texts, or annotators who agree more",
            low=_percent(interval[0]),
            high=_percent(interval[1]),
            widest=WIDEST,
        )
        reasons.append(Reason("wide_interval", message, {}))
    blank = measured.relative_interval
    if interval is not None and blank is not None and blank[1] >= interval[0]:
        message = tr(
            "a program that marks nothing comes to {high:.1f} % of the barrier, people to {low:.1f} % and more: too "
            "little is annotated, or too differently",
            high=blank[1],
            low=interval[0],
        )
        reasons.append(Reason("empty_overcomes", message, {}))
    return PeopleMeasured(len(compared), accuracy, interval, measured.relative_accuracy, tuple(reasons))


def _percent(value: float) -> Text:
    english = f"{value:.1f}"
    return Text(english, english.replace(".", ","))
