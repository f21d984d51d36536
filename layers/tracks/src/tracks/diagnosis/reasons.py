"""Reasons in the platform's two languages, with the field they speak of."""

from __future__ import annotations

from tracks.protocol import Json, Reason, Text


def reason(code: str, field: str, en: str, ru: str) -> Reason:
    """A reason; no ``field`` where the whole value is meant."""
    return Reason(code, Text(en=en, ru=ru), {"field": field} if field else {})


def to_dict(each: Reason) -> dict[str, Json]:
    """A reason as JSON, both sentences beside each other."""
    return {"code": each.code, "message": each.message.en, "message_ru": each.message.ru, "where": dict(each.where)}
