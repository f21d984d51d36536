"""Conclusion on a program's readiness after an algorithmic session (R 6.5.4; platform §4, Decision)."""

from __future__ import annotations

from dataclasses import dataclass

from contest.domain.cycle import Parameters
from contest.domain.session import State
from tracks.protocol import Reason, Text


@dataclass(frozen=True, slots=True)
class Readiness:
    """``reasons`` says what stands against readiness; empty exactly when ready."""

    ready: bool
    valid_share: float
    reasons: tuple[Reason, ...]


def conclude(files: int, answered: int, state: State, parameters: Parameters) -> Readiness:
    """At least 95 % of the session's files validly answered and at least 30 files, both parameters.

    An aborted session does not count (platform §3), whatever it answered.
    """
    share = answered / files
    reasons = []
    if files < parameters.readiness_min_files:
        reasons.append(_too_few_files(files, parameters.readiness_min_files))
    if share < parameters.readiness_min_share:
        reasons.append(_too_few_answers(answered, files, parameters.readiness_min_share))
    if state is State.ABORTED:
        reasons.append(_aborted())
    return Readiness(ready=not reasons, valid_share=share, reasons=tuple(reasons))


def _too_few_files(files: int, least: int) -> Reason:
    text = Text(
        en=f"The session had {files} files; readiness needs at least {least}.",
        ru=f"В сессии было файлов: {files}; для заключения о готовности нужно не менее {least}.",
    )
    return Reason("too_few_files", text, {"files": files, "least": least})


def _too_few_answers(answered: int, files: int, share: float) -> Reason:
    text = Text(
        en=f"{answered} of {files} files were validly answered; readiness needs at least {share:.0%}.",
        ru=f"Обработано файлов: {answered} из {files}; для заключения о готовности нужно не менее {share:.0%}.",
    )
    return Reason("too_few_answers", text, {"answered": answered, "files": files, "least_share": share})


def _aborted() -> Reason:
    text = Text(
        en="The session was aborted; an aborted session does not count.",
        ru="Сессия прервана участником; прерванная сессия не учитывается.",
    )
    return Reason("session_aborted", text, {})
