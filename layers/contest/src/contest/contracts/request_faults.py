"""What is wrong with a request's form, in both languages: the library words each fault in English by its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from contest.contracts.wire import NOT_BLANK

UNKNOWN: Final = ("not_allowed", "недопустимое значение")
"""For a kind that is not listed below; a test fails for every one that a request can bring about."""
_SAID: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("missing", "поле обязательно"),
    "extra_forbidden": ("unknown_field", "такого поля нет"),
    "invalid_key": ("bad_name", "имя поля должно быть строкой"),
    "model_type": ("not_an_object", "нужен объект"),
    "model_attributes_type": ("not_an_object", "нужен объект"),
    "dict_type": ("not_an_object", "нужен объект"),
    "list_type": ("not_a_list", "нужен список"),
    "none_required": ("not_null", "нужен null"),
    "bool_type": ("not_true_or_false", "нужно true или false"),
    "bool_parsing": ("not_true_or_false", "нужно true или false"),
    "int_type": ("not_a_whole_number", "нужно целое число"),
    "int_parsing": ("not_a_whole_number", "нужно целое число"),
    "int_parsing_size": ("number_too_long", "число слишком длинное"),
    "int_from_float": ("not_a_whole_number", "нужно целое число, без дробной части"),
    "float_type": ("not_a_number", "нужно число"),
    "float_parsing": ("not_a_number", "нужно число"),
    "finite_number": ("not_finite", "нужно конечное число"),
    "string_type": ("not_a_string", "нужна строка"),
    "string_unicode": ("lone_surrogate", "нужна строка из целых символов Юникода"),
    "string_too_short": ("too_short", "строка короче {min_length} знаков"),
    "string_too_long": ("too_long", "строка длиннее {max_length} знаков"),
    "string_pattern_mismatch": ("wrong_form", "строка не соответствует образцу {pattern}"),
    "enum": ("not_one_of", "нужно одно из: {expected}"),
    "literal_error": ("not_one_of", "нужно одно из: {expected}"),
    "greater_than": ("out_of_range", "нужно больше {gt}"),
    "greater_than_equal": ("out_of_range", "нужно не меньше {ge}"),
    "less_than": ("out_of_range", "нужно меньше {lt}"),
    "less_than_equal": ("out_of_range", "нужно не больше {le}"),
    "multiple_of": ("not_a_multiple", "нужно число, кратное {multiple_of}"),
    "too_short": ("too_few", "нужно не меньше {min_length} элементов, а их {actual_length}"),
    "too_long": ("too_many", "нужно не больше {max_length} элементов, а их {actual_length}"),
    "value_error": ("not_allowed", "недопустимое значение: {error}"),
    "no_such_moment": ("no_such_moment", "такого дня или времени нет"),
    "union_tag_invalid": ("unknown_kind", "вид {tag} неизвестен; нужно одно из: {expected_tags}"),
    "union_tag_not_found": ("no_kind", "не указан вид"),
}
"""The platform's code and Russian of each kind of fault that the library knows. Several kinds have one code where a
program does the same about them; the library may rename its kinds, the codes are ours."""
_BLANK: Final = ("Text should not be empty or blank", "строка пуста или состоит из одних пробелов")
"""Of a text that is not :data:`~contest.contracts.wire.NOT_BLANK`: the pattern would tell a person nothing."""


def details_of(faults: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The library's faults as details of a refusal: a code of our own, the path of the field, both languages."""
    details = []
    for each in faults:
        code, russian = _SAID.get(str(each["type"]), UNKNOWN)
        english = str(each.get("msg", each["type"]))
        if (each.get("ctx") or {}).get("pattern") == NOT_BLANK:
            english, russian = _BLANK
        field = ".".join(str(part) for part in each["loc"])
        details.append({"code": code, "message": english, "message_ru": _filled(russian, each), "field": field})
    return details


def _filled(russian: str, fault: Mapping[str, Any]) -> str:
    said = {name: _listed(value) for name, value in (fault.get("ctx") or {}).items()}
    try:
        return russian.format(**said)
    except KeyError:  # the library gave the kind without what it usually says with it
        return UNKNOWN[1]


def _listed(value: Any) -> str:
    """The library joins the last of several choices by a word."""
    return str(value).replace("' or '", "', '")
