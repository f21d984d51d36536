"""Experts' markups and ratings: validated, graded, compared, made references, and their agreement (R 7.10, R-App1).

Agreement is pair accuracy, Krippendorff's alpha on codes, and drift from partners, with 95 % intervals.

Only the two independent markups of an essay count: a third expert has seen the others'. A pair's accuracy on an essay
is the mean of both directions, since M is not symmetric (R-App1). For alpha a unit is a matched pair of fragments with
its two codes, or an unmatched fragment with its code and ∅ (platform §5); every unit so has two values, and

    alpha = 1 − (disagreements / units) / ((n² − Σ n_c²) / (n · (n − 1))),   n = 2 · units, n_c values equal to c

which is what the library ``krippendorff`` gives for nominal data. Intervals resample essays (markup-scoring §4).

**Decision**, the rule of the human interval, by which a corpus makes a contest. The barrier is 100 % of what people
reach against each other. On other texts of the same kind people's own result would differ from 100: it would lie in
the 95 % interval of the expert accuracy over the texts of the set, as a share of its mean. If an end of the interval is
farther than 10 from 100, the choice of texts decides who overcomes the barrier; if a program that marks nothing comes
into the interval, chance decides, too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from markup_core.accuracy import score_essay, score_pair
from markup_core.bootstrap import MIN_ESSAYS, bounded_mean_interval, ends, resampled_sums, scale
from markup_core.comparable import fold
from markup_core.criteria import max_total, total
from markup_core.interrater import third_expert as rule
from markup_core.metrics import QUESTIONS
from markup_core.model import Markup
from markup_core.reading.validation import load
from markup_core.reading.wire import dump
from markup_core.receipt import sha256_hex
from markup_core.sample import accuracies
from tracks.base import read_body, reason
from tracks.capabilities import Agreed, ArchiveRules, FromCorpus, Judged, PeopleMeasured
from tracks.essay.items import EssayParameters, hand_out
from tracks.protocol import Json, Reason, Text
from tracks.texts import tr

_PUBLISHED: Final = (
    *("id", "startSelection", "endSelection", "type", "subtype", "group"),
    *("comment", "explanation", "correction", "tag"),
)
"""Fields of a fragment that the contest defines."""


# Clause: platform §5 third, R 7.10
def third_expert(first: Json, second: Json, rules: EssayParameters) -> tuple[Reason, ...]:
    """Apply the rule of markup-scoring §6 to two valid markups of one essay; return its reasons."""
    one, other = (load(markup, classifier=rules.classifier) for markup in (first, second))
    return tuple(Reason(cause.code, cause.message, {}) for cause in rule(one, other).reasons)


# Clause: R 7.14
ARCHIVE: Final = ArchiveRules(
    about=tr(
        "Everything by which anybody can recompute the results of this final (R 7.14): the essays, "
        "the experts' markups, the markups that the participants' programs sent, what became of "
        "every file of every team, the record of the run and the board."
    ),
    left_out=(
        tr("The participants' programs: they are their teams' own (R 7.14)."),
        tr("Names of people and machines, and whatever a markup carried beyond the contest's fields."),
    ),
    answers="markups",
)
"""Contents of the archive of an essay contest's final."""


# Clause: R 7.14
def archived(item: Json, markup: Json, file_id: str, expert: str | None = None) -> Json:
    """Return a markup for publication: the essay as it was handed out, the fragments with the contest's own fields,
    the expert's pseudonym; no other field that the author or a program added."""
    handed_out = hand_out(item, file_id)
    meta = handed_out["meta"] if expert is None else {**handed_out["meta"], "expert": expert}
    selections = [
        {name: fragment[name] for name in _PUBLISHED if name in fragment} for fragment in markup["selections"]
    ]
    return {**handed_out, "meta": meta, "selections": selections}


_WORD: Final = re.compile(r"\w+|[^\w\s]")


def from_phrases(item: Json, phrases: Sequence[tuple[str, str]], rules: EssayParameters) -> Json:
    """Return the essay with a fragment wherever a phrase stands as whole words, whatever the case; O(words · phrases
    that begin with the same word).

    Codes that the essay's subject does not have are skipped. At one place the longest phrase counts, of equal ones the
    first; its words are not searched again.
    """
    text, subject = item["text"], item["meta"]["subject"]
    by_word: dict[str, list[tuple[str, str]]] = {}
    for phrase, code in sorted(phrases, key=lambda pair: -len(pair[0])):
        first = _WORD.match(phrase)
        if first is not None and rules.classifier.lookup(subject, code) is not None:
            by_word.setdefault(first[0].lower(), []).append((phrase.lower(), code))
    selections: list[dict[str, Json]] = []
    until = 0
    for word in _WORD.finditer(text):
        start = word.start()
        for phrase, code in by_word.get(word[0].lower(), ()) if start >= until else ():
            end = start + len(phrase)
            if text[start:end].lower() == phrase and not (text[end - 1].isalnum() and text[end : end + 1].isalnum()):
                until = end
                place = {"startSelection": start, "endSelection": end}
                selections.append({"id": len(selections) + 1, **place, "type": code, "subtype": ""})
                break
    return {"meta": item["meta"], "criteria": {}, "selections": selections, "text": text}


def places(markup: Json) -> set[tuple[int, int, str]]:
    """Return place and code of each fragment."""
    return {
        (fragment["startSelection"], fragment["endSelection"], fold(fragment["type"]))
        for fragment in markup["selections"]
    }


ABSENT: Final = "∅"
"""Code of an expert who has no fragment there."""
_COLUMNS: Final = 8
"""Columns resampled at once; the number bounds the memory."""

Units = Counter[tuple[str, str]]
"""Number of units by their pair of codes, the first expert's code first."""


def pair(first: Json, second: Json, rules: EssayParameters) -> dict[str, Json]:
    """Reduce the two markups of one essay to the facts of agreement; small enough to be stored with the essay."""
    one, other = (load(markup, classifier=rules.classifier) for markup in (first, second))
    there = score_pair(one, other, rules.scoring, x_is_expert=True)
    back = score_pair(other, one, rules.scoring, x_is_expert=True)
    units: Units = Counter((_code(one, i), _code(other, k)) for i, k in there.matching.pairs)
    units.update((_code(one, i), ABSENT) for i in there.matching.unmatched_x)
    units.update((ABSENT, _code(other, k)) for k in there.matching.unmatched_y)
    return {
        "accuracy": [there.pair_accuracy, back.pair_accuracy],
        "points": [total(one), total(other)],
        "max": max_total(one.subject),
        "fragments": [len(one.fragments), len(other.fragments)],
        "units": [[*codes, count] for codes, count in sorted(units.items())],
    }


# Clause: platform §5 progress
def agreement(pairs: Sequence[Agreed], seed: int) -> dict[str, Json]:
    """Compute agreement over all essays, by pair of experts, subject and code, and each expert's drift from partners.

    Undefined numbers are None; nothing has an interval below three essays. O(essays · units), and as many resamplings
    as there are groups.
    """
    rows = sorted(pairs, key=lambda agreed: agreed.item.item_id)
    return {
        "all": _measures(rows, seed),
        "by_subject": {name: _measures(part, seed) for name, part in _by(rows, lambda agreed: agreed.item.group)},
        "by_pair": [
            {"experts": list(names), **_measures(part, seed)}
            for names, part in _by(rows, lambda agreed: tuple(sorted(agreed.experts)))
        ],
        "by_code": [
            code_row
            for subject, part in _by(rows, lambda row: row.item.group)
            for code_row in _by_code(subject, part, seed)
        ],
        "by_expert": [
            _drift(name, rows, seed) for name in sorted({name for agreed in rows for name in agreed.experts})
        ],
    }


def alpha(units: Units) -> float | None:
    """Compute Krippendorff's alpha for nominal codes; None if there is one code only, or none."""
    values = sorted({code for codes in units for code in codes})
    if len(values) < 2:
        return None
    import krippendorff  # with numpy it takes longer to load than everything else of the track

    places = {value: place for place, value in enumerate(values)}
    counts = []
    for codes, count in sorted(units.items()):
        row = [0] * len(values)
        for code in codes:
            row[places[code]] += 1
        counts += [row] * count
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


# Clause: platform §5 progress
def alpha_interval(essays: Sequence[Units], seed: int) -> tuple[float, float] | None:
    """Compute alpha's interval over resampled essays, at least three; resamples without an alpha are left out."""
    if len(essays) < MIN_ESSAYS:
        return None
    values = sorted({code for units in essays for codes in units for code in codes})
    columns = [
        [float(units.total()) for units in essays],
        [float(sum(count for (one, other), count in units.items() if one != other)) for units in essays],
    ]
    columns += [
        [
            float(sum(count * ((one == value) + (other == value)) for (one, other), count in units.items()))
            for units in essays
        ]
        for value in values
    ]
    total_, differing, *counts = _resampled(columns, seed)
    resamples = zip(total_, differing, *counts, strict=True)
    alphas = (_alpha(units, unequal, counted) for units, unequal, *counted in resamples)
    return ends([value for value in alphas if value is not None])


def _alpha(units: int, differing: int, counts: Sequence[int]) -> float | None:
    """Compute alpha from whole numbers; None if no disagreement is expected."""
    n = 2 * units
    expected = n * n - sum(count * count for count in counts)
    return None if not expected else 1.0 - 2.0 * differing * (n - 1) / expected


def _code(markup: Markup, index: int) -> str:
    return fold(markup.fragments[index].code)


def _by(rows: Sequence[Agreed], key: Callable[[Agreed], Any]) -> list[tuple[Any, list[Agreed]]]:
    groups: dict[Any, list[Agreed]] = {}
    for agreed in rows:
        groups.setdefault(key(agreed), []).append(agreed)
    return sorted(groups.items())


def _measures(rows: Sequence[Agreed], seed: int) -> dict[str, Json]:
    accuracies = [accuracy for accuracy in map(_accuracy, rows) if accuracy is not None]
    units = [_units(agreed) for agreed in rows]
    return {
        "essays": len(rows),
        "accuracy": _mean(accuracies),
        "accuracy_95": _listed(bounded_mean_interval(accuracies, 0.0, 100.0, seed)),
        "alpha": alpha(sum(units, Counter())),
        "alpha_95": _listed(alpha_interval(units, seed)),
    }


def _by_code(subject: str, rows: Sequence[Agreed], seed: int) -> Iterable[dict[str, Json]]:
    """Yield agreement on each code of a subject against all other codes and ∅ together."""
    essays = [_units(agreed) for agreed in rows]
    for code in sorted({code for units in essays for codes in units for code in codes} - {ABSENT}):
        reduced: list[Units] = []
        for units in essays:
            reduced.append(Counter())
            for (one, other), count in units.items():
                reduced[-1][code if one == code else ABSENT, code if other == code else ABSENT] += count
        whole: Units = sum(reduced, Counter())
        both = whole[code, code]
        yield {
            "subject": subject,
            "code": code,
            "units": both + whole[code, ABSENT] + whole[ABSENT, code],
            "agreed": both,
            "alpha": alpha(whole),
            "alpha_95": _listed(alpha_interval(reduced, seed)),
        }


def _drift(name: str, rows: Sequence[Agreed], seed: int) -> dict[str, Json]:
    """Compare an expert with its partners on the same essays: strictness, thoroughness, agreement."""
    own = [(agreed, agreed.experts.index(name)) for agreed in rows if name in agreed.experts]
    accuracies = [accuracy for agreed, _ in own if (accuracy := _accuracy(agreed)) is not None]
    points = [
        100.0 * (agreed.pair["points"][place] - agreed.pair["points"][1 - place]) / agreed.pair["max"]
        for agreed, place in own
        if agreed.pair["max"]
    ]
    fragments = [float(agreed.pair["fragments"][place] - agreed.pair["fragments"][1 - place]) for agreed, place in own]
    most = max(map(abs, fragments), default=0.0) or 1.0
    return {
        "expert": name,
        "essays": len(own),
        "accuracy": _mean(accuracies),
        "accuracy_95": _listed(bounded_mean_interval(accuracies, 0.0, 100.0, seed)),
        "points": _mean(points),
        "points_95": _listed(bounded_mean_interval(points, -100.0, 100.0, seed)),
        "fragments": _mean(fragments),
        "fragments_95": _listed(bounded_mean_interval(fragments, -most, most, seed)),
    }


def _accuracy(agreed: Agreed) -> float | None:
    there, back = agreed.pair["accuracy"]
    return None if there is None or back is None else (there + back) / 2


def _units(agreed: Agreed) -> Units:
    return Counter({(one, other): count for one, other, count in agreed.pair["units"]})


def _resampled(columns: Sequence[Sequence[float]], seed: int) -> list[list[int]]:
    """Sum whole numbers over resampled essays; the resampling takes numbers up to 100."""
    most = max(max(column) for column in columns) or 1.0
    unit = scale(len(columns[0]))
    sums: list[list[int]] = []
    for first in range(0, len(columns), _COLUMNS):
        part = [[value * 100.0 / most for value in column] for column in columns[first : first + _COLUMNS]]
        sums += [[round(value / unit * most / 100.0) for value in row] for row in resampled_sums(part, seed).tolist()]
    return sums


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


_SHOWN: Final = ("startSelection", "endSelection", "type", "subtype", "explanation")
_M7: Final = 6
"""Place of M7 among the weights."""


def explained(answer: Json) -> dict[str, Mapping[str, Any]]:
    """Return the fragments that have an explanation, by their ids as ratings name them."""
    return {
        str(fragment["id"]): fragment for fragment in answer["selections"] if fragment.get("explanation", "").strip()
    }


def cards(item: Json, answer: Json, file_id: str) -> Json:
    """Build the essay's cards to rate: each explanation with its fragment and code, without its author.

    The order is drawn by the name under which the rater knows the essay, so that it differs from rater to rater. None
    where nothing is to be rated.
    """
    rated_cards = [
        {"fragment": name, **{key: fragment[key] for key in _SHOWN}} for name, fragment in explained(answer).items()
    ]
    if not rated_cards:
        return None
    rated_cards.sort(key=lambda card: sha256_hex(f"{file_id}\0{card['fragment']}".encode()))
    return {**hand_out(item, file_id), "cards": rated_cards, "questions": QUESTIONS}


# Clause: R-App1 M7
def judge_ratings(answer: Json, body: bytes, rules: EssayParameters) -> Judged:
    """Judge a rater's draft ``{"ratings": {fragment: [yes or no × 5]}}``; valid when every explanation has its five."""
    raw, broken = read_body(body, rules.limits)
    if broken:
        return Judged(broken)
    ratings = raw.get("ratings") if isinstance(raw, dict) else None
    if not isinstance(ratings, dict):
        return Judged((reason("no_ratings", "ratings", tr("the draft must be an object with ratings")),))
    explanations = explained(answer)
    faults = []
    for name in (name for name in ratings if name not in explanations):
        quoted = json.dumps(name[:40], ensure_ascii=False)
        message = tr("no explanation has the fragment {quoted}", quoted=quoted)
        faults.append(reason("unknown_explanation", f"ratings.{name[:40]}", message))
    for name in explanations:
        replies = ratings.get(name)
        if not (isinstance(replies, list) and len(replies) == QUESTIONS and all(reply in (0, 1) for reply in replies)):
            message = tr(
                "the explanation of fragment {name} needs {questions} answers, each yes or no",
                name=name,
                questions=QUESTIONS,
            )
            faults.append(reason("not_rated", f"ratings.{name}", message))
    if faults:
        return Judged(tuple(faults))
    return Judged((), (), {name: [bool(reply) for reply in ratings[name]] for name in sorted(explanations)})


def weigh(rules: EssayParameters) -> bool:
    """Check whether M7 counts in the pair accuracy, so that an answer waits for its ratings."""
    return rules.scoring.weights[_M7] > 0


WIDEST: Final = 10.0
"""Largest distance of the human interval's ends from 100, in per cent."""
_FULL: Final = 100.0


def of_corpus(item_id: str, text: str, meta: Mapping[str, Any], markups: Mapping[int, Markup]) -> FromCorpus:
    """Return a document as an essay; a reference has its author's number, never the author's name in the corpus."""
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
