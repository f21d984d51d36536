"""A cycle's folder on this machine: checked and compared by the code that loads it, or made of another tool's corpus.

``contest cycle create --from`` makes a corpus of another tool a cycle's folder, which is checked at once. Gamma (Mathet
et al. 2015) of its texts is measured by pygamma-agreement, from the extra ``gamma``. The readers of corpora are
loaded for a corpus alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from contest.adapters.system import SystemClock
from contest.commands.shell import caution, complaint, faults_counted, show_faults, speak
from contest.cycle import file, loading
from contest.cycle.commands import folders
from contest.cycle.commands.folders import Folder, Form
from contest.cycle.parameters import describe_cycle as described_cycle
from contest.cycle.rules import notices as notice_rules
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Parameters
from contest.cycle.rules.notices import FieldChange, changes
from contest.cycle.set_files import Progress, read_head
from contest.platform import Memory, Platform
from contest.refusals import Fault
from contest.texts import CATALOGUE, say
from contest.values import Millis
from markup_core.lazy import dataclass
from markup_core.texts import in_language, localized, number
from markup_core.texts import language as spoken_language
from tracks import registry
from tracks.protocol import Reason
from tracks.rules import Occasion

if TYPE_CHECKING:
    from contest.cycle.from_corpus import CorpusCycle
    from markup_core.formats.foreign import Codes
    from markup_core.formats.gathering import Corpus
    from markup_core.model import Markup


@dataclass
class _Nothing:
    """Storage without a deployment: it accepts everything and keeps only the manifests."""

    objects: dict[str, bytes] = field(default_factory=dict)

    def put_if_absent(self, name: str, content: bytes) -> None:
        if "/manifests/" in name:
            self.objects[name] = content

    def put_all_if_absent(self, objects: Mapping[str, bytes], stored: Callable[[str], None]) -> None:
        for name, content in objects.items():
            self.put_if_absent(name, content)
            stored(name)

    def cycle(self, _: Cycle | None = None) -> Cycle | None:
        return None

    def publish(self, *_: Any) -> None:
        """Accept a publication and notify nobody."""

    def of_mode(self, *_: Any) -> Sequence[str]:
        return ()


class _Offline:
    """The ports that loading needs, without a deployment."""

    def __init__(self) -> None:
        self.blobs = self.catalogue = self.runs = _Nothing()
        self.clock = SystemClock()
        self.tracks = staticmethod(registry.get)
        self.memory = Memory()


@dataclass(frozen=True, slots=True)
class Checked:
    """A folder as it would be loaded; ``manifests`` by set: the rows of its items."""

    cycle: Cycle
    parameters: Parameters
    warnings: tuple[Fault, ...]
    manifests: dict[str, list[list[Any]]]

    @property
    def loaded_at(self) -> Millis:
        """Moment of the check by this machine's clock."""
        return self.cycle.loaded_at


# Clause: platform §7 create
def check(folder: Path, progress: Progress) -> tuple[Checked | None, tuple[Fault, ...]]:
    """Check a folder as ``contest cycle load`` does: None exactly when there are faults, all of them."""
    platform = _Offline()
    source = Folder(folder)
    _, head, faults = read_head(source)
    if faults:
        return None, tuple(faults)
    try:
        named = head.get("cycle") if isinstance(head, dict) else None
        loaded = loading.load_cycle(cast(Platform, platform), "", str(named), source, progress)
    except loading.CycleFaultsError as error:
        return None, error.faults
    stored = {name.rpartition("/")[2].removesuffix(".json"): raw for name, raw in platform.blobs.objects.items()}
    manifests = {essay_set.name: json.loads(stored[essay_set.manifest])["items"] for essay_set in loaded.cycle.sets}
    return Checked(loaded.cycle, loaded.parameters, loaded.warnings, manifests), ()


@dataclass(frozen=True, slots=True)
class SetChange:
    """A set with the ids of its items that differ."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between a folder and the running cycle, and the warnings of applying them now."""

    fields: tuple[FieldChange, ...]
    sets: tuple[SetChange, ...]
    warnings: tuple[Reason, ...]


def compared(
    running: Mapping[str, Any],
    items: Mapping[str, Sequence[Sequence[Any]]],
    folder: Checked,
    finals: Sequence[Millis],
    now: Millis,
) -> Comparison:
    """Compare a folder with the running cycle's description and the rows of its sets' items; ``finals``: their starts.

    O(fields + items).
    """
    ours = described_cycle(folder.cycle, folder.parameters)
    fields = tuple(
        change
        for change in changes(_differences(running), _differences(ours))
        if not change.field.endswith(".manifest")
    )
    sets = []
    for name in sorted({*items, *folder.manifests}):
        both = (items.get(name, ()), folder.manifests.get(name, ()))
        old, new = ({row[0]: list(row) for row in rows} for rows in both)
        added, removed = sorted({*new} - {*old}), sorted({*old} - {*new})
        changed = sorted(item for item in {*old} & {*new} if old[item] != new[item])
        if added or removed or changed:
            sets.append(SetChange(name, tuple(added), tuple(removed), tuple(changed)))
    return Comparison(fields, tuple(sets), tuple(_warnings(running, folder, fields, finals, now)))


def _differences(description: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in description.items() if name not in {"loaded_at", "server_time"}}


def _warnings(
    running: Mapping[str, Any], folder: Checked, fields: Sequence[FieldChange], finals: Sequence[Millis], now: Millis
) -> Iterator[Reason]:
    cycle = folder.cycle
    terms = notice_rules.of_cycle(cycle, registry.get(cycle.track).notice_periods())
    kinds = {kind.value for kind in OPEN_TO_ALL}
    open_sets = [
        {name: essay_set["manifest"] for name, essay_set in description["sets"].items() if essay_set["kind"] in kinds}
        for description in (running, described_cycle(cycle, folder.parameters))
    ]
    if open_sets[0] != open_sets[1]:
        yield from notice_rules.of_change(terms, Occasion.SETS, now, finals)
    if any(change.field == "known_clients" for change in fields):
        yield from notice_rules.of_change(terms, Occasion.MODULES, now, finals)
    if any(change.field.startswith("parameters.") for change in fields):
        yield from notice_rules.of_parameters(terms, now, now, finals)


def described() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """List the platform's parameters with their schemas; those of a part by path, as ``final.interval_s``."""
    schema = file.schema()

    def below(path: str, part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, parameter in part.get("properties", {}).items():
            whole = {**_followed(schema, parameter), **parameter}
            yield path + name, whole
            yield from below(f"{path}{name}.", whole)

    return below("", _followed(schema, schema["properties"]["parameters"]))


def parameters(language: str) -> str:
    """Return remarks on the parameters, one line each, indented as under ``parameters:``."""
    lines = []
    for path, parameter in described():
        *parts, name = path.split(".")
        words = in_language(CATALOGUE.word("parameter", parameter["description"]), language)
        lines.append(f"#{'  ' * (len(parts) + 1)}{name}:{_value(parameter)} {words}")
    return "\n".join(lines)


def notices(track: str, language: str) -> str:
    """Return the contest's own notice periods with their clauses, one line each; one line where it has none."""
    periods = registry.get(track).notice_periods()
    none, days, working = ("нет", "дн.", "раб. дн.") if language == "ru" else ("none", "days", "working days")
    lines = [
        f"#   {period.occasion.value}: {period.days} {working if period.working else days} ({period.clause})"
        for period in periods
    ]
    return "\n".join(lines or [f"#   {none}"])


def _value(parameter: Mapping[str, Any]) -> str:
    """Format a parameter's default and its limits: `` 900 (1…86400).``"""
    value = f" {json.dumps(parameter['default'])}" if "default" in parameter and parameter["default"] != {} else ""
    limits = (
        f" ({parameter['minimum']}…{parameter['maximum']})" if "minimum" in parameter and "maximum" in parameter else ""
    )
    without = " —" if value or limits else ""
    return f"{value}{limits}{without}"


def _followed(schema: Mapping[str, Any], parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in parameter:
        parameter = schema["$defs"][parameter["$ref"].rpartition("/")[2]]
    return parameter


_MOST_ROWS: Final = 12
"""Most rows of a table of agreement; `markup-core agree` on a set's folder prints the rest."""


@dataclass(frozen=True, slots=True)
class CorpusExport:
    """Hold the values of ``--from`` and of the options beside it."""

    paths: Sequence[Path]
    shares: str
    seed: int | None
    codes: Path | None
    has_gamma: bool = False


def create_from_corpus(
    folder: Path,
    track: str,
    name: str,
    titles: Mapping[str, str],
    more: Mapping[str, Any],
    form: Form,
    export: CorpusExport,
) -> Path:
    """Write a cycle's folder of an export, print what it consists of and how annotators agree; return its file's path.

    ``more``: languages, which may be none, and stages. Raises click.ClickException where the export makes no cycle that
    can be loaded.
    """
    from contest.cycle import from_corpus
    from contest.cycle.from_corpus import CorpusError, CorpusOrder
    from markup_core.extras import LABEL_SET
    from markup_core.formats.gathering import in_one_line, summary

    corpus, codes = _read_corpus(export)
    (language, groups), *others = (more["languages"] or {from_corpus.LANGUAGE: [LABEL_SET]}).items()
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
    for file_name, content in cycle.files:
        (folder / file_name).write_bytes(content)
    _show_corpus(cycle)
    if export.has_gamma:
        value, texts = mean_gamma(cycle.compared, cycle.seed)
        written_value = "—" if value is None else number(value, 4)
        speak("gamma: {value}, the mean of {texts} texts", value=written_value, texts=texts)
    for loss in corpus_summary.losses:
        caution(say("not taken over: {loss}", loss=loss.text(spoken_language())))
    if corpus_summary.unread:
        caution(say("not read: {listed}", listed=", ".join(map(in_one_line, corpus_summary.unread[:_MOST_ROWS]))))
    _, faults = check(folder, lambda _: None)
    if faults:
        show_faults(faults)
        raise click.ClickException(faults_counted(len(faults)))
    return place


def _read_corpus(export: CorpusExport) -> tuple[Corpus, Codes]:
    """Return the corpus and the codes of its labels; a missing package is reported before anything is read."""
    from markup_core.command.conversion import read_codes, read_paths
    from markup_core.command.inputs import UnreadableError
    from markup_core.extras import ExtraNeededError, require

    try:
        if export.has_gamma:
            require("gamma")
        return read_paths(export.paths), read_codes(export.codes)
    except UnreadableError as error:
        raise click.ClickException(error.text(spoken_language())) from None
    except ExtraNeededError as error:
        raise click.ClickException(localized(error.text)) from None


def _show_corpus(cycle: CorpusCycle) -> None:
    """Print sets, experts, labels, agreement and the judgement on the barrier."""
    from contest.cycle import from_corpus
    from markup_core.command.views import agreement_summary, agreement_tables

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
    import numpy

    from markup_core.extras import needed

    pygamma, segments = needed("pygamma_agreement", "gamma"), needed("pyannote.core", "gamma")
    numpy.random.seed((_SEED + seed) % _MOST_SEEDS)
    logging.disable(logging.WARNING)  # it warns of a missing solver, at least once per text
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
    from markup_core.comparable import fold

    continuum = pygamma.Continuum()
    for annotator, markup in enumerate(markups, 1):
        for fragment in markup.fragments:
            if not fragment.is_full_text:
                continuum.add(str(annotator), segments.Segment(fragment.start, fragment.end), fold(fragment.code))
    return continuum
