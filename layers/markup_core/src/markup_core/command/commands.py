"""The commands: read files, call the operations, show the result as a table or as JSON, or as a picture."""

from __future__ import annotations

import gc
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markup_core.bootstrap import DEFAULT_SEED
from markup_core.command import views
from markup_core.command.console import Console, caption, check_format, deliver, deliver_frames
from markup_core.command.inputs import EssayFiles, UnreadableError, find_essays, read_classifier, read_json, read_markup
from markup_core.command.operations import Answer, Inputs, answer, encode, judge, sample, systems
from markup_core.command.operations import agree as agreed
from markup_core.command.views import markdown_report, sample_tables
from markup_core.extras import require
from markup_core.texts import tr

if TYPE_CHECKING:
    from markup_core.charts import Numbers, Picture
    from markup_core.frames import Frame
    from markup_core.sample import Systems

_FOUND: Final = 1
_CONTAINERS: Final = 50_000
"""Lists and objects from which on cycles are looked for: a request has none, and more containers than Python's 700."""
_BUFFER: Final = 1 << 16
"""Bytes of standard input that are read at once: the capacity of a pipe."""


def validate(options: Namespace, console: Console) -> int:
    """List the faults of every file; 1 if one has an error."""
    classifier = read_classifier(options.classifier)
    essay_text = None
    if options.essay is not None:
        essay = read_markup(options.essay)
        essay_text = essay.get("text") if isinstance(essay, dict) else None
        if not isinstance(essay_text, str):
            raise UnreadableError(tr("{file}: there is no essay, which has a text", file=options.essay))
    wrong = False
    for path in options.files:
        markup = read_markup(path)
        judged = judge(markup, classifier, essay_text)
        wrong = wrong or bool(judged.result["errors"])
        if options.json:
            views.record(console, "validate", {"markup": str(path), "essay": _path_text(options.essay)}, judged)
        else:
            views.faults(console, path, markup, judged.result)
    return _FOUND if wrong else 0


def grade(options: Namespace, console: Console) -> int:
    """Print the criteria of every file."""
    classifier = read_classifier(options.classifier)
    for path in options.files:
        graded = answer("grade", {"markup": read_markup(path)}, classifier, {"markup": str(path)})
        if options.json:
            views.record(console, "grade", {"markup": str(path)}, graded)
        else:
            views.grade(console, path, graded.result)
    return 0


def match(options: Namespace, console: Console) -> int:
    """Print the correspondence of two markups."""
    names = {"x": str(options.x), "y": str(options.y)}
    x, y = read_markup(options.x), read_markup(options.y)
    check_format(options)
    matching = answer("match", {"x": x, "y": y, "params": _params(options)}, read_classifier(options.classifier), names)
    if options.format:
        from markup_core import frames  # here and below: tables alone need it

        deliver_frames(options, console, frames.of_matching(x, y, matching.result, matching.fingerprint))
    elif options.json:
        views.record(console, "match", names, matching)
    else:
        views.matching(console, x, y, matching.result)
    return 0


def compare(options: Namespace, console: Console) -> int:
    """Print the metrics of a pair, or the accuracies of a folder."""
    check_format(options)
    if options.x.is_dir():
        if options.y is not None or options.ratings is not None or options.x_is_expert:
            raise UnreadableError(
                tr("{folder} is a folder; Y, --ratings and --x-is-expert are for two markups", folder=options.x)
            )
        return _compare_folder(options, console) if options.against is None else _compare_systems(options, console)
    if options.y is None:
        raise UnreadableError(tr("{file} is no folder; a second markup is needed", file=options.x))
    if options.answers is not None or options.against is not None or options.seed is not None:
        raise UnreadableError(tr("--answers, --against and --seed are for a folder"))
    return _compare_pair(options, console)


def report(options: Namespace, console: Console) -> int:
    """Write a folder's report in Markdown, or its tables."""
    check_format(options, tables_alone=False)
    essays, scored, inputs = scored_folder(options.folder, options, console)
    if options.format:
        deliver_frames(options, console, sample_frames(essays, scored, inputs))
        return 0
    deliver(console, options.output, markdown_report(scored, essays, console.language).encode("utf-8"))
    return 0


def agree(options: Namespace, console: Console) -> int:
    """Print how the experts of a folder agree, each with the others."""
    check_format(options)
    agreement, inputs = agreement_of(experts_of(options.folder), options, console)
    if options.format:
        from markup_core import frames

        deliver_frames(options, console, frames.of_agreement(agreement.result, agreement.fingerprint))
        return 0
    if options.json:
        views.record(console, "agreement", inputs, agreement)
        return 0
    console.line(f"{views.agreement_summary(agreement.result, console.language)}\n")
    for table in views.agreement_tables(agreement.result, console.language):
        console.line(table.as_text())
    return 0


class Raters(NamedTuple):
    """The markups of one essay that are to agree, with their raters' numbers."""

    essay: str
    markups: Sequence[Path]
    numbers: Sequence[int]


def experts_of(folder: Path) -> list[Raters]:
    """Return the experts of a folder's essays."""
    return [Raters(files.essay, files.experts, files.numbers) for files in find_essays(folder)]


def agreement_of(essays: Sequence[Raters], options: Namespace, console: Console) -> tuple[Answer, dict[str, Any]]:
    """Return the agreement of the raters of essays, and the inputs as a record names them."""
    if not any(len(raters.markups) > 1 for raters in essays):
        raise UnreadableError(
            tr("{folder}: nothing can be compared: no essay has the markups of two experts", folder=options.folder)
        )
    sources, named = [], []
    names: dict[str, str] = {}
    for place, raters in enumerate(essays):
        paths, numbers = list(map(str, raters.markups)), list(raters.numbers)
        sources.append({"experts": [read_markup(path) for path in raters.markups], "numbers": numbers})
        named.append({"experts": paths, "numbers": numbers})
        names |= {f"essays[{place}].experts[{k}]": path for k, path in enumerate(paths)}
        names[f"essays[{place}].numbers"] = raters.essay
    fields = {"essays": sources, "params": _params(options)}
    agreement = agreed(Inputs(fields, read_classifier(options.classifier), names=names), console.progress())
    return agreement, {"essays": named}


def verify(options: Namespace, console: Console) -> int:
    """Recompute a record and compare it to the last bit; 1 if anything differs."""
    from markup_core.command.loading import Named, verify_file  # no other command reads records

    classifier = read_classifier(options.classifier)
    named = Named(options.answer, tuple(options.references), options.ratings)
    # Without options the record is recomputed with the parameters that it names itself.
    pinned = None
    if options.params is not None or _scoring_options(options):
        from markup_core.params import ScoringParams

        pinned = ScoringParams.from_dict(_params(options))
    differences = verify_file(options.record, named, classifier, pinned)
    if options.json:
        console.data(encode({"verified": not differences, "differences": differences}) + b"\n")
    elif differences:
        console.line(console.sentence("differs", count=len(differences)))
        for difference in differences:
            console.line(f"  {difference}")
    else:
        console.line(console.sentence("verified"))
    return _FOUND if differences else 0


def batch(options: Namespace, console: Console) -> int:
    """Answer requests from standard input until it ends, by several processes if so asked."""
    from markup_core.command.batch import number_of_jobs, serve, serve_by_processes  # no other command needs them

    jobs, classifier = number_of_jobs(options.jobs), read_classifier(options.classifier)
    gc.set_threshold(_CONTAINERS)
    # Requests are longer than the usual buffer of 8 KiB. It stays open: a thread may wait in it at the end.
    requests = open(sys.stdin.fileno(), "rb", buffering=_BUFFER, closefd=False)  # noqa: SIM115
    if jobs == 1:
        serve(requests, console.out.buffer, classifier)
    else:
        chosen = [] if options.classifier is None else ["--classifier", str(options.classifier)]
        serve_by_processes(requests, console.out.buffer, chosen, jobs)
    return 0


def _params(options: Namespace) -> dict[str, Any]:
    params = {} if options.params is None else read_json(options.params)
    if not isinstance(params, dict):
        raise UnreadableError(tr("{file}: the parameters must be a JSON object", file=options.params))
    if params:
        from markup_core.command.loading import scoring_of

        params = scoring_of(params)
    return {**params, **_scoring_options(options)}


def _scoring_options(options: Namespace) -> dict[str, Any]:
    """Return the scoring parameters among the options."""
    fields = {name: getattr(options, name) for name in ("hardness", "separate_groups", "paraphrase")}
    if options.weights is not None:
        try:
            fields["weights"] = [float(weight) for weight in options.weights.split(",")]
        except ValueError:
            raise UnreadableError(
                tr("--weights: seven numbers with commas are expected, not {weights}", weights=options.weights)
            ) from None
    return {name: value for name, value in fields.items() if value is not None}


def scored_folder(
    folder: Path, options: Namespace, console: Console
) -> tuple[tuple[EssayFiles, ...], Answer, dict[str, Any]]:
    """Return the essays of a folder, their sample's answer, and the inputs as a record names them."""
    essays = find_essays(folder, options.answers)
    if not any(len(files.experts) + (files.algorithm is not None) > 1 for files in essays if files.experts):
        raise UnreadableError(
            tr(
                "{folder}: nothing can be compared: no essay has an expert's markup (ID_exp01.json) with a "
                "program's (ID.json) or a second expert's beside it",
                folder=folder,
            )
        )
    sources, named, names = [], [], {}
    for number, files in enumerate(essays):
        algorithm = None if files.algorithm is None else read_markup(files.algorithm)
        sources.append({"algorithm": algorithm, "experts": [read_markup(path) for path in files.experts]})
        experts = [str(path) for path in files.experts]
        named.append({"algorithm": _path_text(files.algorithm), "experts": experts})
        names[f"essays[{number}].algorithm"] = str(files.algorithm)
        names |= {f"essays[{number}].experts[{k}]": path for k, path in enumerate(experts)}
    seed = DEFAULT_SEED if options.seed is None else options.seed
    fields = {"essays": sources, "seed": seed, "params": _params(options)}
    scored = sample(Inputs(fields, read_classifier(options.classifier), names=names), console.progress())
    _hint(console, essays, scored)
    return essays, scored, {"essays": named, "seed": seed}


def _compare_folder(options: Namespace, console: Console) -> int:
    essays, scored, inputs = scored_folder(options.x, options, console)
    if options.format:
        deliver_frames(options, console, sample_frames(essays, scored, inputs))
    elif options.json:
        views.record(console, "sample", inputs, scored)
    else:
        for table in sample_tables(scored, essays, console.language):
            console.line(table.as_text())
    return 0


def sample_frames(essays: Sequence[EssayFiles], scored: Answer, inputs: dict[str, Any]) -> dict[str, Frame]:
    """Return the tables of a folder's scores."""
    from markup_core import frames

    return frames.of_sample(scored.result, scored.fingerprint, inputs["seed"], [files.essay for files in essays])


def _compare_systems(options: Namespace, console: Console) -> int:
    compared, inputs = compared_systems(options.x, options, console, by_scipy=not options.json)
    if options.format:
        deliver_frames(options, console, {"differences": compared.to_frame()})
    elif options.json:
        views.record(console, "systems", inputs, Answer(compared.to_dict(), compared.fingerprint or {}))
    else:
        console.line(views.systems_table(compared, console.language).as_text())
    if compared.scipy is None and not options.json:
        console.complain(console.sentence("no_scipy"))
    return 0


def compared_systems(
    folder: Path, options: Namespace, console: Console, *, by_scipy: bool
) -> tuple[Systems, dict[str, Any]]:
    """Compare two programs' answers to the essays of a folder; return the inputs as a record names them, too."""
    own, others = find_essays(folder, options.answers), find_essays(folder, options.against)
    if not any(one.algorithm and other.algorithm and one.experts for one, other in zip(own, others, strict=True)):
        raise UnreadableError(
            tr(
                "{folder}: the programs cannot be compared: no essay of an expert has both programs' markups (ID.json)",
                folder=folder,
            )
        )
    sources: list[dict[str, Any]] = []
    named: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for number, (one, other) in enumerate(zip(own, others, strict=True)):
        paths = {"algorithm": one.algorithm, "other": other.algorithm}
        markups = {name: None if path is None else read_markup(path) for name, path in paths.items()}
        sources.append({**markups, "experts": [read_markup(path) for path in one.experts]})
        experts = [str(path) for path in one.experts]
        named.append({**{name: _path_text(path) for name, path in paths.items()}, "experts": experts})
        names |= {f"essays[{number}].{name}": str(path) for name, path in paths.items()}
        names |= {f"essays[{number}].experts[{k}]": path for k, path in enumerate(experts)}
    seed = DEFAULT_SEED if options.seed is None else options.seed
    fields = {"essays": sources, "seed": seed, "params": _params(options)}
    inputs = Inputs(fields, read_classifier(options.classifier), names=names)
    return systems(inputs, console.progress(), by_scipy=by_scipy), {"essays": named, "seed": seed}


def _compare_pair(options: Namespace, console: Console) -> int:
    paths = {"x": options.x, "y": options.y}
    fields = {name: read_markup(path) for name, path in paths.items()}
    ratings = None if options.ratings is None else read_json(options.ratings)
    inputs = {"x_is_expert": options.x_is_expert, "ratings": ratings}
    params, names = _params(options), {name: str(path) for name, path in paths.items()}
    classifier = read_classifier(options.classifier)
    scored = answer("pair", {**fields, **inputs, "params": params}, classifier, names)
    if options.json:
        named = {**names, "x_is_expert": options.x_is_expert, "ratings": _path_text(options.ratings)}
        views.record(console, "pair", named, scored)
        return 0
    matched = answer("match", {**fields, "params": params}, classifier, names)
    if options.format:
        from markup_core import frames

        metrics = frames.of_pair(scored.result, scored.fingerprint)
        tables = frames.of_matching(fields["x"], fields["y"], matched.result, matched.fingerprint)
        deliver_frames(options, console, {metrics.name: metrics, **tables})
        return 0
    views.metrics(console, scored.result)
    views.matching(console, fields["x"], fields["y"], matched.result)
    if scored.result["pair_accuracy"] is None and scored.result["metrics"]["M1"] is None:
        console.complain(console.sentence("no_m1", subject=fields["x"]["meta"].get("subject", "")))
    return 0


def _hint(console: Console, essays: Sequence[EssayFiles], scored: Answer) -> None:
    """Print on standard error why a number is missing, in the cases in which users are likely to ask."""
    if not any(files.algorithm for files in essays):
        console.complain(console.sentence("no_programs"))
    alone = [files.essay for files in essays if not files.experts]
    if alone:
        console.complain(console.sentence("no_experts", essays=", ".join(alone)))
    weighed = scored.fingerprint["parameters"]["weights"][0] > 0
    pairs = [pair for essay in scored.result["by_essay"] for pair in essay["pairs"]]
    ungraded = any(pair["metrics"]["M1"] is None for pair in pairs)
    if weighed and ungraded:
        from markup_core.criteria import FORMULAS

        subjects = [name for name in scored.result["by_subject"] if name not in FORMULAS]
        console.complain(console.sentence("no_m1", subject=", ".join(subjects)))


def _path_text(path: Path | None) -> str | None:
    return None if path is None else str(path)


_PNG: Final = ".png"
_SVG: Final = ".svg"
_PARTS: Final = ("agreed_part", "other_part", "missed_part", "added_part")


def plot(options: Namespace, console: Console) -> int:
    """Draw a picture of a folder."""
    suffix = _SVG if options.output is None else options.output.suffix.lower()
    if suffix not in (_SVG, _PNG):
        raise UnreadableError(tr("{file}: a picture is .svg or .png", file=options.output))
    if suffix == _PNG:
        require("pictures")
    if (options.against is not None) != (options.kind == "systems"):
        raise UnreadableError(tr("--against FOLDER names the second program of the picture systems, and of no other"))
    picture = _PICTURES[options.kind](options, console)
    deliver(console, options.output, picture.png() if suffix == _PNG else picture.svg.encode())
    return 0


def _draw_whiskers(options: Namespace, console: Console) -> Picture:
    from markup_core.charts import draw_accuracies

    essays, scored, inputs = scored_folder(options.folder, options, console)
    accuracies = sample_frames(essays, scored, inputs)["accuracies"]
    measure = "OTAR" if any(files.algorithm for files in essays) else "STER"
    title = console.sentence("whiskers", measure=measure)
    return draw_accuracies(accuracies, measure, title, _numbers(console))


def _draw_systems(options: Namespace, console: Console) -> Picture:
    from markup_core.charts import draw_differences

    compared, _ = compared_systems(options.folder, options, console, by_scipy=False)
    return draw_differences(compared.to_frame(), caption("systems", console.language), _numbers(console))


def _draw_agreement(options: Namespace, console: Console) -> Picture:
    from markup_core.charts import draw_confusion

    confusion = _agreement_table("confusion", experts_of(options.folder), options, console)
    return draw_confusion(confusion, caption("heat_map", console.language))


def _draw_experts(options: Namespace, console: Console) -> Picture:
    from markup_core.charts import draw_couples

    couples = _agreement_table("couples", experts_of(options.folder), options, console)
    return draw_couples(couples, caption("couples_map", console.language), _numbers(console))


def _draw_errors(options: Namespace, console: Console) -> Picture:
    """Draw the program against each expert, the expert as the reference."""
    from markup_core.charts import draw_error_types

    couples = [
        Raters(files.essay, (expert, files.algorithm), (1, 2))
        for files in find_essays(options.folder, options.answers)
        for expert in files.experts
        if files.algorithm is not None
    ]
    if not couples:
        raise UnreadableError(
            tr("{folder}: no essay has a program's markup (ID.json) and an expert's", folder=options.folder)
        )
    confusion = _agreement_table("confusion", couples, options, console)
    parts = [caption(name, console.language) for name in _PARTS]
    return draw_error_types(confusion, caption("error_types", console.language), parts)


def _agreement_table(name: str, couples: Sequence[Raters], options: Namespace, console: Console) -> Frame:
    from markup_core import frames  # which few commands need

    agreement, _ = agreement_of(couples, options, console)
    return frames.of_agreement(agreement.result, agreement.fingerprint)[name]


def _numbers(console: Console) -> Numbers:
    from markup_core.charts import Numbers

    return Numbers(sign="," if console.language == "ru" else ".")


_PICTURES: Final = {
    "whiskers": _draw_whiskers,
    "systems": _draw_systems,
    "agreement": _draw_agreement,
    "experts": _draw_experts,
    "errors": _draw_errors,
}
