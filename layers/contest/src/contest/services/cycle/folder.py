"""A cycle's folder, wherever its files lie, and its own file as JSON or YAML: folders, zips and commands read it here.

YAML is read as the JSON it stands for: what is written without quotes is a number as JSON writes it, true, false, null
or text, never a date, ``no`` or ``12:30`` in minutes; tags and aliases are refused. So is a name that stands twice.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import yaml  # type: ignore[import-untyped]  # the library has no types

from contest.faults import Fault
from contest.stored_names import CYCLE_FILE, CYCLE_FILES
from tracks.protocol import Text

MOST_NAMED: Final = 20
"""Files that are left out which a warning or fault names."""
_JSON: Final = ".json"
_PLAIN: Final = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("timestamp", "bool", "merge", "value", "int", "float")
)


class Source(Protocol):
    """The folder a cycle is read from."""

    def everything(self) -> Sequence[str]:
        """Names of all files, by their paths below the folder, ascending."""

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files in a folder (``""`` is the top), ascending; none for a folder that is not there."""

    def read(self, name: str) -> bytes:
        """Content of a file; :class:`LookupError` without one."""


def read_head(source: Source) -> tuple[str, Any, list[Fault]]:
    """Return name and value of a cycle's own file; with faults where there is none, or more than one."""
    there = [name for name in CYCLE_FILES if name in source.names("")]
    if len(there) > 1:
        listed = ", ".join(there)
        said = Text(f"the folder has {listed}: which one is meant?", f"в папке есть {listed}: какой файл верный?")
        return there[1], None, [Fault("two_files", there[1], said)]
    if not there:
        said = Text(f"there is none of {', '.join(CYCLE_FILES)}", f"нет ни одного из файлов {', '.join(CYCLE_FILES)}")
        return CYCLE_FILE, None, [Fault("missing_file", CYCLE_FILE, said)]
    value, faults = value_of(there[0], source.read(there[0]))
    return there[0], value, faults


def value_of(name: str, content: bytes) -> tuple[Any, list[Fault]]:
    """Return the value of a JSON or YAML file, or the fault that it has none."""
    code = "malformed_json" if name.endswith(_JSON) else "malformed_file"
    try:
        text = content.decode("utf-8")
        value = _read_json_once(text) if name.endswith(_JSON) else read_yaml(text)
        return (None, [_too_large(name, place)]) if (place := _infinite(value)) is not None else (value, [])
    except UnicodeDecodeError as error:
        fault = Fault("not_utf8", name, _not_utf8(error))
    except _TwiceError as error:
        said = Text(f"{error} stands twice in one object", f"{error} дважды в одном объекте")
        fault = Fault("named_twice", name, said, {"field": str(error)})
    except yaml.MarkedYAMLError as error:
        fault = _no_yaml(name, error)
    except yaml.reader.ReaderError as error:
        character = f"U+{error.character:04X}"
        fault = Fault(code, name, Text(f"{character} may not stand in YAML", f"{character} в YAML недопустим"))
    except RecursionError:
        fault = Fault(code, name, Text("nested too deeply", "слишком глубокая вложенность"))
    except (ValueError, yaml.YAMLError) as error:
        fault = Fault(code, name, Text(f"cannot be read: {error}", f"не читается: {error}"))
    return None, [fault]


def _read_json_once(text: str) -> Any:
    """Return the value of a text in JSON; a name that stands twice and NaN or Infinity, which JSON has not, raise."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _not_utf8(error: UnicodeDecodeError) -> Text:
    return Text(f"not UTF-8 at byte {error.start}", f"не UTF-8, начиная с байта {error.start}")


def _infinite(value: Any, place: str = "") -> str | None:
    """Return the path of the first number that is beyond every float, as 1e999, which Python reads as infinity."""
    if isinstance(value, float):
        return place if math.isinf(value) else None
    named: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        named = ((f"{place}.{name}" if place else name, part) for name, part in value.items())
    elif isinstance(value, list):
        named = ((f"{place}[{number}]", part) for number, part in enumerate(value))
    paths = (_infinite(part, at) for at, part in named)
    return next((path for path in paths if path is not None), None)


def _too_large(name: str, place: str) -> Fault:
    message = Text(f"{place}: the number is too large", f"{place}: слишком большое число")
    return Fault("not_a_number", name, message, {"field": place})


def _no_yaml(name: str, error: Any) -> Fault:
    """Return the fault of a file at which the library for YAML stopped, with the line and what it met there."""
    mark = error.problem_mark or error.context_mark
    line, column = mark.line + 1, mark.column + 1
    problem = ", ".join(part for part in (error.context, error.problem) if part)
    message = Text(
        f"no valid YAML in line {line}, column {column}: {problem}",
        f"ошибка YAML в строке {line}, столбце {column}: {problem}",
    )
    return Fault("malformed_file", name, message, {"line": line})


def read_yaml(text: str) -> Any:
    """Return the value of a text in YAML; raises what :func:`value_of` makes faults of."""
    return yaml.load(text, _Yaml)  # noqa: S506 -- a safe loader


class _TwiceError(Exception):
    """A name stands twice."""


def _no_number(name: str) -> Any:
    """Refuse NaN and the infinities, which JSON does not have and Python reads."""
    raise ValueError(f"{name} is no number")


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
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases are not read", problem_mark=mark)
        if getattr(self.peek_event(), "tag", None) not in (None, "!"):
            raise yaml.MarkedYAMLError(problem="tags are not read", problem_mark=self.peek_event().start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: ARG002 -- its form
        named = ((str(self.construct_object(name, deep=True)), value) for name, value in node.value)
        return _once([(name, self.construct_object(value, deep=True)) for name, value in named])


_Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)"
_Yaml.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(rf"^{_NUMBER}$"), list("-0123456789"))
_Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(rf"^{_NUMBER}(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)$"),
    list("-0123456789"),
)


def listed(names: Sequence[str]) -> str:
    """Return names of files in one line, the first of many."""
    return ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")


def read_json(source: Source, name: str) -> tuple[Any, list[Fault]]:
    """A file's JSON value, or the fault that it has none."""
    try:
        return json.loads(source.read(name).decode("utf-8")), []
    except LookupError:
        return None, [Fault("missing_file", name, Text("there is no such file", "такого файла нет"))]
    except UnicodeDecodeError as error:
        return None, [Fault("not_utf8", name, _not_utf8(error))]
    except (json.JSONDecodeError, RecursionError) as error:
        return None, [Fault("malformed_json", name, Text(f"not JSON: {error}", f"не JSON: {error}"))]
