"""Validation of untrusted markups (markup-scoring §1): each fault, its code, fragment and field.

The error of an invalid markup tells its first three faults and counts the others.

Nothing a JSON reader produces may break the validation, and what it accepts is canonical.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.reading import validation
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import Fault, InvalidMarkup, Limits, MalformedInput, decode, dump, load, validate
from markup_core.reading.wire import depth

TEXT = "Князь Игорь 😀 пошёл в поход на половцев."


def fragment(**changes: Any) -> dict[str, Any]:
    plain = {
        "id": 1,
        "startSelection": 0,
        "endSelection": 5,
        "type": "И.личность",
        "subtype": "",
        "comment": "кто?",
        "explanation": "",
        "correction": "",
        "tag": "",
        "group": "error",
    }
    return {name: value for name, value in {**plain, **changes}.items() if value is not ...}


def markup(*fragments: Any, **changes: Any) -> dict[str, Any]:
    plain = {
        "meta": {"id": "0000078", "subject": "hist", "class": "11", "year": 2020, "third": False, "own": [1]},
        "criteria": {"K1": 2},
        "selections": list(fragments),
        "text": TEXT,
    }
    return {name: value for name, value in {**plain, **changes}.items() if value is not ...}


def errors(raw: object, **options: Any) -> list[tuple[str, int | str | None, str | None]]:
    result = validate(raw, **options)
    assert (result.markup is None) == bool(result.errors)
    return [(fault.code, fault.fragment, fault.field) for fault in result.errors]


def warnings(raw: object) -> list[tuple[str, int | str | None, str | None]]:
    result = validate(raw)
    assert result.errors == ()
    return [(fault.code, fault.fragment, fault.field) for fault in result.warnings]


@pytest.mark.clause("MS §1 JSON")
def test_a_right_markup_has_no_faults_and_keeps_its_canonical_form() -> None:
    raw = markup(fragment(), fragment(id="б", type="СЯП", startSelection=6, endSelection=11, group="meaning"))
    before = copy.deepcopy(raw)
    result = validate(raw, essay_text=TEXT)
    assert result.errors == result.warnings == ()
    assert result.markup is not None
    assert dump(result.markup) == raw == before
    assert result.markup.subject == "hist"
    assert list(dump(result.markup)) == ["meta", "criteria", "selections", "text"]
    assert "criteria" not in dump(load(markup(criteria=...)))


@pytest.mark.clause("MS §1 positions")
def test_positions_count_code_points() -> None:
    assert len(TEXT) == 40
    assert errors(markup(fragment(startSelection=12, endSelection=13))) == []
    assert errors(markup(fragment(endSelection=40))) == []
    assert errors(markup(fragment(endSelection=41))) == [("span_outside_text", 1, "endSelection")]


@pytest.mark.clause("R 2.12", "R 2.16", "R 2.24", "MS §1 faults")
@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"startSelection": -1}, "span_outside_text", "startSelection"),
        ({"endSelection": 10**30}, "span_outside_text", "endSelection"),
        ({"startSelection": 7, "endSelection": 5}, "start_after_end", "endSelection"),
        ({"startSelection": 7, "endSelection": 7}, "empty_span", "endSelection"),
        ({"startSelection": ...}, "missing_field", "startSelection"),
        ({"endSelection": None}, "missing_field", "endSelection"),
        ({"startSelection": "0"}, "wrong_type", "startSelection"),
        ({"startSelection": False}, "wrong_type", "startSelection"),
        ({"endSelection": 5.0}, "wrong_type", "endSelection"),
        ({"endSelection": float("nan")}, "wrong_type", "endSelection"),
        ({"type": ...}, "missing_field", "type"),
        ({"type": ["И.личность"]}, "wrong_type", "type"),
        ({"type": "Г.слов"}, "unknown_code", "type"),
        ({"type": ""}, "unknown_code", "type"),
        ({"comment": 5}, "wrong_type", "comment"),
        ({"tag": {}}, "wrong_type", "tag"),
        ({"id": True}, "wrong_type", "id"),
        ({"id": 1.5}, "wrong_type", "id"),
        ({"explanation": "a\udc00"}, "lone_surrogate", "explanation"),
    ],
)
def test_a_faulty_fragment_is_named_with_its_field(changes: dict[str, Any], code: str, field: str) -> None:
    assert errors(markup(fragment(id=7, startSelection=9, endSelection=10), fragment(**changes))) == [
        (code, 2 if "id" in changes else 1, field)
    ]


@pytest.mark.clause("MS §1 faults")
@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"subtype": "своё"}, "unknown_subtype", "subtype"),
        ({"type": "ПРИЧИНА", "group": "meaning", "correction": "x"}, "correction_not_expected", "correction"),
        ({"startSelection": 0, "endSelection": 0}, "full_text_not_expected", "startSelection"),
        ({"group": "meaning"}, "group_corrected", "group"),
        ({"group": 3}, "group_corrected", "group"),
        ({"id": ...}, "missing_id", "id"),
        ({"fragment": "Князь"}, "unknown_field", "fragment"),
    ],
)
def test_what_can_be_scored_is_only_warned_about(changes: dict[str, Any], code: str, field: str) -> None:
    assert warnings(markup(fragment(**changes))) == [(code, 1, field)]


@pytest.mark.clause("R 2.16")
def test_missing_and_null_strings_are_empty_and_the_group_is_filled_in_silently() -> None:
    bare = {"id": 1, "startSelection": 0, "endSelection": 5, "type": "СЯП", "tag": None, "comment": None, "group": None}
    assert warnings(markup(bare)) == []
    read = load(markup(bare)).fragments[0]
    assert (read.tag, read.comment, read.correction, read.group) == ("", "", "", "meaning")


@pytest.mark.clause("MS §1 group")
def test_the_group_follows_from_the_code() -> None:
    assert load(markup(fragment(group="meaning"))).fragments[0].group == "error"
    assert load(markup(fragment(type="ИСП", correction="x", group="meaning"))).fragments[0].group == "error"


@pytest.mark.clause("MS §1 codes")
def test_codes_are_compared_without_case_and_keep_their_spelling() -> None:
    for spelling in ("И.ЛИЧНОСТЬ", "и.личность", "И.лСвязь"):
        assert load(markup(fragment(type=spelling))).fragments[0].code == spelling
    assert load(markup(fragment(type=" И.личность\n"))).fragments[0].code == "И.личность"
    assert warnings(markup(fragment(type="И.лДейств", subtype="НЕВЕРН"))) == []


def test_the_same_code_twice_on_the_same_words_is_warned_about() -> None:
    twice = markup(fragment(id=1), fragment(id=2, comment="again"))
    assert warnings(twice) == [("duplicate_fragment", 2, None)]
    assert len(load(twice).fragments) == 2
    for other in ({"endSelection": 4}, {"subtype": "имя"}, {"tag": "1"}):
        assert "duplicate_fragment" not in {
            code for code, _, _ in warnings(markup(fragment(id=1), fragment(id=2, **other)))
        }
    spelt_otherwise = fragment(id=2, type=fragment()["type"].upper())
    assert ("duplicate_fragment", 2, None) in warnings(markup(fragment(id=1), spelt_otherwise))


def test_a_full_text_fragment_of_a_flagged_code_is_right() -> None:
    raw = markup(fragment(type="С.тема", startSelection=0, endSelection=0), meta={"subject": "lit"})
    assert warnings(raw) == []
    assert load(raw).fragments[0].is_full_text
    assert errors(markup(fragment(type="С.тема", endSelection=0), meta={"subject": "lit"}, text="")) == []


@pytest.mark.clause("MS §1 faults")
def test_duplicate_ids_are_warned_about_once_for_each_repetition() -> None:
    assert warnings(
        markup(*(fragment(id=ident, endSelection=end) for ident, end in ((1, 5), (2, 6), (1, 7), ("1", 8))))
    ) == [
        ("duplicate_id", 1, "id"),
        ("duplicate_id", "1", "id"),
    ]
    assert warnings(markup(fragment(id="а"), fragment(id="а", endSelection=6))) == [("duplicate_id", "а", "id")]


def test_all_faults_are_listed_not_only_the_first() -> None:
    raw = markup(
        fragment(type="Г.слов", startSelection=50, endSelection=45, comment=[]),
        "no fragment",
        fragment(id=3, tag=1),
        meta={"subject": "hist", "class": True},
        text=TEXT + "!",
    )
    assert errors(raw, essay_text=TEXT) == [
        ("wrong_type", None, "meta.class"),
        ("text_differs", None, "text"),
        ("unknown_code", 1, "type"),
        ("wrong_type", 1, "comment"),
        ("start_after_end", 1, "endSelection"),
        ("span_outside_text", 1, "startSelection"),
        ("span_outside_text", 1, "endSelection"),
        ("wrong_type", 2, "selections"),
        ("wrong_type", 3, "tag"),
    ]


@pytest.mark.parametrize("raw", [None, [], "text", 5, True, float("nan")])
def test_what_is_no_object_is_no_markup(raw: object) -> None:
    assert errors(raw) == [("not_an_object", None, None)]


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"meta": ...}, "missing_field", "meta"),
        ({"meta": []}, "wrong_type", "meta"),
        ({"meta": {}}, "missing_field", "meta.subject"),
        ({"meta": {"subject": None}}, "missing_field", "meta.subject"),
        ({"meta": {"subject": ["hist"]}}, "wrong_type", "meta.subject"),
        ({"meta": {"subject": 5}}, "wrong_type", "meta.subject"),
        ({"meta": {"subject": "Hist"}}, "unknown_subject", "meta.subject"),
        ({"meta": {"subject": "hist", "year": float("inf")}}, "not_finite", "meta.year"),
        ({"meta": {"subject": "hist", "theme": {}}}, "wrong_type", "meta.theme"),
        ({"meta": {"subject": "hist", "own": [{"x": float("nan")}]}}, "not_finite", "meta.own"),
        ({"meta": {"subject": "hist", "own": ["\ud800"]}}, "lone_surrogate", "meta.own"),
        ({"text": ...}, "missing_field", "text"),
        ({"text": 5}, "wrong_type", "text"),
        ({"text": "a\ud83d"}, "lone_surrogate", "text"),
        ({"selections": None}, "missing_field", "selections"),
        ({"selections": {}}, "wrong_type", "selections"),
        ({"selections": 5}, "wrong_type", "selections"),
    ],
)
def test_a_faulty_markup_is_named_with_its_field(changes: dict[str, Any], code: str, field: str) -> None:
    assert errors(markup(**changes)) == [(code, None, field)]


@pytest.mark.clause("MS §1 JSON")
def test_meta_keeps_what_the_contest_does_not_know() -> None:
    meta = {"subject": "hist", "class": 11, "year": "2020", "third": True, "own": {"a": [1, None]}, "theme": None}
    assert dict(load(markup(meta=meta)).meta) == meta


def test_a_deep_value_in_meta_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert errors(markup(meta={"subject": "hist", "own": deep})) == [("too_deep", None, "meta.own")]


@pytest.mark.clause("MS §1 JSON")
def test_criteria_are_read_under_both_spellings_and_never_refused() -> None:
    assert dict(load(markup(criteria=..., criterias={"К1": 2, "k12": 0})).criteria) == {"K1": 2, "K12": 0}
    assert dict(load(markup(criterias={"K1": 0})).criteria) == {"K1": 2}
    assert load(markup(criteria=None)).criteria == {}
    assert warnings(markup(criteria=[1])) == [("criteria_ignored", None, "criteria")]
    assert warnings(markup(criteria={"K1": "2", "K2": True, "sum": 3})) == [
        ("criteria_ignored", None, "criteria.K1"),
        ("criteria_ignored", None, "criteria.K2"),
        ("criteria_ignored", None, "criteria.sum"),
    ]


def test_unknown_fields_of_the_markup_are_left_out_with_a_warning() -> None:
    assert warnings(markup(fragments=[])) == [("unknown_field", None, "fragments")]


@pytest.mark.clause("MS §1 limits")
def test_the_limits_are_parameters() -> None:
    two = [fragment(id=1), fragment(id=2, type="?")]
    assert errors(markup(*two), limits=Limits(max_fragments=1)) == [("too_many_fragments", None, "selections")]
    assert errors(markup(), limits=Limits(max_code_points=39)) == [("text_too_long", None, "text")]
    assert errors(markup(), limits=Limits(max_code_points=40)) == []
    size = len(json.dumps(markup(fragment()), ensure_ascii=False, separators=(",", ":")).encode())
    assert errors(markup(fragment()), limits=Limits(max_bytes=size)) == []
    assert errors(markup(fragment()), limits=Limits(max_bytes=size - 1)) == [("too_big", None, None)]


@pytest.mark.clause("MS §1 limits")
def test_the_default_limits_are_those_of_the_contest() -> None:
    assert errors(markup(text="я" * 200_001)) == [("text_too_long", None, "text")]
    many = [fragment(id=number) for number in range(2001)]
    assert errors(markup(*many)) == [("too_many_fragments", None, "selections")]
    assert errors(markup(*many[:2000])) == []
    big = [fragment(id=number, comment="я" * 600) for number in range(2000)]
    assert errors(markup(*big)) == [("too_big", None, None)]
    assert errors(markup(own="я" * 1_100_000)) == [("too_big", None, None)]


@pytest.mark.clause("MS §1 faults", "R 11.6")
@pytest.mark.parametrize(
    ("sent", "essay", "hint"),
    [
        ("один\r\nдва", "один\nдва", 'from character 4 on: "\\r\\nдва" instead of "\\nдва"'),
        ("один\r\nдва", "один\nдва", "the line ends were changed"),
        ("один ", "один", "blanks at the ends"),
        ("\ufeffодин", "один", "byte-order mark"),
        ("и\u0306", "й", "Unicode normalisation"),
        ("один", "одна", 'from character 2 on: "ин" instead of "на"'),
    ],
)
def test_a_changed_text_is_refused_with_the_place_and_a_hint(sent: str, essay: str, hint: str) -> None:
    (fault,) = validate(markup(text=sent), essay_text=essay).errors
    assert fault.code == "text_differs"
    assert hint in fault.message


LISTED = " (markup-core codes hist lists them)"


def test_messages_name_the_fragment_the_field_and_the_value() -> None:
    raw = markup(fragment(id=12, endSelection=57), fragment(id="б", type="И.личнось"), fragment(id=4, tag=["x"]))
    assert [fault.message for fault in validate(raw).errors] == [
        'fragment 12: "endSelection" is 57, but the text spans 0 to 40',
        'fragment "б": "И.личнось" is no code of the subject hist; did you mean И.личность?' + LISTED,
        'fragment 4: "tag" must be a string, not a list',
    ]


def test_another_classifier_decides_about_subjects_and_codes() -> None:
    classifier = Classifier.from_dict({"subjects": {"uk": [{"code": "G/Case", "group": "error", "full_text": True}]}})
    own = markup(fragment(type="g/case", endSelection=0), meta={"subject": "uk"})
    assert errors(own, classifier=classifier) == []
    assert errors(own) == [("unknown_subject", None, "meta.subject")]
    assert errors(markup(fragment()), classifier=classifier) == [("unknown_subject", None, "meta.subject")]


def test_load_raises_with_all_errors() -> None:
    with pytest.raises(InvalidMarkup, match="and 1 more") as refused:
        load(markup(*(fragment(id=number, type="?") for number in range(4))))
    assert len(refused.value.errors) == 4
    assert refused.value.errors[0].to_dict() == {
        "code": "unknown_code",
        "message": 'fragment 0: "?" is no code of the subject hist (markup-core codes hist lists them)',
        "fragment": 0,
        "field": "type",
    }
    assert Fault("a", "b").to_dict() == {"code": "a", "message": "b", "fragment": None, "field": None}


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("A.грамм", "A is a Latin letter, А in the code a Cyrillic one"),
        ("А.гpамм", "p is a Latin letter, р in the code a Cyrillic one"),
        ("А. грамм", "there are blanks in it"),
    ],
)
def test_an_unknown_code_says_which_letters_or_blanks_are_wrong(code: str, how: str) -> None:
    (fault,) = validate(markup(fragment(type=code), meta={"subject": "eng"})).errors
    assert fault.suggestion == "А.грамм"
    assert f"did you mean А.грамм? {how}" in fault.message


def test_three_faults_are_told_and_the_rest_counted() -> None:
    for count, listed in ((1, "1"), (3, "1; 2; 3"), (4, "1; 2; 3 (and 1 more)"), (6, "1; 2; 3 (and 3 more)")):
        assert str(InvalidMarkup(tuple(Fault("code", f"{number}") for number in range(1, count + 1)))) == listed


SUBTYPES = sorted({subtype for code in Classifier.default().codes("rus") for subtype in code.subtypes})
NAMES = st.sampled_from(
    [
        *("meta", "criteria", "criterias", "selections", "text", "subject", "class", "year", "theme", "third", "id"),
        *("startSelection", "endSelection", "type", "subtype", "comment", "explanation", "correction", "group", "tag"),
        *("K1", "К2", "other"),
    ]
)
NUMBERS = [float("nan"), float("inf"), 10**400, -(10**30), 2**63, 0, -1, 1.5]
STRINGS = ["\ud800", "\ud800\udc00", "", " ", "rus", "eng", "Г.слов", "Г.СЛОВ", "С.тема", "meaning", "\x00", "a" * 100]
ODD: st.SearchStrategy[Any] = st.sampled_from([True, False, None, *NUMBERS, *STRINGS])
VALUES: st.SearchStrategy[Any] = st.recursive(
    ODD | st.text(max_size=5) | st.integers(-3, 30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=6),
    max_leaves=20,
)
FRAGMENTS = st.lists(
    st.dictionaries(NAMES, ODD | st.integers(-3, 12) | VALUES, max_size=12)
    | st.fixed_dictionaries(
        {
            "id": st.integers(0, 3) | ODD,
            "startSelection": st.integers(-1, 12) | ODD,
            "endSelection": st.integers(-1, 12) | ODD,
            "type": st.sampled_from(["Г.слов", "г.СЛОВ", "ПРИМЕР", "С.тема"]) | ODD,
        },
        optional={name: ODD | st.text(max_size=4) for name in ("subtype", "comment", "correction", "tag", "group")},
    ),
    max_size=5,
)
MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.dictionaries(NAMES, VALUES, max_size=5) | VALUES,
        "selections": FRAGMENTS | VALUES,
        "text": ODD | st.text(),
    },
    optional={"criteria": VALUES, "criterias": VALUES, "other": VALUES},
)
GOOD_FRAGMENT = st.builds(
    lambda span, code, **strings: {"startSelection": min(span), "endSelection": max(span), "type": code, **strings},
    span=st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda span: span[0] != span[1]),
    code=st.sampled_from([code.code for code in Classifier.default().codes("lit")]),
    id=st.integers(0, 5) | st.text(st.characters(codec="utf-8"), max_size=3),
    **{
        name: st.none() | st.text(st.characters(codec="utf-8"), max_size=4)
        for name in ("subtype", "comment", "explanation", "correction", "tag", "group")
    },
)
GOOD_MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"))).map(
            lambda meta: {**meta, "subject": "lit", "year": 2020}
        ),
        "selections": st.lists(GOOD_FRAGMENT, max_size=8),
        "text": st.text(st.characters(codec="utf-8"), min_size=9, max_size=20),
    },
    optional={"criterias": st.dictionaries(st.sampled_from(["K1", "К2"]), st.integers(0, 5))},
)

WHOLE_MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.just({"subject": "rus"}),
        "text": st.just("Один, два."),
        "selections": st.lists(
            st.fixed_dictionaries(
                {
                    **{name: st.integers(0, 10) for name in ("startSelection", "endSelection", "id")},
                    "type": st.sampled_from(["Г.слов", "г.СЛОВ", "Г.слов ", "П.опора", "ПРИМЕР", "С.тема"]),
                    "subtype": st.sampled_from(["", *SUBTYPES, "Собств"]),
                    "correction": st.sampled_from(["", " ", "два"]),
                    "group": st.sampled_from(["error", "meaning"]),
                    **dict.fromkeys(("comment", "explanation", "tag"), st.sampled_from(["", "a"])),
                }
            ),
            max_size=3,
        ),
    }
)
"""Markups with every field of every fragment, most values right."""


@pytest.mark.property
@given(VALUES | MARKUPS)
def test_no_value_breaks_the_validation(raw: Any) -> None:
    result = validate(raw, essay_text="abc")
    assert (result.markup is None) == bool(result.errors)
    form = None if result.markup is None else dump(result.markup)
    assert json.loads(json.dumps(form, ensure_ascii=False, allow_nan=False).encode()) == form
    for fault in (*result.errors, *result.warnings):
        json.dumps(fault.to_dict(), ensure_ascii=False).encode()  # always writable
        assert fault.code.replace("_", "").islower()
        assert len(fault.message) < 1000


@pytest.mark.property
@given(GOOD_MARKUPS)
def test_a_valid_markup_survives_its_canonical_form(raw: dict[str, Any]) -> None:
    markup = load(raw)
    form = dump(markup)
    assert load(form) == markup
    assert dump(load(form)) == form
    assert not validate(form, essay_text=raw["text"]).errors
    assert form["meta"] == raw["meta"]
    decoded = decode(json.dumps(form, ensure_ascii=False).encode())
    assert decoded == form


@pytest.mark.property
@given(MARKUPS | GOOD_MARKUPS | WHOLE_MARKUPS)
def test_what_is_plainly_right_is_so_field_by_field(raw: dict[str, Any]) -> None:
    at_once = validate(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "are_plain", lambda *_: False)
        assert validate(raw) == at_once


@pytest.mark.property
@given(st.binary(max_size=40) | st.text(st.sampled_from('{}[]",:\\ue0+-.1NaIinfty \n\ud800'), max_size=40))
def test_any_input_is_refused_or_read_as_json(data: bytes | str) -> None:
    try:
        value = decode(data, Limits(max_bytes=39))
    except MalformedInput:
        return
    assert json.loads(data) == value


@pytest.mark.property
@given(VALUES)
def test_the_depth_counts_the_levels(value: Any) -> None:
    def by_recursion(part: Any) -> int:
        if isinstance(part, dict):
            part = list(part.values())
        return 1 + max(map(by_recursion, part), default=0) if isinstance(part, list) else 0

    assert depth(value, 1000) == by_recursion(value)
