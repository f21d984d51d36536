"""What is wrong with a request's form, in both languages: the library words each fault in English by its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

UNKNOWN: Final = "недопустимое значение"
"""For a type that is not listed below; a test fails for every one that a request can bring about."""
_RUSSIAN: Final[Mapping[str, str]] = {
    "missing": "поле обязательно",
    "extra_forbidden": "такого поля нет",
    "invalid_key": "имя поля должно быть строкой",
    "model_type": "нужен объект",
    "model_attributes_type": "нужен объект",
    "dict_type": "нужен объект",
    "list_type": "нужен список",
    "none_required": "нужен null",
    "bool_type": "нужно true или false",
    "bool_parsing": "нужно true или false",
    "int_type": "нужно целое число",
    "int_parsing": "нужно целое число",
    "int_parsing_size": "число слишком длинное",
    "int_from_float": "нужно целое число, без дробной части",
    "float_type": "нужно число",
    "float_parsing": "нужно число",
    "finite_number": "нужно конечное число",
    "string_type": "нужна строка",
    "string_unicode": "нужна строка из целых символов Юникода",
    "string_too_short": "строка короче {min_length} знаков",
    "string_too_long": "строка длиннее {max_length} знаков",
    "string_pattern_mismatch": "строка не соответствует образцу {pattern}",
    "enum": "нужно одно из: {expected}",
    "literal_error": "нужно одно из: {expected}",
    "greater_than": "нужно больше {gt}",
    "greater_than_equal": "нужно не меньше {ge}",
    "less_than": "нужно меньше {lt}",
    "less_than_equal": "нужно не больше {le}",
    "multiple_of": "нужно число, кратное {multiple_of}",
    "too_short": "нужно не меньше {min_length} элементов, а их {actual_length}",
    "too_long": "нужно не больше {max_length} элементов, а их {actual_length}",
    "value_error": "недопустимое значение: {error}",
    "no_such_moment": "такого дня или времени нет",
    "union_tag_invalid": "вид {tag} неизвестен; нужно одно из: {expected_tags}",
    "union_tag_not_found": "не указан вид",
}


def details_of(faults: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The library's faults as details of a refusal: the type as the code, the path of the field, both languages."""
    return [
        {
            "code": str(each["type"]),
            "message": str(each.get("msg", each["type"])),
            "message_ru": _russian(each),
            "field": ".".join(str(part) for part in each["loc"]),
        }
        for each in faults
    ]


def _russian(fault: Mapping[str, Any]) -> str:
    said = {name: _listed(value) for name, value in (fault.get("ctx") or {}).items()}
    try:
        return _RUSSIAN.get(str(fault["type"]), UNKNOWN).format(**said)
    except KeyError:  # the library gave the type without what it usually says with it
        return UNKNOWN


def _listed(value: Any) -> str:
    """The library joins the last of several choices by a word."""
    return str(value).replace("' or '", "', '")
