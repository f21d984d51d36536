"""Errors of readiness conclusions, rescorings and recomputation: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from contest.refusals import ContestError, RefusedError
from contest.texts import tr
from markup_core.texts import Text


class NoConclusionError(ContestError):
    """The session has no positive conclusion to judge."""

    code = "no_conclusion"
    status = HTTPStatus.NOT_FOUND
    message = tr("This session has no positive conclusion on readiness; its report says why, when it is made.")


class NoSuchRulingError(ContestError):
    """The conclusion's present standing does not allow this ruling."""

    code = "no_such_ruling"
    status = HTTPStatus.CONFLICT
    message = tr("The conclusion cannot be given this ruling where it stands; the details say where that is.")

    @classmethod
    def at(cls, standing: str) -> NoSuchRulingError:
        """Return the error with the standing of the conclusion."""
        messages = tr("it is {standing}", standing=standing).as_fields()
        return cls([{"code": "standing", **messages, "standing": standing}])


class SamePersonError(ContestError):
    """The judge of a conclusion may not verify it."""

    code = "same_person"
    status = HTTPStatus.CONFLICT
    message = tr("Whoever judged a conclusion does not verify it: ask another member of the commission.")


class UnknownModulesError(ContestError):
    """A counting session was opened by a program with unpublished or unnamed modules."""

    code = "unknown_modules"
    status = HTTPStatus.CONFLICT
    message = tr("Sessions that count are opened by programs of the published modules alone; GET /v1/kit names them.")


class UnknownRescoringError(ContestError):
    """No rescoring has this name."""

    code = "unknown_rescoring"
    status = HTTPStatus.NOT_FOUND
    message = tr("There is no rescoring of this name.")


class NothingSelectedError(ContestError):
    """The selection matches no closed session and no scored submission."""

    code = "nothing_selected"
    status = HTTPStatus.CONFLICT
    message = tr(
        "No closed session and no scored submission of a qualification is selected; a final is "
        "selected by its run alone."
    )


class FinalIsWholeError(ContestError):
    """A part of a final was selected."""

    code = "final_is_whole"
    status = HTTPStatus.CONFLICT
    message = tr("A final is scored anew as a whole, its board has one set of rules: name its run and nothing else.")


class TooManySelectedError(ContestError):
    """The selection has more sessions and submissions than one rescoring takes."""

    code = "too_many_selected"
    status = HTTPStatus.CONFLICT
    message = tr(
        "More sessions and submissions are selected than one rescoring takes; select a shorter period or a team."
    )

    @classmethod
    def of(cls, selected: int, most: int) -> TooManySelectedError:
        """Return the error with the number and the limit."""
        messages = {
            **tr("{selected} sessions and submissions; at most {most}", selected=selected, most=most).as_fields(),
        }
        return cls([{"code": "selected", **messages, "selected": selected, "most": most}])


class UnknownParametersError(ContestError):
    """The cycle has no such version of its parameters."""

    code = "unknown_parameters"
    status = HTTPStatus.CONFLICT
    message = tr("The cycle has no parameters of this version.")


class RunsOpenError(ContestError):
    """A run is under way: results do not change in the middle of it."""

    code = "runs_open"
    status = HTTPStatus.CONFLICT
    message = tr("A run is under way; sessions are scored anew before or after it.")


class RescoringNotMadeError(ContestError):
    """Not all sessions and submissions are scored anew yet."""

    code = "rescoring_not_made"
    status = HTTPStatus.CONFLICT
    message = tr("Not all sessions and submissions are scored anew yet; look again in a few minutes.")


class RescoringDecidedError(ContestError):
    """It was accepted or discarded before."""

    code = "rescoring_decided"
    status = HTTPStatus.CONFLICT
    message = tr("This rescoring was accepted or discarded before; begin another one.")


class RescoringOutdatedError(ContestError):
    """A session or submission has changed since it was scored anew."""

    code = "rescoring_outdated"
    status = HTTPStatus.CONFLICT
    message = tr(
        "Results have changed since they were scored anew, by another rescoring; discard this one and begin again."
    )


_NAMED: Final = 3
"""Differences that a refused publication tells; the command shows all."""


def results_differ(total: int, differences: Sequence[Text], command: str, **where: Any) -> RefusedError:
    """Return the refusal to publish results that the independent recomputation gives otherwise, with the first of the
    differences in words, the command that shows all of ``total``, and the place of the first (``where``).

    Clause: R 8.3.5, platform §4 shadow
    """
    named = differences[:_NAMED]
    listed = Text("; ".join(text.en for text in named), "; ".join(text.ru for text in named))
    return RefusedError(
        "results_differ",
        tr(
            "the independent recomputation has found {total} differences, {command} shows all; the first: {listed}",
            total=total,
            command=command,
            listed=listed,
        ),
        differences=total,
        **where,
    )


class NoBoardError(ContestError):
    """The run has no board to recompute."""

    code = "no_board"
    status = HTTPStatus.CONFLICT
    message = tr("This run's board is not made, so nothing is recomputed: only a closed final with markups has one.")


EXAMPLES: Final[tuple[ContestError, ...]] = (
    TooManySelectedError.of(412, 300),
    NoSuchRulingError.at("verified"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
