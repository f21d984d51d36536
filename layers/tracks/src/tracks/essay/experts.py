"""Experts' markups and ratings: validated, graded, compared, made references, and their agreement (R 7.10, R-App1).

Agreement is pair accuracy, Krippendorff's alpha on codes, and drift from partners, with 95 % intervals.

Only the two independent markups of an essay count: a third expert has seen the others'. A pair's accuracy on an essay
is the mean of both directions, since M is not symmetric (R-App1). For alpha a unit is a matched pair of fragments with
its two codes, or an unmatched fragment with its code and ∅ (platform §5); every unit so has two values, and

    alpha = 1 − (disagreements / units) / ((n² − Σ n_c²) / (n · (n − 1))),   n = 2 · units, n_c values equal to c

which is what the library ``krippendorff`` gives for nominal data. Intervals resample essays (markup-scoring §4).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from markup_core.accuracy import score_pair
from markup_core.bootstrap import MIN_ESSAYS, bounded_mean_interval, ends, resampled_sums, scale
from markup_core.criteria import max_total, total
from markup_core.interrater import third_expert as rule
from markup_core.metrics import QUESTIONS
from markup_core.model import Markup, fold
from markup_core.reading.validation import load
from markup_core.reading.wire import MalformedInput, decode
from markup_core.receipt import sha256_hex
from tracks.capabilities import Agreed, ArchiveRules, Judged
from tracks.essay.items import EssayParameters, hand_out
from tracks.fields import of_json, reason
from tracks.protocol import Json, Reason, Text

_PUBLISHED: Final = (
    *("id", "startSelection", "endSelection", "type", "subtype", "group"),
    *("comment", "explanation", "correction", "tag"),
)
"""Fields of a fragment that are the contest's."""


def third_expert(first: Json, second: Json, rules: EssayParameters) -> tuple[Reason, ...]:
    """The rule of markup-scoring §6 on two valid markups of one essay, with its reasons.

    Clause: platform §5 third, R 7.10
    """
    one, other = (load(each, classifier=rules.classifier) for each in (first, second))
    return tuple(Reason(each.code, each.message, {}) for each in rule(one, other).reasons)


ARCHIVE: Final = ArchiveRules(
    about=Text(
        "Everything by which anybody can recompute the results of this final (R 7.14): the essays, the experts' "
        "markups, the markups that the participants' programs sent, what became of every file of every team, the "
        "record of the run and the board.",
        "Всё, по чему каждый может пересчитать результаты Финальных испытаний (п. 7.14): эссе, экспертные разметки, "
        "разметки программ участников, судьба каждого файла каждой команды, протокол прогона и лидерборд.",
    ),
    left_out=(
        Text(
            "The participants' programs: they are their teams' own (R 7.14).",
            "Программы участников: они остаются интеллектуальной собственностью команд (п. 7.14).",
        ),
        Text(
            "Names of people and machines, and whatever a markup carried beyond the contest's fields.",
            "Имена людей и машин, а также всё, что было в разметке сверх полей, предусмотренных конкурсом.",
        ),
    ),
    answers="markups",
)
"""What the archive of an essay contest's final has.

Clause: R 7.14
"""


def archived(item: Json, markup: Json, file_id: str, expert: str | None = None) -> Json:
    """A markup as everybody may have it: the essay as it was handed out, the fragments with the contest's own fields,
    the expert's pseudonym; nothing else of what its maker or their machine wrote into it.

    Clause: R 7.14
    """
    shown = hand_out(item, file_id)
    meta = shown["meta"] if expert is None else {**shown["meta"], "expert": expert}
    selections = [{name: each[name] for name in _PUBLISHED if name in each} for each in markup["selections"]]
    return {**shown, "meta": meta, "selections": selections}


ABSENT: Final = "∅"
"""The code that an expert gives where it has no fragment."""
_COLUMNS: Final = 8
"""Columns resampled at once: what bounds the memory."""

Units = Counter[tuple[str, str]]
"""How often which two codes met; the first expert's comes first."""


def pair(first: Json, second: Json, rules: EssayParameters) -> dict[str, Json]:
    """What agreement is told from, of the two markups of one essay; small enough to be kept with the essay."""
    one, other = (load(each, classifier=rules.classifier) for each in (first, second))
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


def agreement(found: Sequence[Agreed], seed: int) -> dict[str, Json]:
    """Agreement over all essays, by pair of experts, subject and code, and each expert's drift from its partners.

    Undefined numbers are None; nothing has an interval below three essays. O(essays · units), and as many resamplings
    as there are groups.

    Clause: platform §5 progress
    """
    rows = sorted(found, key=lambda each: each.item.item_id)
    return {
        "all": _measures(rows, seed),
        "by_subject": {name: _measures(part, seed) for name, part in _by(rows, lambda each: each.item.group)},
        "by_pair": [
            {"experts": list(names), **_measures(part, seed)}
            for names, part in _by(rows, lambda each: tuple(sorted(each.experts)))
        ],
        "by_code": [
            each for subject, part in _by(rows, lambda row: row.item.group) for each in _by_code(subject, part, seed)
        ],
        "by_expert": [_drift(name, rows, seed) for name in sorted({name for each in rows for name in each.experts})],
    }


def alpha(units: Units) -> float | None:
    """Krippendorff's alpha for nominal codes; None where only one code, or none, was ever given."""
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


def alpha_interval(essays: Sequence[Units], seed: int) -> tuple[float, float] | None:
    """Interval of alpha over resampled essays; undefined for fewer than three. Resamples without an alpha are left out.

    Clause: platform §5 progress
    """
    if len(essays) < MIN_ESSAYS:
        return None
    values = sorted({code for units in essays for codes in units for code in codes})
    columns = [[float(units.total()) for units in essays], [float(_differing(units)) for units in essays]]
    columns += [[float(_given(units, value)) for units in essays] for value in values]
    total_, differing, *given = _resampled(columns, seed)
    found = (_alpha(total_[place], differing[place], [each[place] for each in given]) for place in range(len(total_)))
    return ends([each for each in found if each is not None])


def _code(of: Markup, index: int) -> str:
    return fold(of.fragments[index].code)


def _by(rows: Sequence[Agreed], key: Callable[[Agreed], Any]) -> list[tuple[Any, list[Agreed]]]:
    groups: dict[Any, list[Agreed]] = {}
    for each in rows:
        groups.setdefault(key(each), []).append(each)
    return sorted(groups.items())


def _measures(rows: Sequence[Agreed], seed: int) -> dict[str, Json]:
    accuracies = [each for each in map(_accuracy, rows) if each is not None]
    units = [_units(each) for each in rows]
    return {
        "essays": len(rows),
        "accuracy": _mean(accuracies),
        "accuracy_95": _listed(bounded_mean_interval(accuracies, 0.0, 100.0, seed)),
        "alpha": alpha(sum(units, Counter())),
        "alpha_95": _listed(alpha_interval(units, seed)),
    }


def _by_code(subject: str, rows: Sequence[Agreed], seed: int) -> Iterable[dict[str, Json]]:
    """Agreement on each code of a subject against all other codes and ∅ together."""
    essays = [_units(each) for each in rows]
    for code in sorted({code for units in essays for codes in units for code in codes} - {ABSENT}):
        told = [_against(code, units) for units in essays]
        whole: Units = sum(told, Counter())
        both = whole[code, code]
        yield {
            "subject": subject,
            "code": code,
            "units": both + whole[code, ABSENT] + whole[ABSENT, code],
            "agreed": both,
            "alpha": alpha(whole),
            "alpha_95": _listed(alpha_interval(told, seed)),
        }


def _against(code: str, units: Units) -> Units:
    made: Units = Counter()
    for (one, other), count in units.items():
        made[code if one == code else ABSENT, code if other == code else ABSENT] += count
    return made


def _drift(name: str, rows: Sequence[Agreed], seed: int) -> dict[str, Json]:
    """What sets an expert apart from its partners on the same essays: strictness, thoroughness, agreement."""
    own = [(each, each.experts.index(name)) for each in rows if name in each.experts]
    accuracies = [accuracy for each, _ in own if (accuracy := _accuracy(each)) is not None]
    points = [
        100.0 * (each.pair["points"][place] - each.pair["points"][1 - place]) / each.pair["max"]
        for each, place in own
        if each.pair["max"]
    ]
    fragments = [float(each.pair["fragments"][place] - each.pair["fragments"][1 - place]) for each, place in own]
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


def _accuracy(of: Agreed) -> float | None:
    there, back = of.pair["accuracy"]
    return None if there is None or back is None else (there + back) / 2


def _units(of: Agreed) -> Units:
    return Counter({(one, other): count for one, other, count in of.pair["units"]})


def _differing(units: Units) -> int:
    return sum(count for (one, other), count in units.items() if one != other)


def _given(units: Units, value: str) -> int:
    return sum(count * ((one == value) + (other == value)) for (one, other), count in units.items())


def _alpha(units: int, differing: int, given: Sequence[int]) -> float | None:
    """Alpha from whole numbers; None where no disagreement is to be expected."""
    n = 2 * units
    expected = n * n - sum(each * each for each in given)
    return None if not expected else 1.0 - 2.0 * differing * (n - 1) / expected


def _resampled(columns: Sequence[Sequence[float]], seed: int) -> list[list[int]]:
    """Sums of whole numbers over resampled essays; the resampling takes numbers up to 100."""
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
    """The fragments that have an explanation, by their ids as ratings name them."""
    return {str(each["id"]): each for each in answer["selections"] if each.get("explanation", "").strip()}


def cards(item: Json, answer: Json, file_id: str) -> Json:
    """The essay with what is to be rated: each explanation with its fragment and code, and nothing of who made it.

    The order is drawn by the name under which the rater knows the essay, so that it differs from rater to rater. None
    where nothing is to be rated.
    """
    shown = [{"fragment": name, **{key: each[key] for key in _SHOWN}} for name, each in explained(answer).items()]
    if not shown:
        return None
    shown.sort(key=lambda card: sha256_hex(f"{file_id}\0{card['fragment']}".encode()))
    return {**hand_out(item, file_id), "cards": shown, "questions": QUESTIONS}


def judge_ratings(answer: Json, body: bytes, rules: EssayParameters) -> Judged:
    """Judge a rater's draft ``{"ratings": {fragment: [yes or no × 5]}}``; valid when every explanation has its five.

    Clause: R-App1 M7
    """
    try:
        raw = decode(body, rules.limits)
    except MalformedInput as error:
        return Judged((of_json(error),))
    given = raw.get("ratings") if isinstance(raw, dict) else None
    if not isinstance(given, dict):
        said = ("the draft must be an object with ratings", "нужен объект с полем ratings")
        return Judged((reason("no_ratings", "ratings", *said),))
    known = explained(answer)
    faults = [_unknown(name) for name in given if name not in known]
    faults += [_unanswered(name) for name in known if not _is_answered(given.get(name))]
    if faults:
        return Judged(tuple(faults))
    return Judged((), (), {name: [bool(each) for each in given[name]] for name in sorted(known)})


def weigh(rules: EssayParameters) -> bool:
    """Whether M7 counts in the pair accuracy, so that an answer waits for its ratings."""
    return rules.scoring.weights[_M7] > 0


def _is_answered(found: Json) -> bool:
    return isinstance(found, list) and len(found) == QUESTIONS and all(each in (0, 1) for each in found)


def _unknown(name: str) -> Reason:
    shown = json.dumps(name[:40], ensure_ascii=False)
    en, ru = f"no explanation has the fragment {shown}", f"нет пояснения у фрагмента {shown}"
    return reason("unknown_explanation", f"ratings.{name[:40]}", en, ru)


def _unanswered(name: str) -> Reason:
    en = f"the explanation of fragment {name} needs {QUESTIONS} answers, each yes or no"
    ru = f"пояснению фрагмента {name} нужны ответы на вопросы, да или нет: {QUESTIONS}"
    return reason("not_rated", f"ratings.{name}", en, ru)
