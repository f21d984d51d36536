"""Ratings as organizers bring them: items × raters, with the base markup, and how far the raters agree (G, Table 2)."""

from __future__ import annotations

from collections import Counter

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import Limits, MalformedInput, decode
from tracks.fields import Fields
from tracks.gec import views
from tracks.gec.faults import of_refusal
from tracks.gec.operations import OPERATIONS
from tracks.protocol import Reason, Section
from tracks.reasons import of_json, reason

_LIMITS = Limits(max_bytes=4 * 1024 * 1024, max_depth=8)
"""A hundred thousand labels take a tenth of it."""


def sections(body: bytes) -> tuple[tuple[Section, ...], tuple[Reason, ...]]:
    """The table of agreement in all and by type; an undefined measure is None.

    The form is that of ``gec.agreement``: ``items``, and where there are such ``categories``, ``base`` and ``types``.

    Clause: TS G-5, G Table 2
    """
    try:
        value = decode(body, _LIMITS)
    except MalformedInput as error:
        return (), (of_json(error),)
    if not isinstance(value, dict):
        return (), (reason("not_an_object", "", "ratings are an object", "оценки — это объект"),)
    try:
        found = dict(OPERATIONS["gec.agreement"](Fields(value)))
    except RefusedError as error:
        return (), (of_refusal("invalid_ratings", error),)
    types = found.pop("by_type", {})
    return (views.agreement(found, types, Counter(value.get("types") or []), len(value["items"])),), ()
