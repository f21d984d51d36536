"""Versions of the parameters and announcements as answers on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from contest.contracts import announcements as wire
from contest.contracts import checks, versions
from contest.contracts.kit import KitBody, PublishedKitBody, SignedKitBody
from contest.contracts.parameters import ParametersBody
from contest.domain.cycle.announcements import Announcement
from contest.domain.cycle.changes import ABSENT, FieldChange
from contest.domain.cycle.cycle import Cycle
from contest.domain.cycle.kit import Kit, statement
from contest.domain.moments import from_iso, iso, iso_or_none
from contest.domain.results.session_report import described_parameters
from contest.domain.run.checks import CheckGrade
from contest.ports import Page
from contest.services.checking import Checked
from contest.services.cycle.announcing import Content
from contest.services.cycle.kits import Published
from contest.services.cycle.parameters import Known, Planned
from tracks.protocol import Reason, Text


def content(said: wire.AnnouncementRequest) -> Content:
    """What a request says."""
    effective_at = None if said.effective_at is None else from_iso(said.effective_at)
    return Content(said.kind, _text(said.title), _text(said.text), said.about, effective_at)


def words(said: wire.PublishDraftRequest) -> tuple[Text | None, Text | None]:
    """Title and text, where they are said."""
    title, text = (None if each is None else _text(each) for each in (said.title, said.text))
    return title, text


def announcement(found: Announcement) -> wire.AnnouncementBody:
    """An announcement."""
    return wire.AnnouncementBody(
        announcement_id=found.announcement_id,
        kind=found.kind,
        state=found.state,
        title=wire.SaidBody(ru=found.title.ru, en=found.title.en),
        text=wire.SaidBody(ru=found.text.ru, en=found.text.en),
        about=dict(found.about),
        effective_at=iso_or_none(found.effective_at),
        created_at=iso(found.created_at),
        published_at=iso_or_none(found.published_at),
        ended_at=iso_or_none(found.ended_at),
        reason=found.reason,
        corrects=found.corrects,
        corrected_by=found.corrected_by,
    )


def announcements(found: Page[Announcement]) -> wire.AnnouncementsBody:
    """A page of them."""
    return wire.AnnouncementsBody(announcements=[announcement(each) for each in found.items], next=found.after)


def drafts(found: Sequence[Announcement]) -> wire.DraftsOfAnnouncementsBody:
    """Drafts."""
    return wire.DraftsOfAnnouncementsBody(announcements=[announcement(each) for each in found])


def planned(found: Planned, *, stored: bool) -> versions.PlannedParametersBody:
    """A change of parameters."""
    return versions.PlannedParametersBody(
        version=found.parameters.version,
        effective_at=iso(found.effective_at),
        stored=stored,
        changes=changes(found.changed),
        warnings=warnings(found.warnings),
        announcement=announcement(found.announcement),
    )


def known(found: Known) -> versions.VersionBody:
    """A version."""
    return versions.VersionBody(**_version(found))


def all_versions(found: Sequence[Known]) -> versions.VersionsBody:
    """All versions."""
    return versions.VersionsBody(versions=[known(each) for each in found])


def whole(found: Known) -> versions.WholeVersionBody:
    """A version with what it says."""
    said = ParametersBody.model_validate(described_parameters(found.parameters))
    return versions.WholeVersionBody(**_version(found), parameters=said)


def compared(version: int, found: tuple[int, Sequence[FieldChange]]) -> versions.ChangesBody:
    """What differs."""
    since, changed = found
    return versions.ChangesBody(version=version, since=since, changes=changes(changed))


def changes(found: Iterable[FieldChange]) -> list[versions.FieldChangeBody]:
    """Fields that differ."""
    return [
        versions.FieldChangeBody(field=each.field, before=_side(each.before), after=_side(each.after)) for each in found
    ]


def warnings(found: Iterable[Reason]) -> list[versions.WarningBody]:
    """What is to be thought about."""
    return [
        versions.WarningBody(
            code=each.code, message=each.message.en, message_ru=each.message.ru, where=dict(each.where)
        )
        for each in found
    ]


def _side(value: Any) -> Any:
    return None if value is ABSENT else value


def checked(found: Checked) -> checks.ChecksBody:
    """A cycle looked over."""
    grades = [each.grade for each in found.found]
    return checks.ChecksBody(
        run_id=found.run.run_id if found.run else None,
        failed=grades.count(CheckGrade.FAILED),
        warnings=grades.count(CheckGrade.WARNING),
        checks=[
            checks.CheckBody(
                name=each.name,
                grade=each.grade,
                message=each.said.en,
                message_ru=each.said.ru,
                where=dict(each.where),
            )
            for each in found.found
        ],
        server_time=iso(found.now),
    )


def _version(found: Known) -> dict[str, Any]:
    return {
        "version": found.parameters.version,
        "state": found.state.value,
        "announced_at": iso(found.parameters.announced_at),
        "effective_at": iso_or_none(found.effective_at),
    }


def _text(said: wire.TitleRequest | wire.TextRequest) -> Text:
    return Text(en=said.en, ru=said.ru)


def kit(cycle: Cycle, found: Kit | None) -> KitBody:
    """The kit of a cycle, if it has one."""
    return KitBody(kit=None if found is None else _signed(cycle, found))


def published_kit(found: Published) -> PublishedKitBody:
    """The kit and what there is to think about."""
    return PublishedKitBody(
        kit=_signed(found.cycle, found.kit), changed=found.changed, warnings=warnings(found.warnings)
    )


def _signed(cycle: Cycle, found: Kit) -> SignedKitBody:
    said = statement(cycle.name, found.listed, found.published_at, found.key_id)
    return SignedKitBody.model_validate({"statement": said, "signature": found.signature})
