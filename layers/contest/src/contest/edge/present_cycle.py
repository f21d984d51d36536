"""Versions of the parameters and announcements as answers on the wire."""

from __future__ import annotations

from contest.contracts import announcements as wire
from contest.contracts import checks, versions
from contest.contracts.kit import KitBody, PublishedKitBody, SignedKitBody
from contest.domain.cycle.cycle import Cycle
from contest.domain.cycle.kit import Kit, statement
from contest.domain.moments import from_iso
from contest.domain.results.session_report import described_parameters
from contest.domain.run.checks import CheckGrade
from contest.services.checking import Checked
from contest.services.cycle.announcing import Content
from contest.services.cycle.kits import Published
from contest.services.cycle.parameters import Known
from tracks.protocol import Text


def content(said: wire.AnnouncementRequest) -> Content:
    """What a request says."""
    effective_at = None if said.effective_at is None else from_iso(said.effective_at)
    return Content(said.kind, _text(said.title), _text(said.text), said.about, effective_at)


def words(said: wire.PublishDraftRequest) -> tuple[Text | None, Text | None]:
    """Title and text, where they are said."""
    title, text = (None if each is None else _text(each) for each in (said.title, said.text))
    return title, text


def whole(found: Known) -> versions.WholeVersionBody:
    """Return a version with everything that it says."""
    return versions.WholeVersionBody.from_value(found, parameters=described_parameters(found.parameters))


def checked(found: Checked) -> checks.ChecksBody:
    """A cycle looked over."""
    grades = [each.grade for each in found.found]
    return checks.ChecksBody.from_value(
        run_id=found.run.run_id if found.run else None,
        failed=grades.count(CheckGrade.FAILED),
        warnings=grades.count(CheckGrade.WARNING),
        checks=found.found,
        server_time=found.now,
    )


def _text(said: wire.TitleRequest | wire.TextRequest) -> Text:
    return Text(en=said.en, ru=said.ru)


def kit(cycle: Cycle, found: Kit | None) -> KitBody:
    """The kit of a cycle, if it has one."""
    return KitBody(kit=None if found is None else _signed(cycle, found))


def published_kit(found: Published) -> PublishedKitBody:
    """The kit and what there is to think about."""
    return PublishedKitBody.from_value(found, kit=_signed(found.cycle, found.kit))


def _signed(cycle: Cycle, found: Kit) -> SignedKitBody:
    said = statement(cycle.name, found.listed, found.published_at, found.key_id)
    return SignedKitBody.model_validate({"statement": said, "signature": found.signature})
