"""A cycle made of an annotated corpus: its label set, its sets, its experts, and how far these agree.

The set of a document is decided only by a hash of the seed and of its text: documents that are added later move no
other one, and a text never stands in two sets. **Decision**: a text with fewer annotators than a hidden set needs goes
to the training set, with every document that has the same text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, Final
from unicodedata import normalize

from contest.cycle.rules.sets import NOTHING_DECIDED, Decided, NewCycle, drawn_at, fingerprint
from contest.cycle.rules.sets import set_of as placed_in
from contest.cycle.set_files import Contest, Source, value_of
from contest.refusals import Fault
from contest.stored_names import CYCLE_FILE
from contest.texts import tr
from contest.values import canonical
from markup_core.command.views import agreement_summary
from markup_core.extras import LABEL_SET
from markup_core.formats.corpus import Document, Imported, expert_numbers, markups
from markup_core.formats.foreign import NO_CODES, Codes, FormatError, LabelSet, Wanted, directed, label_set
from markup_core.formats.gathering import (
    Choice,
    Corpus,
    choices,
    imported,
    in_one_line,
    is_hidden,
    read_corpus,
    sentence_of,
    summary,
    total,
)
from markup_core.interrater import Agreement, agreement
from markup_core.lazy import dataclass
from markup_core.metrics import usual_weights
from markup_core.model import Markup
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.rounding import fixed
from markup_core.texts import LANGUAGES
from tracks.capabilities import MadeOfCorpora, PeopleMeasured, ReadsOwnFiles
from tracks.protocol import Text, Track

LANGUAGE: Final = "und"
"""Language of a corpus without a stated language: undetermined (ISO 639)."""
SHARES: Final[Mapping[str, Fraction]] = {"train": Fraction(3, 5), "test": Fraction(1, 5), "final": Fraction(1, 5)}
MOST_DOCUMENTS: Final = 50_000
MOST_COMPARED: Final = 20
"""Largest number of texts for the measures that cost seconds per text."""
_MOST_EXPERTS: Final = 99
_MOST_SEEDS: Final = 1000
_HIDDEN: Final = ("test", "final")
_KINDS: Final = {"train": "training", "test": "test", "final": "final"}
_UNSAFE: Final = re.compile(r"""[/\\:*?"<>|\x00-\x1f]|(?<=_)exp(?=\d\d$)|^\.""")
_LONGEST: Final = 64
_BYTES: Final = 8
_MOST_LABELS: Final = 12
"""Largest number of labels whose counts a sentence lists."""


class CorpusError(Exception):
    """A corpus of which no cycle can be made; ``fault`` says why and what to do, in both languages."""

    def __init__(self, code: str, message: Text, file: str = "") -> None:
        super().__init__(message.en)
        self.fault = Fault(code, file, message)


@dataclass(frozen=True, slots=True)
class CorpusOrder:
    """Hold the organizer's decisions: language and label set of the corpus, shares of the sets, the division's seed.

    Without a seed it is the first that leaves no set empty.
    """

    language: str = LANGUAGE
    subject: str = LABEL_SET
    shares: Mapping[str, Fraction] = field(default_factory=lambda: SHARES)
    seed: int | None = None
    codes: Codes = field(default_factory=lambda: NO_CODES)


@dataclass(frozen=True, slots=True)
class CorpusCycle:
    """A cycle of a corpus; ``files`` yields the sets' files, each with its path in the cycle's folder, once.

    ``people`` has the judgement on each hidden set whose board has a barrier.
    """

    classifier: Any
    languages: Mapping[str, Sequence[str]]
    sets: Mapping[str, int]
    seed: int
    labels: LabelSet
    experts: Mapping[int, str]
    agreement: Agreement
    people: Mapping[str, PeopleMeasured]
    consequences: tuple[Text, ...]
    compared: Sequence[Sequence[Markup]]
    """Annotations by independent annotators, of the texts that come first by the division's hash."""
    files: Iterator[tuple[str, bytes]]

    @property
    def kinds(self) -> dict[str, str]:
        """Return the kinds of the sets by their names, as a cycle's file has them."""
        return {name: _KINDS[name] for name in self.sets}


def read_shares(text: str) -> dict[str, Fraction]:
    """Read shares of train, test and final in per cent, as in ``60/20/20``; raises CorpusError.

    A share of 0 leaves its set out, and so does one that is not named.
    """
    parts = text.split("/")
    try:
        shares = dict(zip(_KINDS, map(Fraction, parts), strict=False))
    except (ValueError, ZeroDivisionError):
        shares = {}
    if len(parts) > len(_KINDS) or sum(shares.values()) != 100 or min(shares.values()) < 0:
        message = tr("the shares of train, test and final are numbers from 0 that make 100, as in 60/20/20")
        raise CorpusError("invalid_shares", message)
    return {name: share / 100 for name, share in shares.items() if share}


def cycle_of(documents: Sequence[Document], track: Track, order: CorpusOrder) -> CorpusCycle:
    """Return the cycle that a corpus makes; raises CorpusError for one that makes none.

    Two scorings a couple of annotators; everything else is linear in the texts and annotations.
    """
    if not isinstance(track, MadeOfCorpora):
        message = tr("sets of the track {track} are not made of annotations; fill their folders", track=track.name)
        raise CorpusError("track_without_corpora", message)
    if len(documents) > MOST_DOCUMENTS:
        message = tr("{count} documents, at most {most}", count=len(documents), most=MOST_DOCUMENTS)
        raise CorpusError("too_many_documents", message)
    offered, documents = len(documents), [document for document in documents if document.text.strip()]
    try:
        labels = label_set(documents, order.subject, order.codes)
        classifier = Classifier.from_dict(labels.to_dict())
        vocabulary = Wanted(classifier, order.subject, {"": None, **order.codes})
        numbers = _numbers(documents)
        marked = [_markups(document, vocabulary, numbers) for document in documents]
    except FormatError as error:
        raise CorpusError("unreadable_corpus", _both(error)) from None
    if track.needs_corrections and not any(code.get("correction") for code in labels.codes):
        message = tr(
            "no annotation has a correction, and the track {track} is made of corrections: each would be a word to "
            "delete; for labelled spans take --track essay",
            track=track.name,
        )
        raise CorpusError("no_corrections", message)
    independent = [sum(not layer.is_curated for layer in document.layers) for document in documents]
    places, seed, moved = _divided(documents, independent, track.least_annotators, order)
    weights = usual_weights(classifier, [order.subject])
    of_annotators = {number for (_, is_curated), number in numbers.items() if not is_curated}
    agreed = agreement(
        ([markup_of.get(number) for number in sorted(of_annotators)] for markup_of in marked),
        ScoringParams(weights=weights),
    )
    languages = {order.language: [order.subject]}
    own = track.corpus_classifier(labels.to_dict())
    parameters, _ = track.read_parameters({"classifier": own, "languages": languages})
    people: dict[str, PeopleMeasured] = {}
    for name in (name for name in _HIDDEN if name in places):
        measured = track.people_measured([list(marked[place].values()) for place in places[name]], parameters, seed)
        people |= {} if measured is None else {name: measured}
    drawn = sorted(range(len(documents)), key=lambda place: drawn_at(fingerprint(documents[place].text), seed))
    apart = ([markup for number, markup in marked[place].items() if number in of_annotators] for place in drawn)
    return CorpusCycle(
        classifier=own,
        languages=languages,
        sets={name: len(listed) for name, listed in places.items()},
        seed=seed,
        labels=labels,
        experts={number: name for (name, _), number in numbers.items()},
        agreement=agreed,
        people=people,
        compared=list(islice((listed for listed in apart if len(listed) > 1), MOST_COMPARED)),
        consequences=tuple(_consequences(documents, numbers, moved, offered - len(documents), labels)),
        files=_files(documents, marked, places, track, (order.language, order.subject)),
    )


def _both(error: FormatError) -> Text:
    return error.text if isinstance(error.text, Text) else Text(str(error), str(error))


def _numbers(documents: Sequence[Document]) -> dict[tuple[str, bool], int]:
    numbers = expert_numbers(documents, as_experts=True)
    if max(numbers.values(), default=0) > _MOST_EXPERTS:
        message = tr(
            "{count} annotators, at most {most}; give their files as one annotator's, or leave some out",
            count=len(numbers),
            most=_MOST_EXPERTS,
        )
        raise CorpusError("too_many_annotators", message)
    return numbers


def _markups(document: Document, vocabulary: Wanted, numbers: Mapping[tuple[str, bool], int]) -> dict[int, Markup]:
    """Return the markups of a document's annotators by their numbers in the whole corpus."""
    imported = markups([document], vocabulary, as_experts=True)
    experts = (numbers[layer.annotator, layer.is_curated] for layer in document.layers)
    return {number: one.markup for number, one in sorted(zip(experts, imported, strict=True), key=lambda pair: pair[0])}


def _divided(
    documents: Sequence[Document], annotators: Sequence[int], least: int, order: CorpusOrder
) -> tuple[dict[str, list[int]], int, int]:
    """Return the places of documents by set, the seed, and how many had too few annotators for a hidden set."""
    by_text: defaultdict[bytes, list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        by_text[fingerprint(document.text)].append(place)
    open_texts = {text for text, places in by_text.items() if min(annotators[place] for place in places) < least}
    hidden = [name for name in order.shares if name in _HIDDEN]
    moved = sum(len(by_text[text]) for text in open_texts) if hidden else 0
    if hidden and len(open_texts) == len(by_text):
        message = tr(
            "no text has {least} annotators, which the sets {sets} need, for people are measured by each other: add a "
            "second annotator's files, or make a training set alone: --split 100",
            least=least,
            sets=", ".join(hidden),
        )
        raise CorpusError("one_annotator", message)
    if open_texts and "train" not in order.shares:
        message = tr(
            "{count} documents have fewer than {least} annotators and can stand in a training set alone: give it a "
            "share, as in --split 60/20/20",
            count=moved,
            least=least,
        )
        raise CorpusError("no_training_set", message)

    def placed(seed: int) -> dict[str, list[int]]:
        sets: dict[str, list[int]] = {name: [] for name in order.shares}
        for text, places in by_text.items():
            sets["train" if text in open_texts else placed_in(text, order.shares, seed)] += places
        return sets

    seeds = range(_MOST_SEEDS) if order.seed is None else [order.seed]
    for seed in seeds:
        if all((sets := placed(seed)).values()):
            return {name: sorted(places) for name, places in sets.items()}, seed, moved
    if order.seed is None:
        message = tr("{count} texts are too few for these sets; take other shares", count=len(by_text))
        raise CorpusError("too_few_texts", message)
    empty = ", ".join(name for name, places in placed(order.seed).items() if not places)
    message = tr(
        "with the seed {seed} nothing falls into {sets}; take another seed, or leave --seed out",
        seed=order.seed,
        sets=empty,
    )
    raise CorpusError("empty_set", message)


def _consequences(
    documents: Sequence[Document], numbers: Mapping[tuple[str, bool], int], moved: int, empty: int, labels: LabelSet
) -> Iterator[Text]:
    """Yield the consequences of missing and of repeated parts of the corpus."""
    if empty:
        yield tr("documents without a text are left out: {count}", count=empty)
    if moved:
        yield tr("{count} documents have too few annotators for a hidden set and go to the training set", count=moved)
    if curated := sum(any(layer.is_curated for layer in document.layers) for document in documents):
        yield tr("{count} documents are curated: the curated annotation is the third expert's there", count=curated)
    elif len(numbers) == 2:
        yield tr("nobody has decided where the two annotators differ: a program is right by the nearer one")
    yield from labels.remarks()


def _files(
    documents: Sequence[Document],
    marked: Sequence[Mapping[int, Markup]],
    places: Mapping[str, Sequence[int]],
    track: MadeOfCorpora,
    where: tuple[str, str],
) -> Iterator[tuple[str, bytes]]:
    names = _item_ids([document.name for document in documents])
    for set_name, listed in places.items():
        for place in listed:
            document, name = documents[place], names[place]
            imported_item = track.of_corpus(name, document.text, document.meta, where, marked[place])
            yield f"{set_name}/{name}.json", canonical(imported_item.item)
            for number, reference in imported_item.references.items():
                yield f"{set_name}/{name}_exp{number:02}.json", canonical(reference)


def _item_ids(names: Sequence[str]) -> list[str]:
    """Return ids that every system can keep as files' names, no two alike, none like an expert's file."""
    ids: list[str] = []
    used: set[str] = set()
    for name in names:
        plain = _UNSAFE.sub("-", normalize("NFC", name))[:_LONGEST].strip() or "-"
        number, item_id = 1, plain
        while item_id.casefold() in used:
            number += 1
            item_id = f"{plain[: _LONGEST - _BYTES]}-{number}"
        used.add(item_id.casefold())
        ids.append(item_id)
    return ids


def shape_of(cycle: CorpusCycle) -> Iterator[Text]:
    """Yield the sentences about a cycle's sets, experts and labels."""
    sizes = ", ".join(f"{name} {size}" for name, size in cycle.sets.items())
    yield tr("sets, in documents: {sizes}; divided with --seed {seed}", sizes=sizes, seed=cycle.seed)
    experts = ", ".join(f"{number:02} = {in_one_line(name) or '?'}" for number, name in sorted(cycle.experts.items()))
    yield tr("experts: {experts}", experts=experts)
    labels = ", ".join(
        f"{in_one_line(name)} {times}" for name, times in list(cycle.labels.times.items())[:_MOST_LABELS]
    )
    count = len(cycle.labels.codes)
    yield tr("labels ({count}): {labels}; complete their names in the cycle's file", count=count, labels=labels)


def judgements_of(cycle: CorpusCycle) -> Iterator[tuple[Text, bool]]:
    """Yield judgements on the corpus, and on the sense of a barrier, each with True for a caution."""
    for consequence in cycle.consequences:
        yield consequence, True
    for name, people in cycle.people.items():
        accuracy, blank = _percent(people.accuracy), _percent(people.blank)
        if people.interval is None:
            sentence = tr(
                "{set}: people agree to {accuracy} %; a program that marks nothing would come to {blank} % of the "
                "barrier",
                set=name,
                accuracy=accuracy,
                blank=blank,
            )
        else:
            low, high = map(_percent, people.interval)
            sentence = tr(
                "{set}: people agree to {accuracy} %; on other texts they would come to {low} … {high} % of the "
                "barrier, a program that marks nothing to {blank} %",
                set=name,
                accuracy=accuracy,
                low=low,
                high=high,
                blank=blank,
            )
        yield sentence, False
        if not people.reasons:
            yield tr("{set}: a barrier means something here, by the rule of the human interval", set=name), False
        for reason in people.reasons:
            yield tr("{set}: no barrier means anything: {reason}", set=name, reason=reason.message), True


def _percent(value: float | None) -> Text:
    english = "—" if value is None else fixed(value, 1)
    return Text(english, english.replace(".", ","))


def folder_of(source: Source, track: Track, wanted: NewCycle, deployed: str) -> CorpusSet:
    """Return the folder of the cycle ``deployed`` that an export makes, as the command writes it.

    Raises CorpusError for an export that cannot be read or makes no cycle. Linear in the bytes.
    """
    try:
        corpus = _corpus_of(source)
    except FormatError as error:
        raise CorpusError("unreadable_corpus", _both(error)) from None
    if not corpus.documents:
        raise CorpusError("unreadable_corpus", tr("there is no file of a format that is read"))
    _, codes = _hints(source)
    order = CorpusOrder(wanted.language, wanted.subject, read_shares(wanted.split), wanted.seed, codes)
    cycle = cycle_of(corpus.documents, track, order)
    head = {
        "cycle": deployed,
        "name": wanted.name,
        "track": track.name,
        "languages": cycle.languages,
        "classifier": cycle.classifier,
        "sets": {name: {"kind": kind} for name, kind in cycle.kinds.items()},
    }
    agreed = cycle.agreement.to_dict()
    sentences = [*shape_of(cycle)]
    if cycle.agreement.couples:
        sentences.append(Text(*(agreement_summary(agreed, language) for language in LANGUAGES)))
    sentences += [sentence for sentence, _ in judgements_of(cycle)]
    notices = (*_coming(corpus, ()), *(Fault("coming", "", sentence) for sentence in sentences))
    return CorpusSet({CYCLE_FILE: canonical(head), **dict(cycle.files)}, notices)


def _corpus_of(source: Source) -> Corpus:
    names = [name for name in source.everything() if name != HINTS and not is_hidden(name)]
    return read_corpus({name: partial(source.read, name) for name in names})


LARGEST_EXPORT: Final = 32 * 1024 * 1024
"""Largest file of another tool in an import of a set, in bytes: a whole project may be one file."""
HINTS: Final = "import.json"
"""File beside an export with the facts that cannot be derived: ``{"subject": "rus", "codes": {"PER": "Г.упр"}}``."""


@dataclass(frozen=True, slots=True)
class CorpusSet:
    """Files of a set made of another tool's export, and sentences about imported and left-out parts of the export.

    ``choices`` is not empty where labels or the subject are still to be decided; then there are no files.
    """

    files: Mapping[str, bytes]
    told: tuple[Fault, ...]
    choices: tuple[Choice, ...] = ()


def takes_exports(track: Track) -> bool:
    """Return whether exports of annotation tools become sets of a track, which has no other files of its own."""
    return isinstance(track, MadeOfCorpora) and not isinstance(track, ReadsOwnFiles)


def set_of(source: Source, contest: Contest, decided: Decided = NOTHING_DECIDED) -> CorpusSet | None:
    """Return the set that an export makes; None for files in the platform's form alone.

    Labels become codes of the cycle's classifier by what is ``decided``, and by the file of hints beside the export.
    Raises CorpusError for an export that cannot be read. Linear in the bytes.
    """
    track = contest.track
    if not isinstance(track, MadeOfCorpora) or not takes_exports(track):
        return None
    try:
        corpus = _corpus_of(source)
        if not corpus.documents:
            return None
        hinted_subject, hinted_codes = _hints(source)
        subject, codes = decided.subject or hinted_subject, {**hinted_codes, **decided.codes}
        classifier = Classifier.from_dict(track.classifier(contest.parameters))
        groups = [(language, group) for language, listed in contest.languages.items() for group in listed]
        vocabulary = Wanted(
            classifier, subject or (groups[0][1] if len(groups) == 1 else ""), directed(codes, classifier)
        )
        open_choices = choices(corpus, vocabulary, [group for _, group in groups])
        if len(open_choices) > 1 or any(choice.labels for choice in open_choices):
            return CorpusSet({}, tuple(_coming(corpus, ())), tuple(open_choices))
        imported_markups = imported(corpus, vocabulary, as_experts=True)
    except FormatError as error:
        hint = tr("{error} (in an import, {file} beside the files has them)", error=_both(error), file=HINTS)
        raise CorpusError("unreadable_corpus", hint) from None
    remaining = iter(imported_markups)
    languages = {group: language for language, group in groups}
    files: dict[str, bytes] = {}
    for name, document in zip(
        _item_ids([document.name for document in corpus.documents]), corpus.documents, strict=True
    ):
        of_it = [next(remaining) for _ in document.layers]
        group = of_it[0].markup.subject if of_it else ""
        markup_of = {one.expert: one.markup for one in of_it}
        imported_item = track.of_corpus(
            name, document.text, document.meta, (languages.get(group, ""), group), markup_of
        )
        files[f"{name}.json"] = canonical(imported_item.item)
        files |= {f"{name}_exp{number:02}.json": canonical(one) for number, one in imported_item.references.items()}
    return CorpusSet(files, tuple(_coming(corpus, imported_markups)))


def _coming(corpus: Corpus, imported_markups: Sequence[Imported]) -> Iterator[Fault]:
    corpus_summary = summary(corpus, as_experts=True)
    listed = ", ".join(f"{label} {count}" for label, count in corpus_summary.labels.items())
    losses = total(one.losses for one in imported_markups) or corpus_summary.losses
    sentences = [*corpus_summary.sentences(), tr("labels: {listed}", listed=listed or "—")]
    for sentence in [*sentences, *([sentence_of(losses)] if losses else [])]:
        yield Fault("coming", "", sentence)


def _hints(source: Source) -> tuple[str, Codes]:
    """Return the subject and the codes of labels that stand beside an export; none without the file."""
    if HINTS not in source.names(""):
        return "", NO_CODES
    value, faults = value_of(HINTS, source.read(HINTS))
    subject, codes = (value.get("subject", ""), value.get("codes", {})) if isinstance(value, dict) else (None, None)
    are_codes = isinstance(codes, dict) and all(code is None or isinstance(code, str) for code in codes.values())
    if faults or not isinstance(subject, str) or not are_codes or not isinstance(codes, dict):
        form = tr('{file}: {{"subject": "…", "codes": {{"LABEL": "CODE"}}}} is expected', file=HINTS)
        raise CorpusError("unreadable_corpus", faults[0].message if faults else form, HINTS)
    return subject, codes
