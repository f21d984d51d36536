"""The fusion track through the Protocol (tracks.md §4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.capabilities import Counted
from tracks.command import printing
from tracks.fusion.track import FusionTrack
from tracks.protocol import ItemFacts, Missed, Outcome, Quota

TRACK = FusionTrack()
PROGRAM = "def f ( x ) : NEW_LINE INDENT return x + 1 NEW_LINE DEDENT"
ITEMS: dict[str, Any] = {
    "C2C": {"id": "c2c-1", "subtask": "C2C", "requests": {"0": "class A { }", "1": "class B { }"}, "note": "hidden"},
    "HTR": {"id": "htr-1", "subtask": "HTR", "requests": ["0.png", "1.png"]},
    "zsOD": {"id": "zsod-1", "subtask": "zsOD", "requests": {"0.jpg": ["cat", "dog"]}},
    "VQA": {"id": "vqa-1", "subtask": "VQA", "requests": {"0": {"file_name": "1.jpg", "question": "Куда он смотрит?"}}},
}
TRUTHS: dict[str, Any] = {
    "C2C": {"0": PROGRAM, "1": "x = 1 NEW_LINE y = x"},
    "HTR": {"0.png": "слово", "1.png": "two"},
    "zsOD": {"0.jpg": {"cat": [[0, 0, 10, 10]], "dog": []}},
    "VQA": {"0": {"answer": "вниз", "lang": "ru"}},
}
PREDICTIONS: dict[str, Any] = {
    "C2C": TRUTHS["C2C"],
    "HTR": {"0.png": "слово"},
    "zsOD": {"0.jpg": {"cat": [[0, 0, 9, 10]], "dog": [[]]}},
    "VQA": {"0": "вниз"},
}
NAMES = [*ITEMS]


def parameters(**changes: Any) -> Any:
    completed, reasons = TRACK.read_parameters(changes)
    assert reasons == ()
    return completed


def judged(name: str, prediction: Any) -> Any:
    body = prediction if isinstance(prediction, bytes) else json.dumps(prediction).encode()
    return TRACK.validate(ITEMS[name], "opaque", "test", body, parameters())


def codes(reasons: Any) -> list[str]:
    return [reason.code for reason in reasons]


def outcome(name: str, *, answered: bool = True) -> Outcome:
    facts = ItemFacts(f"file-{name}", "mul", name)
    if not answered:
        return Outcome(facts, False, None)
    canonical = judged(name, PREDICTIONS[name]).canonical
    return Outcome(facts, True, TRACK.score(ITEMS[name], canonical, [TRUTHS[name]], parameters()))


def aggregated(*outcomes: Outcome, **changes: Any) -> Any:
    return TRACK.aggregate(outcomes, parameters(**changes), 1)


def test_three_scored_submissions_a_day_and_what_is_missing_is_wrong() -> None:
    rules = TRACK.policies("algorithmic")
    assert (rules.sessions_per_day, rules.quota, rules.missed) == (3, Quota.SCORED, Missed.WRONG)
    assert rules.answer_limit_s == (1800, 1800, 1800)
    assert rules.max_voided_share == 1  # one file of four that was not written is worth 0 and annuls nothing


@pytest.mark.clause("F output", "F C2C requests", "F VQA requests", "F zsOD requests")
@pytest.mark.parametrize("name", NAMES)
def test_items_truths_and_predictions_of_all_subtasks_are_read(name: str) -> None:
    facts, reasons = TRACK.read_item(ITEMS[name], parameters())
    assert (facts, reasons) == (ItemFacts(ITEMS[name]["id"], "mul", name), ())
    assert TRACK.read_reference(ITEMS[name], TRUTHS[name], parameters()) == ()
    assert judged(name, PREDICTIONS[name]).valid


@pytest.mark.clause("F test private")
@pytest.mark.parametrize("name", NAMES)
def test_a_hand_out_shows_the_requests_and_nothing_else(name: str) -> None:
    shown = TRACK.hand_out(ITEMS[name], "opaque", "test")
    assert shown == {"id": "opaque", "subtask": name, "requests": ITEMS[name]["requests"]}


@pytest.mark.clause("F VQA requests", "F zsOD requests")
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], ["not_an_object"]),
        ({"subtask": "HTR", "requests": ["0.png"]}, ["missing_field"]),
        ({"id": "a", "subtask": "htr", "requests": ["0.png"]}, ["unknown_subtask"]),
        ({"id": "a", "subtask": "HTR"}, ["missing_field"]),
        ({"id": "a", "subtask": "HTR", "requests": []}, ["no_requests"]),
        ({"id": "a", "subtask": "HTR", "requests": {}}, ["not_a_list"]),
        ({"id": "a", "subtask": "HTR", "requests": ["0.png", 1, "0.png"]}, ["not_a_string", "duplicate_request"]),
        ({"id": "a", "subtask": "C2C", "requests": {"0": 1}}, ["not_a_string"]),
        ({"id": "a", "subtask": "zsOD", "requests": []}, ["not_an_object"]),
        ({"id": "a", "subtask": "zsOD", "requests": {"0.jpg": ["cat", "cat"]}}, ["duplicate_request"]),
        ({"id": "a", "subtask": "VQA", "requests": {"0": {"file_name": "1.jpg"}}}, ["missing_field"]),
        ({"id": "a", "subtask": "VQA", "requests": {"0": {"file_name": "1.jpg", "question": 1}}}, ["not_a_string"]),
    ],
)
def test_an_item_that_cannot_be_used_says_why(raw: Any, expected: list[str]) -> None:
    facts, reasons = TRACK.read_item(raw, parameters())
    assert facts is None
    assert codes(reasons) == expected
    assert all(reason.message.en != reason.message.ru for reason in reasons)


@pytest.mark.clause("F true")
@pytest.mark.parametrize(
    ("name", "truth", "expected"),
    [
        ("HTR", {"0.png": "а"}, ["missing_truth"]),
        ("HTR", {"0.png": "а", "1.png": "б", "2.png": "в"}, ["unknown_truth"]),
        ("HTR", {"0.png": "а", "1.png": None}, ["not_a_string"]),
        ("zsOD", {"0.jpg": {"cat": []}}, ["missing_truth"]),
        ("zsOD", {"0.jpg": {"cat": [], "dog": [], "cow": []}}, ["unknown_truth"]),
        ("zsOD", {"0.jpg": {"cat": [[0, 0, -1, 1]], "dog": []}}, ["negative_size"]),
    ],
)
def test_a_truth_that_does_not_fit_its_item_is_refused(name: str, truth: Any, expected: list[str]) -> None:
    assert codes(TRACK.read_reference(ITEMS[name], truth, parameters())) == expected


@pytest.mark.clause("F C2C requests", "F zsOD requests", "F output")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"{", "malformed_json"),
        (b'{"a": "x", "a": "y"}', "malformed_json"),
        (b'{"0.png": NaN}', "malformed_json"),
        (b"[]", "not_an_object"),
        (b'{"0.png": 1}', "not_a_string"),
    ],
)
def test_a_prediction_file_that_cannot_be_read_says_why(body: bytes, expected: str) -> None:
    verdict = judged("HTR", body)
    assert codes(verdict.reasons) == [expected]
    assert verdict.canonical is None


def test_a_prediction_file_has_a_bound() -> None:
    tight = parameters(resources={"answer_mb": 0.00001})
    verdict = TRACK.validate(ITEMS["HTR"], "opaque", "test", b'{"0.png": "a long word"}', tight)
    assert [(each.code, each.where["problem"]) for each in verdict.reasons] == [("malformed_json", "too_big")]


@pytest.mark.clause("tracks §4 missing")
def test_a_test_with_pictures_is_known_by_them_and_not_by_their_names() -> None:
    def htr(*digests: str) -> Any:
        names = [f"{n}.png" for n in range(len(digests))]
        pictures = {name: f"7-{each}" for name, each in zip(names, digests, strict=True)}
        return {"id": "HTR", "subtask": "HTR", "requests": names, "images": pictures}

    assert set(TRACK.texts(htr("a" * 64, "b" * 64))) == {"a" * 64, "b" * 64}
    assert not set(TRACK.texts(htr("a" * 64))) & set(TRACK.texts(htr("c" * 64)))
    assert TRACK.texts({"id": "HTR", "subtask": "HTR", "requests": ["0.png"]}) == ()
    assert TRACK.texts(ITEMS["C2C"]) == TRACK.texts({**ITEMS["C2C"], "id": "another"}) != ()


def test_ids_nobody_asked_for_are_remarked_on_and_left_out() -> None:
    verdict = judged("zsOD", {"0.jpg": {"cat": [[]], "cow": []}, "7.jpg": {}})
    assert verdict.canonical == {"0.jpg": {"cat": []}}
    (warning,) = verdict.warnings
    assert (warning.code, warning.where) == ("unknown_ids", {"count": 2, "ids": ["7.jpg", "0.jpg: cow"]})


def test_missing_ids_are_remarked_on() -> None:
    (warning,) = judged("C2C", {"1": ""}).warnings
    assert (warning.code, warning.where) == ("missing_ids", {"count": 1, "ids": ["0"]})


@pytest.mark.parametrize("name", NAMES)
def test_a_score_can_be_recomputed_by_the_operation_it_names(name: str) -> None:
    canonical = judged(name, PREDICTIONS[name]).canonical
    assert json.loads(json.dumps(canonical)) == canonical
    record = TRACK.score(ITEMS[name], canonical, [TRUTHS[name]], parameters())
    again = printing.answer(record["fingerprint"]["op"], {"true": TRUTHS[name], "prediction": canonical})
    assert again.fingerprint == record["fingerprint"]
    assert again.result.items() <= record.items()


def test_the_cycles_mode_decides_how_is_counted() -> None:
    normalised = parameters(modes={"vqa": "normalised"})
    item, truth = ITEMS["VQA"], {"0": {"answer": "коты", "lang": "ru"}}
    assert TRACK.score(item, {"0": "кот"}, [truth], normalised)["score"] == 1
    assert TRACK.score(item, {"0": "кот"}, [truth], parameters())["score"] == 0


def test_a_test_without_exactly_one_truth_is_not_scored() -> None:
    with pytest.raises(ValueError, match="unpack"):
        TRACK.score(ITEMS["HTR"], {}, [], parameters())


def test_the_sum_of_a_session() -> None:
    """Hand count: C2C 100, HTR one of two, zsOD 1, VQA 1: S = 1 + 0.5 + 1 + 1; HTR is below its 0.6."""
    result = aggregated(*map(outcome, NAMES))
    assert result["s"] == 3.5
    assert not result["reached"]
    assert result["subtasks"]["htr"] == {"score": 0.5, "rounded": 0.5, "minimum": 0.6, "reached": False}
    assert (result["files"], result["answered"]) == (4, 4)
    assert aggregated(*map(outcome, NAMES), minima={"htr": 0.5})["reached"]


def test_a_file_that_was_not_written_is_worth_nothing() -> None:
    result = aggregated(*(outcome(name, answered=name != "C2C") for name in NAMES))
    assert (result["s"], result["subtasks"]["c2c"]["score"]) == (2.5, 0)


def test_a_record_of_a_file_that_was_not_written_is_that_of_an_empty_one() -> None:
    record = TRACK.score(ITEMS["HTR"], None, [{"0.png": "", "1.png": "x"}], parameters())
    assert (record["score"], record["missing"]) == (0.5, 2)
    facts = ItemFacts("file", "mul", "HTR")
    assert aggregated(Outcome(facts, False, record))["subtasks"]["htr"]["score"] == 0.5


def test_a_subtask_without_a_test_leaves_the_sum_undefined() -> None:
    result = aggregated(outcome("HTR"))
    assert (result["s"], result["reached"]) == (None, False)
    assert result["subtasks"]["htr"]["rounded"] == 0.5


def test_several_tests_of_a_subtask_count_by_their_mean() -> None:
    assert aggregated(outcome("HTR"), outcome("HTR", answered=False))["subtasks"]["htr"]["score"] == 0.25


def test_a_report_shows_the_sum_and_the_parts() -> None:
    outcomes = [outcome(name, answered=name != "VQA") for name in NAMES]
    total, parts = TRACK.report_sections(aggregated(*outcomes), outcomes)
    assert total.rows[-1] == ("S", None, 2.5, 1.3, "−")
    assert ("file-zsOD", "zsOD", "tp", 1) in parts.rows
    assert ("file-VQA", None, None, None) in parts.rows
    assert all(len(row) == len(each.columns) for each in (total, parts) for row in each.rows)


def test_the_defaults_are_the_contests() -> None:
    found = parameters()
    assert found["minima"] == {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
    assert found["smin"] == 1.3
    contest = {"memory_gb": 100, "vcpus": 3, "gpus": 1, "gpu_memory_gb": 32, "minutes": 30, "packed_gb": 10}
    ours = {"unpacked_gb": 10, "members": 100_000, "image_gb": 15, "answer_mb": 64}
    assert found["resources"] == contest | ours
    assert TRACK.read_parameters(found) == (found, ())


@pytest.mark.clause("TS F-10")
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], [("not_an_object", "parameters")]),
        ({"alpha": 1}, [("unknown_field", "alpha")]),
        ({"minima": {"htr": 2}}, [("invalid_params", "minima.htr")]),
        ({"minima": {"ocr": 0.5}}, [("unknown_field", "minima.ocr")]),
        ({"modes": {"zsod": "normalised"}}, [("invalid_params", "modes.zsod")]),
        ({"languages": {"mul": ["OCR"]}}, [("invalid_params", "languages.mul")]),
        ({"languages": {"mul": "C2C"}}, [("invalid_params", "languages.mul")]),
        ({"modes": {"htr": "exact"}}, [("unknown_field", "modes.htr")]),
        (
            {"resources": {"minutes": -1}, "smin": "1"},
            [("invalid_params", "smin"), ("invalid_params", "resources.minutes")],
        ),
    ],
)
def test_parameters_that_cannot_be_used_say_why(raw: Any, expected: list[tuple[str, str]]) -> None:
    completed, reasons = TRACK.read_parameters(raw)
    assert completed == {}
    assert [(reason.code, reason.where["field"]) for reason in reasons] == expected


def test_a_tests_language_is_the_one_that_lists_its_subtask() -> None:
    listed = parameters(languages={"code": ["C2C"], "mixed": ["VQA", "zsOD"]}, classifier="default")
    facts, _ = TRACK.read_item(ITEMS["VQA"], listed)
    assert facts == ItemFacts("vqa-1", "mixed", "VQA")
    facts, reasons = TRACK.read_item(ITEMS["HTR"], listed)
    assert (facts, codes(reasons)) == (None, ["unlisted_subtask"])


def test_a_prediction_ends_a_test() -> None:
    (step,) = TRACK.steps(parameters())
    assert step.answers == {"prediction": None}
    assert judged("HTR", {}).kind == "prediction"
    assert TRACK.respond(ITEMS["HTR"], [], parameters()) is None
    forms = TRACK.schemas()
    assert forms.answer == {"$ref": "#/$defs/FusionPrediction"}
    assert forms.named["FusionPrediction"]["type"] == "object"


@pytest.mark.clause("TS T10")
def test_t10_predictions_count_by_what_a_subtasks_score_takes_of_them() -> None:
    def seen(subtask: str, predicted: Any, true: Any, **modes: str) -> Counted:
        rules = parameters(modes=modes) if modes else parameters()
        return FusionTrack().counted({"subtask": subtask}, {"a": predicted}, [{"a": true}], rules)["a"]

    def same(subtask: str, one: Any, other: Any, true: Any, **modes: str) -> list[bool]:
        pair = (seen(subtask, each, true, **modes).views for each in (one, other))
        return [first == second for first, second in zip(*pair, strict=True)]

    assert same("C2C", "x = 1", "x  =  1", "x = 1") == [True, False], "tokens are the same, the layout is not"
    assert same("C2C", "a NEW_LINE b", "a NEW_LINE  NEW_LINE b", "x") == [False, True], "lines are the same"
    assert same("HTR", "май", "маи\u0306", "май") == [True, False], "composed they are one"
    assert same("HTR", "май", "Май", "май") == [False, False]
    question = {"answer": "май", "lang": "ru"}
    assert same("VQA", " май", "май ", question) == [True, True]
    assert same("VQA", "Май.", "май", question) == [False, False]
    assert same("VQA", "Май.", "май", question, vqa="normalised") == [True, False]
    boxes = {"cat": [[1, 2, 3, 4], [5, 6, 7, 8]]}
    assert same("zsOD", boxes, {"cat": [[5, 6, 7, 8], [1, 2, 3, 4]], "dog": []}, boxes) == [True, True], "in any order"
    assert same("zsOD", boxes, {"cat": [[1.2, 2, 3, 4], [5, 6, 7, 8]]}, boxes) == [True, False], "to the pixel"
    silent = [seen(name, said, true) for name, said, true in (("HTR", "", "май"), ("VQA", " ", question))]
    assert [(each.views, each.truth) for each in silent] == [((None, None), None)] * 2, "0 whatever is right"
    missed = [seen(name, said, true) for name, said, true in (("C2C", "", "x"), ("zsOD", {"cat": []}, boxes))]
    assert [(each.views, each.truth) for each in missed] == [((None, None), "x"), ((None, None), boxes)], "it lacks"
    answered = FusionTrack().counted({"subtask": "HTR"}, None, [{"a": "май", "b": "июль"}], parameters())
    assert {name: each.truth for name, each in answered.items()} == {"a": None, "b": None}, "a file that is not there"
