"""The classifier (markup-scoring §1.2).

The strict reading of JSON (markup-scoring §1, "bad input"): every refusal with its code and place.

A name from the input as an error carries it: at most eighty characters, writable whatever it holds.
"""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from markup_core.reading.classifier import Classifier, ClassifierError, Code
from markup_core.reading.validation import Limits, MalformedInput, decode
from markup_core.reading.wire import writable

# Counts per subject and flags below were read off the contest's list of codes by hand.
SIZES = {"rus": 64, "lit": 32, "social": 23, "hist": 22, "eng": 23, "rus-free": 45, "eng-free": 23}


def code_of(subject: str, name: str, classifier: Classifier | None = None) -> Code:
    code = (classifier or Classifier.default()).lookup(subject, name)
    assert code is not None
    return code


@pytest.mark.clause("MS §1.2 classifier")
def test_the_shipped_classifier_knows_the_seven_subjects() -> None:
    classifier = Classifier.default()
    assert {subject: len(classifier.codes(subject)) for subject in classifier.subjects} == SIZES
    assert Classifier.default() is classifier
    assert not classifier.has_subject("geo")


@pytest.mark.clause("MS §1.2 classifier")
def test_every_code_is_described_in_one_sentence_in_both_languages() -> None:
    for subject in Classifier.default().subjects:
        for code in Classifier.default().codes(subject):
            assert set(code.description) == {"ru", "en"}
            for text in code.description.values():
                assert text[0].isupper()
                assert text.endswith(".")
                assert len(text) > 15


def test_every_subject_and_every_category_has_a_title_in_both_languages() -> None:
    classifier = Classifier.default()
    named = {*classifier.subjects}
    for subject in classifier.subjects:
        named |= {code.category for code in classifier.codes(subject)}
    assert set(classifier.to_dict()["titles"]) == named
    for name in named:
        assert re.search("[а-я]", classifier.title(name, "ru"))
        assert not re.search("[а-я]", classifier.title(name, "en"))
    assert classifier.title("geo", "en") == "geo"


def test_a_part_of_a_classifier_keeps_the_titles_it_needs() -> None:
    part = Classifier.default().only(["hist"])
    assert part.subjects == ("hist",)
    assert part.title("hist", "en") == "History"
    assert "lit" not in part.to_dict()["titles"]
    assert part != Classifier.default()


def test_titles_alone_make_another_classifier() -> None:
    plain = {"subjects": {"uk": [{"code": "A", "group": "error"}]}}
    titled = Classifier.from_dict({**plain, "titles": {"uk": {"en": "Ukrainian"}}})
    assert titled != Classifier.from_dict(plain)
    assert Classifier.from_dict(titled.to_dict()) == titled
    assert "titles" not in Classifier.from_dict(plain).to_dict()


def test_subjects_that_share_a_code_share_its_description() -> None:
    for code in Classifier.default().codes("rus-free"):
        assert code_of("rus", code.code).description == code.description


def test_codes_are_found_whatever_their_letter_case() -> None:
    lookup = Classifier.default().lookup
    assert lookup("rus", "Г.СЛОВ") is lookup("rus", "г.слов") is lookup("rus", "Г.слов")
    assert (code_of("rus", "П.фактКомм").code, code_of("rus", "П.фактКомм").group) == ("П.факткомм", "error")
    assert lookup("rus", "И.личность") is None
    assert lookup("geo", "Г.слов") is None


def test_flags_and_subtypes_come_from_the_source() -> None:
    assert code_of("lit", "С.композ").full_text
    assert code_of("lit", "С.композ").relation
    cause = code_of("hist", "ПРИЧИНА")
    assert (cause.group, cause.correction, cause.relation) == ("meaning", False, True)
    assert code_of("eng", "ИСП").group == "error"
    actions = code_of("hist", "И.лДейств")
    assert actions.subtypes == ("неконк", "неверн")
    assert actions.knows_subtype("НЕВЕРН")
    assert actions.knows_subtype(" ")
    assert not actions.knows_subtype("своё")


@pytest.mark.clause("MS §1.2 own")
def test_an_organizer_brings_other_subjects_codes_and_languages() -> None:
    source = {
        "note": "errors of a learner corpus",
        "subjects": {
            "uk": [{"code": "G/Case", "group": "error", "category": "Grammar", "subtypes": ["noun"]}],
            "de": [{"code": "g/case", "group": "error", "description": {"de": "Falscher Kasus.", "en": "Wrong case."}}],
        },
        "descriptions": {"g/CASE": {"en": "The wrong case."}},
    }
    classifier = Classifier.from_dict(source)
    ukrainian, german = code_of("uk", "g/case", classifier), code_of("de", "G/Case", classifier)
    assert ukrainian.description == {"ru": "Grammar", "en": "The wrong case."}
    assert not ukrainian.correction
    assert german.description == {"ru": "", "en": "Wrong case.", "de": "Falscher Kasus."}
    assert Classifier.from_dict(classifier.to_dict()) == classifier
    assert hash(Classifier.from_dict(classifier.to_dict())) == hash(classifier)


def test_the_shipped_classifier_survives_its_own_form() -> None:
    default = Classifier.default()
    assert Classifier.from_dict(default.to_dict()) == default
    assert "hist: 22 codes" in repr(default)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ([], "a JSON object with the field 'subjects'"),
        ({}, "'subjects' must be an object"),
        ({"subjects": {}}, "at least one subject"),
        ({"subjects": {"uk": {}}}, "subject 'uk': a non-empty list of codes"),
        ({"subjects": {" ": [{"code": "A", "group": "error"}]}}, "the subject's name ' '"),
        ({"subjects": {"uk": ["A"]}}, "subject 'uk', code number 1: an object"),
        ({"subjects": {"uk": [{"code": "", "group": "error"}]}}, "code number 1: 'code' must be"),
        ({"subjects": {"uk": [{"code": "A", "group": "block"}]}}, "code 'A': 'group' must be"),
        ({"subjects": {"uk": [{"code": "A"}]}}, "code 'A': 'group' must be"),
        ({"subjects": {"uk": [{"code": "A", "group": "error"}, {"code": "a", "group": "error"}]}}, "listed twice"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "subtypes": "x"}]}}, "'subtypes' must be a list"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "subtypes": ["x", "X"]}]}}, "subtype is listed twice"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "correction": 1}]}}, "'correction' must be true or"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "fulltext": True}]}}, "unknown field 'fulltext'"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "category": 3}]}}, "'category' must be a string"),
        ({"subjects": {"uk": [{"code": "A", "group": "error", "description": "x"}]}}, "description must be an object"),
        ({"subjects": {"uk": [{"code": "A", "group": "error"}]}, "descriptions": []}, "'descriptions' must be"),
        ({"subjects": {"uk": [{"code": "A", "group": "error"}]}, "titles": []}, "'titles' must be"),
        ({"subjects": {"uk": [{"code": "A", "group": "error"}]}, "titles": {"uk": "x"}}, "'titles' must be"),
        ({"subjects": {"uk": [{"code": "A", "group": "error"}]}, "titles": {"uk": {"ru": 1}}}, "'titles' must be"),
    ],
)
def test_a_faulty_classifier_is_refused_with_the_place(source: Any, problem: str) -> None:
    with pytest.raises(ClassifierError, match="cannot be used") as refused:
        Classifier.from_dict(source)
    assert any(problem in text for text in refused.value.problems)


def test_all_problems_of_a_classifier_are_listed_at_once() -> None:
    source = {"subjects": {"uk": [{"code": "A"}, {"code": "B", "group": "error", "full_text": "yes"}]}}
    with pytest.raises(ClassifierError) as refused:
        Classifier.from_dict(source)
    assert len(refused.value.problems) == 2


def refusal(data: bytes | str, limits: Limits | None = None) -> tuple[str, int, int]:
    with pytest.raises(MalformedInput) as refused:
        decode(data, limits or Limits())
    assert refused.value.message
    return refused.value.code, refused.value.line, refused.value.column


def test_json_is_read_from_bytes_and_from_text() -> None:
    data = '{"a": [1, 2.5, "я", null, true, -1e3], "b": {"a": {}}}'
    assert decode(data) == decode(data.encode()) == {"a": [1, 2.5, "я", None, True, -1000.0], "b": {"a": {}}}


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "broken_json", 1, 1),
        ('{"a": 1,\n "b" 2}', "broken_json", 2, 6),
        ('{"a": "one\ntwo"}', "broken_json", 1, 11),
        ("\ufeff{}", "byte_order_mark", 1, 1),
        ("\ufeff{}".encode(), "byte_order_mark", 1, 1),
        ("{}".encode("utf-16"), "wrong_encoding", 1, 1),
        ("{}".encode("utf-32"), "wrong_encoding", 1, 1),
        (gzip.compress(b"{}", mtime=0), "wrong_encoding", 1, 1),
        ('{\n"я": "ё"}'.encode("cp1251"), "wrong_encoding", 2, 2),
        (b'{"a": "\xed\xa0\x80"}', "wrong_encoding", 1, 8),  # an encoded surrogate
        ('{"a": 1, "b": {"a": 2}, "a": 3}', "duplicate_key", 1, 25),
        ('[{"a": "\\"b\\": 1", "b": 2},\n {"b": 1,\t"\\u0062" : 1}]', "duplicate_key", 2, 11),
        ('{"a": "NaN",\n "b": NaN}', "not_a_number", 2, 7),
        ("[-Infinity]", "not_a_number", 1, 2),
        ("[1, -1e999]", "not_a_number", 1, 5),
        ("[" + "1" * 5000 + "]", "number_too_long", 1, 2),
    ],
)
def test_broken_input_is_refused_with_the_place(data: bytes | str, code: str, line: int, column: int) -> None:
    assert refusal(data) == (code, line, column)


def test_too_much_and_too_deep_have_no_place() -> None:
    assert refusal("[1, 2]", Limits(max_bytes=5)) == ("too_big", 0, 0)
    assert refusal('"яяя"', Limits(max_bytes=7)) == ("too_big", 0, 0)  # eight bytes in UTF-8
    assert decode('"яяя"', Limits(max_bytes=8)) == "яяя"
    assert refusal("[" * 65 + "]" * 65) == ("too_deep", 0, 0)
    assert decode("[" * 64 + "]" * 64) is not None
    assert refusal("[" * 500_000) == ("too_deep", 0, 0)
    assert refusal('{"a":' * 200_000) == ("too_deep", 0, 0)


def test_the_error_reads_as_a_sentence_with_its_place() -> None:
    with pytest.raises(MalformedInput, match=r'^line 1, column 9: the key "a" stands twice in one object$'):
        decode('{"a": 1,"a": 2}')
    with pytest.raises(MalformedInput, match=r"^the JSON takes 2 bytes, the limit is 1$"):
        decode("{}", Limits(max_bytes=1))


def test_a_name_is_cut_after_eighty_characters_and_half_a_surrogate_pair_is_its_number() -> None:
    assert [len(writable("я" * length)) for length in (79, 80, 81)] == [79, 80, 80]
    assert writable("a\ud800") == "a\\ud800"
