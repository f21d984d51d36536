"""The essay track through the Protocol that every contest runs through.

What of markups everybody may have (R 7.14): it scores the same, and says nothing of who made it.

What is told of a hidden set of essays: whole per cents of a file, coarse totals of ten essays and more.

Relative accuracy with missed essays as zeros: over essays that two experts marked up, and over no others.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from markup_core.accuracy import verify
from markup_core.reading.classifier import Classifier
from pku.solvers import Essays
from tests.experts_stage import shipped
from tracks import registry
from tracks.capabilities import ArchivesReferences
from tracks.essay.items import complete
from tracks.essay.track import EssayTrack
from tracks.protocol import ItemFacts, Outcome
from tracks.rules import Details

TRACK = EssayTrack()
TRAIN = Path(__file__).resolve().parents[3] / "local" / "demonstration" / "train"
FILE_ID = "abcdefgh12345678"


def read(name: str) -> Any:
    return json.loads((TRAIN / name).read_text("utf-8"))


def parameters(**changes: Any) -> Any:
    completed, reasons = TRACK.read_parameters(changes)
    assert reasons == ()
    return completed


def codes(reasons: Any) -> list[str]:
    return [reason.code for reason in reasons]


def answer(**changes: Any) -> bytes:
    return json.dumps({**read("rus-01_exp01.json"), **changes}, ensure_ascii=False).encode()


def judged(body: bytes) -> Any:
    return TRACK.validate(read("rus-01.json"), FILE_ID, "essay", body, parameters())


def outcome(name: str, params: Any, algorithm: str | None = "exp01", experts: int = 2) -> Outcome:
    item = read(f"{name}.json")
    references = [read(f"{name}_exp01.json"), read(f"{name}_exp02.json")][:experts]
    facts, _ = TRACK.read_item(item, params)
    assert facts is not None
    score = None if algorithm is None else TRACK.score(item, read(f"{name}_{algorithm}.json"), references, params)
    return Outcome(facts, score is not None, score)


def test_a_track_that_is_not_registered_is_named_with_those_that_are() -> None:
    with pytest.raises(LookupError, match="known are custom, diagnosis, essay, exam, fusion, gec"):
        registry.get("chess")


@pytest.mark.clause("R 2.7", "R 2.8", "platform §3 hand-out")
def test_a_hand_out_shows_the_essay_and_nothing_that_identifies_it() -> None:
    item = read("rus-01.json")
    shown = TRACK.hand_out(item, FILE_ID, "essay")
    assert shown["text"] == item["text"]
    assert shown["selections"] == []
    assert set(shown["meta"]) == {"id", "theme", "taskText", "class", "year", "subject", "test", "category"}
    assert shown["meta"]["id"] == FILE_ID
    assert "rus-01" not in json.dumps(shown)


def test_an_experts_markup_is_a_valid_answer() -> None:
    verdict = judged(answer())
    assert verdict.valid
    assert verdict.canonical["text"] == read("rus-01.json")["text"]


@pytest.mark.clause("R 11.6")
def test_another_essays_markup_is_refused_with_the_place_where_it_differs() -> None:
    verdict = judged(json.dumps(read("rus-02_exp01.json")).encode())
    assert "text_differs" in codes(verdict.reasons)
    assert all(reason.message.ru and reason.message.en for reason in verdict.reasons)


def test_another_subject_is_refused_even_with_the_right_text() -> None:
    meta = {**read("rus-01.json")["meta"], "subject": "rus-free"}
    assert codes(judged(answer(meta=meta, selections=[])).reasons) == ["subject_differs"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"{", "broken_json"), (b"\xff", "wrong_encoding"), (b"\xef\xbb\xbf{}", "byte_order_mark"), (b"", "broken_json")],
)
def test_bytes_that_are_no_json_are_told_what_they_are(body: bytes, problem: str) -> None:
    (reason,) = judged(body).reasons
    assert (reason.code, reason.where["problem"]) == ("malformed_json", problem)


def test_every_fault_of_an_answer_is_listed_with_its_fragment() -> None:
    wrong = {**read("rus-01_exp01.json")["selections"][0], "startSelection": 10**6, "endSelection": 10**6 + 1}
    verdict = judged(answer(selections=[{**wrong, "id": 1}, {**wrong, "id": 2, "type": "Нет.такого"}]))
    assert set(codes(verdict.reasons)) >= {"span_outside_text", "unknown_code"}
    assert {reason.where["fragment"] for reason in verdict.reasons} == {1, 2}


def test_an_essay_with_fragments_is_not_imported() -> None:
    facts, reasons = TRACK.read_item(read("rus-01_exp01.json"), parameters())
    assert facts is None
    assert codes(reasons) == ["marked_essay"]


def test_a_subject_outside_the_cycles_languages_is_not_imported() -> None:
    facts, reasons = TRACK.read_item(read("rus-01.json"), parameters(languages={"eng": ["eng"]}))
    assert facts is None
    assert codes(reasons) == ["unlisted_subject"]


def test_an_experts_markup_of_another_text_is_not_imported() -> None:
    reasons = TRACK.read_reference(read("rus-01.json"), read("rus-02_exp01.json"), parameters())
    assert "text_differs" in codes(reasons)


@pytest.mark.clause("MS §1.2 own")
def test_a_cycle_that_weighs_the_grade_of_a_subject_without_a_formula_is_refused() -> None:
    raw = {
        "languages": {"ukr": ["uk"]},
        "classifier": {"subjects": {"uk": [{"code": "Spelling", "group": "error"}]}},
    }
    _, reasons = TRACK.read_parameters({**raw, "weights": [1, 2, 1, 1, 1, 1, 0]})
    assert codes(reasons) == ["undefined_metric"]
    _, allowed = TRACK.read_parameters({**raw, "weights": [0, 2, 1, 1, 1, 1, 0]})
    assert allowed == ()


@pytest.mark.clause("MS §1.2 own")
@pytest.mark.parametrize(
    ("code", "weights"), [({}, [0, 2, 1, 1, 1, 0, 0]), ({"correction": True}, [0, 2, 1, 1, 1, 1, 0])]
)
def test_a_metric_to_which_the_label_set_gives_nothing_is_off_by_itself(code: Any, weights: list[float]) -> None:
    own = {"subjects": {"uk": [{"code": "Spelling", "group": "error", **code}]}}
    completed, reasons = TRACK.read_parameters({"languages": {"ukr": ["uk"]}, "classifier": own})
    assert (completed["weights"], reasons) == (weights, ())
    assert TRACK.read_parameters({})[0]["weights"] == [1, 2, 1, 1, 1, 1, 0]


def test_a_subject_need_not_be_named_where_the_label_set_has_one_alone() -> None:
    own = {"subjects": {"uk": [{"code": "Spelling", "group": "error"}]}}
    completed, _ = TRACK.read_parameters({"languages": {"ukr": ["uk"]}, "classifier": own})
    item = {"meta": {"id": "a"}, "selections": [], "text": "Кіт"}
    fragment = {"id": 1, "startSelection": 0, "endSelection": 3, "type": "Spelling"}
    marked = {"meta": {}, "selections": [fragment], "text": "Кіт"}
    assert TRACK.read_item(item, completed) == (ItemFacts("a", "ukr", "uk"), ())
    assert TRACK.read_reference(item, marked, completed) == ()
    handed_out = TRACK.hand_out(item, FILE_ID, "essay")
    body = json.dumps({**handed_out, "selections": [fragment]}).encode()
    assert TRACK.validate(item, FILE_ID, "essay", body, completed).valid
    assert Essays(Classifier.from_dict(own)).checked(json.loads(body), handed_out)
    assert TRACK.score(item, marked, [marked, marked], completed)["relative_accuracy"] == 100.0
    stranger = {**marked, "meta": {"subject": "rus"}}
    assert codes(TRACK.read_reference(item, stranger, completed)) == ["unknown_subject"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"weights": [1, 2]}, "invalid_params"),
        ({"hardness": 2}, "invalid_params"),
        ({"limits": {"max_fragments": 10**6}}, "invalid_limits"),
        ({"limits": {"pages": 1}}, "invalid_limits"),
        ({"colour": "red"}, "unknown_field"),
        ({"languages": {"rus": ["maths"]}}, "unknown_subject"),
        ({"classifier": {"subjects": {}}, "languages": {"rus": ["rus"]}}, None),
        ([], "not_an_object"),
    ],
)
def test_parameters_that_cannot_be_used_say_why(raw: Any, code: str | None) -> None:
    completed, reasons = TRACK.read_parameters(raw)
    assert completed == {}
    assert reasons
    assert code is None or code in codes(reasons)


def test_a_score_record_is_verified_from_its_inputs() -> None:
    params = parameters()
    record = outcome("rus-01", params).score
    references = [read("rus-01_exp01.json"), read("rus-01_exp02.json")]
    assert record["algorithm_accuracy"] == 100.0
    assert verify(record, references[0], references) == []


@pytest.mark.clause("R 7.6")
def test_missed_files_are_excluded_and_shown_as_zeros_beside() -> None:
    params = parameters()
    answered = outcome("rus-01", params)
    whole = TRACK.aggregate([answered], params, 7)
    halved = TRACK.aggregate([answered, outcome("rus-02", params, algorithm=None)], params, 7)
    assert halved["relative_accuracy"] == whole["relative_accuracy"]
    assert halved["missed_as_zero"]["relative_accuracy"] == pytest.approx(whole["relative_accuracy"] / 2)


@pytest.mark.clause("MS §4 common", "R 5.7")
def test_accuracies_of_a_session_divide_and_star_over_more_essays_stands_apart() -> None:
    params = parameters()
    fates = [outcome("rus-01", params, "exp02"), outcome("eng-01", params), outcome("lit-01", params, experts=1)]
    found = TRACK.aggregate(fates, params, 7)
    assert (found["essays"], found["algorithm_essays"]) == (2, 3)
    assert found["relative_accuracy"] == found["algorithm_accuracy"] / found["expert_accuracy"] * 100.0
    both = TRACK.aggregate(fates[:2], params, 7)
    assert both["algorithm_accuracy"] == found["algorithm_accuracy"] == both["algorithm_accuracy_all"]
    (apart,) = [each for each in TRACK.report_sections(found, fates) if each.key == "algorithm_accuracy_all"]
    shown = {row[0]: row[1:3] for row in apart.rows}
    assert shown["all · все"] == (3, found["algorithm_accuracy_all"])
    assert "eng" not in shown
    assert "algorithm_accuracy_all" not in {each.key for each in TRACK.report_sections(both, fates[:2])}


def test_a_session_without_answers_has_an_aggregate_without_numbers() -> None:
    params = parameters()
    empty = TRACK.aggregate([Outcome(ItemFacts("x", "rus", "rus"), False, None)], params, 7)
    assert empty["relative_accuracy"] is None
    assert empty["missed_as_zero"]["relative_accuracy"] is None
    assert TRACK.report_sections(empty, [])[0].rows


def test_the_report_lists_every_file_with_every_metric() -> None:
    params = parameters()
    fates = [outcome("rus-01", params), outcome("eng-01", params, algorithm=None)]
    *_, files = TRACK.report_sections(TRACK.aggregate(fates, params, 7), fates)
    assert files.key == "files"
    assert [len(row) for row in files.rows] == [len(files.columns)] * 2
    assert files.rows[0][0] == "rus-01"
    assert set(files.rows[1][2:]) == {None}


ESSAY = registry.get("essay")
SECRETS = {
    "expert": "Иванова А. Б.",
    "file": "C:\\Users\\ivanova\\1.txt",
    "student": "Петя Сидоров",
    "uuid": "secret-1",
}


def signed(item: str, expert: int) -> Any:
    """Return a markup with every field that an expert's tool may write."""
    result = shipped(item, expert)
    selections = [{**selection, "author": "secret-2", "created": "secret-3"} for selection in result["selections"]]
    return {**result, "meta": {**result["meta"], **SECRETS}, "selections": selections, "history": ["secret-4"]}


@pytest.mark.clause("R 7.14")
def test_r_7_14_nothing_of_people_and_machines_is_in_what_everybody_may_have() -> None:
    assert isinstance(ESSAY, ArchivesReferences)
    item, reference = shipped("hist-02"), signed("hist-02", 1)
    assert ESSAY.author_of(reference) == SECRETS["expert"]
    assert ESSAY.author_of({**reference, "meta": {"subject": "hist"}}) == ""
    for element in (
        ESSAY.archived_reference(item, reference, "123", "expert-1"),
        ESSAY.archived_answer(item, reference, "123"),
    ):
        text = json.dumps(element, ensure_ascii=False)
        assert not [each for each in (*SECRETS.values(), "secret", "hist-02") if each in text]
        assert element["meta"]["id"] == "123"
        assert len(element["selections"]) == len(reference["selections"])
    assert ESSAY.archived_reference(item, reference, "123", "expert-1")["meta"]["expert"] == "expert-1"


@pytest.mark.clause("R 7.14")
@pytest.mark.parametrize("item", ["hist-01", "hist-02", "hist-04"])
def test_r_7_14_what_is_archived_scores_exactly_as_what_it_was_made_of(item: str) -> None:
    assert isinstance(ESSAY, ArchivesReferences)
    essay, rules = shipped(item), complete({})[0]
    answer, references = signed(item, 2), [signed(item, 1), signed(item, 2)]
    names = ("a", "b")
    archived = [ESSAY.archived_reference(essay, each, "1", name) for each, name in zip(references, names, strict=True)]
    before = ESSAY.score(essay, answer, references, rules)
    after = ESSAY.score(essay, ESSAY.archived_answer(essay, answer, "1"), archived, rules)
    del before["fingerprint"], after["fingerprint"]
    assert after == before


PARAMETERS, _ = TRACK.read_parameters({})


@cache
def record(answer: str) -> Any:
    references = [read(f"rus-01_exp0{number}.json") for number in (1, 2)]
    item = read("rus-01.json")
    reply = item if answer == "empty" else read("rus-01_exp01.json")
    return TRACK.score(item, reply, references, PARAMETERS)


def told(answers: list[str]) -> Any:
    outcomes = [Outcome(ItemFacts(f"{n}", "rus", "rus"), True, record(each)) for n, each in enumerate(answers)]
    return TRACK.totals(TRACK.aggregate(outcomes, PARAMETERS, 1), outcomes)


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3", "TS T10")
def test_measures_are_the_records_own_in_whole_per_cent() -> None:
    whole = TRACK.measures(record("empty"))
    exact = record("empty")
    for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"):
        assert whole[name] == int(whole[name])
        assert abs(whole[name] - exact[name]) <= 0.5
    assert [TRACK.details(kind) for kind in ("training", "test", "final", "reserve")] == [
        Details.FILES,
        *[Details.MEASURES] * 3,
    ]


@pytest.mark.clause("R 2.7", "R 6.5.3", "TS T10")
def test_of_fewer_than_ten_essays_no_accuracy_is_told() -> None:
    result = told(["empty"] * 9)
    assert result["algorithm_accuracy"] is result["relative_accuracy"] is None
    assert set(result["interval_95"].values()) == {None}
    assert result["missed_as_zero"] == {"relative_accuracy": None}
    assert (result["essays"], result["by_subject"], result["by_metric"]) == (9, {}, {})
    assert told(["empty"] * 10)["by_subject"]["rus"]["algorithm_accuracy"] is not None


@pytest.mark.clause("R 2.7", "R 6.5.3", "TS T10")
@pytest.mark.parametrize("essays", [10, 99, 100, 300])
def test_steps_of_a_total_over_all_its_essays_are_one_per_cent_of_an_essay_or_more(essays: int) -> None:
    result = told(["first"] + ["empty"] * (essays - 1))
    step = 10.0 ** -(len(str(essays)) - 1)
    assert step * essays >= 1
    for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"):
        assert result[name] / step == pytest.approx(round(result[name] / step))


def test_tables_take_the_measures_in_place_of_a_record() -> None:
    outcomes = [Outcome(ItemFacts("a", "rus", "rus"), True, TRACK.measures(record("empty")))]
    (table,) = [each for each in TRACK.report_sections(told(["empty"]), outcomes) if each.key == "files"]
    assert table.rows[0][:2] == ("a", "rus")
    assert all(value is None or value == int(value) for value in table.rows[0][2:])


def test_a_total_just_below_the_barrier_reads_below_it() -> None:
    whole = TRACK.aggregate(
        [Outcome(ItemFacts(f"{n}", "rus", "rus"), True, record("empty")) for n in range(10)], PARAMETERS, 1
    )
    values = {99.96: 99.9, 99.94: 99.9, 100.0: 100.0, 100.04: 100.0, 99.85: 99.9}
    assert {
        value: TRACK.totals({**whole, "relative_accuracy": value}, ())["relative_accuracy"] for value in values
    } == values


def missed_as_zero(*outcomes: Outcome) -> float:
    return float(TRACK.aggregate(outcomes, PARAMETERS, 1)["missed_as_zero"]["relative_accuracy"])


def test_an_essay_of_one_expert_counts_on_neither_side() -> None:
    answered, missed = outcome("rus-01", PARAMETERS), outcome("rus-01", PARAMETERS, algorithm=None)
    half = pytest.approx(missed_as_zero(answered) / 2)
    assert missed_as_zero(answered, missed) == half
    assert missed_as_zero(answered, outcome("rus-01", PARAMETERS, experts=1), missed) == half


def test_without_a_missed_essay_it_is_the_relative_accuracy_itself() -> None:
    """Check 55 such essays: the ratio times 55 by 55 is another float."""
    result = TRACK.aggregate([outcome("rus-01", PARAMETERS)] * 55, PARAMETERS, 1)
    assert result["relative_accuracy"] * 55 / 55 != result["relative_accuracy"]
    assert result["missed_as_zero"]["relative_accuracy"] == result["relative_accuracy"]
