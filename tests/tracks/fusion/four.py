"""Scores of the four subtasks."""

from __future__ import annotations

from tracks.fusion.subtasks import Subtask


def scores(c2c: float | None, htr: float | None, zsod: float | None, vqa: float | None) -> dict[Subtask, float | None]:
    return dict(zip(Subtask, (c2c, htr, zsod, vqa), strict=True))
