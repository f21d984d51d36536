"""The command ``markup-core``: its arguments, its exit codes, and its handling of errors (markup-scoring §8).

Exit codes: 0 done and nothing to object to; 1 done, and something was found (errors in a markup, a record that does
not agree); 2 could not be done (usage, an input that cannot be read or scored); 130 interrupted; 141 the reader of
the output went away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from markup_core.extras import FORMATS, LABEL_SET, TARGETS, ExtraNeededError, __version__
from markup_core.texts import (
    LANGUAGES,
    RU,
    asked_for,
    columns,
    drop_output,
    in_language,
    language,
    lost_output,
    of_environment,
    speaking,
    word,
)


def speak_russian(parser: argparse.ArgumentParser) -> None:
    """Translate the texts of a parser and of its commands' parsers into Russian."""
    parser.description = _russian(parser.description)
    for group in parser._action_groups:
        group.title = _russian(group.title)
    for action in parser._actions:
        action.help = _russian(action.help)
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                choice.help = _russian(choice.help)
            for own in action.choices.values():
                speak_russian(own)


def _russian(text: str | None) -> str | None:
    return None if text is None else word("help", text).ru


if TYPE_CHECKING:
    from pathlib import Path

    from markup_core.command.console import Console

    # a generic class to type checkers alone
    Names = argparse._SubParsersAction[argparse.ArgumentParser]


def _path(name: str) -> Path:
    from pathlib import Path  # help is shown without it

    return Path(name)


PICTURES: Final = ("whiskers", "systems", "agreement", "experts", "errors")
_UNUSABLE: Final = 2
_INTERRUPTED: Final = 130
_NO_READER: Final = 141
_MOST_FAULTS: Final = 20
"""Most faults listed, the rest being counted; ``validate`` lists all of a file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; raises SystemExit only for argparse's own errors and help."""
    argv = sys.argv[1:] if arguments is None else list(arguments)
    with speaking(asked_for(argv, of_environment())):
        return _run(argv)


def _run(arguments: list[str]) -> int:
    parser = build_parser(arguments[0] if arguments and arguments[0] in _ADDING else "")
    if language() == RU:
        speak_russian(parser)
    options = parser.parse_args(arguments)
    # Help and usage are shown without what only work needs.
    from markup_core.command.console import Console
    from markup_core.command.inputs import UnreadableError

    console = Console.standard(getattr(options, "lang", language()))
    try:
        code: int = _command_of(options.run)(options, console)
        console.out.flush()
    except (UnreadableError, ExtraNeededError, ValueError) as error:  # the library's own refusals are ValueErrors
        _explain(error, console)
        return _UNUSABLE
    except BrokenPipeError:
        drop_output()
        return _NO_READER
    except OSError as error:
        console.complain(f"markup-core: {in_language(lost_output(error), console.language)}")
        return _UNUSABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _command_of(name: str) -> Callable[[argparse.Namespace, Console], int]:
    """Load the module of this command alone, and return the command."""
    homes = {"classifier": "conversion", "codes": "console", "convert": "conversion"}
    command: Callable[[argparse.Namespace, Console], int] = getattr(
        import_module(f"markup_core.command.{homes.get(name, 'commands')}"), name
    )
    return command


def _explain(error: Exception, console: Console) -> None:
    from markup_core.command.inputs import RefusedError, UnreadableError

    if isinstance(error, (UnreadableError, RefusedError)):
        sentence = error.text(console.language)
    else:
        sentence = in_language(error.args[0], console.language) if error.args else str(error)
    console.complain(f"markup-core: {sentence}")
    if isinstance(error, RefusedError) and error.code == "invalid_markup":
        for fault in error.details[1:_MOST_FAULTS]:
            console.complain(f"  {fault['input']}: {in_language(fault['message'], console.language)}")
        if len(error.details) > _MOST_FAULTS:
            console.complain(console.sentence("more", count=len(error.details) - _MOST_FAULTS))


# Clause: MS §8 command, R 4.2.2, platform §6 markup_core
def build_parser(only: str = "") -> argparse.ArgumentParser:
    """Build the whole grammar of the command line, or that of one command."""
    parser = argparse.ArgumentParser(
        prog="markup-core",
        description="Check, convert, grade and compare markups of essays.",
        allow_abbrev=False,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"markup_core {__version__}")
    names = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, add in _ADDING.items():
        if only in (name, ""):
            add(names)
    return parser


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse would load shutil to ask for it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns(80) - 2)


def _command(names: Names, name: str, summary: str) -> argparse.ArgumentParser:
    parser = names.add_parser(name, help=summary, description=summary, allow_abbrev=False, formatter_class=_Help)
    parser.set_defaults(run=name)
    parser.add_argument("--classifier", type=_path, metavar="FILE", help="another classifier than the contest's own")
    return parser


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs instead of a table")
    _add_language(parser)


def _add_frames(parser: argparse.ArgumentParser, output: str = "write all tables into this folder") -> None:
    parser.add_argument("--format", choices=FORMATS, help="tables for other programs; on standard output the first one")
    parser.add_argument("-o", "--output", type=_path, metavar="FOLDER", help=output)


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default=language(), help="the language; the system's without it")


def _add_params(parser: argparse.ArgumentParser, title: str = "parameters of the scoring") -> None:
    group = parser.add_argument_group(title)
    help_text = "a JSON object, or the platform's answer of /v1/cycle; the options below win over it"
    group.add_argument("--params", type=_path, metavar="FILE", help=help_text)
    group.add_argument("--weights", metavar="W1,…,W7", help="seven weights; by default 1,2,1,1,1,1,0")
    group.add_argument("--hardness", type=float, metavar="H", help="from 0 (default) to 1")
    group.add_argument("--separate-groups", action="store_true", default=None, help="never match a block to an error")
    group.add_argument("--paraphrase", metavar="JUDGE", help="how comments are compared; by default: default")


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--answers", type=_path, metavar="FOLDER", help="take the ID.json files from here instead")
    parser.add_argument("--seed", type=int, default=None, help="of the resampling; by default the library's own")


def _add_against(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against", type=_path, metavar="FOLDER", help="a second program's ID.json files: paired tests"
    )


def _add_codes(names: Names) -> None:
    parser = _command(names, "codes", "List the codes of a subject, or of all, with what each stands for.")
    parser.add_argument("subject", nargs="?", metavar="SUBJECT", help="rus, hist …; by default all")
    parser.add_argument("--markdown", action="store_true", help="print a page in Markdown instead of tables")
    _add_output(parser)


def _add_validate(names: Names) -> None:
    parser = _command(names, "validate", "List everything that is wrong with markups; exit code 1 if there are errors.")
    parser.add_argument("files", nargs="+", type=_path, metavar="FILE", help=".json, or .txt in the notation")
    parser.add_argument(
        "--essay", type=_path, metavar="FILE", help="the essay (.json) whose text the markups must have"
    )
    _add_output(parser)


def _add_convert(names: Names) -> None:
    summary = "Turn markups from one format into another; what the other does not carry is told on standard error."
    parser = _command(names, "convert", summary)
    parser.add_argument("files", nargs="+", type=_path, metavar="SOURCE", help="a file, a folder, or a zip of them")
    parser.add_argument("--to", dest="target", choices=TARGETS, help="by default json; notation for a markup in JSON")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="by default what the file looks like")
    parser.add_argument(
        "--as-experts", action="store_true", help="write ID_exp01 … also for annotators whom nothing names"
    )
    parser.add_argument("--subject", help="the subject of files that do not name it")
    parser.add_argument("--codes", type=_path, metavar="FILE", help="a JSON object: the code, or null, for each label")
    parser.add_argument(
        "-o", "--output", type=_path, metavar="FILE|FOLDER", help="where to write; by default standard output"
    )
    _add_language(parser)


def _add_classifier(names: Names) -> None:
    summary = "Make a classifier of the labels of a corpus, as another tool has annotated it."
    parser = names.add_parser(
        "classifier", help=summary, description=summary, allow_abbrev=False, formatter_class=_Help
    )
    parser = parser.add_subparsers(title="commands", metavar="COMMAND", required=True).add_parser(
        "from", help=summary, description=summary, allow_abbrev=False
    )
    parser.set_defaults(run="classifier")
    parser.add_argument("files", nargs="+", type=_path, metavar="SOURCE", help="a file, a folder, or a zip of them")
    parser.add_argument("--subject", default=LABEL_SET, help="what the label set is called; by default labels")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="by default what the file looks like")
    parser.add_argument("--codes", type=_path, metavar="FILE", help="a JSON object: the code, or null, for each label")
    parser.add_argument("-o", "--output", type=_path, metavar="FILE", help="where to write; by default standard output")
    _add_language(parser)


def _add_grade(names: Names) -> None:
    parser = _command(names, "grade", "Count the criteria K1, K2 … of markups and explain each.")
    parser.add_argument("files", nargs="+", type=_path, metavar="FILE")
    _add_output(parser)


def _add_match(names: Names) -> None:
    parser = _command(names, "match", "Show which fragments of two markups of one essay correspond.")
    parser.add_argument("x", type=_path, metavar="X")
    parser.add_argument("y", type=_path, metavar="Y")
    _add_output(parser)
    _add_frames(parser)
    _add_params(parser)


def _add_compare(names: Names) -> None:
    summary = "Measure markup X against Y (M1–M7, pair accuracy), or a folder of essays (STAR, STER, OTAR)."
    parser = _command(names, "compare", summary)
    parser.add_argument(
        "x", type=_path, metavar="X|FOLDER", help="a markup, or a folder of ID.json and ID_exp01.json …"
    )
    parser.add_argument("y", type=_path, metavar="Y", nargs="?")
    parser.add_argument("--x-is-expert", action="store_true", help="X is an expert's: its explanations count 100 %%")
    parser.add_argument("--ratings", type=_path, metavar="FILE", help="ratings of X's explanations, for M7")
    _add_sample(parser)
    _add_against(parser)
    _add_output(parser)
    _add_frames(parser)
    _add_params(parser)


def _add_report(names: Names) -> None:
    parser = _command(names, "report", "Write the report of a folder as one Markdown file, or its tables.")
    parser.add_argument("folder", type=_path, metavar="FOLDER", help="ID.json and ID_exp01.json, ID_exp02.json …")
    _add_frames(parser, "the file of the report, or the folder of the tables; by default standard output")
    _add_sample(parser)
    _add_language(parser)
    _add_params(parser)


def _add_agree(names: Names) -> None:
    parser = _command(names, "agree", "Show how far the experts of a folder agree, among themselves and code by code.")
    parser.add_argument("folder", type=_path, metavar="FOLDER", help="ID_exp01.json, ID_exp02.json …")
    _add_output(parser)
    _add_frames(parser)
    _add_params(parser)


def _add_plot(names: Names) -> None:
    parser = _command(names, "plot", "Draw the results of a folder as a picture, in SVG or PNG.")
    parser.add_argument("kind", choices=PICTURES, help="the picture")
    parser.add_argument("folder", type=_path, metavar="FOLDER", help="ID.json and ID_exp01.json, ID_exp02.json …")
    parser.add_argument("-o", "--output", type=_path, metavar="FILE", help="where to write; by default standard output")
    _add_sample(parser)
    _add_against(parser)
    _add_language(parser)
    _add_params(parser)


def _add_verify(names: Names) -> None:
    summary = "Recompute a score record and compare every number and the fingerprint; exit code 1 if one differs."
    parser = _command(names, "verify", summary)
    parser.add_argument("record", type=_path, metavar="RECORD")
    parser.add_argument("--answer", type=_path, metavar="FILE", help="the markup, where the record does not hold it")
    parser.add_argument("--references", type=_path, nargs="+", default=(), metavar="FILE", help="the experts' markups")
    parser.add_argument(
        "--ratings", type=_path, metavar="FILE", help="ratings of the markup's explanations, if they count"
    )
    _add_output(parser)
    _add_params(parser, "parameters that the record has to be made with; by default those that it names")


def _add_batch(names: Names) -> None:
    summary = "Answer requests, one JSON object per line, from standard input to standard output."
    parser = _command(names, "batch", summary)
    parser.add_argument(
        "--jobs",
        default="1",
        metavar="N",
        help="processes that answer, 1 to 64, in the order of the lines; by default 1",
    )


_ADDING: Final[Mapping[str, Callable[[Names], object]]] = {
    "codes": _add_codes,
    "validate": _add_validate,
    "convert": _add_convert,
    "classifier": _add_classifier,
    "grade": _add_grade,
    "match": _add_match,
    "compare": _add_compare,
    "report": _add_report,
    "agree": _add_agree,
    "plot": _add_plot,
    "verify": _add_verify,
    "batch": _add_batch,
}

if __name__ == "__main__":
    sys.exit(main())
