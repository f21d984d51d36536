"""The command ``tracks``: ``batch`` for programs, a command of each track for people (tracks.md §5).

Exit codes: 0 done and nothing to object to; 1 done, and something was found (the command's help says what); 2 could
not be done (usage, an input that cannot be read or scored); 130 interrupted; 141 the reader of the output went away.

A track's command is ``tracks.NAME.commands.NAME``, loaded when it is called; of ``gec``, a group, each command is
(tracks.md §3). It returns its exit code (None is 0) and raises :class:`markup_core.command.inputs.UnreadableError` or
:class:`markup_core.command.inputs.RefusedError` for what cannot be done.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import click

from markup_core import texts
from tracks import __version__
from tracks.command import TRACKS, spoken
from tracks.texts import CATALOGUE

_UNUSABLE: Final = 2
_INTERRUPTED: Final = 130
_NO_READER: Final = 141


class _Gec(spoken.LazyGroup):
    """The commands of grammatical error correction."""

    lazy: ClassVar = {
        "agreement": "tracks.gec.commands:agreement",
        "blocks": "tracks.gec.commands:blocks_command",
        "check": "tracks.gec.checking:check",
        "compare": "tracks.gec.commands:compare_command",
        "concentrated": "tracks.gec.commands:concentrated",
    }


class _Group(spoken.LazyGroup):
    """The tracks' commands, and the exit code where the reader goes away."""

    group_class = spoken.SpokenGroup
    unusable = _UNUSABLE
    catalogue = CATALOGUE
    lazy: ClassVar = {
        name: f"tracks.{name}.commands:{name}"
        for name in (*TRACKS, "custom")  # a declared measure has no operations of its own in the stream
        if name != "gec"
    }

    def invoke(self, ctx: click.Context) -> Any:
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            texts.drop_output()
            return _NO_READER
        return code


@click.group(cls=_Group)
@click.version_option(__version__, prog_name="tracks", message="%(prog)s %(version)s")
@spoken.choice
def group() -> None:
    """Check and score what the contests' programs answer: files in, tables or JSON out."""


@group.group(cls=_Gec)
def gec() -> None:
    """Grammatical error correction: compare M2 files, evaluate on concentrated data sets, measure agreement."""


@group.command()
def batch() -> None:
    """Answer requests, one JSON object per line, from standard input to standard output."""
    from tracks.command.printing import serve  # what it loads no other command needs

    serve(sys.stdin.buffer, sys.stdout.buffer)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    with texts.speaking(texts.asked_for(words, texts.of_environment())):
        return _run(words)


def _run(arguments: list[str]) -> int:
    try:
        code = group.main(arguments, prog_name="tracks", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _UNUSABLE
    except click.Abort:
        return _INTERRUPTED
    except Exception as error:
        # Help is shown without what reads files.
        from markup_core.command.inputs import RefusedError, UnreadableError

        if not isinstance(error, UnreadableError | RefusedError):
            raise
        click.echo(f"tracks: {error}", err=True)
        return _UNUSABLE
    return code or 0
