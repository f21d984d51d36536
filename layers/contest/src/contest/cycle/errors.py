"""Errors of parameters, announcements, the kit, imports and sets, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contest.refusals import SAMPLE_NOW, SAMPLE_SOON, ContestError
from contest.texts import tr
from contest.values import Millis, iso
from markup_core.reading.wire import short

_NAMED: Final = 20


class InvalidParametersError(ContestError, code="invalid_parameters", status=422):
    message = tr("These cannot be the cycle's parameters; the details name everything that is wrong.")


class NothingChangesError(ContestError, code="nothing_changes", status=409):
    message = tr("These are the parameters that are in force at that moment anyway.")


class EffectiveTooSoonError(ContestError, code="effective_too_soon", status=409):
    message = tr("A change takes effect at least a minute from now, so that the whole platform knows of it by then.")

    @classmethod
    def before(cls, earliest: Millis) -> EffectiveTooSoonError:
        return cls.with_detail("earliest", tr("not before {earliest}", earliest=iso(earliest)), earliest=iso(earliest))


class ParametersPendingError(ContestError, code="parameters_pending", status=409):
    message = tr("Another change is announced for a later moment and would undo this one; withdraw it first.")

    @classmethod
    def at(cls, version: int, effective_at: Millis) -> ParametersPendingError:
        text = tr("version {version} takes effect at {effective_at}", version=version, effective_at=iso(effective_at))
        return cls.with_detail("pending", text, version=version, effective_at=iso(effective_at))


class RunUnderWayError(ContestError, code="run_under_way", status=409):
    message = tr("A final would be under way when the change takes effect; choose a moment before or after it.")

    @classmethod
    def of(cls, run_id: str, starts_at: Millis, ends_at: Millis) -> RunUnderWayError:
        begins, ends = iso(starts_at), iso(ends_at)
        text = tr("{run} lasts from {begins} to {ends}", run=run_id, begins=begins, ends=ends)
        return cls.with_detail("run", text, run=run_id, starts_at=begins, ends_at=ends)


class UnknownPageError(ContestError, code="unknown_page", status=404):
    message = tr("The cycle has no such page, or the page no such version; GET /v1/cycle lists them.")


class UnknownVersionError(ContestError, code="unknown_version", status=404):
    message = tr("The cycle's parameters have had no such version.")


class VersionInForceError(ContestError, code="version_in_force", status=409):
    message = tr("Only a version that is still to take effect can be withdrawn; change the parameters again instead.")


class UnknownAnnouncementError(ContestError, code="unknown_announcement", status=404):
    message = tr("There is no such announcement.")


class AnnouncementStateError(ContestError, code="announcement_state", status=409):
    message = tr(
        "Drafts are published or discarded, published announcements corrected or withdrawn; this one is neither."
    )


class BadCursorError(ContestError, code="bad_cursor", status=404):
    message = tr("No page ends there: ask for the one that the previous answer's `next` names.")


class KitVersionTakenError(ContestError, code="kit_version_taken", status=409):
    """A published version of the kit stays what it is; other files are another version (R 4.3)."""

    message = tr(
        "This version of the kit is published with other files; raise the version in its packages and build it anew."
    )

    @classmethod
    def of(cls, version: str, published_at: Millis) -> KitVersionTakenError:
        moment = iso(published_at)
        text = tr("version {version} was published {moment}", version=version, moment=moment)
        return cls.with_detail("published", text, version=version, published_at=moment)


class UnknownImportError(ContestError, code="unknown_import", status=404):
    message = tr("There is no import with this id.")


class ImportTooLargeError(ContestError, code="import_too_large", status=413):
    message = tr(
        "The zip is larger than an import may be; load it set by set, or the folder with the "
        "deployment's own credentials: contest cycle load FOLDER --direct."
    )

    @classmethod
    def over(cls, size: int, most: int) -> ImportTooLargeError:
        text = tr("{size} bytes, at most {most}", size=size, most=most)
        return cls.with_detail("size", text, size=size, most=most, field="body.size")


class WrongPartsError(ContestError, code="wrong_parts", status=422):
    message = tr("The number of parts is not what the zip's size makes.")


class UnknownImportPartError(ContestError, code="unknown_import_part", status=404):
    message = tr(
        "The import has no part of this number: it is announced with the numbers from 1 to that of its last part."
    )


class ImportClosedError(ContestError, code="import_closed", status=409):
    message = tr("The upload is complete; begin another import.")


class PartsMissingError(ContestError, code="parts_missing", status=409):
    message = tr("Some parts of the upload are not there yet; the details name them.")

    @classmethod
    def numbered(cls, numbers: Sequence[int]) -> PartsMissingError:
        named = ", ".join(map(str, numbers))
        return cls.with_detail("missing", tr("missing parts: {named}", named=named), numbers=list(numbers))


class LabelsUndecidedError(ContestError, code="labels_undecided", status=422):
    message = tr("Labels of the export have no code of the contest yet; the details name them.")

    @classmethod
    def of(cls, labels: Sequence[str]) -> LabelsUndecidedError:
        texts = (tr("{label}: name its code, or leave it out", label=short(label)) for label in labels[:_NAMED])
        return cls([{"code": "undecided", **text.as_fields()} for text in texts])

    @classmethod
    def not_offered(cls, name: str) -> LabelsUndecidedError:
        detail = tr("{name} is no subject or code that the import offers", name=short(name))
        return cls.with_detail("not_offered", detail)


class UnknownSetError(ContestError, code="unknown_set", status=404):
    """There is no such set, or it is not for whoever asks; the two are not told apart."""

    message = tr("There is no set of this name that you may have.")


class UnknownPartError(ContestError, code="unknown_part", status=404):
    message = tr("The set has no part of this number.")


class NoPackError(ContestError, code="no_pack", status=404):
    message = tr(
        "This set is given in parts alone, which its manifest names: it is one part, or too large for one file."
    )


class SetDecidedError(ContestError, code="set_decided", status=409):
    message = tr("That is so already: the set is published, or is not.")


class SetStillSecretError(ContestError, code="set_still_secret", status=409):
    message = tr(
        "Final and reserve sets are published when a final's results are out and no run is planned or under way."
    )


class NoDescriptionError(ContestError, code="no_description", status=404):
    message = tr("There are no tables of this set for you.")


_HARDNESS: Final = {
    "code": "out_of_range",
    **tr("hardness must be a number from 0 to 1, not 2").as_fields(),
    "field": "hardness",
}
EXAMPLES: Final[tuple[ContestError, ...]] = (
    AnnouncementStateError.being("withdrawn"),
    EffectiveTooSoonError.before(SAMPLE_SOON),
    KitVersionTakenError.of("0.1.0", SAMPLE_SOON),
    InvalidParametersError([_HARDNESS]),
    ParametersPendingError.at(3, SAMPLE_SOON),
    RunUnderWayError.of("3h6x0w8t2r5e9q1m4k7s", SAMPLE_NOW, SAMPLE_SOON),
    ImportTooLargeError.over(268_435_457, 268_435_456),
    PartsMissingError.numbered([2, 5]),
    LabelsUndecidedError.of(["PER", "LOC"]),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
