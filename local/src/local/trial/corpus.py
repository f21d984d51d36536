"""Make a cycle of its own from a corpus of texts with two annotators each (the trial on real texts).

The corpus is a folder with ``index.json`` (one entry per text: ``id``, ``files``), ``types.json`` (error types with
counts) and the markups it names, in the contest's JSON except for three things that corpora of corrections do
differently:

* an insertion is a selection of zero length. An essay's fragment must cover something, so it is **widened** to the
  run of non-white-space characters that it touches (the one before it, else the one after it; between two blanks, the
  blank before it), and its correction becomes that run with the insertion made;
* a deletion has an empty correction, which the contest reads as "no correction": it keeps its span and its code;
* the codes are the corpus' own, so the classifier is made from its list of types. There is no grading formula: M1 is
  undefined and weighs 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local.texts import tr

LANGUAGE: Final = "ukr"
SUBJECT: Final = "uk"
WEIGHTS: Final = (0, 2, 1, 1, 1, 1, 0)
REQUESTS_PER_SECOND: Final = 1000
"""A trial is about the numbers; it need not wait for the contest's rate limit."""


class CorpusError(Exception):
    """The folder is not such a corpus; the message says what is missing or wrong and where."""


@dataclass(frozen=True, slots=True)
class TrialText:
    """One text with its two annotators' markups, as canonical JSON values."""

    item_id: str
    annotators: tuple[dict[str, Any], dict[str, Any]]

    @property
    def essay(self) -> dict[str, Any]:
        """Return the text without a markup, as it is imported and handed out."""
        first = self.annotators[0]
        return {**first, "meta": {**first["meta"], "expert": ""}, "selections": []}


def read_corpus(folder: Path) -> tuple[TrialText, ...]:
    """Return all texts of the corpus in the order of its index. Raises :class:`CorpusError`."""
    texts = tuple(_texts(folder))
    if not texts:
        raise CorpusError(tr("{folder} names no text", folder=folder / "index.json"))
    return texts


def classifier(folder: Path) -> dict[str, Any]:
    """Return the classifier of one subject whose codes are the corpus' error types."""
    types = _load(folder / "types.json")
    codes = [
        {
            "code": name,
            "category": name.partition("/")[0],
            "group": "error",
            "subtypes": sorted({name.partition("/")[2]} - {""}),
            "correction": True,
            "full_text": False,
            "relation": False,
            "description": {"en": f"Error type {name} of the corpus", "ru": f"Тип ошибки {name} корпуса"},
        }
        for name in types
    ]
    return {"subjects": {SUBJECT: codes}}


def widen(text: str, position: int) -> tuple[int, int]:
    """Return the span that stands for an insertion at ``position``: never empty for a non-empty text (rule above)."""
    start, end = position, position
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    if start == position:
        while end < len(text) and not text[end].isspace():
            end += 1
    if start < end:
        return start, end
    return (position - 1, position) if position > 0 else (0, min(1, len(text)))


def write_cycle(
    folder: Path,
    name: str,
    texts: tuple[TrialText, ...],
    codes: Mapping[str, Any],
    weights: tuple[float, ...] = WEIGHTS,
) -> None:
    """Write the folder that ``contest cycle load`` imports for the deployment ``name``: one training set."""
    cycle = {
        "cycle": name,
        "name": {"en": "Trial on real texts", "ru": "Проба на настоящих текстах"},
        "time_zone": "Europe/Kyiv",
        "track": "essay",
        "languages": {LANGUAGE: [SUBJECT]},
        "classifier": codes,
        "parameters": {"weights": list(weights), "requests_per_second": REQUESTS_PER_SECOND},
        "sets": {"train": {"folder": "train", "kind": "training"}},
    }
    (folder / "train").mkdir(parents=True)
    _write(folder / "cycle.json", cycle)
    for text in texts:
        _write(folder / "train" / f"{text.item_id}.json", text.essay)
        for number, markup in enumerate(text.annotators, start=1):
            _write(folder / "train" / f"{text.item_id}_exp{number:02}.json", markup)


def _texts(folder: Path) -> Iterator[TrialText]:
    for entry in _load(folder / "index.json"):
        item_id = f"{SUBJECT}-{entry['id']}"
        first, second = (_markup(_load(folder / name), item_id) for name in entry["files"])
        if first["text"] != second["text"]:
            raise CorpusError(tr("text {id}: the two annotators did not work on the same text", id=entry["id"]))
        yield TrialText(item_id, (first, second))


def _markup(raw: dict[str, Any], item_id: str) -> dict[str, Any]:
    selections = [_selection(raw["text"], selection) for selection in raw["selections"]]
    meta = {**raw["meta"], "id": item_id, "subject": SUBJECT}
    return {"meta": meta, "criteria": {}, "selections": selections, "text": raw["text"]}


def _selection(text: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    start, end, correction = raw["startSelection"], raw["endSelection"], raw["correction"]
    if start == end:
        position = start
        start, end = widen(text, position)
        correction = text[start:position] + correction + text[position:end]
    return {**raw, "startSelection": start, "endSelection": end, "correction": correction, "group": "error"}


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(tr("cannot read {path}: {strerror}", path=path, strerror=error.strerror)) from error
    except ValueError as error:
        raise CorpusError(tr("{path} is no JSON: {error}", path=path, error=error)) from error


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
