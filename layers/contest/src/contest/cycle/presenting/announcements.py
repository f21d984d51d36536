"""Conversion of announcements and versions of parameters to bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.cycle.announcing import Content
from contest.cycle.wire import cycle as wire
from contest.results.rules.reports import described_parameters
from contest.values import from_iso
from tracks.protocol import Text

if TYPE_CHECKING:
    from contest.cycle.parameters import Known


def content(request: wire.AnnouncementRequest) -> Content:
    """Return a request's content of an announcement."""
    effective_at = None if request.effective_at is None else from_iso(request.effective_at)
    return Content(request.kind, _text(request.title), _text(request.text), request.about, effective_at)


def words(request: wire.PublishDraftRequest) -> tuple[Text | None, Text | None]:
    """Return a request's title and text; None for one that it does not give."""
    title, text = (None if field is None else _text(field) for field in (request.title, request.text))
    return title, text


def whole(version: Known) -> wire.WholeVersionBody:
    """Return the body of a version with all its parameters."""
    return wire.WholeVersionBody.from_value(version, parameters=described_parameters(version.parameters))


def _text(request: wire.TitleRequest | wire.TextRequest) -> Text:
    return Text(en=request.en, ru=request.ru)
