"""Promises of the Track Protocol, checked on every registered track."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.receipt import canonical_json
from tests.json_mutations import NESTED, mutated
from tests.tracks.samples import SAMPLES, Sample
from tracks import registry
from tracks.capabilities import AnsweredInOneFile
from tracks.diagnosis.stages import SERVICES
from tracks.protocol import ANYTHING, Outcome, Policies, Reason, Schemas, Standing, Track, Turn

NAMES = sorted(SAMPLES)
CODE = re.compile(r"[a-z][a-z0-9_]*")
STUDIES = [{"service": SERVICES[next(iter(SERVICES))][0], "xml": "<study/>"}]
every = pytest.mark.parametrize("name", NAMES)


def ill_formed(reasons: tuple[Reason, ...]) -> list[Reason]:
    """List the reasons without a code, an English or a Russian sentence, or whose place is no JSON."""
    return [each for each in reasons if not (CODE.fullmatch(each.code) and _is_told(each) and _is_json(each.where))]


def _is_told(reason: Reason) -> bool:
    return bool(reason.message.en and re.search("[а-яё]", reason.message.ru, re.IGNORECASE))


def _is_json(value: Any) -> bool:
    try:
        canonical_json(value)
    except (TypeError, ValueError):
        return False
    return True


def as_json(value: Any) -> Any:
    """Return a value after a round trip through JSON."""
    return json.loads(json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8"))


@pytest.mark.clause("tracks protocol")
def test_every_registered_track_has_a_sample() -> None:
    assert {each.track for each in SAMPLES.values()} == set(registry.names())


@pytest.mark.clause("tracks protocol")
@every
def test_a_track_has_the_protocols_form_and_a_version(name: str) -> None:
    track = SAMPLES[name].made()
    assert isinstance(track, Track)
    assert track.name == SAMPLES[name].track
    assert track.version


@every
def test_policies_are_data_of_every_mode(name: str) -> None:
    for mode in SAMPLES[name].modes:
        found = SAMPLES[name].made().policies(mode)
        assert isinstance(found, Policies)
        shortest, longest, usual = found.answer_limit_s
        assert 0 < shortest <= usual <= longest
        assert 0 <= found.max_voided_share <= 1


@every
def test_steps_lead_to_steps_and_to_an_end(name: str) -> None:
    steps = SAMPLES[name].made().steps(SAMPLES[name].completed())
    targets = {each.name: {*each.answers.values(), each.unanswered} for each in steps}
    assert len(targets) == len(steps) > 0
    reached, frontier = set(), {steps[0].name}
    while frontier:
        reached |= frontier
        frontier = {target for step in frontier for target in targets[step] if target is not None} - reached
    assert reached == set(targets)
    assert any(None in each.answers.values() for each in steps)


@every
def test_completed_parameters_are_json_and_leave_what_was_given(name: str) -> None:
    given_ = {"classifier": "default", "languages": {"rus": []}, **SAMPLES[name].parameters}
    before = json.dumps(given_)
    completed, reasons = SAMPLES[name].made().read_parameters(given_)
    assert reasons == ()
    assert as_json(completed) == completed
    assert json.dumps(given_) == before


@every
@given(raw=NESTED)
def test_parameters_of_any_form_are_refused_with_reasons(name: str, raw: Any) -> None:
    completed, reasons = SAMPLES[name].made().read_parameters(raw)
    assert ill_formed(reasons) == []
    assert reasons or _is_json(completed)


@every
def test_an_unknown_parameter_is_refused(name: str) -> None:
    sample = SAMPLES[name]
    _, reasons = sample.made().read_parameters({**sample.parameters, "no_such_thing": 1})
    assert ill_formed(reasons) == []
    assert [each.where.get("field") for each in reasons] == ["no_such_thing"]


def titles(value: Any) -> list[dict[str, Any]]:
    """List all objects in a JSON value that hold a text by its language."""
    if isinstance(value, list):
        return [found for each in value for found in titles(each)]
    if not isinstance(value, dict):
        return []
    own = [value] if value.keys() & {"en", "ru"} else []
    return own + [found for each in value.values() for found in titles(each)]


@every
def test_what_answers_may_name_is_json_and_described_in_both_languages(name: str) -> None:
    sample = SAMPLES[name]
    listed = sample.made().classifier(sample.completed())
    assert isinstance(listed, dict)
    assert listed
    assert as_json(listed) == listed
    assert all(each["en"] and re.search("[а-яё]|КТ", each["ru"], re.IGNORECASE) for each in titles(listed))


@every
def test_items_and_references_are_read_without_a_reason(name: str) -> None:
    sample = SAMPLES[name]
    for entry in sample.entries:
        assert sample.facts(entry).item_id
        for reference in entry.references:
            assert sample.made().read_reference(entry.item, reference, sample.completed()) == ()


@every
def test_a_contest_says_in_both_languages_what_it_calls_its_items(name: str) -> None:
    called = SAMPLES[name].made().items_called
    for word in (called.one.en, called.one.ru, called.many.en, called.many.ru):
        assert word
        assert word == word.strip().lower()


@every
def test_a_copy_of_an_item_under_another_name_is_known_by_its_texts(name: str) -> None:
    track = SAMPLES[name].made()
    assert isinstance(track.whole_texts, bool)
    assert isinstance(track.open_tests, bool)
    for item in (each.item for each in SAMPLES[name].entries):
        renamed = {**item, **({"meta": {**item["meta"], "id": "other"}} if "meta" in item else {"id": "other"})}
        assert renamed != item
        assert track.texts(item) == track.texts(as_json(renamed))
        assert track.texts(item) or item.get("subtask") == "HTR"  # it has pictures alone, and this one has none
        assert all(isinstance(each, str) and each.strip() for each in track.texts(item))


@every
@given(change=NESTED)
def test_an_item_is_none_exactly_when_there_are_reasons(name: str, change: Any) -> None:
    sample = SAMPLES[name]
    for raw in mutated(sample.entries[0].item, change):
        facts, reasons = sample.made().read_item(raw, sample.completed())
        assert ill_formed(reasons) == []
        assert (facts is None) == bool(reasons)


@every
@given(change=NESTED)
def test_a_reference_of_any_form_is_read_or_refused(name: str, change: Any) -> None:
    sample = SAMPLES[name]
    entry = sample.entries[0]
    for raw in mutated(entry.references[0], change):
        assert ill_formed(sample.made().read_reference(entry.item, raw, sample.completed())) == []


@every
def test_what_is_handed_out_has_the_opaque_name_and_no_secret(name: str) -> None:
    sample = SAMPLES[name]
    for entry in sample.entries:
        known = json.dumps([entry.item, entry.references], ensure_ascii=False)
        assert all(secret in known for secret in entry.secrets)
        for step in sample.made().steps(sample.completed()):
            shown = json.dumps(sample.made().hand_out(entry.item, "f-4711", step.name), ensure_ascii=False)
            assert "f-4711" in shown
            assert [secret for secret in entry.secrets if secret.lower() in shown.lower()] == []


@every
def test_a_good_answer_is_valid_and_its_kind_is_one_of_the_steps(name: str) -> None:
    sample = SAMPLES[name]
    for entry in sample.entries:
        for bodies in (entry.good, entry.poor):
            answer = sample.answer(entry, bodies)
            assert as_json(answer) == answer


def misjudged(sample: Sample, body: bytes) -> list[str]:
    """List the steps in which a body gets a verdict that is none: ill-formed reasons, or valid and of no kind."""
    track, parameters, wrong = sample.made(), sample.completed(), []
    for step in track.steps(parameters):
        verdict = track.validate(sample.entries[0].item, "f1", step.name, body, parameters)
        of_a_kind = not verdict.valid or (
            verdict.kind in step.answers
            and verdict.canonical is not None
            and as_json(verdict.canonical) == verdict.canonical
        )
        if ill_formed((*verdict.reasons, *verdict.warnings)) or not of_a_kind:
            wrong.append(f"{step.name}: {verdict}")
    return wrong


@every
@given(body=st.binary(max_size=60))
def test_validation_never_raises_on_any_bytes(name: str, body: bytes) -> None:
    assert misjudged(SAMPLES[name], body) == []


@every
@given(value=NESTED)
def test_validation_never_raises_on_any_json(name: str, value: Any) -> None:
    assert misjudged(SAMPLES[name], json.dumps(value).encode()) == []


@every
@given(change=NESTED, bodies=st.sampled_from([0, -1]))
def test_validation_never_raises_on_an_answer_with_a_part_replaced(name: str, change: Any, bodies: int) -> None:
    for raw in mutated(json.loads(SAMPLES[name].entries[0].good[bodies]), change):
        assert misjudged(SAMPLES[name], json.dumps(raw).encode()) == []


NO_JSON = (
    *(b"", b"\xff\xfe", b"NaN", b'{"a": 1e999}', b"[" * 5000, b'"\\ud800"', b'{"a": 1, "a": 2}', b"\x00", b"9" * 5000),
)


@every
def test_validation_refuses_what_is_no_json(name: str) -> None:
    sample = SAMPLES[name]
    step = sample.made().steps(sample.completed())[0].name
    for body in NO_JSON:
        verdict = sample.made().validate(sample.entries[0].item, "f1", step, body, sample.completed())
        assert verdict.reasons, body[:20]
        assert ill_formed(verdict.reasons) == [], body[:20]


OWN_FILES = {
    "diagnosis-semifinal": ("references.csv", "AIDoc_copd_1_v3.xml", "a.xml"),
    "exam": ("a.json", "a.jsonl", "740.json", "740_exp01.json", "\ud83d.json"),
    "fusion": ("true_C2C.json", "true_zsOD.json", "prediction_VQA.json"),
    "gec": ("a.json", "a.jsonl", "a.m2", "t_exp01.json", "\ud83d.m2", ".m2", "..m2"),
}
"""Names of files that a contest's own readers open."""
LINES = (b"S a", b"S", b"A 0 1|||X|||y|||R|||N|||0", b"no,ill", b"1,1", b"", b"\xff")


@pytest.mark.property
@pytest.mark.parametrize("name", OWN_FILES)
@given(st.data())
def test_no_file_makes_the_readers_raise(name: str, data: st.DataObject) -> None:
    sample, value = SAMPLES[name], data.draw(NESTED)
    track: Any = sample.made()
    changed = data.draw(st.sampled_from(list(mutated(sample.entries[0].item, value))))
    forms = (value, changed, [changed], {"items": [changed]}, {"data": {"a": [changed]}})
    content = data.draw(
        st.sampled_from([json.dumps(entry).encode() for entry in forms])
        | st.lists(st.sampled_from(LINES)).map(b"\n".join)
        | st.binary(max_size=40)
    )
    unpacked = track.unpack({data.draw(st.sampled_from(OWN_FILES[name])): content}, sample.completed())
    assert not (unpacked.files and unpacked.reasons)
    assert ill_formed(unpacked.reasons) == []
    if isinstance(track, AnsweredInOneFile):
        items = {sample.facts(entry).item_id: entry.item for entry in sample.entries[:2]}
        submitted = track.read_submission(content, items)
        assert not (submitted.answers and submitted.reasons)
        assert submitted.answers or submitted.reasons or submitted.missing == tuple(items)


@every
def test_equal_answers_make_equal_records_and_nothing_is_changed(name: str) -> None:
    sample = SAMPLES[name]
    entry = sample.entries[0]
    answer = sample.answer(entry, entry.good)
    before = json.dumps([entry.item, entry.references, answer])
    records = {
        canonical_json(sample.made().score(entry.item, answer, entry.references, sample.completed())) for _ in "ab"
    }
    assert len(records) == 1
    assert "fingerprint" in json.loads(records.pop())
    assert json.dumps([entry.item, entry.references, answer]) == before


def fates(sample: Sample) -> list[Outcome]:
    """Return outcomes that are good, poor, missed and voided in turn."""
    found = []
    for place, entry in enumerate(sample.entries):
        if place % 4 == 3:
            found.append(Outcome(sample.facts(entry), False, None))
        else:
            found.append(sample.outcome(entry, (entry.good, entry.poor, None)[place % 4]))
    return found


@every
def test_a_missed_item_that_counts_as_wrong_has_a_record(name: str) -> None:
    sample = SAMPLES[name]
    wrong = sample.made().policies(sample.modes[0]).missed.value == "wrong"
    missed = sample.outcome(sample.entries[0], None)
    assert (missed.score is not None) == wrong
    canonical_json(missed.score)


@every
@given(chance=st.randoms(use_true_random=False), few=st.integers(0, 8))
def test_an_aggregate_does_not_depend_on_the_order(name: str, chance: Any, few: int) -> None:
    sample = SAMPLES[name]
    outcomes = fates(sample)[:few]
    one = sample.made().aggregate(outcomes, sample.completed(), 1)
    mixed = chance.sample(outcomes, len(outcomes))
    assert canonical_json(sample.made().aggregate(mixed, sample.completed(), 1)) == canonical_json(one)


@every
def test_equal_results_share_a_place_and_the_order_of_teams_is_nothing(name: str) -> None:
    sample = SAMPLES[name]
    track, parameters = sample.made(), sample.completed()
    good, poor, nothing = (
        track.aggregate([sample.outcome(each, bodies(each)) for each in sample.entries], parameters, 1)
        if bodies
        else track.aggregate([], parameters, 1)
        for bodies in (lambda each: each.good, lambda each: each.poor, None)
    )
    standings = [Standing(*row) for row in (("d", nothing), ("b", poor), ("a", good), ("c", good))]
    places = {each.team: each.place for each in track.rank(standings)}
    assert places["a"] == places["c"] == 1
    assert places["b"] >= 3
    assert places["d"] >= places["b"]
    assert {each.team: each.place for each in track.rank(standings[::-1])} == places
    assert track.rank([]) == ()


@every
def test_a_reports_tables_are_tables_of_scalars(name: str) -> None:
    sample = SAMPLES[name]
    for outcomes in (fates(sample), []):
        result = sample.made().aggregate(outcomes, sample.completed(), 1)
        sections = sample.made().report_sections(result, outcomes)
        assert len({each.key for each in sections}) == len(sections) > 0
        for section in sections:
            assert CODE.fullmatch(section.key)
            assert all(text.en and text.ru for text in (section.title, *section.columns))
            for row in section.rows:
                assert len(row) == len(section.columns)
                assert all(cell is None or isinstance(cell, str | int | float) for cell in row)
                canonical_json(list(row))


@every
@given(body=st.binary(max_size=80) | st.text(max_size=80).map(str.encode) | NESTED.map(json.dumps).map(str.encode))
def test_texts_of_any_form_are_read_and_written_or_refused(name: str, body: bytes) -> None:
    track, parameters = SAMPLES[name].made(), SAMPLES[name].completed()
    read, written = track.read_text(body, parameters), track.write_text(body, parameters)
    assert ill_formed((*read.reasons, *read.warnings, *written.reasons, *written.warnings)) == []
    assert read.canonical is not None or read.reasons
    assert (written.text is None) == bool(written.reasons)


@every
def test_an_answer_that_is_written_is_read_again(name: str) -> None:
    sample = SAMPLES[name]
    track, parameters = sample.made(), sample.completed()
    for entry in sample.entries:
        written = track.write_text(entry.good[0], parameters)
        if [each.code for each in written.reasons] == ["no_notation"]:
            assert [each.code for each in track.read_text(entry.good[0], parameters).reasons] == ["no_notation"]
            continue
        assert written.text is not None
        assert track.read_text(written.text.encode(), parameters).canonical == sample.answer(entry, entry.good)


@every
def test_a_dialogue_that_is_over_brings_nothing_back(name: str) -> None:
    sample = SAMPLES[name]
    assert sample.made().respond(sample.entries[0].item, (), sample.completed()) is None


PLACES = [each.name for each in fields(Schemas) if each.name != "named"]


@cache
def form(name: str, place: str) -> jsonschema.Draft202012Validator:
    """Return the schema of a place, with the models that it refers to."""
    schemas = SAMPLES[name].made().schemas()
    schema = getattr(schemas, place)
    refuse_false_schemas(json.dumps(dict(schemas.named), sort_keys=True))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({"allOf": [schema], "$defs": dict(schemas.named)})


@cache
def refuse_false_schemas(models: str) -> None:
    """Raise SchemaError for models that are no JSON schemas; once for all places of a contest, for that takes long."""
    jsonschema.Draft202012Validator.check_schema({"$defs": json.loads(models)})


def misfits(name: str, place: str, value: Any) -> list[str]:
    """List the parts of a value that differ from the form that a track documents for its place."""
    return [f"{place}: {each.json_path}: {each.message}" for each in form(name, place).iter_errors(value)]


@every
def test_the_schemas_are_json_schemas_and_refer_to_models_that_are_there(name: str) -> None:
    told = SAMPLES[name].made().schemas()
    places = [place for place in PLACES if place != "measures" or told.measures is not None]  # of hidden files
    canonical_json({place: getattr(told, place) for place in places} | {"named": told.named})
    referred = re.findall(r'"#/\$defs/(\w+)"', json.dumps(asdict(told), default=dict))
    assert set(referred) == set(told.named)
    documented = [place for place in places if getattr(told, place) != ANYTHING]
    assert documented == places, "what a contest leaves out may be anything"
    assert [place for place in documented if not misfits(name, place, 4711)] == [], "a bare number is of its form"


@every
def test_what_a_track_says_is_of_the_form_that_it_documents(name: str) -> None:
    sample = SAMPLES[name]
    track, parameters = sample.made(), sample.completed()
    assert misfits(name, "parameters", as_json(parameters)) == []
    assert misfits(name, "classifier", track.classifier(parameters)) == []
    outcomes = []
    for entry in sample.entries:
        assert misfits(name, "content", track.hand_out(entry.item, "f1", track.steps(parameters)[0].name)) == []
        for bodies in (entry.good, entry.poor):
            answer = sample.answer(entry, bodies)
            assert misfits(name, "answer", json.loads(bodies[0])) == []
            if len(track.steps(parameters)) == 1:
                assert misfits(name, "canonical", answer) == []
            assert misfits(name, "score", as_json(track.score(entry.item, answer, entry.references, parameters))) == []
            for turn in answer if len(track.steps(parameters)) > 1 else ():
                assert misfits(name, "canonical", turn["answer"]) == []
            for reference in entry.references if len(track.steps(parameters)) == 1 else ():
                for x, y in ((answer, reference), (reference, answer), (reference, reference)):
                    told = track.compare(entry.item, x, y, parameters, x_is_reference=x is reference)
                    assert misfits(name, "comparison", as_json(told)) == []
        for reference in entry.references:
            assert misfits(name, "reference", reference) == []
        outcomes.append(sample.outcome(entry, entry.good))
    for each in (outcomes, outcomes[:2], outcomes[:1], []):
        told = track.aggregate(each, parameters, 1)
        assert misfits(name, "aggregate", as_json(told)) == []
        assert misfits(name, "aggregate", as_json(track.totals(told, each))) == []


@every
def test_a_missed_items_record_and_result_are_of_the_documented_form(name: str) -> None:
    sample = SAMPLES[name]
    outcomes = [sample.outcome(entry, None) for entry in sample.entries]
    assert [each for each in outcomes if each.score is not None and misfits(name, "score", as_json(each.score))] == []
    assert misfits(name, "aggregate", as_json(sample.made().aggregate(outcomes, sample.completed(), 1))) == []


@every
def test_what_a_turn_brings_back_is_of_the_documented_form(name: str) -> None:
    """A study that the epicrisis has brings its file, one that it has not brings none; every other turn null."""
    sample = SAMPLES[name]
    track, parameters, brought = sample.made(), sample.completed(), []
    asked = [json.dumps({"study": each}).encode() for each in SERVICES]
    for place, entry in enumerate(sample.entries):
        item = {**entry.item, "studies": STUDIES} if name == "diagnosis-final" else entry.item
        for body in (*entry.good, *(asked if place == 0 else ())):  # all studies are asked for of one epicrisis
            for step in track.steps(parameters):
                verdict = track.validate(item, "f1", step.name, body, parameters)
                if verdict.valid and verdict.kind in step.answers:
                    turn = Turn(step.name, verdict.kind, verdict.canonical, 1)
                    brought.append(as_json(track.respond(item, (turn,), parameters)))
    assert [each for each in brought if misfits(name, "response", each)] == []
    found = [each["found"] for each in brought if each is not None]
    assert set(found) == ({True, False} if name == "diagnosis-final" else set())
