"""Where results go: standard output, a file, or a folder of several; all of them are written or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markup_core.command.complaints import of_system
from markup_core.command.console import Console
from markup_core.command.folder import UnreadableError, read_bytes
from markup_core.formats.brat_project import ANNOTATION
from markup_core.formats.losses import Loss

_UNFINISHED: Final = ".unfinished"
_STANDOFF: Final = ".ann"
_TYPE: Final = re.compile(r"^[ \t]*!?([a-zA-Z0-9_-]+)", re.MULTILINE)
"""The first term of a line of annotation.conf."""
_MOST_TYPES: Final = 5


@dataclass(frozen=True, slots=True)
class Converted:
    """A result: its file's name without a suffix, the contents by suffix, and what they do not carry."""

    name: str
    contents: Mapping[str, bytes]
    losses: tuple[Loss, ...] = ()
    subject: str = ""
    """Of a markup for brat, whose project lists the subject's codes."""


def deliver(console: Console, output: Path | None, content: bytes) -> None:
    """One content to a file, or to standard output."""
    if output is None:
        console.data(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise UnreadableError.about(output, of_system(error)) from None


def deliver_all(
    console: Console,
    output: Path | None,
    results: Sequence[Converted],
    inputs: Sequence[Path],
    project: Mapping[str, bytes] | None = None,
) -> None:
    """All results, without touching what they were made of.

    A text beside brat's annotations may be there already, if it is the same: the notation has that suffix too. The
    files of a ``project`` go beside them; a configuration that is there stays, if it knows every type of ours.
    """
    contents = _named(output, results)
    if project and output is not None:
        contents |= _of_project(output if output.is_dir() else output.parent, project)
    own = {path.resolve() for path in inputs}
    for path, content in contents.items():
        if path is None:
            continue
        if path.resolve() in own and not _same_text(path, content):
            raise UnreadableError.said("overwrites", file=path)
        of_standoff = path.suffix == ".txt" and path.with_suffix(_STANDOFF) in contents
        if of_standoff and path.exists() and not _same_text(path, content):
            raise UnreadableError.said("standoff_text", file=path)
    files = {path: content for path, content in contents.items() if path is not None}
    if all(path.is_file() or not path.exists() for path in files) and files:
        _write_together(files)
        return
    for path, content in contents.items():  # a device, a pipe
        deliver(console, path, content)


def _named(output: Path | None, results: Sequence[Converted]) -> dict[Path | None, bytes]:
    """Each content by its path; None is standard output."""
    if output is not None and output.is_dir():
        named: dict[Path | None, bytes] = {}
        for result in results:
            for suffix, content in result.contents.items():
                path = output / f"{result.name}{suffix}"
                if path in named:
                    raise UnreadableError.said("same_name", file=path)
                named[path] = content
        return named
    if len(results) > 1:
        raise UnreadableError.said("several_results", count=len(results))
    (contents,) = [result.contents for result in results]
    if _STANDOFF not in contents:
        (content,) = contents.values()
        return {output: content}
    if output is None or output.suffix != _STANDOFF:
        raise UnreadableError.said("two_files")
    return {output.with_suffix(suffix): content for suffix, content in contents.items()}


def _of_project(folder: Path, project: Mapping[str, bytes]) -> dict[Path | None, bytes]:
    """The configuration files that are still to be written."""
    wanted: dict[Path | None, bytes] = {}
    for name, content in project.items():
        path = folder / name
        if not path.exists():
            wanted[path] = content
        elif name == ANNOTATION and path.is_file():
            known = set(_TYPE.findall(read_bytes(path).decode("utf-8", "replace")))
            if missing := sorted(set(_TYPE.findall(content.decode("utf-8"))) - known):
                raise UnreadableError.said("other_project", file=path, types=", ".join(missing[:_MOST_TYPES]))
    return wanted


def _same_text(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError as error:
        raise UnreadableError.about(path, of_system(error)) from None


def _write_together(contents: Mapping[Path, bytes]) -> None:
    """Write everything beside its place first, so that a full disk leaves no half of it."""
    unfinished = {path: path.with_name(f"{path.name}{_UNFINISHED}") for path in contents}
    path = next(iter(contents))
    try:
        for path, content in contents.items():
            unfinished[path].write_bytes(content)
        for path, beside in unfinished.items():
            beside.replace(path)
    except OSError as error:
        raise UnreadableError.about(path, of_system(error)) from None
    finally:
        for beside in unfinished.values():
            with suppress(OSError):
                beside.unlink(missing_ok=True)
