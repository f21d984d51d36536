"""Errors of readiness conclusions, rescorings and recomputation: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from contest.refusals import ContestError, RefusedError
from contest.texts import tr
from markup_core.texts import Text


class NoConclusionError(ContestError, code="no_conclusion", status=404):
    message = tr("This session has no positive conclusion on readiness; its report says why, when it is made.")


class NoSuchRulingError(ContestError, code="no_such_ruling", status=409):
    message = tr("The conclusion cannot be given this ruling where it stands; the details say where that is.")

    @classmethod
    def at(cls, standing: str) -> NoSuchRulingError:
        return cls.with_detail("standing", tr("it is {standing}", standing=standing), standing=standing)


class SamePersonError(ContestError, code="same_person", status=409):
    message = tr("Whoever judged a conclusion does not verify it: ask another member of the commission.")


class UnknownModulesError(ContestError, code="unknown_modules", status=409):
    message = tr("Sessions that count are opened by programs of the published modules alone; GET /v1/kit names them.")


class UnknownRescoringError(ContestError, code="unknown_rescoring", status=404):
    message = tr("There is no rescoring of this name.")


class NothingSelectedError(ContestError, code="nothing_selected", status=409):
    message = tr(
        "No closed session and no scored submission of a qualification is selected; a final is "
        "selected by its run alone."
    )


class FinalIsWholeError(ContestError, code="final_is_whole", status=409):
    message = tr("A final is scored anew as a whole, its board has one set of rules: name its run and nothing else.")


class TooManySelectedError(ContestError, code="too_many_selected", status=409):
    message = tr(
        "More sessions and submissions are selected than one rescoring takes; select a shorter period or a team."
    )

    @classmethod
    def of(cls, selected: int, most: int) -> TooManySelectedError:
        text = tr("{selected} sessions and submissions; at most {most}", selected=selected, most=most)
        return cls.with_detail("selected", text, selected=selected, most=most)


class UnknownParametersError(ContestError, code="unknown_parameters", status=409):
    message = tr("The cycle has no parameters of this version.")


class RunsOpenError(ContestError, code="runs_open", status=409):
    message = tr("A run is under way; sessions are scored anew before or after it.")


class RescoringNotMadeError(ContestError, code="rescoring_not_made", status=409):
    message = tr("Not all sessions and submissions are scored anew yet; look again in a few minutes.")


class RescoringDecidedError(ContestError, code="rescoring_decided", status=409):
    message = tr("This rescoring was accepted or discarded before; begin another one.")


class RescoringOutdatedError(ContestError, code="rescoring_outdated", status=409):
    message = tr(
        "Results have changed since they were scored anew, by another rescoring; discard this one and begin again."
    )


_NAMED: Final = 3
"""Differences that a refused publication tells; the command shows all."""


# Clause: R 8.3.5, platform §4 shadow
def results_differ(total: int, differences: Sequence[Text], command: str, **where: Any) -> RefusedError:
    """Return the refusal to publish results that the independent recomputation gives otherwise, with the first of the
    differences in words, the command that shows all of ``total``, and the place of the first (``where``)."""
    named = differences[:_NAMED]
    listed = Text("; ".join(text.en for text in named), "; ".join(text.ru for text in named))
    message = tr(
        "the independent recomputation has found {total} differences, {command} shows all; the first: {listed}",
        total=total,
        command=command,
        listed=listed,
    )
    return RefusedError("results_differ", message, differences=total, **where)


class NoBoardError(ContestError, code="no_board", status=409):
    message = tr("This run's board is not made, so nothing is recomputed: only a closed final with markups has one.")


EXAMPLES: Final[tuple[ContestError, ...]] = (TooManySelectedError.of(412, 300), NoSuchRulingError.at("verified"))
"""Examples of the refusals whose body says more than their sentence; the others need none."""
