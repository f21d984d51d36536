"""How the command shows results: as tables for people, as one line of JSON per result for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markup_core.command.batch import encode
from markup_core.command.captions import caption
from markup_core.command.console import Console
from markup_core.command.operations import Answer
from markup_core.command.tables import UNDEFINED, decimal, percent, shortened, text_table
from markup_core.criteria import FORMULAS
from markup_core.params import METRICS
from markup_core.said import told

Json = Mapping[str, Any]


def record(console: Console, op: str, inputs: Json, answer: Answer) -> None:
    """A result with its fingerprint and the names of its inputs: what ``verify`` reads."""
    whole = {"op": op, "inputs": inputs, "result": answer.result, "fingerprint": answer.fingerprint}
    console.data(encode(whole) + b"\n")


def faults(console: Console, path: Path, markup: Any, result: Json) -> None:
    """All errors and warnings of one markup."""
    found = [("error", fault) for fault in result["errors"]] + [("warning", fault) for fault in result["warnings"]]
    counts = {"errors": len(result["errors"]), "warnings": len(result["warnings"])}
    if not counts["errors"]:
        console.line(console.say("valid", file=path, fragments=len(markup["selections"])))
    if found:
        console.line(console.say("faults", file=path, **counts))
        headings = _captions(console, "kind", "fragment", "field", "code", "message")
        rows = [
            (
                caption(kind, console.language),
                UNDEFINED if fault["fragment"] is None else shortened(str(fault["fragment"]), 20),
                shortened(fault["field"] or UNDEFINED),
                fault["code"],
                told(fault["message"], console.language),
            )
            for kind, fault in found
        ]
        console.line(f"{text_table(headings, rows)}\n")


def grade(console: Console, path: Path, result: Json) -> None:
    """The criteria of one markup with their reasons."""
    subject = result["subject"]
    console.line(console.say("graded", file=path, subject=subject, total=result["total"], most=result["max"]))
    maxima = dict(zip(FORMULAS[subject].names, FORMULAS[subject].maxima, strict=True))
    rows = [
        (name, str(points), str(maxima[name]), result["explanations"][name][console.language].partition(": ")[2])
        for name, points in result["criteria"].items()
    ]
    console.line(f"{text_table(_captions(console, 'criterion', 'points', 'most', 'why'), rows, (1, 2))}\n")


def metrics(console: Console, result: Json) -> None:
    """M1…M7 and the pair accuracy."""
    values = {**{name: result["metrics"][name] for name in METRICS}, "pair_accuracy": result["pair_accuracy"]}
    rows = [
        (name if name in METRICS else "", caption(name, console.language), percent(value, console.language))
        for name, value in values.items()
    ]
    console.line(f"{text_table(_captions(console, 'metric', 'meaning', 'value'), rows, (2,))}\n")


def matching(console: Console, x: Json, y: Json, result: Json) -> None:
    """Which fragments correspond, in the order of the text, then those without a counterpart."""
    counts = {"pairs": result["pairs"], "x": result["unmatched_x"], "y": result["unmatched_y"]}
    sizes = {name: len(listed) for name, listed in counts.items()}
    q = decimal(f"{result['q']:.4g}", console.language)
    console.line(f"{console.say('matched', **sizes, q=q)}\n")
    code, span = _captions(console, "code", "span")
    headings = (f"X: {code}", f"X: {span}", f"Y: {code}", f"Y: {span}", *_captions(console, "overlap", "text"))
    console.line(text_table(headings, _couples(x, y, result, console.language), (4,)))


def _couples(x: Json, y: Json, result: Json, language: str) -> Iterator[tuple[str, ...]]:
    ours, theirs, text = x["selections"], y["selections"], x["text"]
    couples = [(ours[i], theirs[k]) for i, k in result["pairs"]]
    couples += [(ours[i], None) for i in result["unmatched_x"]] + [(None, theirs[k]) for k in result["unmatched_y"]]
    for one, other in sorted(couples, key=lambda couple: _span(couple[0] or couple[1])):
        overlap = _overlap(_span(one), _span(other), language) if one and other else UNDEFINED
        start, end = _span(one or other)
        yield (*_place(one), *_place(other), overlap, shortened(text[start:end]))


def _place(selection: Json | None) -> tuple[str, str]:
    if selection is None:
        return UNDEFINED, UNDEFINED
    start, end = _span(selection)
    return selection["type"], f"{start}…{end}"


def _span(selection: Json | None) -> tuple[int, int]:
    return (0, 0) if selection is None else (selection["startSelection"], selection["endSelection"])


def _overlap(one: tuple[int, int], other: tuple[int, int], language: str) -> str:
    """Common characters in per cent of all; two full-text fragments coincide."""
    union = max(one[1], other[1]) - min(one[0], other[0])
    common = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    if one == other:
        return percent(100.0, language)
    apart = one[1] - one[0] + other[1] - other[0]  # touching or distant spans have no gap in their union
    return percent(common * 100.0 / (union if common else apart), language)


def _captions(console: Console, *names: str) -> tuple[str, ...]:
    return tuple(caption(name, console.language) for name in names)
