"""Replacements of the bugs that show a value in the place of the next one: authors, prices, subjects, times, places.

Each takes the result of the platform's function, and returns what stands in its place.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from contest.values import canonical
from rehearsal.harm.replacements import rotated


def _turned(values: Any) -> list[Any]:
    return [*values[1:], *values[:1]]


def authors_rotated(changes: Any) -> Any:
    return [
        replace(change, who=who)
        for change, who in zip(changes, _turned([change.who for change in changes]), strict=True)
    ]


def subjects_rotated(changes: Any) -> Any:
    issued = [place for place, change in enumerate(changes) if change.what == "token issued"]
    others = dict(zip(issued, _turned([changes[place].subject for place in issued]), strict=True))
    return [replace(change, subject=others.get(place, change.subject)) for place, change in enumerate(changes)]


def prices_rotated(lines: Any) -> Any:
    prices = _turned([line.unit_price for line in lines])
    return tuple(replace(line, unit_price=price) for line, price in zip(lines, prices, strict=True))


def _swapped(result: Any, breakdown: str) -> Any:
    groups = (result or {}).get(breakdown) or {}
    return {**result, breakdown: rotated(groups)} if groups else result


def metrics_swapped(report: Any) -> Any:
    return {**report, "result": _swapped(report["result"], "by_metric")}


def subjects_swapped(board: Any) -> Any:
    def swapped(row: Any) -> Any:
        return replace(row, entry=replace(row.entry, result=_swapped(row.entry.result, "by_subject")))

    return replace(board, rows=tuple(swapped(row) for row in board.rows))


def times_rotated(files: Any) -> Any:
    return tuple(
        replace(file, opens_at=opens_at)
        for file, opens_at in zip(files, _turned([file.opens_at for file in files]), strict=True)
    )


def places_rotated(points: Any) -> Any:
    def turned(places: Any) -> Any:
        teams = _turned([placed.team_id for placed in places])
        return tuple(replace(placed, team_id=team) for placed, team in zip(places, teams, strict=True))

    return [replace(point, places=turned(point.places)) for point in points]


def values_rotated(show: Any, platform: Any, cycle: Any, run: Any, scope: str, *rest: Any) -> Any:
    board = show(platform, cycle, run, scope, *rest)
    values = _turned([row.value for row in board.rows])
    rows = tuple(replace(row, value=value) for row, value in zip(board.rows, values, strict=True))
    return board if scope == "all" else replace(board, rows=rows)


def private_places_rotated(private_test: Any) -> Any:
    values = _turned([place.value for place in private_test.places])
    places = [replace(place, value=value) for place, value in zip(private_test.places, values, strict=True)]
    return replace(private_test, places=places)


def counts_swapped(record: Any) -> Any:
    if not isinstance(record, bytes):
        return record
    score = json.loads(record)
    return canonical({**score, "span": score["token"], "token": score["span"]})
