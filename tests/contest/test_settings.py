"""A process reads the variables that it was given; of another one it is said whose and which is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from contest import settings

BATCH = (
    *(settings.BATCH_QUEUE, settings.BATCH_DEFINITION),
    *(settings.BATCH_COPY_QUEUE, settings.BATCH_COPY_DEFINITION),
)
COMPLETE = {name: f"value of {name}" for name in (*settings.OF_COMMAND, settings.ORIGIN_SECRET, *BATCH)}
BY_FIELD = {
    name.removeprefix("HURDLE_").lower(): name
    for name in COMPLETE
    if not name.startswith(("HURDLE_PARTICIPANTS_", "HURDLE_STAFF_")) and name != settings.CAPACITY
}


def test_every_variable_arrives_in_its_own_field_and_what_is_optional_may_be_missing() -> None:
    read = settings.read(COMPLETE)
    assert {field: getattr(read, field) for field in BY_FIELD} == {
        field: f"value of {name}" for field, name in BY_FIELD.items()
    }
    assert read.participants == settings.PoolSettings(
        COMPLETE[settings.PARTICIPANTS_ISSUER], COMPLETE[settings.PARTICIPANTS_CLIENT]
    )
    assert read.staff == settings.PoolSettings(COMPLETE[settings.STAFF_ISSUER], COMPLETE[settings.STAFF_CLIENT])
    assert read.staff_pool_id == COMPLETE[settings.STAFF_POOL_ID]
    assert settings.read(COMPLETE | {settings.CLOCK_FILE: "/clock.json"}).clock_file == "/clock.json"
    assert settings.read({}).batch_copy_queue == ""
    assert settings.read(COMPLETE).clock_file == ""
    read = settings.read({settings.CAPACITY: '{"requests_per_second":5,"windows":[[1,2,50]]}'})
    assert read.capacity == {"requests_per_second": 5, "windows": [[1, 2, 50]]}


@pytest.mark.parametrize("value", [None, ""])
def test_a_setting_that_a_function_was_not_given_names_both_when_it_is_read(value: str | None) -> None:
    environment = {settings.CYCLE: "spring", "AWS_LAMBDA_FUNCTION_NAME": "hurdle-spring-dispatch"}
    read = settings.read(environment if value is None else environment | {settings.IDENTITY_TABLE: value})
    assert read.cycle == "spring"
    with pytest.raises(settings.SettingsError, match=r"hurdle-spring-dispatch.*HURDLE_IDENTITY_TABLE") as caught:
        _ = read.identity_table
    assert caught.value.names == settings.IDENTITY_TABLE
    with pytest.raises(settings.SettingsError, match="HURDLE_CAPACITY"):
        _ = read.capacity


def test_all_missing_variables_are_named_at_once_and_an_empty_one_is_missing() -> None:
    broken = COMPLETE | {settings.BUCKET: ""}
    del broken[settings.CYCLE]
    with pytest.raises(settings.SettingsError) as caught:
        settings.read(broken, settings.OF_COMMAND)
    assert caught.value.names == f"{settings.CYCLE}, {settings.BUCKET}"
    assert settings.read(COMPLETE, settings.OF_COMMAND).bucket == COMPLETE[settings.BUCKET]


def test_snapshots_and_queues_are_read_of_their_variables() -> None:
    assert settings.makes_snapshot({"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"})
    assert not settings.makes_snapshot({"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"})
    assert not settings.makes_snapshot({})
    assert settings.queues_by_name("scoring=a-1,relay=b-2") == {"a-1": "scoring", "b-2": "relay"}
    with pytest.raises(settings.SettingsError):
        settings.queues_by_name("scoring=a-1,relay")


def test_the_infrastructure_can_import_the_names_without_any_third_party_module() -> None:
    heavy = ("pydantic", "pynamodb", "boto3")
    program = f"import sys, contest.settings; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
