"""A cycle's folder and its sets' files, read and checked, wherever they lie: in a folder, a zip or at a command.

The files of a set are items and experts' markups, each checked by the track (platform §7). YAML is read as the JSON it
stands for: a text without quotes is a number as JSON writes it, true, false, null or text, never a date, ``no`` or
``12:30`` in minutes; tags and aliases are refused. A name that stands twice is refused too.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol
from unicodedata import normalize

import yaml  # type: ignore[import-untyped]  # the library has no types

from contest.cycle.rules.cycle import Item, Manifest, SetKind, SetSource
from contest.cycle.rules.sets import fingerprint
from contest.refusals import Fault, from_reason
from contest.stored_names import CYCLE_FILE, CYCLE_FILES
from contest.texts import tr
from contest.values import canonical, in_one_line, sha256_hex
from markup_core.lazy import dataclass
from markup_core.reading.wire import of_value
from tracks.capabilities import KnowsOtherTools, ReadsFolders, ReadsOwnFiles, steps_of
from tracks.protocol import Reason, Text, Track

MOST_NAMED: Final = 20
"""Most left-out files that a warning or fault names."""
_JSON_NAME: Final = ".json"
_PLAIN: Final = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("timestamp", "bool", "merge", "value", "int", "float")
)


class Source(Protocol):
    """The folder from which a cycle is read."""

    def everything(self) -> Sequence[str]:
        """List the names of all files, by their paths below the folder, ascending."""

    def names(self, folder: str) -> Sequence[str]:
        """List the names of the files in a folder (``""`` is the top), ascending; none without the folder."""

    def read(self, name: str) -> bytes:
        """Return the content of a file; :class:`LookupError` without one."""


def read_head(source: Source) -> tuple[str, Any, list[Fault]]:
    """Read a cycle's own file: return its name and value, or faults where there is none or more than one."""
    there = [name for name in CYCLE_FILES if name in source.names("")]
    if len(there) > 1:
        listed = ", ".join(there)
        message = tr("the folder has {listed}: which one is meant?", listed=listed)
        return there[1], None, [Fault("two_files", there[1], message)]
    if not there:
        message = tr("there is none of {cycle_files}", cycle_files=", ".join(CYCLE_FILES))
        return CYCLE_FILE, None, [Fault("missing_file", CYCLE_FILE, message)]
    value, faults = value_of(there[0], source.read(there[0]))
    return there[0], value, faults


def value_of(name: str, content: bytes) -> tuple[Any, list[Fault]]:
    """Return the value of a JSON or YAML file, or the fault that it has none."""
    code = "malformed_json" if name.endswith(_JSON_NAME) else "malformed_file"
    try:
        text = content.decode("utf-8")
        if name.endswith(_JSON_NAME):  # a name that stands twice raises, and so do NaN and Infinity, which JSON has not
            value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_number)
        else:
            value = read_yaml(text)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair, which nothing stores, raises
        place = _infinite(value)
        if place is None:
            return value, []
        message = tr("{place}: the number is too large", place=place)
        fault = Fault("not_a_number", name, message, {"field": place})
    except UnicodeDecodeError as error:
        fault = Fault("not_utf8", name, _not_utf8(error))
    except _TwiceError as error:
        message = tr("{error} stands twice in one object", error=error)
        fault = Fault("named_twice", name, message, {"field": str(error)})
    except yaml.MarkedYAMLError as error:
        fault = _no_yaml(name, error)
    except yaml.reader.ReaderError as error:
        character = f"U+{error.character:04X}"
        fault = Fault(code, name, tr("{character} may not stand in YAML", character=character))
    except RecursionError:
        fault = Fault(code, name, tr("nested too deeply"))
    except ValueError as error:
        fault = Fault(code, name, tr("cannot be read: {error}", error=of_value(error)))
    return None, [fault]


def _not_utf8(error: UnicodeDecodeError) -> Text:
    return tr("not UTF-8 at byte {start}", start=error.start)


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


_NO_YAML: Final = "нарушена запись"
_OF_YAML: Final[Mapping[str, str]] = {
    "aliases": "ссылки (*) не читаются",
    "tags": "теги (!) не читаются",
    "mapping values": "двоеточие здесь не на месте",
    "could not find expected ':'": "не хватает двоеточия",
    "expected <block end>": "отступ не такой, как у строк выше",
    "found character": "с этого знака значение не начинается",
    "found unexpected end of stream": "кавычка не закрыта",
    "expected ',' or ']'": "не хватает запятой или ]",
    "expected ',' or '}'": "не хватает запятой или }",
}
"""Sentences of the YAML library, by their beginnings."""


def _no_yaml(name: str, error: Any) -> Fault:
    """Return the fault of a file at which the YAML library stopped, with the line and the error there."""
    mark = error.problem_mark or error.context_mark
    line, column = mark.line + 1, mark.column + 1
    english = ", ".join(part for part in (error.context, error.problem) if part)
    reason = str(error.problem or "")
    problem = Text(english, next((ru for begin, ru in _OF_YAML.items() if reason.startswith(begin)), _NO_YAML))
    message = tr("no valid YAML in line {line}, column {column}: {problem}", line=line, column=column, problem=problem)
    return Fault("malformed_file", name, message, {"line": line})


def read_yaml(text: str) -> Any:
    """Return the value of a text in YAML; raises what :func:`value_of` makes faults of."""
    return yaml.load(text, _Yaml)  # noqa: S506 -- a safe loader


class _TwiceError(Exception):
    """A name occurs twice in one object."""


def _no_number(name: str) -> Any:
    """Refuse NaN and the infinities, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is no number")


def _unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return unique


class _Yaml(yaml.SafeLoader):  # type: ignore[misc]  # the library has no types
    """Objects, lists, text, numbers, true, false and null, as JSON has them; no aliases, so no bombs."""

    yaml_implicit_resolvers = {  # noqa: RUF012 -- the library's own name and form
        first: [(tag, form) for tag, form in resolvers if tag not in _PLAIN]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
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
        return _unique_keys([(name, self.construct_object(value, deep=True)) for name, value in named])


_Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)"
_Yaml.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(rf"^{_NUMBER}$"), list("-0123456789"))
_Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(rf"^{_NUMBER}(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)$"),
    list("-0123456789"),
)


def read_json(source: Source, name: str) -> tuple[Any, list[Fault]]:
    """Return a file's JSON value, or the fault that it has none."""
    try:
        return json.loads(source.read(name).decode("utf-8")), []
    except LookupError:
        return None, [Fault("missing_file", name, tr("there is no such file"))]
    except UnicodeDecodeError as error:
        return None, [Fault("not_utf8", name, _not_utf8(error))]
    except RecursionError:
        return None, [Fault("malformed_json", name, tr("nested too deeply"))]
    except ValueError as error:
        return None, [Fault("malformed_json", name, tr("not JSON: {error}", error=of_value(error)))]


_JSON, _NOTATION = ".json", ".txt"
_SCORED_AT_ONCE: Final = (SetKind.TRAINING, SetKind.TEST)
_NAMED: Final = 5
"""Most items without annotations, or groups, that a message names."""
_REPEATED: Final = 3
"""Most files with the same fault that are reported one by one; more of them become one fault."""
_PLACES: Final = frozenset({"line", "made_as"})
"""Fields of a fault's place that differ where the fault is repeated."""
_REFERENCE: Final = re.compile(r"(?P<item>.+)_exp(?P<expert>\d{2})")
_ITEM: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,64}""")
"""A name that every system can keep: participants have files of these names (platform §1)."""

Progress = Callable[[str], None]
"""Function called with the name of each file read or written."""


@dataclass(frozen=True, slots=True)
class Contest:
    """The contest by which files are checked: the track with its completed parameters, and the groups of each language.

    ``stands_in``: the parameters are the usual ones in the place of wrong ones. Files are read by them all the same,
    but by which steps an item is played is not known.
    """

    track: Track
    parameters: Any
    languages: Mapping[str, tuple[str, ...]]
    stands_in: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """A set after checking: its manifest, the objects it needs, by kind and hash, and fingerprints of its items' texts.

    ``texts`` are by the item's id and file; ``ignored`` are names of files that are no set's, ``foreign`` faults of
    those among them that another tool made; ``first_step`` is the step with which all its items begin, empty where
    they differ.
    """

    manifest: Manifest
    objects: Mapping[tuple[str, str], bytes]
    texts: Mapping[tuple[str, str], Sequence[bytes]]
    ignored: tuple[str, ...] = ()
    first_step: str = ""
    foreign: tuple[Fault, ...] = ()


def left_out(source: Source, head: str, folders: Sequence[str], track: Track, program: str = "") -> Iterator[Fault]:
    """Warn of the files of a cycle's folder that belong to none of its sets; ``program`` is its measure's."""
    inside = tuple(
        f"{folder}/{inside_folder}".rstrip("/") for folder in folders for inside_folder in ("", *own_folders(track))
    )
    beside = [name for name in source.everything() if name.rpartition("/")[0] not in inside]
    if names := [name for name in beside if name not in (head, program)]:
        named = in_one_line(names)
        en = tr("left out, for they belong to no set of the cycle: {named}", named=named)
        yield Fault("left_out", head, en, {"files": names[:MOST_NAMED]})


# Clause: R 2.5, platform §7 import, TS T14
def check_set(
    contest: Contest, folder: str, source: Source, progress: Progress, min_files: int = 0
) -> tuple[Checked, list[Fault]]:
    """Read a set's folder and return all faults, each repeated one once.

    An item is ``ID.json``, or ``ID.txt`` in the contest's notation for people; an expert's markup of it ``ID_expNN``
    with either ending. A contest with files of its own may have those instead, or beside them: they are unpacked
    first, and faults of the unpacked content name the file that it came from.
    """
    checked, faults = _checked(contest, folder, source, progress, min_files)
    return checked, _once(faults)


def _checked(
    contest: Contest, folder: str, source: Source, progress: Progress, min_files: int
) -> tuple[Checked, list[Fault]]:
    """Read a set's folder, the contest's own files before those in the platform's form."""
    if not isinstance(contest.track, ReadsOwnFiles):
        return _check_files(contest, folder, source, progress, min_files)
    inside = own_folders(contest.track)
    in_own_folders = (f"{own}/{name}" for own in inside for name in source.names(f"{folder}/{own}"))
    names = [*source.names(folder), *in_own_folders]
    unpacked = contest.track.unpack({name: source.read(f"{folder}/{name}") for name in names}, contest.parameters)
    if unpacked.reasons:
        rest = {
            name: source.read(f"{folder}/{name}") for name in names if name not in unpacked.read and "/" not in name
        }
        faults = [
            Fault(
                reason.code,
                f"{folder}/{reason.where['file']}",
                reason.message,
                {name: value for name, value in reason.where.items() if name != "file"},
            )
            for reason in unpacked.reasons
        ]
        if not rest:
            return Checked(Manifest(()), {}, {}), faults
        checked, wrong = _check_files(contest, folder, _Unpacked(folder, rest), progress, 0)
        return checked, faults + wrong
    checked, wrong = _check_files(contest, folder, _Unpacked(folder, unpacked.files), progress, min_files)
    origins = {f"{folder}/{name}": f"{folder}/{file}" for name, file in unpacked.origins.items()}
    texts = {(item_id, origins.get(file, file)): texts for (item_id, file), texts in checked.texts.items()}
    attached = {("inputs", digest): content for digest, content in unpacked.attachments.items()}
    checked = replace(checked, texts=texts, objects={**checked.objects, **attached})
    return checked, [_at_origin(fault, origins) for fault in wrong]


def _once(faults: Sequence[Fault]) -> list[Fault]:
    """Merge repeated faults, of many files or many lines of one, into one fault at the first place."""
    alike: dict[tuple[str, str, str], list[Fault]] = defaultdict(list)
    for fault in faults:
        place = {name: value for name, value in fault.where.items() if name not in _PLACES}
        alike[fault.code, fault.message.en, repr(place)].append(fault)
    return [joined for same in alike.values() for joined in (same if len(same) <= _REPEATED else [_joined(same)])]


def _joined(same: Sequence[Fault]) -> Fault:
    """Return many equal faults as one, with the first of their places."""
    first, files = same[0], list(dict.fromkeys(fault.file for fault in same))
    lines = [fault.where["line"] for fault in same if "line" in fault.where]
    if len(files) == 1 and len(lines) == len(same):
        places, extent = [*map(str, lines)], tr("in {count} lines", count=len(lines))
    else:
        places, extent = files, tr("in {count} files", count=len(files))
    message = tr("{fault} ({extent}: {places})", fault=first.message, extent=extent, places=in_one_line(places, _NAMED))
    return replace(first, message=message, where={**first.where, "times": len(same)})


def own_folders(track: Track) -> tuple[str, ...]:
    """List the contest's own folders within a set's."""
    return track.folders() if isinstance(track, ReadsFolders) else ()


def _at_origin(fault: Fault, origins: Mapping[str, str]) -> Fault:
    """Return a fault of an unpacked file as one of the contest's own file."""
    if fault.file not in origins:
        return fault
    made_as = fault.file.rpartition("/")[2]
    return replace(fault, file=origins[fault.file], where={**fault.where, "made_as": made_as})


@dataclass(frozen=True, slots=True)
class _Unpacked:
    """A set's folder after its files were unpacked."""

    folder: str
    files: Mapping[str, bytes]

    def everything(self) -> Sequence[str]:
        """See :class:`Source`."""
        return self.names("")

    def names(self, _: str) -> Sequence[str]:
        """See :class:`Source`."""
        return sorted(self.files)

    def read(self, name: str) -> bytes:
        """See :class:`Source`."""
        return self.files[name.removeprefix(f"{self.folder}/")]


def _check_files(
    contest: Contest, folder: str, source: Source, progress: Progress, min_files: int
) -> tuple[Checked, list[Fault]]:
    """Check files in the platform's form."""
    names_there = source.names(folder)
    named = _by_stem(names_there)
    experts = {stem: match for stem in named if (match := _REFERENCE.fullmatch(stem))}
    reader = _SetReader(contest, folder, source)
    for names in named.values():
        if len(names) > 1:
            message = tr("both {one} and {other} are there", one=names[0], other=" + ".join(names[1:]))
            reader.faults.append(Fault("in_two_forms", f"{folder}/{names[1]}", message))
    for stem, match in experts.items():
        if match["item"] not in named:
            item = match["item"]
            message = tr("there is no {item}.json for it", item=item)
            reader.faults.append(Fault("no_item", f"{folder}/{named[stem][0]}", message))
    items: list[Item] = []
    for stem in (name for name in named if name not in experts):
        progress(f"{folder}/{named[stem][0]}")
        of_it = {int(match["expert"]): named[expert][0] for expert, match in experts.items() if match["item"] == stem}
        item = reader.item(named[stem][0], of_it)
        items += [item] if item else []
    reader.tell_of_groups()
    count = len(named) - len(experts)
    if named and count < min_files:
        message = tr("{count} items, at least {min_files} are asked for", count=count, min_files=min_files)
        reader.faults.append(Fault("too_few_files", folder, message))
    used = {name for names in named.values() for name in names}
    ignored = tuple(name for name in names_there if name not in used and not name.startswith("."))
    foreign = tuple(reader.foreign(ignored))
    if not named:
        message = tr("the set has no files")
        if ignored:
            message = tr("the set has no file that can be read; left out are {listed}", listed=in_one_line(ignored))
        empty = Fault("empty_set", folder, message, {"files": list(ignored[:MOST_NAMED])} if ignored else {})
        reader.faults += foreign or (empty,)
    manifest = Manifest(tuple(sorted(items, key=lambda item: item.item_id)))
    first = next(iter(reader.first_steps)) if len(reader.first_steps) == 1 else ""
    return Checked(manifest, reader.objects, reader.texts, ignored, first, foreign), reader.faults


def set_warnings(source: SetSource, checked: Checked) -> Iterator[Fault]:
    """Warn of ignored files, of items of a set that is scored at once that lack the experts' annotations for it, and of
    annotations made with suggestions on which a barrier rests; no warning prevents loading."""
    yield from checked.foreign
    if names := checked.ignored:
        message = tr(
            "left out, neither in the platform's form (.json, .txt) nor in the contest's own: {listed}",
            listed=in_one_line(names),
        )
        yield Fault("ignored_files", source.folder, message, {"files": list(names[:MOST_NAMED])})
    bare = [item.item_id for item in checked.manifest.items if not item.references]
    if bare and source.kind in _SCORED_AT_ONCE:
        named = in_one_line(bare, _NAMED)
        message = tr(
            "{bare} of {items} items have no experts' markups, so that answers to them get no scores: {named}",
            bare=len(bare),
            items=len(checked.manifest.items),
            named=named,
        )
        yield Fault("set_without_markups", source.folder, message, {"items": len(bare)})
    references = [content for (kind, _), content in checked.objects.items() if kind == "references"]
    suggested = sum(map(is_made_with_suggestions, references)) if source.kind is not SetKind.TRAINING else 0
    if suggested:
        message = tr(
            "{suggested} of {markups} experts' markups were made with suggestions of a program; "
            "a barrier rests on them",
            suggested=suggested,
            markups=len(references),
        )
        yield Fault("made_with_suggestions", source.folder, message, {"markups": suggested})


def is_made_with_suggestions(reference: bytes) -> bool:
    """Return whether an exported reference says that its maker was shown suggestions (decision 0052)."""
    if b'"suggestions"' not in reference:
        return False
    value = json.loads(reference)
    meta = value.get("meta") if isinstance(value, dict) else None
    return isinstance(meta, dict) and bool(meta.get("suggestions"))


def _by_stem(names: Sequence[str]) -> dict[str, list[str]]:
    """Group names of files by their stems, in NFC; files that are not a set's are ignored.

    macOS writes й in a name as two characters, which are the same letter.
    """
    by_stem: dict[str, list[str]] = {}
    for name in names:
        stem, dot, ending = name.rpartition(".")
        if dot + ending in (_JSON, _NOTATION):
            by_stem.setdefault(normalize("NFC", stem), []).append(name)
    return by_stem


class _SetReader:
    """Reader of the files of one set; it collects their faults, the objects to store and fingerprints of the texts."""

    def __init__(self, contest: Contest, folder: str, source: Source) -> None:
        self._contest, self._folder, self._source = contest, folder, source
        self.faults: list[Fault] = []
        self.objects: dict[tuple[str, str], bytes] = {}
        self.texts: dict[tuple[str, str], Sequence[bytes]] = {}
        self.first_steps: set[str] = set()
        self._strange_groups: dict[tuple[str, str], list[str]] = {}

    def tell_of_groups(self) -> None:
        """Add a fault for groups that the cycle does not have, with the line to write; few are reported one by one."""
        languages = {language: list(groups) for language, groups in self._contest.languages.items()}
        for language, group in self._strange_groups:
            languages.setdefault(language, []).append(group)
        line = f'"languages": {json.dumps(languages, ensure_ascii=False)}'
        if len(self._strange_groups) > _REPEATED:
            names = [group for _, group in self._strange_groups]
            named = in_one_line([*map(repr, names)], _NAMED)
            items = sum(map(len, self._strange_groups.values()))
            message = tr(
                "{names} groups of {items} items are not among the cycle's languages: {named}; if they are "
                "meant, write into the cycle's file: {line}",
                names=len(names),
                items=items,
                named=named,
                line=line,
            )
            self.faults.append(Fault("unknown_group", self._folder, message, {"items": items}))
            return
        for (language, group), paths in self._strange_groups.items():
            message = tr(
                "{group!r} in {language!r}, the group of {paths} items, is not among the cycle's languages; "
                "if it is meant, write into the cycle's file: {line}",
                group=group,
                language=language,
                paths=len(paths),
                line=line,
            )
            self.faults.append(Fault("unknown_group", paths[0], message, {"items": len(paths)}))

    def foreign(self, names: Iterable[str]) -> Iterator[Fault]:
        """Name the tools whose files stand in the set's folder, which the contest does not read."""
        for name in names:
            yield from self._of_another_tool(f"{self._folder}/{name}")

    def _of_another_tool(self, path: str) -> list[Fault]:
        track = self._contest.track
        reason = track.of_another_tool(self._source.read(path)) if isinstance(track, KnowsOtherTools) else None
        return [] if reason is None else [from_reason(reason, path)]

    def item(self, name: str, experts: Mapping[int, str]) -> Item | None:
        """Read one item with its references, by their experts' numbers; None where it has faults."""
        path = f"{self._folder}/{name}"
        raw, broken = self._value(path)
        self.faults += broken
        facts, reasons = (None, ()) if broken else self._contest.track.read_item(raw, self._contest.parameters)
        self._refuse(path, reasons)
        if facts is None:
            # The item of these annotations is unknown, but whether they can be read is checked.
            self.faults += [
                fault for expert_file in experts.values() for fault in self._value(f"{self._folder}/{expert_file}")[1]
            ]
            return None
        stem = name.rpartition(".")[0]
        if normalize("NFC", facts.item_id) != normalize("NFC", stem) or not _ITEM.fullmatch(facts.item_id):
            message = tr(
                "the file holds the item {item_id!r}; its name must be that, of at most 64 characters that "
                "every system can keep in a file's name",
                item_id=facts.item_id,
            )
            self.faults.append(Fault("wrong_name", path, message))
        if facts.group not in self._contest.languages.get(facts.language, ()):
            self._strange_groups.setdefault((facts.language, facts.group), []).append(path)
        if not self._contest.stands_in:
            steps = steps_of(self._contest.track, raw, self._contest.parameters)
            self.first_steps.add(next((step.name for step in steps), ""))
        self.texts[facts.item_id, path] = [fingerprint(text) for text in self._contest.track.texts(raw)]
        numbers = tuple(sorted(experts))
        references = tuple(self._reference(raw, experts[number]) for number in numbers)
        usual = numbers == tuple(range(1, len(numbers) + 1))
        content = self._keep("items", path, raw)
        return Item(facts.item_id, facts.language, facts.group, content, references, () if usual else numbers)

    def _reference(self, item: Any, name: str) -> str:
        path = f"{self._folder}/{name}"
        raw, broken = self._value(path)
        self.faults += broken
        if not broken:
            self._refuse(path, self._contest.track.read_reference(item, raw, self._contest.parameters))
        return self._keep("references", path, raw)

    # Clause: R 2.22, R 2.27, TS T14
    def _value(self, path: str) -> tuple[Any, list[Fault]]:
        """Return a file's value, be it JSON or the notation. The reader reports the faults of a file that is there."""
        if path.endswith(_JSON):
            value, faults = read_json(self._source, path)
            return value, (self._of_another_tool(path) or faults) if faults else []
        read = self._contest.track.read_text(self._source.read(path), self._contest.parameters)
        return read.canonical, [from_reason(reason, path) for reason in read.reasons] if read.canonical is None else []

    def _refuse(self, path: str, reasons: Sequence[Reason]) -> None:
        self.faults += [from_reason(reason, path) for reason in reasons]

    def _keep(self, kind: str, path: str, raw: Any) -> str:
        try:
            content = canonical(raw)
        except ValueError as error:
            message = tr("a value cannot be stored: {error}", error=of_value(error))
            self.faults.append(Fault("not_storable", path, message))
            return ""
        digest = sha256_hex(content)
        self.objects[kind, digest] = content
        return digest
