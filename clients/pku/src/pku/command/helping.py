"""Help pages in the person's language: click shows what stands in the code, which is English."""

from __future__ import annotations

import copy
from typing import Any, Final

import click

from markup_core.streams import escape_unshowable
from pku import config
from pku.messages import catalogue
from pku.messages.help import HELP_RU

_WISHED: Final = "pku.language"


class SpokenCommand(click.Command):
    """A command whose help speaks the language of ``--lang``, by default the system's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the language before ``--help`` ends the parsing."""
        ctx.meta[_WISHED] = _wished(args)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does."""
        if not _write(self.name, ctx, formatter):
            super().format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options with their texts."""
        records = [_spoken(self.name, each, ctx).get_help_record(ctx) for each in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])

    def get_short_help_str(self, limit: int = 45) -> str:
        """What comes before the first full stop or semicolon, for the list of commands."""
        # A shell that completes commands asks for their help outside of any context.
        found = _translated(self.name, click.get_current_context(silent=True))
        return super().get_short_help_str(limit) if found is None else found.partition(". ")[0].partition(";")[0]


class SpokenGroup(click.Group):
    """The command itself; its help lists the commands."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run it, whatever the streams can take."""
        escape_unshowable()
        return super().main(*arguments, **settings)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the commands are for."""
        if not _write("main", ctx, formatter):
            super().format_help_text(ctx, formatter)


def _wished(args: list[str]) -> str | None:
    for place, each in enumerate(args):
        name, _, value = each.partition("=")
        if name == "--lang":
            return value or next(iter(args[place + 1 :]), None)
    return None


def _translated(name: str | None, ctx: click.Context | None) -> str | None:
    wished = None if ctx is None else ctx.meta.get(_WISHED)
    language = wished or config.language_of_environment()
    return HELP_RU.get(name or "") if language == catalogue.RU else None


def _write(name: str | None, ctx: click.Context, formatter: click.HelpFormatter) -> bool:
    found = _translated(name, ctx)
    if found is None:
        return False
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(found)
    return True


def _spoken(command: str | None, parameter: click.Parameter, ctx: click.Context) -> click.Parameter:
    found = _translated(f"{command}.{parameter.name}", ctx) or _translated(f"*.{parameter.name}", ctx)
    if found is None or not isinstance(parameter, click.Option):
        return parameter
    spoken = copy.copy(parameter)
    spoken.help = found
    return spoken
