"""Texts that stand in two sets of a cycle: whoever has one set knows part of the other, a final's above all."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from contest.domain.cycle.cycle import SetKind
from contest.faults import Fault
from tracks.protocol import Text

_MOST_SECRET_FIRST: Final = (SetKind.FINAL, SetKind.RESERVE, SetKind.TEST, SetKind.TRAINING)
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
"""Soft hyphen, spaces of no width, byte order mark: copies of a text differ by them, and no reader sees it."""


@dataclass(frozen=True, slots=True)
class Place:
    """An item of a set and the file it was read from."""

    kind: SetKind
    set_name: str
    item_id: str
    file: str

    @property
    def order(self) -> tuple[int, str, str]:
        """What is kept most secret comes first."""
        return _MOST_SECRET_FIRST.index(self.kind), self.set_name, self.item_id


def fingerprint(text: str) -> bytes:
    """SHA-256 that texts have in common which differ at most in white space, case and how characters are composed."""
    composed = unicodedata.normalize("NFC", text.translate(_INVISIBLE).casefold())
    return hashlib.sha256(" ".join(composed.split()).encode("utf-8", "surrogatepass")).digest()


def repeated_texts(places: Mapping[Place, Iterable[bytes]]) -> tuple[Fault, ...]:
    """A fault for every text of more than one set, with all items that have it; by their fingerprints.

    Items that have several texts in common, its versions, are one fault.

    Clause: R 2.7, R 2.8
    """
    found: defaultdict[bytes, set[Place]] = defaultdict(set)
    for place, texts in places.items():
        for each in texts:
            found[each].add(place)
    groups = {tuple(sorted(each, key=lambda place: place.order)) for each in found.values()}
    leaked = (each for each in groups if len({place.set_name for place in each}) > 1)
    return tuple(_fault(each) for each in sorted(leaked, key=lambda group: [place.order for place in group]))


def _fault(places: tuple[Place, ...]) -> Fault:
    listed = ", ".join(f"{each.set_name}: {each.item_id} ({each.file})" for each in places)
    said = Text(f"one text in several sets: {listed}", f"один текст в нескольких выборках: {listed}")
    where = [{"set": each.set_name, "item": each.item_id, "file": each.file} for each in places]
    return Fault("text_in_several_sets", places[0].file, said, {"places": where})
