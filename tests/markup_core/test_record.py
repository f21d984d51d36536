"""Score records: what they hold, and that whatever is changed in them or in their inputs is found (§8).

Canonical JSON, fingerprints, score records and their verification (markup-scoring §8).

Whoever imports the library finds the documented names, whatever room each lives in.
"""

from __future__ import annotations

import copy
import json
import pydoc
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import markup_core
import markup_core.command.operations  # by now every module has been imported, and none may hide a name
from markup_core import __version__
from markup_core.accuracy import score_essay, score_of, score_record, verify
from markup_core.command.inputs import UnreadableError
from markup_core.metrics import InvalidRatings
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import InvalidMarkup, decode, load
from markup_core.receipt import canonical_bytes, canonical_json, differences, fingerprint, sha256_hex

TEXT = "раз два три четыре"


def raw(*codes: str, subject: str = "rus", **fields: Any) -> dict[str, Any]:
    """Each code on its own word."""
    selections = [
        {"id": number, "startSelection": 4 * number, "endSelection": 4 * number + 3, "type": code, **fields}
        for number, code in enumerate(codes)
    ]
    return {"meta": {"id": "1", "subject": subject}, "selections": selections, "text": TEXT}


ANSWER = raw("Г.слов", "ПРОБЛЕМА", "Р.лишн", explanation="so")
REFERENCES = [raw("Г.слов", "ПРОБЛЕМА", "Р.повтор"), raw("Г.упр", "ПРОБЛЕМА"), raw("Г.слов")]
PARAMS = ScoringParams(hardness=0.3)
RATINGS = {"1": [[1, 1, 1, 0, 0]]}


@pytest.fixture
def record() -> dict[str, Any]:
    return dict(json.loads(canonical_json(score_record(ANSWER, REFERENCES, PARAMS))))


def test_a_record_holds_the_score_the_grade_and_the_fingerprint(record: dict[str, Any]) -> None:
    score = score_essay(load(ANSWER), [load(each) for each in REFERENCES], PARAMS)
    assert {**record, **score.to_dict()} == record
    assert (record["subject"], record["experts"], record["fragments"]) == ("rus", 3, 3)
    assert record["grade"]["max"] == 24
    assert len(record["pairs"]) == 3 + 6
    assert record["fingerprint"] == {
        "library": f"markup_core {__version__}",
        "op": "essay",
        "parameters": PARAMS.to_dict(),
        "classifier": None,
        "inputs": [sha256_hex(canonical_bytes(each)) for each in (ANSWER, *REFERENCES)],
    }


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path


def changed(value: Any) -> Any:
    """Make the smallest change: one more in the last place of a number, one letter of a string."""
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, float):
        return value * (1 + 2**-52) if value else 5e-324
    return value + 1 if isinstance(value, int) else value[:-1] + ("x" if value[-1:] != "x" else "y")


@pytest.mark.clause("MS §8 verify")
def test_every_single_value_that_is_changed_is_found_and_named(record: dict[str, Any]) -> None:
    paths = [path for path in leaves(record) if path[:2] != ("fingerprint", "parameters")]
    assert len(paths) > 100
    for path in paths:
        forged = copy.deepcopy(record)
        holder = forged
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = changed(holder[path[-1]])
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
        found = verify(forged, ANSWER, REFERENCES)
        assert [line.split(": ")[0] for line in found] == [where]


def test_other_parameters_are_found_by_the_numbers_they_give(record: dict[str, Any]) -> None:
    record["fingerprint"]["parameters"]["hardness"] = 0.5
    names = [line.split(":")[0] for line in verify(record, ANSWER, REFERENCES)]
    assert names == ["algorithm_accuracy", "expert_accuracy", "relative_accuracy"]


def test_fields_that_are_missing_or_added_are_found(record: dict[str, Any]) -> None:
    del record["pairs"]
    record["bonus"] = 5
    found = verify(record, ANSWER, REFERENCES)
    assert [line.split(":")[0] for line in found] == ["bonus", "pairs"]


def test_a_flipped_bit_anywhere_in_an_input_is_found(record: dict[str, Any]) -> None:
    source = canonical_bytes(ANSWER)
    accepted = 0
    for place in range(len(source)):
        flipped = bytearray(source)
        flipped[place] ^= 1
        try:
            found = verify(record, decode(bytes(flipped)), REFERENCES)
        except ValueError:  # no JSON, no valid markup, or a markup of another text
            continue
        accepted += 1
        assert any(line.startswith("fingerprint.inputs[0]: ") for line in found)
    assert accepted > 20


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_input_that_differs_is_named(record: dict[str, Any], number: int) -> None:
    other = copy.deepcopy(REFERENCES)
    other[number]["meta"]["id"] = "2"
    [line] = verify(record, ANSWER, other)
    assert line.startswith(f"fingerprint.inputs[{number + 1}]: ")


def test_experts_in_another_order_are_other_inputs(record: dict[str, Any]) -> None:
    found = verify(record, ANSWER, REFERENCES[::-1])
    assert not any(line.startswith(("algorithm", "expert_", "relative")) for line in found)
    assert any(line.startswith("fingerprint.inputs") for line in found)


def test_a_record_written_by_another_program_verifies(record: dict[str, Any]) -> None:
    def whole(value: Any) -> Any:
        """Return a value as JavaScript writes it: no decimal point where there is no fraction."""
        if isinstance(value, dict):
            return {name: whole(part) for name, part in reversed(value.items())}
        if isinstance(value, list):
            return [whole(part) for part in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    assert verify(whole(record), ANSWER, REFERENCES) == []


def test_true_is_not_one(record: dict[str, Any]) -> None:
    record["grade"]["criteria"]["K1"] = bool(record["grade"]["criteria"]["K1"])
    assert len(verify(record, ANSWER, REFERENCES)) == 1


@pytest.mark.parametrize("fingerprint", [None, [], {}, {"parameters": None}, {"parameters": [1]}])
def test_what_is_no_record_is_refused(fingerprint: Any) -> None:
    with pytest.raises(ValueError, match="no score record"):
        verify({"fingerprint": fingerprint}, ANSWER, REFERENCES)
    with pytest.raises(ValueError, match="no score record"):
        verify({}, ANSWER, REFERENCES)


def test_ratings_are_an_input_like_the_others() -> None:
    params = ScoringParams(weights=(1, 1, 1, 1, 1, 1, 1))
    bare = score_record(ANSWER, REFERENCES, params)
    rated = score_record(ANSWER, REFERENCES, params, ratings=RATINGS)
    assert bare["algorithm_accuracy"] is None
    assert rated["pairs"][0]["metrics"]["M7"] == 60
    assert rated["algorithm_accuracy"] is not None
    assert rated["fingerprint"]["inputs"][-1] == sha256_hex(canonical_bytes(RATINGS))
    assert verify(rated, ANSWER, REFERENCES, ratings=RATINGS) == []
    assert verify(rated, ANSWER, REFERENCES)
    with pytest.raises(InvalidRatings):
        score_record(ANSWER, REFERENCES, params, ratings={"1": [[2] * 5]})


def own_classifier(group: str = "error") -> Classifier:
    codes = [{"code": "A", "group": group}, {"code": "B", "group": "error"}]
    return Classifier.from_dict({"subjects": {"poetry": codes}})


def test_an_organizers_classifier_is_named_by_its_hash() -> None:
    params = ScoringParams(weights=(0, 1, 1, 1, 1, 1, 0))
    answer, experts = raw("A", subject="poetry"), [raw("A", "B", subject="poetry")] * 2
    found = score_record(answer, experts, params, own_classifier())
    assert found["grade"] is None
    assert found["pairs"][0]["metrics"]["M1"] is None
    assert found["relative_accuracy"] is not None
    assert found["fingerprint"]["classifier"] == sha256_hex(canonical_bytes(own_classifier().to_dict()))
    assert verify(found, answer, experts, own_classifier()) == []
    [line] = verify(found, answer, experts, own_classifier("meaning"))
    assert line.startswith("fingerprint.classifier: ")


def test_the_librarys_own_classifier_has_no_hash_however_it_is_given(record: dict[str, Any]) -> None:
    copied = Classifier.from_dict(Classifier.default().to_dict())
    assert verify(record, ANSWER, REFERENCES, copied) == verify(record, ANSWER, REFERENCES, Classifier.default()) == []


def test_an_answer_without_references_has_a_record_without_accuracies() -> None:
    found = score_record(ANSWER, [], PARAMS)
    assert (found["experts"], found["pairs"]) == (0, [])
    assert found["algorithm_accuracy"] is found["expert_accuracy"] is found["relative_accuracy"] is None
    assert found["grade"] is not None


def test_invalid_markups_and_those_of_different_texts_or_subjects_have_no_record() -> None:
    with pytest.raises(ValueError, match="different texts"):
        score_record(ANSWER, [{**REFERENCES[0], "text": TEXT + "!"}], PARAMS)
    with pytest.raises(ValueError, match="different subjects"):
        score_record(raw(), [raw(subject="lit")], PARAMS)
    with pytest.raises(InvalidMarkup):
        score_record(raw("Г.нет"), REFERENCES, PARAMS)


def test_a_score_is_read_back_from_its_record(record: dict[str, Any]) -> None:
    assert score_of(record) == score_essay(load(ANSWER), [load(each) for each in REFERENCES], PARAMS)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_canonical_json_reads_back_the_same(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)


@pytest.mark.clause("MS §8 same bytes")
def test_keys_are_sorted_and_nothing_is_wasted() -> None:
    assert canonical_json({"б": [1, 2.5], "a": {"z": None, "b": True}}) == '{"a":{"b":true,"z":null},"б":[1,2.5]}'


@pytest.mark.clause("MS §8 same bytes")
@pytest.mark.parametrize(
    ("number", "written"),
    [(-0.0, "0.0"), (1.0, "1.0"), (0.1 + 0.2, "0.30000000000000004"), (1e22, "1e+22"), (100 / 3, "33.333333333333336")],
)
def test_numbers_are_written_in_one_way(number: float, written: str) -> None:
    assert canonical_json(number) == written
    assert canonical_json({"deep": [number]}) == f'{{"deep":[{written}]}}'


def test_any_mapping_is_an_object_and_a_tuple_a_list() -> None:
    assert canonical_json(MappingProxyType({"b": (1, -0.0), "a": MappingProxyType({})})) == '{"a":{},"b":[1,0.0]}'
    assert canonical_bytes({"б": ("ж", None)}) == '{"б":["ж",null]}'.encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_json_cannot_say_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([number])


@pytest.mark.clause("MS §8 fingerprint")
def test_a_fingerprint_names_version_parameters_and_inputs() -> None:
    result = fingerprint("pair", ScoringParams(hardness=0.5), [{"b": 1, "a": 2}, None])
    assert result["library"] == f"markup_core {__version__}"
    assert result["parameters"]["hardness"] == 0.5
    assert result["inputs"] == [sha256_hex(b'{"a":2,"b":1}'), sha256_hex(b"null")]
    # FIPS 180-2's own example.
    assert sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_equal_inputs_have_equal_fingerprints_however_they_were_written() -> None:
    one, other = json.loads('{"a": 1, "b": [1.50]}'), json.loads('{"b":[1.5],"a":1}')
    assert fingerprint("match", None, [one]) == fingerprint("match", None, [other])
    assert canonical_bytes(one) == canonical_bytes(other)


def test_half_a_surrogate_pair_has_a_fingerprint_all_the_same() -> None:
    assert len(fingerprint("parse", None, ["\ud800"])["inputs"][0]) == 64


def test_differences_name_the_place_and_both_values() -> None:
    old = {"a": [1, {"b": 2.0}], "gone": 1, "kept": "x"}
    new = {"a": [1, {"b": 2.5}], "kept": "x", "new": None}
    assert list(differences(old, new)) == ["a[1].b: 2.0 → 2.5", "gone: 1 → absent", "new: absent → null"]
    assert list(differences([1], [1, 2])) == ["value: [1] → [1,2]"]


@pytest.mark.parametrize("name", markup_core.__all__)
def test_every_documented_name_is_there_and_is_no_module(name: str) -> None:
    result = getattr(markup_core, name)
    assert not isinstance(result, ModuleType)
    assert name in {"__version__", getattr(result, "__name__", None)}


def test_a_name_that_does_not_exist_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'parrot'"):
        markup_core.parrot  # noqa: B018


def test_dir_and_help_list_the_documented_names() -> None:
    assert set(markup_core.__all__) <= set(dir(markup_core))
    assert not {"Any", "Final", "TYPE_CHECKING", "import_module"} & set(dir(markup_core))
    page = pydoc.plain(pydoc.render_doc(markup_core))
    assert [name for name in markup_core.__all__ if name not in page] == []


@pytest.mark.parametrize(
    "name",
    ["score_pair", "score", "match", "third_expert", "score_essay", "grade", "render", "nominations", "agreement"],
)
def test_decoded_json_in_the_place_of_a_markup_is_refused_with_what_to_call(name: str) -> None:
    raw: dict[str, object] = {"meta": {"subject": "rus"}, "text": "а", "selections": []}
    arguments = {
        "score_essay": (raw, []),
        "grade": (raw,),
        "render": (raw,),
        "nominations": (raw, []),
        "agreement": ([[raw]],),
    }.get(name, (raw, raw))
    with pytest.raises(TypeError, match=r"not dict: .*markup_core\.validate\(value\)\.markup decoded JSON"):
        getattr(markup_core, name)(*arguments)


def test_decoded_json_in_the_place_of_a_string_or_of_an_essay_is_refused_with_what_to_call() -> None:
    for read in (markup_core.loads, markup_core.parse):
        with pytest.raises(TypeError, match=r"a string is expected, not dict: .*markup_core\.validate"):
            read({"text": ""})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"an EssayInput is expected, not dict: markup_core\.load_folder"):
        markup_core.score_sample([{}])  # type: ignore[list-item]


def test_what_another_tool_wrote_is_named_by_every_reader() -> None:
    (fault,) = markup_core.validate({"id": 1, "text": "a", "label": [[0, 1, "x"]]}).errors
    assert (fault.code, "doccano" in fault.message) == ("another_format", True)
    (fault,) = markup_core.validate([{"id": 1, "data": {"text": "a"}, "annotations": []}]).errors
    assert (fault.code, "Label Studio" in fault.message) == ("another_format", True)
    assert [each.code for each in markup_core.validate([{}]).errors] == ["not_an_object"]
    for text, name in (
        ("#FORMAT=WebAnno TSV 3.3\n", "WebAnno TSV"),
        ("S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n", "M2"),
        ('{"text": "a", "label": []}\n{"text": "b", "label": []}\n', "doccano"),
        ('{"_views": {}, "_referenced_fss": {}}', "legacy JSON"),
    ):
        with pytest.raises(ValueError, match=name):
            markup_core.loads(text)


def test_a_missing_folder_is_an_error_of_the_system_too(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere: no such file or directory"):
        markup_core.load_folder(tmp_path / "nowhere")


def test_a_missing_file_is_an_error_of_the_system_and_of_the_library(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere\.json: no such file") as caught:
        markup_core.load(tmp_path / "nowhere.json")
    assert isinstance(caught.value, UnreadableError)
    assert caught.value.text("ru").endswith("nowhere.json: нет такого файла или папки")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    (tmp_path / "wrong.json").write_text("{")
    with pytest.raises(UnreadableError) as broken:
        markup_core.load(tmp_path / "wrong.json")
    assert not isinstance(broken.value, OSError)
