"""``markup-core plot``: a folder's results as a picture, in SVG or PNG."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from markup_core import charts, frames
from markup_core.charts import Numbers, Picture
from markup_core.command import commands
from markup_core.command.console import Console, caption, deliver
from markup_core.command.folder import UnreadableError, find_essays
from markup_core.extras import require
from markup_core.texts import tr

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
    picture = _KINDS[options.kind](options, console)
    deliver(console, options.output, picture.png() if suffix == _PNG else picture.svg.encode())
    return 0


def _whiskers(options: Namespace, console: Console) -> Picture:
    essays, scored, inputs = commands.scored_folder(options.folder, options, console)
    accuracies = commands.sample_frames(essays, scored, inputs)["accuracies"]
    measure = "OTAR" if any(files.algorithm for files in essays) else "STER"
    title = console.sentence("whiskers", measure=measure)
    return charts.draw_accuracies(accuracies, measure, title, _numbers(console))


def _systems(options: Namespace, console: Console) -> Picture:
    compared, _ = commands.compared_systems(options.folder, options, console, by_scipy=False)
    return charts.draw_differences(compared.to_frame(), caption("systems", console.language), _numbers(console))


def _agreement(options: Namespace, console: Console) -> Picture:
    agreement, _ = commands.agreement_of(commands.experts_of(options.folder), options, console)
    confusion = frames.of_agreement(agreement.result, agreement.fingerprint)["confusion"]
    return charts.draw_confusion(confusion, caption("heat_map", console.language))


def _experts(options: Namespace, console: Console) -> Picture:
    agreement, _ = commands.agreement_of(commands.experts_of(options.folder), options, console)
    couples = frames.of_agreement(agreement.result, agreement.fingerprint)["couples"]
    return charts.draw_couples(couples, caption("couples_map", console.language), _numbers(console))


def _errors(options: Namespace, console: Console) -> Picture:
    """Draw the program against each expert, the expert as the reference."""
    couples = [
        commands.Raters(files.essay, (expert, files.algorithm), (1, 2))
        for files in find_essays(options.folder, options.answers)
        for expert in files.experts
        if files.algorithm is not None
    ]
    if not couples:
        raise UnreadableError(
            tr("{folder}: no essay has a program's markup (ID.json) and an expert's", folder=options.folder)
        )
    agreement, _ = commands.agreement_of(couples, options, console)
    confusion = frames.of_agreement(agreement.result, agreement.fingerprint)["confusion"]
    parts = [caption(name, console.language) for name in _PARTS]
    return charts.draw_error_types(confusion, caption("error_types", console.language), parts)


def _numbers(console: Console) -> Numbers:
    return Numbers(sign="," if console.language == "ru" else ".")


_KINDS: Final = {
    "whiskers": _whiskers,
    "systems": _systems,
    "agreement": _agreement,
    "experts": _experts,
    "errors": _errors,
}
