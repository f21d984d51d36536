"""Import a corpus: what would come in, and the markups that come in; one function for the command and the platform."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markup_core.formats.corpus import Imported, expert_numbers, markups
from markup_core.formats.foreign import FormatError, Loss, Tally
from markup_core.formats.gathering import Corpus
from markup_core.formats.labels import Wanted
from markup_core.reading.validation import InvalidMarkup, load
from markup_core.reading.wire import dump
from markup_core.texts import LANGUAGES, Text, in_language, tr

_MOST_NAMED: Final = 5


def in_one_line(name: str) -> str:
    """Return a foreign name as one line shows it: line ends and control characters escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in name)


def sentence_of(losses: Iterable[Loss]) -> Text:
    """Return losses as one sentence."""
    listed = list(losses)
    parts = Text(*("; ".join(loss.text(chosen) for loss in listed) for chosen in LANGUAGES))
    return tr("not carried: {losses}", losses=parts)


@dataclass(frozen=True, slots=True)
class Summary:
    """Count a corpus's files by format, documents, experts by annotator, spans by label, losses, unread files."""

    formats: dict[str, int]
    documents: int
    experts: dict[tuple[str, bool], int]
    """Is keyed by the annotator's name and by a flag of curated layers."""
    labels: dict[str, int]
    losses: tuple[Loss, ...]
    unread: tuple[str, ...]

    def sentences(self) -> list[Text]:
        """Return the summary but its losses as sentences: formats, annotators, unread files."""
        sentences = [tr("{format}: files: {files}", format=name, files=count) for name, count in self.formats.items()]
        if self.experts:
            curated, unnamed = tr("curated"), tr("unnamed")
            names = [
                (Text(in_one_line(name), in_one_line(name)) if name else curated if is_curated else unnamed, number)
                for (name, is_curated), number in self.experts.items()
            ]
            listed = Text(
                *(
                    ", ".join(f"{in_language(name, chosen)} = exp{number:02}" for name, number in names)
                    for chosen in LANGUAGES
                )
            )
            sentences.append(
                tr("documents: {documents}, annotators: {listed}", documents=self.documents, listed=listed)
            )
        if self.unread:
            listed = Text(
                *[
                    ", ".join(map(in_one_line, self.unread[:_MOST_NAMED]))
                    + (" …" if len(self.unread) > _MOST_NAMED else "")
                ]
                * 2
            )
            sentences.append(tr("of no format that is read: {count} ({listed})", count=len(self.unread), listed=listed))
        return sentences


@dataclass(frozen=True, slots=True)
class Choice:
    """List the labels that are no codes of a subject, with their counts, and the codes that they may stand for.

    An empty subject stands for those that the documents themselves name.
    """

    subject: str
    labels: dict[str, int]
    codes: tuple[str, ...]


def choices(corpus: Corpus, vocabulary: Wanted, subjects: Sequence[str]) -> list[Choice]:
    """Return what is to be decided before a corpus comes in, for each subject that it may have.

    Raises FormatError for labels that are said to stand for what is no code of any of these subjects. Linear in the
    spans.
    """
    classifier = vocabulary.classifier
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for document in corpus.documents:
        named = document.meta.get("subject")
        own = named if isinstance(named, str) and classifier.has_subject(named) else ""
        counts[own].update(span.label for layer in document.layers for span in layer.spans)
    sole = vocabulary.subject or classifier.sole_subject
    listed, refusals = [], []
    for subject in [sole] if sole else [""] if "" not in counts else subjects:
        unknown: Counter[str] = Counter()
        codes: dict[str, None] = {}
        try:
            for own, times in counts.items():
                labels = replace(vocabulary, subject=subject or own).labels()
                unknown.update({label: count for label, count in times.items() if not labels.has(label)})
                codes |= dict.fromkeys(code.code for code in classifier.codes(labels.subject))
        except FormatError as error:
            refusals.append(error)
            continue
        listed.append(Choice(subject, dict(unknown.most_common()), tuple(codes)))
    if not listed and refusals:
        raise refusals[0]
    return listed


def summary(corpus: Corpus, as_experts: bool = False) -> Summary:
    """Return what a corpus holds. ``as_experts`` makes an unnamed annotator an expert too."""
    layers = [layer for document in corpus.documents for layer in document.layers]
    labels = Counter(span.label for layer in layers for span in layer.spans)
    numbers = expert_numbers(corpus.documents, as_experts)
    losses = [document.losses for document in corpus.documents] + [layer.losses for layer in layers]
    return Summary(
        dict(corpus.formats),
        len(corpus.documents),
        numbers,
        dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
        total(losses),
        tuple(corpus.unread),
    )


def total(listed: Iterable[tuple[Loss, ...]]) -> tuple[Loss, ...]:
    """Return losses added up, each kind once."""
    tally = Tally()
    for losses in listed:
        tally.take(losses)
    return tally.losses()


def imported(corpus: Corpus, vocabulary: Wanted, as_experts: bool = False) -> list[Imported]:
    """Return the valid markups of a corpus. Raises FormatError for unknown labels and for an invalid markup."""
    listed = markups(corpus.documents, vocabulary, as_experts)
    for one in listed:
        try:
            load(dump(one.markup), classifier=vocabulary.classifier)
        except InvalidMarkup as error:
            raise FormatError(error.message, one.source) from None
    return listed
