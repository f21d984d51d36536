"""The environment is read once, completely, and faults are named all together."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import astuple, is_dataclass

import pytest

from contest import settings

COMPLETE = {name: f"value of {name}" for name in settings.REQUIRED}
BATCH = {
    "batch_queue": settings.BATCH_QUEUE,
    "batch_definition": settings.BATCH_DEFINITION,
    "batch_copy_queue": settings.BATCH_COPY_QUEUE,
    "batch_copy_definition": settings.BATCH_COPY_DEFINITION,
}
"""Fields that a deployment without programs of participants leaves empty."""


def test_every_required_variable_arrives_in_its_own_field() -> None:
    read = settings.read(COMPLETE)
    optional = {"clock_file", "capacity", *BATCH}
    values = [getattr(read, field) for field in read.__dataclass_fields__ if field not in optional]
    flat = [each for value in values for each in (astuple(value) if is_dataclass(value) else (value,))]
    assert flat == [COMPLETE[name] for name in settings.REQUIRED]
    assert read.clock_file is None


def test_all_missing_variables_are_named_at_once_and_an_empty_one_is_missing() -> None:
    broken = COMPLETE | {settings.BUCKET: ""}
    del broken[settings.CYCLE]
    with pytest.raises(settings.SettingsError) as caught:
        settings.read(broken)
    assert settings.BUCKET in str(caught.value)
    assert settings.CYCLE in str(caught.value)
    assert settings.EXCHANGE_TABLE not in str(caught.value)


def test_where_programs_are_run_is_optional_and_arrives_in_its_own_field() -> None:
    assert {field: getattr(settings.read(COMPLETE), field) for field in BATCH} == dict.fromkeys(BATCH, "")
    said = settings.read(COMPLETE | {name: f"value of {name}" for name in BATCH.values()})
    assert {field: getattr(said, field) for field in BATCH} == {
        field: f"value of {name}" for field, name in BATCH.items()
    }


def test_a_snapshot_is_made_only_where_the_platform_says_so() -> None:
    assert settings.makes_snapshot({"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"})
    assert not settings.makes_snapshot({"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"})
    assert not settings.makes_snapshot({})


def test_the_clock_file_is_optional_and_an_empty_one_is_none() -> None:
    assert settings.read(COMPLETE | {settings.CLOCK_FILE: "/clock.json"}).clock_file == "/clock.json"
    assert settings.read(COMPLETE | {settings.CLOCK_FILE: ""}).clock_file is None


def test_the_infrastructure_can_import_the_names_without_any_third_party_module() -> None:
    heavy = ("pydantic", "pynamodb", "boto3")
    program = f"import sys, contest.settings; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_a_deployment_takes_is_read_where_it_is_said() -> None:
    assert settings.read(COMPLETE).capacity is None
    said = settings.read({**COMPLETE, settings.CAPACITY: '{"requests_per_second":5,"armed":true,"kept":{"Submit":2}}'})
    assert said.capacity == {"requests_per_second": 5, "armed": True, "kept": {"Submit": 2}}
