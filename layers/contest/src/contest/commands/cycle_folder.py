"""A cycle's folder on the organizer's machine: its file as JSON or YAML, and its sets.

YAML is read as the JSON it stands for: what is written without quotes is a number, true, false, null or text, never a
date or ``no``; a name that stands twice is refused in both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # the library has no types

from contest.faults import Fault
from contest.stored_names import CYCLE_FILE
from tracks.protocol import Text

NAMES: Final = (CYCLE_FILE, "cycle.yaml", "cycle.yml")
"""What the file may be called; a folder has one of them."""
_PLAIN: Final = frozenset({"tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:merge"})


class FolderError(Exception):
    """The folder's file cannot be read; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message.en)
        self.fault = fault


class Folder:
    """See :class:`contest.services.cycle.set_files.Source`; a YAML file is given as the JSON that it stands for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self, folder: str) -> Sequence[str]:
        """See :class:`contest.services.cycle.set_files.Source`."""
        place = self._path / folder
        return sorted(each.name for each in place.iterdir() if each.is_file()) if place.is_dir() else []

    def read(self, name: str) -> bytes:
        """See :class:`contest.services.cycle.set_files.Source`."""
        if name == CYCLE_FILE and _head_name(self._path) != name:
            return json.dumps(read_head(self._path)[1], ensure_ascii=False).encode()
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            raise LookupError(name) from error


def read_head(folder: Path) -> tuple[str, Any]:
    """Name and value of a folder's file; :class:`LookupError` without one, :class:`FolderError` where it has two."""
    name = _head_name(folder)
    return name, read_file(folder / name)


def _head_name(folder: Path) -> str:
    found = [name for name in NAMES if (folder / name).is_file()]
    if not found:
        raise LookupError(CYCLE_FILE)
    if len(found) > 1:
        listed = ", ".join(found)
        said = Text(f"the folder has {listed}: which one is meant?", f"в папке есть {listed}: какой файл верный?")
        raise FolderError(Fault("two_files", found[1], said))
    return found[0]


def read_file(path: Path) -> Any:
    """The value of a JSON or YAML file; :class:`FolderError`."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise FolderError(Fault("not_utf8", path.name, Text("not UTF-8", "не UTF-8"))) from None
    try:
        if path.suffix == ".json":
            return json.loads(text, object_pairs_hook=_once)
        return read_yaml(text)
    except _TwiceError as error:
        said = Text(f"{error} stands twice in one object", f"{error} дважды в одном объекте")
        raise FolderError(Fault("named_twice", path.name, said, {"field": str(error)})) from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        said = Text(f"cannot be read: {error}", f"не читается: {error}")
        raise FolderError(Fault("malformed_file", path.name, said)) from None


def read_yaml(text: str) -> Any:
    """The value of a text in YAML; raises what :func:`read_file` makes faults of."""
    return yaml.load(text, _Yaml)  # noqa: S506 -- a safe loader


class _TwiceError(Exception):
    """A name stands twice."""


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return made


class _Yaml(yaml.SafeLoader):  # type: ignore[misc]  # the library has no types
    """Objects, lists, text, numbers, true, false and null, as JSON has them; no aliases, so no bombs."""

    yaml_implicit_resolvers = {  # noqa: RUF012 -- the library's own name and form
        first: [(tag, form) for tag, form in known if tag not in _PLAIN]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError(f"aliases are not read: {self.peek_event().start_mark}")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: ARG002 -- its form
        named = ((str(self.construct_object(name, deep=True)), value) for name, value in node.value)
        return _once([(name, self.construct_object(value, deep=True)) for name, value in named])


_Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
