"""Refusals to experts and the coordinator, named for the API document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from contest.experts.rules.sharing_out import Uncovered
from contest.refusals import SAMPLE_NOW, ContestError, RefusedError
from contest.texts import tr
from contest.values import Millis, iso, iso_or_none


class UnknownAssignmentError(ContestError, code="unknown_assignment", status=404):
    """The assignment does not exist or is another expert's: the two are not distinguished."""

    message = tr("You have no assignment with this identifier.")


class UnknownExpertError(ContestError, code="unknown_expert", status=404):
    message = tr("There is no expert with this identifier.")


class UnknownMarkingError(ContestError, code="unknown_marking", status=404):
    message = tr("There is no marking with this identifier.")


class UnknownDraftError(ContestError, code="unknown_draft", status=404):
    message = tr("The assignment has no draft of this revision.")


class AssignmentNotOpenedError(ContestError, code="assignment_not_opened", status=409):
    message = tr("Open the assignment first: its text is shown, and its time runs, from then on.")


class AssignmentEndedError(ContestError, code="assignment_ended", status=409):
    message = tr("The assignment has ended; the details say how, and which draft became the markup.")

    @classmethod
    def told(cls, state: str, at: Millis | None, revision: int | None, saved_at: Millis | None) -> AssignmentEndedError:
        """Return the error with the state, its moment, and the draft that became the annotation (None: none did)."""
        message = tr("state: {state}", state=state)
        if revision is not None and saved_at is not None:
            moment = iso(saved_at)
            message = tr(
                "{message}; the markup is draft {revision} of {moment}",
                message=message,
                revision=revision,
                moment=moment,
            )
        detail = {"code": "assignment_state", **message.as_fields(), "state": state}
        return cls([detail | {"ended_at": iso_or_none(at), "revision": revision, "saved_at": iso_or_none(saved_at)}])


class RevisionNeededError(ContestError, code="revision_needed", status=428):
    message = tr('Say in If-Match which revision the draft is based on: "0" for the first one.')


class RevisionConflictError(ContestError, code="revision_conflict", status=412):
    message = tr("Another tab or device has saved this markup meanwhile; nothing was overwritten.")

    @classmethod
    def between(cls, based_on: int, revision: int, saved_at: Millis | None) -> RevisionConflictError:
        text = tr("based on {based_on}, the latest is {revision}", based_on=based_on, revision=revision)
        return cls.with_detail("revisions", text, based_on=based_on, revision=revision, saved_at=iso_or_none(saved_at))


class SavedTooOftenError(ContestError, code="saved_too_often", status=429):
    message = tr("A draft of this assignment was saved just now; send the next one a little later.")


class MarkupNotValidError(ContestError, code="markup_not_valid", status=422):
    """The latest draft is not a valid markup, so it cannot be handed in; the track's reasons are the details."""

    message = tr(
        "The markup cannot be handed in yet; the details name everything that is wrong with it. The draft is kept."
    )

    @classmethod
    def without_draft(cls) -> MarkupNotValidError:
        return cls.with_detail("no_draft", tr("nothing has been saved yet"))


class NothingToCalibrateError(ContestError, code="nothing_to_calibrate", status=409):
    message = tr("There is no training essay left that you may mark up and have not marked up before.")


class CalibrationNotDoneError(ContestError, code="calibration_not_done", status=409):
    message = tr("Agreement with the experts is shown when a calibration essay is handed in.")


class EssaysNotCoveredError(ContestError, code="essays_not_covered", status=409):
    message = tr("Not every essay can get its experts, so nothing was assigned; the details name the essays and why.")

    @classmethod
    def naming(cls, uncovered: Sequence[Uncovered]) -> EssaysNotCoveredError:
        return cls([uncovered_detail(essay) for essay in uncovered])


def uncovered_detail(essay: Uncovered) -> Mapping[str, Any]:
    """Return an essay that cannot be covered, as a detail."""
    return {"code": essay.code, "message": essay.message.en, "message_ru": essay.message.ru, "item_id": essay.item_id}


def changed_meanwhile() -> RefusedError:
    """Return the error for assignments that changed between reading and writing."""
    return RefusedError(
        "changed_meanwhile", tr("something else changed these essays' assignments meanwhile; look again and repeat")
    )


class NoReplayError(ContestError, code="no_replay", status=404):
    message = tr("Nothing of this run is replayed.")


class NoRoundError(ContestError, code="no_round", status=404):
    message = tr("No round is open in which you work; it will be here as soon as the organizers open it.")


class RoundOverError(ContestError, code="round_over", status=409):
    message = tr("The round's time is over; what was saved until then counts.")

    @classmethod
    def since(cls, until: Millis) -> RoundOverError:
        moment = iso(until)
        return cls.with_detail("until", tr("until {moment}", moment=moment), until=moment)


class ReviewChangedError(ContestError, code="review_changed", status=409):
    message = tr("Your review was saved meanwhile, in another window perhaps; load it again.")

    @classmethod
    def now(cls, revision: int) -> ReviewChangedError:
        return cls.with_detail("revision", tr("the revision is {revision}", revision=revision), revision=revision)


_UNCOVERED: Final = Uncovered("essay-17", "too_few_experts", tr("one expert can mark it up, two are needed"))
EXAMPLES: Final[tuple[ContestError, ...]] = (
    AssignmentEndedError.told("handed_in", SAMPLE_NOW, 7, SAMPLE_NOW - 60_000),
    EssaysNotCoveredError.naming([_UNCOVERED]),
    MarkupNotValidError.without_draft(),
    RevisionConflictError.between(6, 7, SAMPLE_NOW - 60_000),
    ReviewChangedError.now(7),
    RoundOverError.since(SAMPLE_NOW),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
