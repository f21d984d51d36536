"""Baseline: phrases and places that the experts' annotations of the training set have in common.

    python solver.py INPUT OUTPUT     answer one essay, as `pku run --solver` starts it

`learn` makes a model of annotations, `mark` applies it to an essay. Replace both.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

LONGEST_PHRASE = 40
"""Code points; a longer fragment is a part of the essay, and its place is learned instead of its words."""
MODEL = Path(__file__).with_name("model.json")
_BREAK = re.compile(r"[.!?…](?=\s|$)|\n")


def learn(annotations: list[Any]) -> Any:
    """Return the model: by subject, phrases with their code, and codes with their usual place.

    A phrase is kept if at least half of its occurrences are marked; a place, if at least half of the annotations have
    the code. Equal counts: the code that comes first in the order of code points.
    """
    by_subject = defaultdict(list)
    for annotation in annotations:
        by_subject[annotation["meta"]["subject"]].append(annotation)
    return {subject: {"phrases": _phrases(part), "places": _places(part)} for subject, part in by_subject.items()}


def mark(essay: Any, model: Any) -> Any:
    """Return the essay with fragments by the model; of two equal places the first one stays."""
    text, part = essay["text"], model.get(essay["meta"]["subject"], {"phrases": {}, "places": {}})
    spans = [(*_snapped(text, start, end), code) for code, (start, end) in part["places"].items()]
    spans += [(*span, code) for phrase, code in part["phrases"].items() for span in occurrences(text, phrase)]
    fragments, places = [], set()
    for start, end, code in sorted(spans, key=lambda span: span[:2]):
        if start < end and (start, end) not in places:
            places.add((start, end))
            fragments.append({"id": len(places), "startSelection": start, "endSelection": end, "type": code})
    return {**essay, "selections": fragments}


def occurrences(text: str, phrase: str) -> list[tuple[int, int]]:
    """Return where a phrase stands as whole words, in code points."""
    places = []
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
            places.append((start, end))
        start = text.find(phrase, end)
    return places


def _phrases(annotations: list[Any]) -> dict[str, str]:
    marked: dict[str, Counter[str]] = defaultdict(Counter)
    for annotation in annotations:
        for fragment in annotation["selections"]:
            phrase = annotation["text"][fragment["startSelection"] : fragment["endSelection"]]
            if len(phrase) <= LONGEST_PHRASE and phrase == phrase.strip() and len(phrase) > 2:
                marked[phrase][fragment["type"]] += 1
    phrases = {}
    for phrase, codes in sorted(marked.items()):
        code, count = min(codes.items(), key=lambda pair: (-pair[1], pair[0]))
        if 2 * count >= sum(len(occurrences(annotation["text"], phrase)) for annotation in annotations):
            phrases[phrase] = code
    return phrases


def _places(annotations: list[Any]) -> dict[str, tuple[float, float]]:
    places: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for annotation in annotations:
        size, codes = len(annotation["text"]), set()
        for fragment in sorted(annotation["selections"], key=lambda one: one["startSelection"]):
            start, end, code = fragment["startSelection"], fragment["endSelection"], fragment["type"]
            if end - start > LONGEST_PHRASE and code not in codes:
                codes.add(code)
                places[code].append((start / size, end / size))
    return {
        code: (_middle([start for start, _ in spans]), _middle([end for _, end in spans]))
        for code, spans in sorted(places.items())
        if 2 * len(spans) >= len(annotations)
    }


def _middle(values: list[float]) -> float:
    """Return the median; of an even number the lower one."""
    return sorted(values)[(len(values) - 1) // 2]


def _snapped(text: str, start: float, end: float) -> tuple[int, int]:
    """Return a place of the essay, moved to the nearest ends of sentences."""
    breaks = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
    first, last = (min(breaks, key=lambda at, part=part: abs(at - part * len(text))) for part in (start, end))
    while first < last and text[first].isspace():
        first += 1
    return first, last


def main() -> None:
    """Read an essay, write its answer."""
    model = json.loads(MODEL.read_text("utf-8"))
    essay = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    Path(sys.argv[2]).write_text(json.dumps(mark(essay, model), ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
