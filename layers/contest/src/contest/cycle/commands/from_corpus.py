"""``contest cycle create --from``: a corpus of another tool becomes a cycle's folder, which is checked at once.

Gamma (Mathet et al. 2015) of its texts is measured by pygamma-agreement, which the extra ``gamma`` brings.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Final

import click
import numpy

from contest.commands.shell import caution, complaint, faults_counted, show_faults, speak
from contest.cycle import from_corpus
from contest.cycle.commands import folders, offline
from contest.cycle.commands.folders import Form
from contest.cycle.from_corpus import CorpusCycle, CorpusError, CorpusOrder
from contest.texts import say
from markup_core.command.conversion import read_codes, read_paths
from markup_core.command.inputs import UnreadableError
from markup_core.command.views import agreement_summary, agreement_tables
from markup_core.comparable import fold
from markup_core.extras import LABEL_SET, ExtraNeededError, needed, require
from markup_core.formats.foreign import Codes
from markup_core.formats.gathering import Corpus, in_one_line, summary
from markup_core.lazy import dataclass
from markup_core.model import Markup
from markup_core.texts import language as spoken_language
from markup_core.texts import localized, number
from tracks import registry

USUAL: Final = {from_corpus.LANGUAGE: [LABEL_SET]}
"""Language and label set of a corpus for which nobody names any."""
_MOST_ROWS: Final = 12
"""Rows of a table of agreement; the rest is in `markup-core agree` on a set's folder."""


@dataclass(frozen=True, slots=True)
class Export:
    """Hold the values of ``--from`` and of the options beside it."""

    paths: Sequence[Path]
    shares: str
    seed: int | None
    codes: Path | None
    has_gamma: bool = False


def create(
    folder: Path, track: str, name: str, titles: Mapping[str, str], more: Mapping[str, Any], form: Form, export: Export
) -> Path:
    """Write a cycle's folder of an export, print what it consists of and how annotators agree; return its file's path.

    ``more``: languages and stages. Raises click.ClickException where the export makes no cycle that can be loaded.
    """
    corpus, codes = _read(export)
    (language, groups), *others = more["languages"].items()
    if others or len(groups) != 1:
        raise complaint("a corpus has one language and one label set: --language en=ner")
    try:
        order = CorpusOrder(language, groups[0], from_corpus.read_shares(export.shares), export.seed, codes)
        cycle = from_corpus.cycle_of(corpus.documents, registry.get(track), order)
    except CorpusError as error:
        raise click.ClickException(localized(error.fault.message)) from None
    corpus_summary = summary(corpus, as_experts=True)
    for set_name in cycle.sets:
        if (folder / set_name).is_dir() and any((folder / set_name).iterdir()):
            raise complaint("{folder} is not empty; nothing was written", folder=folder / set_name)
    parts = {
        "languages": cycle.languages,
        "sets": cycle.kinds,
        "classifier": cycle.classifier,
        "stages": more["stages"],
    }
    place = folders.create(folder, track, name, titles, parts, form)
    for file, content in cycle.files:
        (folder / file).write_bytes(content)
    _show(cycle)
    if export.has_gamma:
        value, texts = mean_gamma(cycle.compared, cycle.seed)
        written_value = "—" if value is None else number(value, 4)
        speak("gamma: {value}, the mean of {texts} texts", value=written_value, texts=texts)
    for loss in corpus_summary.losses:
        caution(say("not taken over: {loss}", loss=loss.text(spoken_language())))
    if corpus_summary.unread:
        caution(say("not read: {listed}", listed=", ".join(map(in_one_line, corpus_summary.unread[:_MOST_ROWS]))))
    _, faults = offline.check(folder, lambda _: None)
    if faults:
        show_faults(faults)
        raise click.ClickException(faults_counted(len(faults)))
    return place


def _read(export: Export) -> tuple[Corpus, Codes]:
    """Return the corpus and the codes of its labels; a missing package is told before anything is read."""
    try:
        if export.has_gamma:
            require("gamma")
        return read_paths(export.paths), read_codes(export.codes)
    except UnreadableError as error:
        raise click.ClickException(error.text(spoken_language())) from None
    except ExtraNeededError as error:
        raise click.ClickException(localized(error.text)) from None


def _show(cycle: CorpusCycle) -> None:
    """Print sets, experts, labels, agreement and the judgement on the barrier."""
    for sentence in from_corpus.shape_of(cycle):
        click.echo(localized(sentence))
    result = cycle.agreement.to_dict()
    if cycle.agreement.couples:
        click.echo(f"\n{agreement_summary(result, spoken_language())}\n")
        shortened = {**result, **{name: result[name][:_MOST_ROWS] for name in ("couples", "codes")}}
        shortened["confusion"] = [row for row in result["confusion"] if row["reference"] != row["other"]][:_MOST_ROWS]
        for agreed in agreement_tables(shortened, spoken_language()):
            click.echo(agreed.as_text())
    for sentence, is_caution in from_corpus.judgements_of(cycle):
        (caution if is_caution else click.echo)(localized(sentence))


_SEED: Final = 2015
_MOST_SEEDS: Final = 1 << 32


def mean_gamma(texts: Sequence[Sequence[Markup]], seed: int) -> tuple[float | None, int]:
    """Return the mean of the texts' gammas and how many texts have one: those in which two annotators marked something.

    Expected disorder is drawn at random, so that another seed gives another number. Fragments about whole texts have no
    place and are left out. Seconds a text; raises ExtraNeededError where the package is not installed.
    """
    pygamma, segments = needed("pygamma_agreement", "gamma"), needed("pyannote.core", "gamma")
    numpy.random.seed((_SEED + seed) % _MOST_SEEDS)
    logging.disable(logging.WARNING)  # it tells of a solver that is not there, once a text and more
    try:
        dissimilarity = pygamma.CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1)
        continua = [_continuum(pygamma, segments, text) for text in texts]
        gammas = [
            float(continuum.compute_gamma(dissimilarity).gamma)
            for continuum in continua
            if continuum.num_annotators > 1
        ]
    finally:
        logging.disable(logging.NOTSET)
    return fsum(gammas) / len(gammas) if gammas else None, len(gammas)


def _continuum(pygamma: Any, segments: Any, markups: Sequence[Markup]) -> Any:
    continuum = pygamma.Continuum()
    for annotator, markup in enumerate(markups, 1):
        for fragment in markup.fragments:
            if not fragment.is_full_text:
                continuum.add(str(annotator), segments.Segment(fragment.start, fragment.end), fold(fragment.code))
    return continuum
