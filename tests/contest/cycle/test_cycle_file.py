"""``cycle.json`` by its models: every fault at once with its code, field and both languages; what is left out is
the track and the regulation; the JSON Schema that is shipped is the models'."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contest.cycle import file as cycle_file
from contest.cycle.loading import CycleFaultsError, load_cycle
from contest.cycle.rules.cycle import FINAL, TECHNICAL, TECHNICAL_TIMES, Parameters
from contest.people.rules import Role
from contest.refusals import Fault
from tests.stage import Stage
from tests.toys import FolderInMemory, toy_cycle
from tracks.protocol import Policies

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "layers/contest/src/contest/cycle" / cycle_file.SCHEMA
DEMONSTRATION = ROOT / "local/demonstration/cycle.json"
ORGANIZER = ROOT / "docs/organizer.md"


def changed(**fields: Any) -> dict[str, Any]:
    return {**toy_cycle()["cycle.json"], **fields}


def faults_of(raw: Any, rules: Policies | None = None) -> list[Fault]:
    file, faults = cycle_file.read(raw, rules or Policies())
    assert file is None
    return list(faults)


def made(rules: Policies, **parameters: Any) -> Parameters:
    file, faults = cycle_file.read(changed(parameters=parameters), rules)
    assert faults == ()
    assert file is not None
    return file.parameters.made(rules, {}, 1, 5)


TITLED = {"title": {"en": "Guidelines", "ru": "Рекомендации"}}
WRONG: list[tuple[str, str, list[Any]]] = [
    ("bad_name", "cycle", ["Имя", "x" * 41, 5]),
    ("bad_name", "track", ["a b"]),
    ("not_an_object", "name", ["Name"]),
    ("unknown_time_zone", "time_zone", ["Mars/Olympus", None]),
    ("no_languages", "languages", [{}]),
    ("bad_language", "languages.all", [["a"]]),
    ("bad_language", "languages.РУС", [["a"]]),
    ("bad_language", "languages.rus", ["lit", [], ["lit", ""]]),
    ("bad_kind", "notices.holiday", [3]),
    ("out_of_range", "notices.sets", [-1, 1001, "10"]),
    ("not_an_object", "notices", [[]]),
    ("bad_kind", "protocols", [["jury"], "judges"]),
    ("no_sets", "sets", [{}]),
    ("bad_name", "sets.Train", [{"kind": "test"}]),
    ("bad_kind", "sets.train.kind", ["secret"]),
    ("bad_client", "known_clients", [["abc"], "a" * 64]),
    ("bad_list", "knowledge_base", [[TITLED | {"url": "https://a"}] * 41]),
    ("unknown_field", "surprise", [1]),
    ("not_an_object", "parameters", [[]]),
    ("bad_kind", "parameters.sessions_per_day_on.dev", [3]),
    ("bad_name", "parameters.nominations.BEST", [{"name": {"ru": "а", "en": "a"}}]),
    ("out_of_range", "parameters.sessions_per_day", [0, True, None, 2.0]),
    ("out_of_range", "parameters.sends_per_file", [100]),
    ("out_of_range", "parameters.bootstrap_seed", [2**63]),
    ("out_of_range", "parameters.time_limit_s", [{"min": 60, "max": 10}, {"default": 61}]),
    ("out_of_range", "parameters.time_limit_s.min", [0]),
    ("unknown_field", "parameters.time_limit_s.usual", [20]),
    ("out_of_range", "parameters.readiness_min_share", [95, float("nan")]),
    ("not_two_bounds", "parameters.technical.files", [30, [30]]),
    ("out_of_range", "parameters.technical.files", [[40, 30]]),
    ("out_of_range", "parameters.technical.interval_s", [[0, 10]]),
    ("not_true_or_false", "parameters.technical.enabled", [1]),
    ("unknown_field", "parameters.technical.surprise", [1]),
    ("out_of_range", "parameters.final.interval_s", [[60, 60]]),
    ("bad_kind", "parameters.final.late_join", ["never"]),
    ("unknown_field", "parameters.final.files", [[1, 2]]),
    ("out_of_range", "parameters.experts.limit_s", [0]),
    ("out_of_range", "parameters.experts.limits_s.hist", [0, "x"]),
    ("out_of_range", "parameters.experts.limits_s.", [60]),
    ("not_an_object", "parameters.experts.limits_s", [60]),
    ("out_of_range", "parameters.experts.autosave_s", [61]),
    ("unknown_field", "parameters.experts.surprise", [1]),
]


def within(field: str, value: Any) -> Any:
    for name in reversed(field.split(".")):
        value = {name: value}
    return value


FAULTY: list[tuple[dict[str, Any], str, str]] = [
    *((within(field, value), code, field) for code, field, values in WRONG for value in values),
    ({"name": {"ru": "Имя"}}, "missing_name", "name.en"),
    ({"name": {"ru": "Имя", "en": " "}}, "missing_name", "name.en"),
    ({"name": {"ru": "Имя", "en": "Name", "de": "Name"}}, "unknown_field", "name.de"),
    ({"parameters": {"nominations": {"best": {}}}}, "wrong_form", "parameters.nominations.best.name"),
    ({"sets": {"train": {}}}, "bad_kind", "sets.train.kind"),
    ({"sets": {"train": {"kind": "test", "folder": "../etc"}}}, "bad_folder", "sets.train.folder"),
    ({"sets": {"train": {"kind": "test", "files": 3}}}, "unknown_field", "sets.train.files"),
    ({"knowledge_base": [TITLED | {"url": "javascript:alert(1)"}]}, "bad_address", "knowledge_base.url"),
    ({"knowledge_base": [TITLED | {"url": "https://a b"}]}, "bad_address", "knowledge_base.url"),
    ({"knowledge_base": [TITLED]}, "bad_address", "knowledge_base.url"),
    ({"knowledge_base": [{"title": {"en": "A"}, "url": "https://a"}]}, "bad_text", "knowledge_base.title.ru"),
    ({"prize": {"en": "A cup"}}, "bad_text", "prize.ru"),
    ({"about": {"en": "x" * 501, "ru": "y"}}, "bad_text", "about.en"),
]


@pytest.mark.parametrize(("fields", "code", "field"), FAULTY, ids=lambda each: each if isinstance(each, str) else "")
def test_a_fault_has_its_code_its_field_and_both_languages(fields: dict[str, Any], code: str, field: str) -> None:
    (fault,) = faults_of(changed(**fields))
    assert (fault.code, fault.file, fault.where["field"]) == (code, "cycle.json", field)
    assert field in fault.message.en
    assert field in fault.message.ru
    assert fault.message.en != fault.message.ru


def test_all_faults_are_named_at_once() -> None:
    parameters = {"sends_per_file": 0, "technical": {"enabled": 1, "answer_s": 0}, "final": 5}
    raw = {"cycle": "Имя", "languages": {"РУС": ["a"]}, "parameters": parameters, "sets": {}}
    assert [(each.code, each.where["field"]) for each in faults_of(raw)] == [
        ("bad_name", "cycle"),
        ("missing_name", "name"),
        ("bad_language", "languages.РУС"),
        ("out_of_range", "parameters.sends_per_file"),
        ("out_of_range", "parameters.technical.answer_s"),
        ("not_true_or_false", "parameters.technical.enabled"),
        ("not_an_object", "parameters.final"),
        ("no_sets", "sets"),
    ]


def test_a_fault_says_what_is_allowed_what_was_found_and_which_entry_of_a_list() -> None:
    (fault,) = faults_of(changed(parameters={"sends_per_file": 100}))
    assert fault.message.en == "parameters.sends_per_file must be a whole number from 1 to 99, not 100"
    assert fault.message.ru == "parameters.sends_per_file: нужно целое число от 1 до 99, а не 100"
    (fault,) = faults_of(changed(sets={"train": {"kind": "x" * 500}}))
    assert fault.message.en.startswith("sets.train.kind must be one of: training, test, final, reserve, not")
    assert len(fault.message.en) < 200
    (fault,) = faults_of(changed(known_clients=["a" * 64, "b"]))
    assert dict(fault.where) == {"field": "known_clients", "index": 1}


def paths(schema: dict[str, Any], node: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every path of the file; where the name is free, one path with a name of each kind."""
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    free = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
    named = {**node.get("properties", {}), **{name: each for each in free if each for name in ("rus", "NO NAME")}}
    for name, below in named.items():
        yield (*above, name)
        if isinstance(below, dict):
            yield from paths(schema, below, (*above, name))


def test_whatever_stands_in_a_field_is_taken_or_named_and_never_the_end_of_the_command() -> None:
    schema, text, tried = cycle_file.schema(), json.dumps(toy_cycle()["cycle.json"]), 0
    for path in paths(schema, schema):
        for value in (None, "", -1, "x", [], [1], [""], {}, {"x": 1}, {"": ""}, 1.5, True, 10**9):
            raw = json.loads(text)
            inside = raw
            for name in path[:-1]:
                inside = inside.setdefault(name, {})
            if isinstance(inside, dict):
                inside[path[-1]] = value
                file, faults = cycle_file.read(raw, Policies())
                assert (file is None) == bool(faults), (path, value)
                assert all(each.message.en != each.message.ru for each in faults), (path, value)
                tried += 1
    assert tried > 800


@pytest.mark.parametrize("raw", [None, [], "cycle", 5])
def test_what_is_no_object_is_no_cycle(raw: Any) -> None:
    (fault,) = faults_of(raw)
    assert (fault.code, dict(fault.where)) == ("not_an_object", {})
    # The file may be cycle.yaml: it is named beside the message, never in it.
    assert fault.message.en == "the file must hold an object: names with values"


def test_what_a_file_leaves_out_is_the_tracks_and_the_regulations() -> None:
    rules = Policies(sends_per_file=7, sessions_per_day=3, answer_limit_s=(5, 50, 45))
    found = made(rules)
    assert (found.sends_per_file, found.sessions_per_day, found.time_limit_s) == (7, 3, (5, 50, 45))
    assert (found.technical, found.technical_times, found.final) == (TECHNICAL, TECHNICAL_TIMES, FINAL)
    assert (found.requests_per_second, found.idle_timeout_s) == (10, 900)
    assert (found.readiness_min_files, found.readiness_min_share) == (30, 0.95)
    file, _ = cycle_file.read(changed(), rules)
    assert file is not None
    assert (file.time_zone, file.classifier, file.track) == ("Europe/Moscow", "default", "toy")


def test_what_a_file_says_comes_before_the_track_and_is_stored_as_its_kind() -> None:
    rules = Policies(answer_limit_s=(5, 50, 45))
    result = made(rules, sends_per_file=2, sessions_per_day=1, time_limit_s={"default": 20}, readiness_min_share=1)
    assert (result.sends_per_file, result.sessions_per_day, result.time_limit_s) == (2, 1, (5, 50, 20))
    assert (result.readiness_min_share, type(result.readiness_min_share)) == (1.0, float)
    experts = made(rules, experts={"limit_s": 1800, "limits_s": {"letters": 600}}).experts
    assert [experts.limit_of(group) for group in ("letters", "words")] == [600, 1800]


def test_a_set_is_in_the_folder_of_its_name_and_the_track_is_known_if_the_file_tells() -> None:
    sets = {"b": {"kind": "test"}, "a": {"kind": "training", "folder": "essays"}}
    file, _ = cycle_file.read(changed(sets=sets), Policies())
    assert file is not None
    actual = [(source.name, source.folder, source.kind) for source in file.sources()]
    assert actual == [("a", "essays", "training"), ("b", "b", "test")]
    names = [cycle_file.track_name(each) for each in ({"track": "gec"}, {}, {"track": 5}, [])]
    assert names == ["gec", *["essay"] * 3]


def test_the_shipped_schema_is_the_models_and_the_demonstration_names_it_for_editors() -> None:
    assert SHIPPED.read_text("utf-8") == cycle_file.schema_text(), f"run: python {Path(__file__).relative_to(ROOT)}"
    named = json.loads(DEMONSTRATION.read_text("utf-8"))["$schema"]
    assert (DEMONSTRATION.parent / named).resolve() == SHIPPED


def test_the_schema_takes_what_the_models_take_and_refuses_a_slip_of_the_finger() -> None:
    schema = cycle_file.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for raw in (changed(), json.loads(DEMONSTRATION.read_text("utf-8"))):
        jsonschema.validate(raw, schema)
        assert cycle_file.read(raw, Policies())[1] == ()
    for fields in ({"languges": {}}, {"parameters": {"technical": {"enabled": "yes"}}}, {"known_clients": ["x"]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed(**fields), cycle_file.schema())


def test_the_documented_defaults_are_the_models() -> None:
    documented = ORGANIZER.read_text("utf-8")
    found = made(Policies())
    shortest, longest, usual = found.time_limit_s
    technical, times, final, experts = found.technical, found.technical_times, found.final, found.experts
    values = {
        "time_limit_s": f"{shortest}…{longest}, usually {usual}",
        "readiness_min_files`, `readiness_min_share": f"{found.readiness_min_files}, {found.readiness_min_share}",
        "technical": (
            f"`enabled` {json.dumps(times.enabled)}, `every_hours` {times.every_hours}, `lead_s` {times.lead_s}, "
            f"`files` {list(technical.files)}, `interval_s` {list(technical.interval_s)}"
        ),
        "final": f"`interval_s` {final.interval_s[0]}",
        "experts": (
            f"`limit_s` {experts.limit_s}, `limits_s` {json.dumps(dict(experts.limits_s))}, "
            f"`autosave_s` {experts.autosave_s}, `third_shown` {json.dumps(experts.third_shown)}"
        ),
    }
    numbers = "sessions_per_day idle_timeout_s sends_per_file requests_per_second refusals_per_file body_s"
    values |= {name: getattr(found, name) for name in (*numbers.split(), "body_bytes_per_s", "bootstrap_seed")}
    for name, value in values.items():
        assert f"| `{name}` | {value} |" in documented, name
    in_both = ("request_s", "answer_s", "total_s", "join_s", "most_replaced")
    assert f"| in both | {', '.join(f'`{name}` {getattr(final, name)}' for name in in_both)} |" in documented


def test_the_description_of_every_field_is_in_both_languages() -> None:
    described = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("description"), str):
                described.append((part["description"], part.get("description_ru")))
            part = list(part.values())
        for inner in part if isinstance(part, list) else ():
            walk(inner)

    walk(cycle_file.schema())
    assert len(described) > 100
    assert [english for english, russian in described if not russian or russian == english] == []


@pytest.mark.clause("platform §7 cycle")
def test_the_interface_finds_a_files_faults_as_loading_does_and_stores_nothing(stage: Stage) -> None:
    organizer, deployed = stage.person(Role.ORGANIZER), stage.platform.settings.cycle
    raw = {**toy_cycle()["cycle.json"], "cycle": deployed, "surprise": 1, "time_zone": "Mars/Olympus"}
    before = stage.platform.catalogue.cycle()

    def check(name: str, text: str) -> Any:
        answered = stage.request("POST", "/v1/cycle/file-check", {"name": name, "text": text}, organizer)
        assert answered.status == 200, answered.text
        return answered.json

    checked = check("cycle.json", json.dumps(raw))
    files = {**toy_cycle(), "cycle.json": raw}
    with pytest.raises(CycleFaultsError) as refused:
        load_cycle(stage.platform, "olga", deployed, FolderInMemory(files), lambda _: None)
    assert checked["faults"] == [fault.as_json() for fault in refused.value.faults]
    assert (checked["value"], checked["deployed"]) == (raw, deployed)
    assert [fault["where"]["field"] for fault in checked["faults"]] == ["time_zone", "surprise"]
    fine = {**toy_cycle()["cycle.json"], "cycle": deployed}
    assert check("cycle.json", json.dumps(fine))["faults"] == []
    yaml = check("cycle.yaml", "cycle: [\n")
    assert (yaml["value"], [fault["file"] for fault in yaml["faults"]]) == (None, ["cycle.yaml"])
    (other,) = check("cycle.json", json.dumps({**fine, "cycle": "another"}))["faults"]
    assert other["code"] == "another_cycle"
    long = {**fine, "name": {"en": "x" * 100_000, "ru": "x"}}
    assert check("cycle.json", json.dumps(long))["value"] == long
    for name, text in (
        ("cycle.json", '{"a": ["\\ud800"]}'),
        ("cycle.json", '{"\\udfff": 1}'),
        ("cycle.yaml", 'a: "\\ud800"'),
    ):
        half = check(name, text)
        assert (half["value"], "half of a character" in half["faults"][0]["message"]) == (None, True)
    assert stage.platform.catalogue.cycle() == before


if __name__ == "__main__":
    SHIPPED.write_text(cycle_file.schema_text(), "utf-8")
