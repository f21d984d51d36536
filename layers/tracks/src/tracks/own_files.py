"""Gathering a set's files while a track unpacks its contest's own form (tracks-sessions T14)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from markup_core.reading.wire import Limits, MalformedInput, decode, short, short_ru, writable
from markup_core.receipt import canonical_bytes
from tracks.beside import Unpacked
from tracks.protocol import Json, Reason, Text
from tracks.reasons import of_json

WHOLE_SET: Final = Limits(max_bytes=256 * 1024 * 1024)
"""Bounds of a file that holds a whole set."""
REFERENCE: Final = re.compile(r".+_exp\d{2}\.json", re.DOTALL)
"""Names of references in the platform's form."""
_NAME: Final = re.compile(r"""(?!\.)[^/\\:*?"<>|\x00-\x1f]{1,64}""")
_WHOLE: Final[Mapping[str, Json]] = {}
_NAMED: Final = 10
"""Ids that a message names; ``where`` has all."""


class Unpacking:
    """The platform's files made so far, with every fault found so far."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._given, self._made = files, dict[str, bytes]()
        self._read, self._reasons = set[str](), list[Reason]()
        self._from: dict[str, str] = {}
        self._origins: dict[str, str] = {}

    def take(self, file: str) -> bytes:
        """The bytes of a file that is in the contest's own form."""
        self._read.add(file)
        return self._given[file]

    def refuse(self, code: str, said: Text, file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """A fault of a file; ``place`` says where in it."""
        self._reasons.append(Reason(code, said, {"file": writable(file), **place}))

    def refuse_all(self, reasons: Iterable[Reason], file: str, place: Mapping[str, Json] = _WHOLE) -> None:
        """Faults that were found in a part of a file."""
        for each in reasons:
            self.refuse(each.code, each.message, file, {**place, **each.where})

    def item(
        self, item_id: str, item: Json, references: Mapping[int, Json], file: str, place: Mapping[str, Json] = _WHOLE
    ) -> None:
        """An item with its references by their experts' numbers, and where it stands in the contest's file."""
        if not _NAME.fullmatch(item_id) or REFERENCE.fullmatch(f"{item_id}.json"):
            said = Text(
                f"{short(item_id)} cannot be a file's name: 1 to 64 characters that every system keeps are needed,"
                " and no ending _expNN",
                f"{short_ru(item_id)} не годится в имя файла: нужны от 1 до 64 знаков, допустимых во всех системах,"
                " без _expNN в конце",
            )
            self.refuse("unsafe_id", said, file, place)
        elif item_id in self._from:
            first = self._from[item_id]
            said = Text(f"the id {item_id} stands in {first} already", f"id {item_id} уже есть в {first}")
            self.refuse("repeated_id", said, file, {**place, "id": item_id})
        else:
            self._from[item_id] = writable(file)
            made = {f"{item_id}.json": item, **{f"{item_id}_exp{n:02}.json": each for n, each in references.items()}}
            for name, value in made.items():
                self._keep(name, value, file, place)

    def _keep(self, name: str, value: Json, file: str, place: Mapping[str, Json]) -> None:
        try:
            self._made[name] = canonical_bytes(value)
            self._origins[name] = file
        except ValueError:  # UnicodeEncodeError: everything else was JSON
            said = Text("half a surrogate pair cannot be stored", "половину суррогатной пары не сохранить")
            self.refuse("not_storable", said, file, place)

    def result(self) -> Unpacked:
        """Everything that was made beside everything that was not read; nothing where there are faults."""
        kept = {name: body for name, body in self._given.items() if name not in self._read}
        for name in sorted(kept.keys() & self._made.keys()):
            said = Text(f"another file holds the item of {name}", f"элемент из {name} есть и в другом файле")
            self.refuse("in_two_forms", said, name)
        read, reasons = frozenset(self._read), tuple(self._reasons)
        return Unpacked({}, reasons, read) if reasons else Unpacked({**kept, **self._made}, (), read, self._origins)


def read_json(body: bytes) -> tuple[Json, tuple[Reason, ...]]:
    """The JSON value of a file that may hold a whole set, or why it has none."""
    try:
        return decode(body, WHOLE_SET), ()
    except MalformedInput as error:
        return None, (of_json(error),)


def read_lines(body: bytes) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """The values of JSON Lines with their lines' numbers from 1; blank lines are passed over."""
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, decode(line), ()
            except MalformedInput as error:
                moved = MalformedInput(error.code, error.message, number, max(error.column, 1))
                yield number, None, (of_json(moved),)


def listed(ids: Iterable[str]) -> str:
    """Ids as a message names them: the first ones, and how many more."""
    shown = [writable(each) for each in ids]
    more = f" … (+{len(shown) - _NAMED})" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more
