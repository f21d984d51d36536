"""Results as files: a content, or tables for other programs as CSV, JSON, Parquet, Arrow."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from markup_core.command.complaints import of_system
from markup_core.command.console import Console
from markup_core.command.folder import UnreadableError
from markup_core.extras import BINARY, require
from markup_core.texts import tr

if TYPE_CHECKING:
    from markup_core.frames import Frame


def deliver(console: Console, output: Path | None, content: bytes) -> None:
    """Write one content to a file, or to standard output."""
    if output is None:
        console.data(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(output, of_system(error)) from None


def check_format(options: Namespace, *, tables_alone: bool = True) -> None:
    """Refuse, before anything is scored, a format whose package is missing, and ``-o`` for what is no table.

    Tables never go to a folder of their inputs, where JSON would be taken for essays.
    """
    if options.format in BINARY:
        require("frames")
    if options.format and getattr(options, "json", False):
        raise UnreadableError(tr("--format and --json exclude each other"))
    inputs = (getattr(options, name, None) for name in ("x", "folder", "answers", "against"))
    if options.format and options.output is not None:
        target = options.output.resolve()
        if any(path is not None and path.resolve() == target for path in inputs):
            raise UnreadableError(
                tr("{folder}: the tables would lie among their inputs; name another folder", folder=options.output)
            )
    if tables_alone and options.output is not None and not options.format:
        raise UnreadableError(tr("-o FOLDER takes tables; say which: --format csv, json, parquet or arrow"))


def deliver_frames(options: Namespace, console: Console, frames: Mapping[str, Frame]) -> None:
    """Write each table to NAME.FORMAT in the folder of ``-o``, else the first one to standard output.

    Raises UnreadableError for a folder that cannot be written to.
    """
    contents = {name: frame.encoded(options.format) for name, frame in frames.items()}
    if options.output is None:
        first, *others = contents
        console.data(contents[first])
        if others:
            console.complain(console.sentence("left_tables", tables=", ".join(others)))
        return
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (options.output / f"{name}.{options.format}").write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(options.output, of_system(error)) from None
