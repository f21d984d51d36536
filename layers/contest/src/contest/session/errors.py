"""Errors of sessions with a contest's own rules: a dialogue's steps, results told at set times (T2, T6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contest.refusals import SAMPLE_NOW, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso, seconds_until


class WrongStepError(ContestError, code="wrong_step", status=409):
    """A valid answer of a kind that the dialogue's step does not take (tracks-sessions T2). It consumed no send."""

    message = tr(
        "The dialogue over this file does not take such an answer at its present step; it was not counted as a send."
    )

    @classmethod
    def at(cls, step: str, kind: str, takes: Sequence[str]) -> WrongStepError:
        """Return the error at a step that takes answers of other kinds than this one."""
        kinds = ", ".join(takes)
        text = tr(
            "an answer of the kind {kind} cannot be given at the step {step}, which takes: {kinds}",
            kind=kind,
            step=step,
            kinds=kinds,
        )
        return cls.with_detail(cls.code, text, step=step, kind=kind, takes=list(takes))


class ResultsLaterError(ContestError, code="results_later", status=409):
    """Results of such a session are told at set times, which have not come (tracks-sessions T6)."""

    message = tr("The results of this session are told later, at the time in the details.")

    @classmethod
    def until(cls, told_at: Millis, now: Millis) -> ResultsLaterError:
        """Return the error with the time."""
        moment = iso(told_at)
        text = tr("told at {moment}", moment=moment)
        return cls.with_detail("told_at", text, retry_after_s=seconds_until(told_at, now), told_at=moment)


EXAMPLES: Final[tuple[ContestError, ...]] = (
    ResultsLaterError.until(SAMPLE_SOON, SAMPLE_NOW),
    WrongStepError.at("asking", "guess", ("answer", "question")),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
