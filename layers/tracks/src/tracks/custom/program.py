"""The program of a measure as a file: one module of Python, or a wheel whose entry point names the module.

It is pure Python with the standard library. ``score(answer, references)`` returns counts, ``aggregate(counts)`` the
value of a list of them, ``SAMPLES`` lists the cases on which it is tried before anybody uses it.
"""

from __future__ import annotations

import ast
import io
import re
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from typing import Final

from markup_core.receipt import sha256_hex
from tracks.fields import reason
from tracks.protocol import Reason
from tracks.texts import tr

MOST_BYTES: Final = 256 * 1024
"""Bytes of a program's file; with its request it goes through one call of a function (6 MB)."""
_MOST_UNPACKED: Final = 4 * MOST_BYTES
_MOST_MEMBERS: Final = 500
GROUP: Final = "hurdle.measure"
"""Group of entry points in which a wheel names its module: ``measure = my_module``."""
FILE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,99}\.(?:py|whl)")
_MODULE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,39}")
_DEMANDED: Final = ("score", "aggregate", "SAMPLES")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that could be read; ``module`` is imported, ``version`` is its own, empty without one."""

    file: str
    content: bytes
    module: str
    version: str

    @property
    def sha256(self) -> str:
        """Its hash, by which scores name it."""
        return sha256_hex(self.content)


def read_program(file: str, content: bytes) -> tuple[Program | None, tuple[Reason, ...]]:
    """Read a program's file without running it; None exactly when there are reasons."""
    if not FILE.fullmatch(file):
        return None, (_wrong(tr("{file} is neither NAME.py nor NAME.whl", file=file)),)
    if len(content) > MOST_BYTES:
        message = tr("the program has {bytes} bytes, at most {most} are taken", bytes=len(content), most=MOST_BYTES)
        return None, (_wrong(message),)
    reader = _of_wheel if file.endswith(".whl") else _of_module
    try:
        return reader(file, content), ()
    except (ValueError, SyntaxError, KeyError, RecursionError, MemoryError) as error:
        return None, (_wrong(tr("the program cannot be read: {error}", error=error)),)
    except (zipfile.BadZipFile, ConfigError, NotImplementedError, RuntimeError, OSError) as error:
        return None, (_wrong(tr("the wheel cannot be read: {error}", error=error)),)


def _wrong(message: str) -> Reason:
    return reason("measure_program", "measure.program", message)


def _of_module(file: str, content: bytes) -> Program:
    """Return the program of one module; ValueError, SyntaxError."""
    module = file.removesuffix(".py")
    if not module.isidentifier():
        raise ValueError(f"{module} is no name of a module")
    names = dict(_assigned(ast.parse(content)))
    if missing := [name for name in _DEMANDED if name not in names]:
        raise ValueError(f"it has no {', '.join(missing)}")
    version = names.get("__version__", "")
    return Program(file, content, module, version if _VERSION.fullmatch(version) else "")


def _assigned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module binds at its top, each with the text that it is bound to, if any."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name, "") for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            value = node.value.value if isinstance(node.value, ast.Constant) else ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, str(value)) for target in targets if isinstance(target, ast.Name))


def _of_wheel(file: str, content: bytes) -> Program:
    """Return the program of a wheel; ValueError, KeyError and what zipfile and configparser raise."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _MOST_UNPACKED:
            raise ValueError(f"unpacked it has more than {_MOST_MEMBERS} files or {_MOST_UNPACKED} bytes")
        if alien := [member.filename for member in members if member.filename.endswith((".so", ".pyd", ".dylib"))]:
            raise ValueError(f"it is not pure Python: {alien[0]}")
        entry_points = next(name for name in (*archive.namelist(), "") if name.endswith("entry_points.txt") or not name)
        if not entry_points:
            raise ValueError(f"it has no entry_points.txt with the group {GROUP}")
        parser = ConfigParser(delimiters=("=",))
        parser.read_string(archive.read(entry_points).decode("utf-8"))
        module = parser[GROUP]["measure"].strip()
    if not _MODULE.fullmatch(module):
        raise ValueError(f"{module} is no name of a module")
    version = file.split("-")[1] if file.count("-") >= 2 else ""
    return Program(file, content, module, version if _VERSION.fullmatch(version) else "")
