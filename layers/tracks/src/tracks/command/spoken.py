"""Commands of click whose help and complaints speak the language of ``--lang``.

click shows the English texts of the code. Their Russian translations are in the catalogue of the outermost group's
package, with the context "help", under the English text with single blanks.
"""

from __future__ import annotations

import copy
import importlib.util
import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import click

from markup_core import texts
from markup_core.command.inputs import RefusedError, UnreadableError
from markup_core.texts import RU, Catalogue, localized, prepare_streams
from tracks.texts import CATALOGUE, say

if TYPE_CHECKING:
    from importlib.abc import InspectLoader

FOUND: Final = 1
"""Exit code of a command that did its work and found faults."""
FILE: Final = click.Path(path_type=Path)
_KINDS: Final = frozenset(
    {
        "text",
        "integer",
        "integer range",
        "float",
        "float range",
        "moment",
        "seconds",
        "numbers",
        "language",
        "path",
        "file",
        "directory",
    }
)
"""Names of types that stand for an option's value, each with a Russian word."""


class FiniteRange(click.FloatRange):
    """Range of numbers without NaN, which is neither below nor above a bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """See click."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(say("{value} is not a finite number", value=value), param, ctx)
        return number


class SpokenCommand(click.Command):
    """A command whose help is looked up in its outermost group's catalogue."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's description."""
        russian = _russian(ctx, self.help)
        if russian is None:
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(russian)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line, in the command's language."""
        return [localized(CATALOGUE.word("click", piece)) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options with their texts, and a group's commands."""
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        records = [_spoken(option, ctx).get_help_record(ctx) for option in options]
        with formatter.section(say("Options")):
            formatter.write_dl([record for record in records if record is not None])
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - click's signature
        """Return the description before the first full stop or semicolon, never cut, for the list of commands."""
        # A shell that completes commands asks for their help outside of any context.
        ctx = click.get_current_context(silent=True)
        russian = None if ctx is None else _russian(ctx, self.help)
        text = one_line(self.help or "") if russian is None else russian
        return text.partition(". ")[0].partition(";")[0].removesuffix(".")


class SpokenGroup(SpokenCommand, click.Group):
    """A group of such commands; the outermost one carries the catalogue and decides the language."""

    command_class = SpokenCommand
    group_class: type[click.Group] | type[type] | None = type
    catalogue: Catalogue
    """Catalogue with the Russian help texts, if the group is the outermost one."""
    language: Callable[[], str] = staticmethod(texts.of_environment)
    """Function that returns the language if the command line names none."""
    unusable: ClassVar[int] = 1
    """Exit code where the output cannot be written."""

    def main(self, args: Sequence[str] | None = None, *arguments: Any, **settings: Any) -> Any:
        """Run the command in its language; explain an output that cannot be written."""
        prepare_streams()
        words = sys.argv[1:] if args is None else list(args)
        with texts.speaking(texts.asked_for(words, self.language())):
            try:
                return super().main(words, *arguments, **settings)
            except OSError as error:
                click.ClickException(localized(texts.lost_output(error))).show()
                sys.exit(self.unusable)
            except UnicodeEncodeError:
                broken = next((word for word in words if re.search("[\ud800-\udfff]", word)), None)
                if broken is None:
                    raise
                click.UsageError(say("the argument {word} is not UTF-8", word=broken)).show()
                sys.exit(click.UsageError.exit_code)


class LazyGroup(SpokenGroup):
    """A group that loads a command where it is called; the list of commands reads their docstrings alone."""

    lazy: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Module and function, ``package.module:function``, of each command by its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """See click."""
        return sorted({*self.commands, *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """See click."""
        if cmd_name in self.lazy and cmd_name not in self.commands:
            module, _, function = self.lazy[cmd_name].partition(":")
            self.add_command(getattr(importlib.import_module(module), function), cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See click."""
        unloaded = {name: SpokenCommand(name, help=_docstring(place)) for name, place in self.lazy.items()}
        SpokenGroup(commands={**unloaded, **self.commands}).format_commands(ctx, formatter)


def _docstring(place: str) -> str:
    """Return the docstring of a module's function without loading the module."""
    module, _, function = place.partition(":")
    spec = importlib.util.find_spec(module)
    loader = cast("InspectLoader", spec and spec.loader)
    _, _, behind = (loader.get_source(module) or "").partition(f"\ndef {function}(")
    return inspect.cleandoc(behind.split('"""', 2)[1])


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], SpokenCommand]:
    """Create a command that is added to a group afterwards."""
    return click.command(name, cls=SpokenCommand, **attributes)


def group(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], SpokenGroup]:
    """Create a group that is added to another afterwards, or the outermost one."""
    return click.group(name, cls=SpokenGroup, **attributes)


def choice(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the outermost group the option ``--lang``, which :meth:`SpokenGroup.main` has read by then."""
    return click.option(
        texts.OPTION,
        type=click.Choice(texts.LANGUAGES),
        expose_value=False,
        help="The language; the system's without it.",
    )(function)


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options ``--json`` (argument ``as_json``) and ``--lang`` (``language``)."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON for programs.")(
        speaks(function, "Language of the tables.")
    )


def speaks(function: Callable[..., Any], what: str = "Language of the messages.") -> Callable[..., Any]:
    """Give a command the option ``--lang`` (argument ``language``) alone; ``what`` is the help of the option.

    What cannot be read or done is told in the command's language.
    """

    @wraps(function)
    def speaking(*args: Any, language: str, **rest: Any) -> Any:
        try:
            return function(*args, language=language, **rest)
        except (UnreadableError, RefusedError) as error:
            raise UnreadableError(error.text(language)) from None

    return click.option("--lang", "language", type=click.Choice(texts.LANGUAGES), default=texts.language, help=what)(
        speaking
    )


def give(value: Any) -> None:
    """Print a result as one line of canonical JSON in UTF-8, whatever the terminal's encoding."""
    from markup_core.command.operations import encode

    sys.stdout.flush()
    click.echo(encode(value))


def _russian(ctx: click.Context, english: str | None) -> str | None:
    """Return a help text in Russian; None if the language is not Russian, or there is no text or no catalogue."""
    outermost = ctx.find_root().command
    if texts.language() != RU or english is None or not isinstance(outermost, SpokenGroup):
        return None
    return outermost.catalogue.word("help", one_line(english)).ru


def one_line(english: str) -> str:
    """Return a help text as the catalogue has it: its words with single blanks."""
    return " ".join(english.split())


def _spoken(option: click.Option, ctx: click.Context) -> click.Option:
    spoken = copy.copy(option)
    if "--help" in option.opts:  # click caches its option with the text in the first language
        spoken.help = say("Show this message and exit.")
        return spoken
    if texts.language() != RU:
        return option
    spoken.help = _russian(ctx, option.help)
    if option.metavar is None and option.type.name in _KINDS and not option.is_flag:
        spoken.metavar = CATALOGUE.word("click", option.type.name).ru
    return spoken
