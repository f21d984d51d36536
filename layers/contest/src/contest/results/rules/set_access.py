"""Rules of access to data sets: downloads, archives of finals, totals over hidden sets.

Access to a set depends on the caller and the set (platform §1); sets are given in parts (tracks-sessions T12). The
archive of a final (R 7.14) is a function to bytes: the same facts make the same archive. Of a hidden set only totals
are shown, and they are withheld so that no total reveals a few items (T10).
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final

from contest.cycle.rules.cycle import EssaySet, Item, SetKind
from contest.run.rules.schedule import Schedule
from contest.texts import tr
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import Counted, CountsAnswers, QualifiesByResult
from tracks.protocol import Json, Reason, Track
from tracks.rules import LEAST_TOLD, Details, told_groups

if TYPE_CHECKING:
    from contest.run.rules.run import Run


PART: Final = 3_500_000
"""Bytes of a part, from which on no further file is put into it. A function's answer holds 4.5 MB in base64, and one
file, of 2 MiB at most, comes to 4 MiB where every character must be escaped."""
FILES_OF_PART: Final = 1_000
_REFERENCE: Final = re.compile(r"_exp\d{2,}\.json")
"""Ending that follows an item's name in the names of its references."""
PACK: Final = 512_000_000
"""Maximum bytes of the parts of a set that is given as one file: a request reads and compresses them in some ten of
its thirty seconds, and an import through the interface unpacks to less."""


class Asker(StrEnum):
    """Role of a caller for access to sets."""

    ANYBODY = "anybody"
    PARTICIPANT = "participant"
    """A member, or the program, of a team that is approved now."""
    ORGANIZER = "organizer"


class View(StrEnum):
    """Extent of a set that a caller gets."""

    WHOLE = "whole"
    """Items and references, file by file as they were imported."""
    QUESTIONS = "questions"
    """Items as they are handed out, and no reference."""


# Clause: platform §1 data sets, R 2.6, R 4.2.1, R 2.7, R 2.8, TS T12, D 1.9, D 7.6, D 8.3
def view_of(asker: Asker, data_set: EssaySet, *, open_tests: bool) -> View | None:
    """Return a caller's view of a set of the cycle; None: the set is not even named.

    ``open_tests``: whether the track hands out test sets as wholes.
    """
    if asker is Asker.ORGANIZER or data_set.published_at is not None:
        return View.WHOLE
    if asker is Asker.PARTICIPANT and data_set.kind is SetKind.TRAINING:
        return View.WHOLE
    if asker is Asker.PARTICIPANT and data_set.kind is SetKind.TEST and open_tests:
        return View.QUESTIONS
    return None


# Clause: R 7.11, platform §1 data sets
def may_have_final(asker: Asker, run: Run) -> bool:
    """Return whether a caller may download the essays and expert annotations of a final.

    All participants may while its results are published. A trial's count nowhere, and stay where they are.
    """
    is_out = run.published_at is not None and not run.trial and Schedule.of(run).stop is None
    return is_out and asker is not Asker.ANYBODY


@dataclass(frozen=True, slots=True)
class SetFile:
    """File of a download: its name, the kind of its content (``items``, ``references``), its SHA-256."""

    name: str
    kind: str
    content: str


def files_of(items: Sequence[Item], view: View) -> tuple[SetFile, ...]:
    """Return the files of a set in their order: every item's own, then its references'. O(files)."""
    set_files: list[SetFile] = []
    for item in items:
        set_files.append(SetFile(f"{item.item_id}.json", "items", item.content))
        if view is View.WHOLE:
            set_files += [SetFile(name, "references", digest) for name, digest in item.files]
    return tuple(set_files)


def set_entries(files: Iterable[Mapping[str, Any]]) -> list[tuple[Any, list[Any]]]:
    """Return the items of a set's files, each with its references.

    Every item's own stands before its references', which have its name and a number.
    """
    entries: list[tuple[Any, list[Any]]] = []
    name = ""
    for file in files:
        text = json.loads(file["text"])
        if entries and _REFERENCE.fullmatch(file["name"].removeprefix(name)):
            entries[-1][1].append(text)
        else:
            entries.append((text, []))
            name = file["name"].removesuffix(".json")
    return entries


def fingerprint_of(files: Sequence[SetFile], view: View, shown_by: str) -> str:
    """Return the SHA-256 that names a download: another file, name, view or version of the display changes it."""
    return sha256_hex(canonical([view.value, shown_by, [[file.name, file.kind, file.content] for file in files]]))


@dataclass(frozen=True, slots=True)
class Pack:
    """A set as one zip: its bytes and its SHA-256."""

    size: int
    sha256: str


# Clause: TS T12
def is_given_as_one(parts: Sequence[Part]) -> bool:
    """Return whether a set is also given as one file.

    Not of one part, where it would save nothing, nor above :data:`PACK`, where no request makes it.
    """
    return len(parts) > 1 and sum(part.size for part in parts) <= PACK


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a set: the number of its files, in their order, its bytes and SHA-256."""

    files: int
    size: int
    sha256: str


def next_part(contents: Sequence[tuple[str, bytes]]) -> tuple[int, bytes]:
    """Return the number of files of the next part, at least one, and its bytes. O(bytes).

    Every file stands in it as text, to the byte as it is hashed.
    """
    entries: list[Mapping[str, Any]] = []
    size = 0
    for name, content in contents[:FILES_OF_PART]:
        entry = {"name": name, "sha256": sha256_hex(content), "text": content.decode("utf-8")}
        size += len(canonical(entry))
        if entries and size > PART:
            break
        entries.append(entry)
    return len(entries), canonical({"files": entries})


ARCHIVE_FORMAT: Final = 1
ARCHIVE_MANIFEST: Final = "manifest.json"
ARCHIVE_LICENCE: Final = "CC-BY-4.0"
_ROW: Final = re.compile(r"\| `(?P<place>[^/`]+)")
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The first day that the format knows, in place of the files' own times."""
_UNIX: Final = 3
_READABLE: Final = 0o644 << 16


class _Tail(io.BytesIO):
    """The end of a file that is handed on in pieces: places in it are counted from the beginning of the whole file."""

    _before = 0

    def tell(self) -> int:
        return self._before + super().tell()

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        return self._before + super().seek(place - self._before, whence)

    def handed_on(self) -> bytes:
        """Return the bytes written since the last piece, and forget them."""
        piece = self.getvalue()
        self.seek(self._before)
        self.truncate(0)
        self._before += len(piece)
        return piece


# Clause: R 7.14, platform §7 exports
def archive(about: Mapping[str, Any], files: Callable[[], Iterable[tuple[str, bytes]]]) -> Iterator[bytes]:
    """Yield the archive of these files, by name, with a manifest of their SHA-256, in pieces. O(bytes).

    ``files`` is called twice, for the manifest and for the contents: no two files are held at once, as the answers of
    a final are more than a function's memory. Nothing is compressed in it: compressors differ from one machine to
    another, and the archive is compressed as it is sent.
    """
    listed = [{"name": name, "sha256": sha256_hex(content), "bytes": len(content)} for name, content in files()]
    manifest = canonical({"format": ARCHIVE_FORMAT, "licence": ARCHIVE_LICENCE, **about, "files": listed})
    tail = _Tail()
    with zipfile.ZipFile(tail, "w", zipfile.ZIP_STORED) as packed:
        for name, content in chain([(ARCHIVE_MANIFEST, manifest)], files()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            packed.writestr(entry, content)
            yield tail.handed_on()
    yield tail.handed_on()


# Clause: R 7.14, D 14.7
def readme(template: str, files: Collection[str], about: str, left_out: Sequence[str]) -> str:
    """Return the readme of an archive: the template without the table rows of missing files, its two places filled."""
    folders = {name.split("/")[0] for name in files} | {ARCHIVE_MANIFEST}
    lines = [line for line in template.splitlines() if (row := _ROW.match(line)) is None or row["place"] in folders]
    listed = "\n".join(f"- {text}" for text in left_out)
    return "\n".join(lines).format(about=about, left_out=listed) + "\n"


# Clause: R 7.14
def pseudonyms(authors: Sequence[str]) -> dict[str, str]:
    """Return a name for every author, in the order of first appearance; none contains a part of their own name."""
    names: dict[str, str] = {}
    for author in authors:
        names.setdefault(author, f"expert-{len(names) + 1}")
    return names


_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Request:
    """Digests of one request: each view of its answer (empty where a total takes nothing), and its reference."""

    views: tuple[str, ...]
    truth: str = ""
    groups: tuple[str, ...] = ()
    labels: tuple[Mapping[str, str], ...] = ()


_NOTHING: Final = Request(())
Test = Mapping[str, Request]
"""Requests by their names."""
Groups = Sequence[frozenset[str]]
"""Groups of each breakdown."""


@dataclass(frozen=True, slots=True)
class Answers:
    """A team's answers to a hidden set: the number of answered items, and the requests of each test with a total.

    A program is asked everything: its answers to each test count, and ``answered`` is None.
    """

    tests: Mapping[str, Test]
    answered: int | None


@dataclass(frozen=True, slots=True)
class Earlier:
    """Earlier result of the same team with published totals over the same set, with or without breakdowns."""

    name: str
    tests: Mapping[str, Test]
    breakdowns: bool = True


# Clause: TS T10
def tells_totals(track: Track, kind: SetKind) -> bool:
    """Return whether sessions and submissions over such a set get totals of a hidden set, and nothing of an item.

    **Decision**: not where a session is passed by its result (diagnosis: one epicrisis), which must be told.
    """
    if isinstance(track, QualifiesByResult):
        return False
    return kind is SetKind.TEST and track.details(kind.value) is Details.TOTALS


# Clause: TS T10
def request_digests(
    track: Track, item: Json, answer: Json, references: Sequence[Json], parameters: Json
) -> dict[str, Request]:
    """Return the digests of an item's requests; without a contest's own rule, of the answer and the references."""
    if isinstance(track, CountsAnswers):
        requests = track.counted(item, answer, references, parameters)
    else:
        requests = {"": Counted((answer,), list(references))}
    return {
        name: Request(
            tuple(map(_digest, part.views)),
            _digest(part.truth),
            part.groups,
            tuple({name: _digest(edits) for name, edits in edits_of.items()} for edits_of in part.labels),
        )
        for name, part in requests.items()
    }


def _digest(value: Json) -> str:
    return "" if value is None else sha256_hex(canonical(value))[:_DIGITS]


def answers_of(items: Iterable[tuple[str, str, Mapping[str, Request]]], answered: int | None) -> Answers:
    """Return the answers to items by test, of the items' names, languages and requests.
    Each item that holds many requests is a test; all others of a language are one test, as boards have them."""
    tests: dict[str, dict[str, Request]] = {}
    for item_id, language, requests in items:
        for name, request in requests.items():
            test, key = (item_id, name) if name else (language, item_id)
            tests.setdefault(test, {})[key] = request
    return Answers(tests, answered)


def count_differing(one: Test, other: Test) -> tuple[int, ...]:
    """Count by view the requests to which two tests have other answers or other truths. O(requests).
    A request of only one of them counts as different."""
    pairs = [(one.get(name, _NOTHING), other.get(name, _NOTHING)) for name in one.keys() | other.keys()]
    return tuple(map(len, _by_view(pairs)))


def _by_view(pairs: Sequence[tuple[Request, Request]]) -> Iterator[list[tuple[Request, Request]]]:
    """Yield the pairs that differ, by view."""
    views = max((max(len(one.views), len(other.views)) for one, other in pairs), default=0)
    for view in range(views):
        yield [(one, other) for one, other in pairs if _seen(one, view) != _seen(other, view)]


def _seen(request: Request, view: int) -> tuple[str, str]:
    return request.truth, request.views[view] if view < len(request.views) else ""


# Clause: TS T10
def reason_to_withhold(answers: Answers, earlier: Iterable[Earlier], least: int) -> Reason | None:
    """Return the reason for withholding the totals of these answers; None if they may be shown.

    Totals of fewer than ``least`` answered items, or answers that count, are about these items; so is the difference of
    two totals whose answers, or references, differ in fewer. The same answers again have the same totals. **Decision**:
    totals told first stay told, later ones are withheld, and the reason depends on the team's own answers and on what
    organizers correct, so it tells nothing of a reference either. Answers are compared as each total takes them: nine
    that are written otherwise and count as before do not hide a tenth. A test of which nothing counts tells nothing;
    everything is withheld where one test's total would be of few requests, since the sum of the totals is told, too.
    """
    if answers.answered is not None and answers.answered < least:
        return _too_few(answers.answered, least)
    for name, test in sorted(answers.tests.items()):
        views_of_requests = (request.views for request in test.values())
        for number in tuple(sum(map(bool, view)) for view in zip_longest(*views_of_requests, fillvalue="")):
            if 0 < number < least:
                return _too_few(number, least, name if len(answers.tests) > 1 else "")
    for result in earlier:
        names = sorted(answers.tests.keys() | result.tests.keys())
        for name in names:
            for number in count_differing(answers.tests.get(name, {}), result.tests.get(name, {})):
                if 0 < number < least:
                    return _too_similar(result.name, number, least, name if len(names) > 1 else "")
    return None


# Clause: TS T10
def without_breakdowns(answers: Answers, earlier: Iterable[Earlier], least: int) -> bool:
    """Return whether to leave breakdowns out: in some group fewer than ``least`` answers count or differ.
    A group is one that is shown, all groups that are shown nowhere together, or a label of answers.

    Teams know the groups of items. A test's groups are told by themselves, and those of all tests together.
    **Decision**: by labels nothing is compared over corrected references: which labels these have is not known here.
    """
    whole = _together(answers.tests)
    large = _large_groups(whole)
    count = (number for test in (*answers.tests.values(), whole) for number in _counting_in_groups(test, large))
    before = [result.tests for result in earlier if result.breakdowns]
    pairs = [
        (answers.tests.get(name, {}), tests.get(name, {})) for tests in before for name in {*answers.tests, *tests}
    ]
    pairs += [(whole, _together(tests)) for tests in before]
    differ = (number for one, other in pairs for number in _differing_in_parts(one, other, large, least))
    return any(0 < number < least for number in chain(count, differ))


def _together(tests: Mapping[str, Test]) -> Test:
    return {f"{name} {key}": request for name, test in tests.items() for key, request in test.items()}


def _counting_in_groups(test: Test, large: Groups) -> Iterator[int]:
    """Yield the number of counting answers in each ``large`` group, and in those of a test that are shown nowhere."""
    public = _told_groups(test)
    for view in zip_longest(*(request.views for request in test.values()), fillvalue=""):
        counting = [request for request, digest in zip(test.values(), view, strict=True) if digest]
        yield from Counter(part for request in counting for part in _parts(request, public, large)).values()


def _differing_in_parts(one: Test, other: Test, large: Groups, least: int) -> Iterator[int]:
    """Yield the number of differing answers in each group, in the groups not shown of both, and in each label."""
    pairs = [(one.get(name, _NOTHING), other.get(name, _NOTHING)) for name in one.keys() | other.keys()]
    public = [first & second for first, second in zip_longest(*map(_told_groups, (one, other)), fillvalue=frozenset())]
    breakdowns = zip_longest(large, *map(_large_groups, (one, other)), fillvalue=frozenset[str]())
    large = [frozenset().union(*groups) for groups in breakdowns]
    for differs in _by_view(pairs):
        parts = ({*_parts(first, public, large), *_parts(second, public, large)} for first, second in differs)
        yield from Counter(chain.from_iterable(parts)).values()
    labelled = any(request.labels for pair in pairs for request in pair)
    if labelled and any(first.truth and second.truth and first.truth != second.truth for first, second in pairs):
        yield 1
    for number in range(max((len(request.labels) for pair in pairs for request in pair), default=0)):
        yield from _differing_in_labels(
            [
                tuple((request.labels[number] if number < len(request.labels) else {}) for request in pair)
                for pair in pairs
            ],
            least,
        )


def _differing_in_labels(pairs: Sequence[tuple[Mapping[str, str], ...]], least: int) -> Iterator[int]:
    """Yield the number of differing answers in each label, and in all labels that either side names too rarely.
    Labels of fewer than ``least`` answers are shown nowhere."""
    named = [Counter(chain.from_iterable(side)) for side in zip(*pairs, strict=True)]
    differs: dict[str, set[int]] = {}
    for place, (first, second) in enumerate(pairs):
        for label in first.keys() | second.keys():
            if first.get(label) != second.get(label):
                rare = not label or any(0 < side[label] < least for side in named)
                differs.setdefault("" if rare else f"label {label}", set()).add(place)
    yield from map(len, differs.values())


def _sizes(test: Test) -> list[Counter[str]]:
    """Count by breakdown the items of each group."""
    groups = [request.groups for request in test.values()]
    number = max(map(len, groups), default=0)
    return [Counter(names[place] for names in groups if place < len(names)) for place in range(number)]


def _told_groups(test: Test) -> Groups:
    return list(map(told_groups, _sizes(test)))


def _large_groups(test: Test) -> Groups:
    """Return the groups of ten items and more. A part of the items may show a group that all items do not:
    as the items with a context."""
    return [frozenset(name for name, size in sizes.items() if size >= LEAST_TOLD) for sizes in _sizes(test)]


def _parts(request: Request, public: Groups, large: Groups) -> Iterator[tuple[int, str]]:
    """Yield the group of an item in every breakdown: its own if that is large, the rest if it is not shown."""
    for place, group in enumerate(request.groups):
        if group in large[place]:
            yield place, group
        if group not in public[place]:
            yield place, ""


def left_out(least: int) -> Reason:
    """Return the reason for totals without breakdowns."""
    message = tr(
        "breakdowns are left out: in some groups fewer than {least} answers count, or differ from "
        "those of an earlier result, which would tell of single items of a hidden set",
        least=least,
    )
    return Reason("breakdowns_too_similar", message, {"least": least})


def note_json(name: str, state: str, answers: Answers, *, breakdowns: bool) -> dict[str, Any]:
    """Return the note on answers with published totals, as it is stored."""
    tests = {
        test: {key: asdict(request) for key, request in requests.items()} for test, requests in answers.tests.items()
    }
    return {"format": 1, "name": name, "state": state, "breakdowns": breakdowns, "tests": tests}


def read_note(content: bytes) -> tuple[Earlier, str]:
    """Read a note of :func:`note_json` and the state of its set; of an older note the name alone."""
    raw = json.loads(content)
    tests = {
        test: {
            key: Request(tuple(row["views"]), row["truth"], tuple(row["groups"]), tuple(row["labels"]))
            for key, row in requests.items()
        }
        for test, requests in raw.get("tests", {}).items()
    }
    return Earlier(raw["name"], tests, raw.get("breakdowns", True)), raw.get("state", "")


def described_reason(reason: Reason) -> dict[str, Any]:
    """Return the reason as a report has it."""
    return {"code": reason.code, "message": reason.message.en, "message_ru": reason.message.ru}


def _too_few(answered: int, least: int, test: str = "") -> Reason:
    head = f"{test}: " if test else ""
    message = tr(
        "{head}items with answers that count: {answered}; totals over a hidden set are told of "
        "{least} and more: answer more items",
        head=head,
        answered=answered,
        least=least,
    )
    return Reason("too_few_items", message, {"answered": answered, "least": least, **({"test": test} if test else {})})


def _too_similar(name: str, differs: int, least: int, test: str = "") -> Reason:
    head = f"{test}: " if test else ""
    message = tr(
        "{head}items that count otherwise than in {name}, by another answer or a corrected "
        "reference: {differs}; of fewer than {least} no other totals are told, they would be about "
        "single items of a hidden set: change more answers, or go by the totals of that one",
        head=head,
        name=name,
        differs=differs,
        least=least,
    )
    where = {"name": name, "differing": differs, "least": least, **({"test": test} if test else {})}
    return Reason("too_similar", message, where)
