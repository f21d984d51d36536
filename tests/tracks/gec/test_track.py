"""The gec track through the Protocol that every contest runs through (tracks.md §3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.gec.track import GecTrack
from tracks.protocol import ItemFacts, Missed, Outcome

TRACK = GecTrack()
FILE_ID = "abcdefgh12345678"
ITEM = {"id": "7", "language": "eng", "source": "REALEC", "sentences": ["I go  home", "She like tea"]}
TENSE = {"start": 1, "end": 2, "correction": "went", "type": "R:VERB:TENSE"}
AGREEMENT = {"start": 4, "end": 5, "correction": "likes", "type": "R:VERB:SVA"}
FIRST = {"edits": [TENSE, AGREEMENT]}
SECOND = {"edits": [{**AGREEMENT, "context_dependent": True}]}
S_LINE = "S I go home She like tea\n"


def parameters(**changes: Any) -> Any:
    completed, reasons = TRACK.read_parameters(changes)
    assert reasons == ()
    return completed


def judged(body: Any) -> Any:
    return TRACK.validate(ITEM, FILE_ID, "text", json.dumps(body).encode(), parameters())


def codes(body: Any) -> list[str]:
    return [reason.code for reason in judged(body).reasons]


def outcome(*edits: dict[str, Any], answered: bool = True, **item: Any) -> Outcome:
    raw = {**ITEM, **item}
    facts, _ = TRACK.read_item(raw, parameters())
    assert facts is not None
    score = TRACK.score(raw, {"edits": list(edits)} if answered else None, [FIRST, SECOND], parameters())
    return Outcome(facts, answered, score)


def test_an_item_is_grouped_by_its_corpus() -> None:
    facts, reasons = TRACK.read_item(ITEM, parameters())
    assert reasons == ()
    assert facts is not None
    assert (facts.item_id, facts.language, facts.group) == ("7", "eng", "REALEC")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ([], "not_an_object"),
        ({**ITEM, "id": ""}, "invalid_item"),
        ({**ITEM, "sentences": []}, "invalid_item"),
        ({**ITEM, "language": 3}, "invalid_item"),
        ({**ITEM, "edits": [TENSE]}, "marked_item"),
    ],
)
def test_a_wrong_item_is_refused_in_both_languages(raw: Any, code: str) -> None:
    facts, reasons = TRACK.read_item(raw, parameters())
    assert facts is None
    assert [reason.code for reason in reasons] == [code]
    assert all(reason.message.en and reason.message.ru for reason in reasons)


def test_a_reference_is_one_annotators_edits_with_or_without_metadata() -> None:
    assert TRACK.read_reference(ITEM, FIRST, parameters()) == ()
    assert TRACK.read_reference(ITEM, SECOND, parameters()) == ()
    for wrong in ([], {}, {"edits": [{**TENSE, "end": 7}]}, {"edits": [{**TENSE, "type": None}]}):
        assert len(TRACK.read_reference(ITEM, wrong, parameters())) == 1


def test_a_hand_out_shows_the_sentences_and_nothing_that_identifies_them() -> None:
    shown = TRACK.hand_out(ITEM, FILE_ID, "text")
    assert shown == {
        "id": FILE_ID,
        "sentences": ["I go home", "She like tea"],
        "tokens": ["I", "go", "home", "She", "like", "tea"],
    }


@pytest.mark.clause("TS G-2")
def test_edits_and_m2_give_the_same_canonical_answer_in_the_order_of_the_text() -> None:
    lines = ["A 4 5|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0", "A 1 2|||R:VERB:TENSE|||went|||R|||N|||0"]
    in_m2, listed = judged({"m2": S_LINE + "\n".join(lines)}), judged({"edits": [AGREEMENT, TENSE]})
    assert in_m2.valid
    assert listed.kind == "edits"
    assert in_m2.canonical == listed.canonical == FIRST
    assert judged(listed.canonical).canonical == listed.canonical


def test_no_edits_are_an_answer() -> None:
    assert judged({"edits": []}).canonical == {"edits": []}
    assert judged({"m2": S_LINE}).canonical == {"edits": []}


@pytest.mark.clause("TS G-2")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([], ["wrong_form"]),
        ({}, ["wrong_form"]),
        ({"edits": [], "m2": S_LINE}, ["wrong_form"]),
        ({"text": "I went home She likes tea"}, ["wrong_form"]),
        ({"edits": {}}, ["wrong_form"]),
        ({"m2": 3}, ["wrong_form"]),
        ({"edits": [TENSE] * 2001}, ["too_many_edits"]),
        ({"edits": [3, {**TENSE, "end": 9}, {**TENSE, "start": 4}]}, ["invalid_edit"] * 3),
        ({"edits": [TENSE, TENSE]}, ["overlapping_edits"]),
        ({"edits": [{**TENSE, "correction": "meet||met"}]}, ["several_corrections"]),
        ({"edits": [{**TENSE, "end": 5}, AGREEMENT]}, ["overlapping_edits"]),
        ({"edits": [{**TENSE, "correction": "\ud800"}]}, ["invalid_edit"]),
        ({"m2": "S I go home\n"}, ["text_differs"]),
        ({"m2": "S I go home He like tea\n"}, ["text_differs"]),
        ({"m2": S_LINE + "\n" + S_LINE}, ["several_units"]),
        ({"m2": S_LINE + "A 1 2|||T"}, ["wrong_fields"]),
        ({"m2": S_LINE + "A 1 9|||T|||x|||R|||N|||0\nB"}, ["span_outside", "unknown_line"]),
        ({"m2": S_LINE + "A 0 1|||T|||x|||R|||N|||0\nA 1 2|||T|||x|||R|||N|||1"}, ["several_annotators"]),
    ],
)
def test_every_fault_of_an_answer_is_told_in_both_languages(body: Any, expected: list[str]) -> None:
    assert codes(body) == expected
    assert all(reason.message.en and reason.message.ru for reason in judged(body).reasons)


def test_an_insertion_may_touch_a_replacement() -> None:
    insertion = {"start": 1, "end": 1, "correction": "often", "type": "M:ADV"}
    assert judged({"edits": [insertion, TENSE]}).valid


@pytest.mark.clause("G concentrated 3", "G score 5")
def test_the_nearest_annotator_counts_and_the_record_can_be_summed() -> None:
    score = outcome(AGREEMENT).score
    # Against the first TP 1 FN 1, against the second TP 1.
    assert score["annotator"] == 1
    assert score["correction"] == {"R:VERB:SVA": [1, 0, 0]}
    assert score["concentrated"] == {"R:VERB:SVA": [1, 0, 0]}
    assert (score["source"], score["answered"]) == ("REALEC", True)
    assert set(score["fingerprint"]["inputs"]) == {"item", "answer", "references", "parameters"}


def test_a_text_without_references_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="gold edits"):
        TRACK.score(ITEM, {"edits": []}, [], parameters())


@pytest.mark.clause("TS G-4")
def test_a_session_sums_its_texts_in_any_order() -> None:
    outcomes = [outcome(AGREEMENT), outcome(TENSE, id="8", source="FCE"), outcome(answered=False, id="9")]
    found = TRACK.aggregate(outcomes, parameters(), 1)
    # The first: TP 1. The second, TENSE alone: against the first annotator TP 1 FN 1. The third: FN 1.
    assert [found["correction"][name] for name in ("tp", "fp", "fn")] == [2, 0, 2]
    assert TRACK.value(found) == found["correction"]["f"] == pytest.approx(1.25 * 0.5 / (0.25 + 0.5))
    assert (found["files"], found["answered"], found["scored"]) == (3, 2, 3)
    assert found["by_source"]["FCE"]["fn"] == 1
    assert found["by_operation"]["R"]["tp"] == 2
    assert found["concentrated"]["fn"] == 2
    assert found["by_type"]["VERB:TENSE"]["tp"] == 1
    assert TRACK.aggregate(outcomes[::-1], parameters(), 2) == found


@pytest.mark.clause("TS G-3")
def test_g_3_there_are_two_boards_of_f_and_of_the_context_dependent_edits_recall() -> None:
    found = TRACK.aggregate([outcome(TENSE)], parameters(), 1)
    assert [each.key for each in TRACK.boards()] == ["all", "concentrated"]
    assert (TRACK.value(found, "concentrated"), TRACK.value(found, "all")) == (0.0, found["correction"]["f"])


@pytest.mark.clause("TS G-6", "TS T5")
def test_g_6_a_missed_text_is_one_without_edits_in_its_score_and_in_the_whole() -> None:
    said = [{"edits": [*FIRST["edits"]]}]
    missed, empty = (TRACK.score(ITEM, answer, said, parameters()) for answer in (None, {"edits": []}))
    assert (missed["answered"], empty["answered"]) == (False, True)
    assert missed["correction"] == {"R:VERB:SVA": [0, 0, 1], "R:VERB:TENSE": [0, 0, 1]}
    own = {"answered", "fingerprint"}
    assert {key: missed[key] for key in missed if key not in own} == {
        key: empty[key] for key in empty if key not in own
    }
    whole = outcome(TENSE, AGREEMENT, id="1")
    facts = ItemFacts("2", "eng", "REALEC")
    found = [
        TRACK.aggregate([whole, Outcome(facts, told, each)], parameters(), 1)
        for told, each in ((False, missed), (True, empty))
    ]
    assert found[0]["correction"] == found[1]["correction"]
    assert found[0]["correction"]["recall"] == 0.5
    for mode in ("algorithmic", "final", "submission"):
        assert TRACK.policies(mode).missed is Missed.WRONG


@pytest.mark.clause("TS G-6", "TS T10")
def test_g_6_totals_name_no_category_of_fewer_than_ten_texts() -> None:
    nine = [outcome(AGREEMENT, id=str(number)) for number in range(9)]
    aggregate = TRACK.aggregate(nine, parameters(), 1)
    totals = TRACK.totals(aggregate, nine)
    parts = ("type", "source", "context", "need")
    groups = ("by_operation", "by_type", "by_source", *(f"concentrated_by_{part}" for part in parts))
    assert all(aggregate[key] for key in groups)
    assert {key: totals[key] for key in groups} == {key: {} for key in groups}
    assert {**totals, **dict.fromkeys(groups)} == {**aggregate, **dict.fromkeys(groups)}
    ten = [*nine, outcome(TENSE, id="10")]
    told = TRACK.totals(TRACK.aggregate(ten, parameters(), 1), ten)
    assert told["by_operation"] == TRACK.aggregate(ten, parameters(), 1)["by_operation"]
    assert all(each.key != "files" for each in TRACK.report_sections(told, ()))


@pytest.mark.clause("TS G-6", "TS T10")
def test_g_6_no_type_tells_of_an_edit_that_fewer_than_ten_answers_name() -> None:
    """Gold of twelve texts has both types; the program names one of them once, right or wrong."""

    def told(*last: dict[str, Any]) -> dict[str, Any]:
        named = [*(outcome(TENSE, AGREEMENT, id=str(number)) for number in range(11)), outcome(*last, id="12")]
        totals = TRACK.totals(TRACK.aggregate(named, parameters(), 1), named)
        return {key: sorted(totals[key]) for key in ("by_operation", "by_type")}

    both = {"by_operation": ["R"], "by_type": ["VERB:SVA", "VERB:TENSE"]}
    assert told(TENSE, AGREEMENT) == both
    once = {**AGREEMENT, "type": "M:OTHER"}
    assert (
        told(TENSE, once)
        == told(TENSE, {**once, "correction": "likely"})
        == {
            "by_operation": [],
            "by_type": ["VERB:TENSE"],
        }
    ), "another label goes with it, so that the rest is of more texts"


@pytest.mark.clause("TS G-6", "TS T10")
def test_g_6_no_type_tells_of_a_language_that_has_it_in_fewer_than_ten_texts() -> None:
    """A board is of all texts, another one of a language: the rest is the other language's."""

    def told(others: int, named: int) -> list[str]:
        texts = [outcome(TENSE, AGREEMENT, id=str(number)) for number in range(12)]
        for number in range(others):
            edits = (TENSE, AGREEMENT) if number < named else (TENSE,)
            texts.append(outcome(*edits, id=f"u{number}", language="ukr", source="UA-GEC"))
        return sorted(TRACK.totals(TRACK.aggregate(texts, parameters(), 1), texts)["by_type"])

    assert told(12, 12) == told(12, 10) == told(12, 0) == told(0, 0) == ["VERB:SVA", "VERB:TENSE"]
    assert told(12, 1) == told(12, 9) == [], "the other type would leave this one over"
    assert told(1, 1) == [], "the gold of one text in Ukrainian"


def test_a_session_without_scores_is_undefined() -> None:
    facts = outcome().item
    found = TRACK.aggregate([Outcome(facts, False, None)], parameters(), 1)
    assert (found["correction"], found["concentrated"], TRACK.value(found)) == (None, None, None)
    assert TRACK.report_sections(found, [Outcome(facts, False, None)])[-1].rows == (
        ("7", "REALEC", 0, None, None, None, None, None, None),
    )


@pytest.mark.clause("TS G-4")
def test_the_report_has_every_breakdown() -> None:
    outcomes = [outcome(AGREEMENT), outcome(TENSE, id="8", source="FCE")]
    sections = {
        section.key: section for section in TRACK.report_sections(TRACK.aggregate(outcomes, parameters(), 1), outcomes)
    }
    assert list(sections) == [
        "overall",
        "by_operation",
        "by_type",
        "by_source",
        "concentrated_by_type",
        "concentrated_by_source",
        "concentrated_by_context",
        "concentrated_by_need",
        "files",
    ]
    for section in sections.values():
        assert all(len(row) == len(section.columns) for row in section.rows)
        shown = [each.en for each in section.columns]
        further = ["F1", "F2"] if section.key == "overall" else []
        assert shown[shown.index("Precision") :] == ["Precision", "Recall", "F0.5", *further]
        own = shown.index("F0.5")
        assert section.shares == (own - 2, own - 1, own)
    assert sections["files"].rows[0][:6] == ("7", "REALEC", 1, 1, 0, 0)


@pytest.mark.clause("TS G-4")
def test_g_4_context_dependent_edits_by_direction_distance_and_need() -> None:
    near = {"detection": True, "correction": False, "scope": "clause", "direction": "left", "left": 1, "right": 0}
    far = {"detection": True, "correction": True, "scope": "sentence", "direction": "both", "left": 7, "right": 1}
    gold = {
        "edits": [
            {**TENSE, "context_dependent": True, "context": near},
            {**AGREEMENT, "context_dependent": True, "context": far},
        ]
    }
    made = []
    for number, edits in enumerate(([TENSE], [TENSE, AGREEMENT], [])):
        raw = {**ITEM, "id": str(number)}
        assert TRACK.read_reference(raw, gold, parameters()) == ()
        score = TRACK.score(raw, {"edits": edits}, [gold], parameters())
        made.append(Outcome(ItemFacts(str(number), "eng", "REALEC"), True, score))
    found = TRACK.aggregate(made, parameters(), 1)
    counts = {
        key: {name: (each["tp"], each["fp"], each["fn"]) for name, each in found[f"concentrated_by_{key}"].items()}
        for key in ("context", "need")
    }
    assert counts == {
        "context": {"left 1": (2, 0, 1), "both >4+1": (1, 0, 2)},
        "need": {"detection": (2, 0, 1), "detection_and_correction": (1, 0, 2)},
    }
    told = {each.key: [row[0] for row in each.rows] for each in TRACK.report_sections(found, ())}
    assert told["concentrated_by_context"] == ["left 1 · слева 1", "left and right >4+1 · слева и справа >4+1"]
    assert told["concentrated_by_need"][0] == "detection alone · только для обнаружения"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ([], ["not_an_object"]),
        ({"gamma": 1}, ["unknown_field"]),
        ({"beta": 0}, ["invalid_params"]),
    ],
)
def test_wrong_parameters_are_refused(raw: Any, expected: list[str]) -> None:
    completed, reasons = TRACK.read_parameters(raw)
    assert (completed, [reason.code for reason in reasons]) == ({}, expected)


def test_what_every_cycle_has_is_no_parameter_of_the_track() -> None:
    assert parameters(classifier="default", languages={}) == {"beta": 0.5}


@pytest.mark.clause("TS T10")
def test_t10_edits_count_in_each_view_by_what_it_looks_at() -> None:
    item = {"id": "t", "source": "letters", "sentences": ["I go their ."]}

    def seen(*edits: tuple[int, int, str, str]) -> tuple[Any, ...]:
        sent = [{"start": first, "end": last, "correction": said, "type": label} for first, last, said, label in edits]
        return GecTrack().counted(item, {"edits": sent}, ["digest"], {})[""].views

    plain = seen((2, 3, "there", "R:SPELL"))
    assert seen() == (None, None, None, None), "no edits say nothing"
    typed = seen((2, 3, "there", "R:OTHER"))
    assert [one == other for one, other in zip(plain, typed, strict=True)] == [True, True, True, False]
    worded = seen((2, 3, "thier", "R:SPELL"))
    assert [one == other for one, other in zip(plain, worded, strict=True)] == [True, True, False, False]
    assert seen((2, 3, "their", "R:SPELL"))[2] is None, "what stands there is no correction"
    doubled = seen((2, 2, "to", "M:PREP"), (2, 3, "there", "R:SPELL"))
    assert doubled[0] != plain[0], "an insertion counts as the token on its right, once more"
    missed = GecTrack().counted(item, None, ["digest"], {})[""]
    assert (missed.views, missed.truth) == (seen(), ["digest"]), "the gold of a missed text counts"
