"""Mutants of the platform: found in its text, drawn by a seed, planted in a process; and one that a rehearsal kills."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import click
import pytest
from moto import mock_aws

from local.rehearsal import mutated
from local.rehearsal.harm.mutants import planting, repeated, results, seams, sites

TEXT = """
LIMIT = 10

def late(at: int, due: int = 0, *, open: bool = True) -> bool:
    if open:
        return at > due and at != 7
    return not at + 1 < LIMIT

def left(at: int) -> int:
    return max(0, LIMIT - at)

class Rule:
    @property
    def holds(self):
        return self.value is None or self.value < 3
"""


def planted(*names: str) -> tuple[Any, list[str]]:
    """The module with the wrong values of these mutants taken; and what was told."""
    module, told = types.ModuleType("sample"), list[str]()

    def choose(names: Any, operands: Any, right_of: Any, wrong_of: Any) -> Any:
        told.extend(names)
        return wrong_of[0](*operands)

    setattr(module, sites.CHOOSE, choose)
    tree = sites.changed("sample", TEXT, lambda site: site.name in names)
    exec(compile(tree, "sample", "exec"), vars(module))  # noqa: S102 - our own text
    return module, told


def name_of(function: str, change: str) -> str:
    (found,) = [each.name for each in sites.sites("sample", TEXT) if (each.function, each.change) == (function, change)]
    return found


def test_places_are_counted_in_functions_and_named_by_what_is_changed() -> None:
    changes = [(each.function, each.change) for each in sites.sites("sample", TEXT)]
    assert sorted(set(changes)) == [
        ("Rule.holds", "boundary"),
        ("Rule.holds", "drop1"),
        ("Rule.holds", "drop2"),
        ("Rule.holds", "number"),
        ("late", "boundary"),
        ("late", "drop1"),
        ("late", "drop2"),
        ("late", "not"),
        ("late", "number"),
        ("late", "opposite"),
        ("late", "sign"),
        ("left", "bound"),
        ("left", "sign"),
    ]
    names = [each.name for each in sites.sites("sample", TEXT)]
    assert len(set(names)) == len(names)


def test_without_a_mutant_the_text_does_what_it_did() -> None:
    module, told = planted()
    assert [module.late(7, 6), module.late(8, 6), module.late(6, 6)] == [False, True, False]
    assert told == []


@pytest.mark.parametrize(
    ("change", "words", "found"),
    [("drop1", (7, 9), False), ("drop2", (7, 6), True), ("opposite", (8, 6), False), ("opposite", (20, 6), True)],
)
def test_a_wrong_value_is_taken_where_it_was_asked_for(change: str, words: tuple[int, int], found: bool) -> None:
    module, told = planted(name_of("late", change))
    assert module.late(*words) is found
    assert told == [name_of("late", change)]


def test_a_bound_is_dropped_and_not_moved() -> None:
    module, told = planted(name_of("left", "bound"))
    assert [module.left(3), module.left(12)] == [7, -2]
    assert len(told) == 2


def test_what_is_wrong_is_computed_only_after_what_is_right() -> None:
    module, _ = planted(name_of("Rule.holds", "drop1"))
    rule = module.Rule()
    rule.value = None
    with pytest.raises(TypeError):
        _ = rule.holds


EFFECTS = """
def noted(log):
    return not log.append("one") and (len(log) > 0 or len(log) > 5)

def refused(log):
    if log.append("two"):
        return True
    return log.pop() + "x"
"""


@pytest.mark.parametrize("harm", [True, False])
def test_what_has_an_effect_has_it_once_whatever_is_compared(harm: bool) -> None:
    """Watched by every mutant, or broken by one."""
    every = sites.sites("sample", EFFECTS)
    for wanted in [[each] for each in every] if harm else [every]:
        module, told = types.ModuleType("sample"), list[str]()
        setattr(module, sites.CHOOSE, planting.choosing(told.append, lambda _: harm))
        tree = sites.changed("sample", EFFECTS, wanted.__contains__)
        exec(compile(tree, "sample", "exec"), vars(module))  # noqa: S102 - our own text
        log = list[str]()
        found = module.noted(log)
        assert log == ["one"]
        assert harm or (found and module.refused(log) == "twox")
    assert {site.change for site in every} == {"not", "drop1", "drop2", "boundary", "number", "opposite", "truth"}


WATCHED = """
def late(arrival, due, grace=0) -> bool:
    return arrival - due > grace

def first(number, of) -> int:
    return number - (number - 1) % of

def refused(wish, done) -> str:
    if wish in done and len(done) > 3:
        raise ValueError(wish)
    return wish

def shorter(numbers, most) -> list:
    return [each for each in numbers if each < most]

def twice(number) -> Iterator:
    yield number + number

def noted(log) -> None:
    log.append(1 + 1)

def next_free(number, taken) -> int:
    while number in taken:
        number = number + 1
    return number

def outer(number) -> bool:
    return late(number, 2) or number > 4
"""


def watched_results() -> tuple[types.ModuleType, list[str]]:
    """A module all of whose functions are watched, and the mutants with which one gave another result."""
    told, name = list[str](), "contest.domain.sample"
    module = types.ModuleType(name)
    exec(compile(WATCHED, name, "exec"), vars(module))  # noqa: S102 - our own text
    found = results.Results(lambda which: told.append(which.split(":", 2)[2]))
    vars(module)[sites.CHOOSE] = planting.choosing(found.differs, found.is_tried)
    codes = planting._codes(compile(sites.changed(name, WATCHED, lambda _: True), name, "exec"), "")
    for function, code in codes:
        original = vars(module).get(function)
        if original is not None and not found.watch(f"rule:{name}:{function}", original, code):
            original.__code__ = code
    return module, told


def test_a_rule_is_watched_for_other_results_not_for_other_values_within() -> None:
    module, told = watched_results()
    assert [module.first(5, 1), module.late(5, 2)] == [5, True]
    assert told == [], "of items of one file each is the first, and what is late is so by either sign"
    assert [module.late(7, 5, grace=9), module.late(5, 5), module.first(5, 2)] == [False, False, 5]
    assert told == ["late:2:sign", "late:1:boundary", "first:4:number"]


def test_a_rule_that_refuses_is_compared_by_what_it_refuses_with() -> None:
    module, told = watched_results()
    assert module.refused("a", "bcd") == "a"
    with pytest.raises(ValueError, match="a"):
        module.refused("a", "abcd")
    assert told == ["refused:3:boundary", "refused:5:number"]
    module.refused("a", "bcde")
    assert told[2:] == ["refused:2:drop1"], "it is the refusal that was not there"


def test_a_rule_that_would_come_to_no_end_has_another_result() -> None:
    module, told = watched_results()
    assert module.next_free(3, range(9)) == 9
    assert "next_free:2:sign" in told, "from 9 on it would stay among the taken ones, or go on below them"
    assert module.next_free(3, range(-10_000_000, 4)) == 4
    assert "next_free:1:boundary" in told


def test_what_cannot_be_asked_twice_differs_where_a_place_does() -> None:
    module, told = watched_results()
    assert module.shorter(iter([1, 2, 3]), 3) == [1, 2]
    assert list(module.twice(2)) == [4]
    module.noted([])
    assert {"shorter:1:boundary", "twice:1:sign", "noted:1:sign"} <= set(told)


def test_a_rule_that_asks_another_one_is_tried_with_the_other_one_as_it_is() -> None:
    module, told = watched_results()
    assert module.outer(3)
    assert told == ["outer:1:drop1", "outer:2:number"]


def test_every_seam_has_a_name_of_its_own() -> None:
    every = seams.all_names()
    names = [name for family in every.values() for name in family]
    assert len(set(names)) == len(names)
    assert all(seams.is_one(name) for name in names)
    assert {family: len(found) > 100 for family, found in every.items()} == dict.fromkeys(seams.FAMILIES, True)
    assert "port:deliveries:DynamoDeliveries.send:lose" in every["port"]
    assert "route:GET /v1/sessions/{session_id}/report:another" in every["route"]
    assert {name.split(":")[0] for family in ("rule", "flow") for name in every[family]} == {"rule", "flow"}
    assert all(name.startswith(f"{family}:") for family, found in every.items() for name in found)
    assert all(
        (":contest.domain." in name) is (family == "rule") for family in ("rule", "flow") for name in every[family]
    )
    assert not seams.is_one("accept-late")


def test_a_seed_draws_of_every_family_and_a_seam_once() -> None:
    every = {"port": ["port:a:b:lose", "port:a:b:double", "port:c:d:lose"], "rule": ["rule:m:f:1:sign"], "route": []}
    drawn = seams.drawn(every, 1, 10)
    assert sorted(name.rpartition(":")[0] for name in drawn) == ["port:a:b", "port:c:d", "rule:m:f:1"]
    assert seams.drawn(every, 1, 10) == drawn
    assert len(seams.drawn(every, 1, 2)) == 2


def test_a_mutant_more_leaves_the_draw_of_the_others_as_it_was() -> None:
    names = [f"port:m:K.f{number}:{harm}" for number in range(30) for harm in ("lose", "later")]
    drawn = seams.drawn({"port": names}, 1, 10)
    fewer = seams.drawn({"port": [each for each in names if each != drawn[4]]}, 1, 10)
    assert len(set(drawn) - set(fewer)) == 1
    assert set(drawn) != set(seams.drawn({"port": names}, 2, 10))


@pytest.mark.parametrize(
    ("how", "found"),
    [("nothing", []), ("doubled", [1, 2, 1, 2]), ("short", [1]), ("later", [1, 2])],
)
def test_what_is_read_comes_otherwise(how: str, found: list[int]) -> None:
    told = list[str]()
    broken = planting._read(lambda _, *__: [1, 2], how, lambda: told.append(how), harm=True)
    assert broken(None) == found
    assert bool(told) == (found != [1, 2])
    told.clear()
    watched = planting._read(lambda _, *__: [1, 2], how, lambda: told.append(how), harm=False)
    assert watched(None) == [1, 2], "watched, it reads what is there"
    assert bool(told) == (found != [1, 2]), "and tells where the harm made a difference"


def test_another_row_and_a_stale_one_are_those_read_before() -> None:
    rows = iter("abcd")
    another = planting._read(lambda *_: next(rows), "another", lambda: None, harm=True)
    assert [another(None, 1), another(None, 2), another(None, 3)] == ["a", "a", "b"]
    stale = planting._read(lambda *_: next(rows), "stale", lambda: None, harm=True)
    assert stale(None, 1) == "d"
    rows = iter("xy")
    assert [stale(None, 1), stale(None, 2)] == ["d", "y"]


@pytest.mark.parametrize(
    ("how", "written"), [("lose", []), ("double", [(1,), (1,), (2,), (2,)]), ("another", [(1,), (1,)])]
)
def test_what_is_written_is_written_otherwise(how: str, written: list[Any]) -> None:
    seen = list[Any]()
    broken = planting._write(lambda _, *words: seen.append(words), how, lambda: None, harm=True)
    broken(None, 1)
    broken(None, 2)
    assert seen == written


@pytest.mark.parametrize(("how", "told"), [("lose", 3), ("later", 1), ("another", 1)])
def test_what_is_watched_is_written_as_it_is_and_told_where_the_harm_makes_a_difference(how: str, told: int) -> None:
    seen, differed = list[Any](), list[str]()
    watched = planting._write(lambda _, *words: seen.append(words), how, lambda: differed.append(how), harm=False)
    for each in (1, 1, 1_795_262_550_000):
        watched(None, each)
    assert seen == [(1,), (1,), (1_795_262_550_000,)]
    assert len(differed) == told


@pytest.fixture
def store() -> Iterator[tuple[Any, str]]:
    with mock_aws():
        client = boto3.client("dynamodb", region_name="eu-central-1")
        key: Any = {"KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
        client.create_table(TableName="t", AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}], **key)
        yield client, boto3.client("sqs", region_name="eu-central-1").create_queue(QueueName="q")["QueueUrl"]


def update(expression: str) -> dict[str, Any]:
    values = {":v": {"N": "1"}}
    return {
        "TableName": "t",
        "Key": {"k": {"S": "a"}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": values,
    }


@pytest.mark.parametrize(
    ("write", "differs"),
    [
        (lambda client, _: client.put_item(TableName="t", Item={"k": {"S": "a"}}), False),
        (lambda client, _: client.delete_item(TableName="t", Key={"k": {"S": "a"}}), False),
        (lambda client, _: client.update_item(**update("SET n = :v")), False),
        (lambda client, _: client.update_item(**update("ADD n :v")), True),
        (lambda client, _: client.update_item(**update("SET n = if_not_exists(n, :v) + :v")), True),
        (lambda client, _: client.transact_write_items(TransactItems=[{"Update": update("ADD n :v")}]), True),
        (lambda client, _: client.transact_write_items(TransactItems=[{"Update": update("SET n = :v")}]), False),
        (lambda _, queue: boto3.client("sqs", "eu-central-1").send_message(QueueUrl=queue, MessageBody="x"), True),
    ],
    ids=["put", "delete", "set", "add", "plus", "transacted-add", "transacted-set", "sent"],
)
def test_a_write_done_twice_makes_a_difference_where_it_adds_up(
    store: tuple[Any, str], write: Callable[[Any, str], None], differs: bool
) -> None:
    differed = list[str]()
    watched = planting._write(lambda _, *words: write(*words), "double", lambda: differed.append("double"), harm=False)
    watched(None, *store)
    assert bool(differed) is differs


def test_what_was_read_first_may_be_written_otherwise_the_second_time(store: tuple[Any, str]) -> None:
    client, _ = store
    with repeated.watched() as around, repeated.watched() as calls:
        client.get_item(TableName="t", Key={"k": {"S": "a"}})
        assert not repeated.adds_up(calls), "nothing is written"
        client.put_item(TableName="t", Item={"k": {"S": "a"}})
    assert repeated.adds_up(calls)
    assert around == calls, "what is written within a write is a part of it"


def test_moments_are_shifted_wherever_they_stand() -> None:
    moment = 1_795_262_550_000
    shifted = planting._shifted({"at": [moment, (moment, 3)], "many": 5, "is": True})
    assert shifted == {"at": [moment + 61_000, (moment + 61_000, 3)], "many": 5, "is": True}


PLANTED = """
import json, sys
from local.rehearsal.harm.mutants import planting
told = []
planting.plant(sys.argv[1], told.append, lambda: "")
from contest.domain.session import limits
print(limits.over_rate(10, 10), limits.over_rate(11, 10), json.dumps(told))
"""


TWICE = """
import sys
from local.rehearsal.harm.mutants import planting
from contest.adapters.deliveries import DynamoDeliveries
whole = DynamoDeliveries.send
planting.plant(sys.argv[1], print, str)
once = DynamoDeliveries.send
planting.plant(sys.argv[1], print, str)
print(once is not whole, DynamoDeliveries.send is once)
"""


def test_a_process_whose_modules_ask_for_a_mutant_twice_is_broken_once() -> None:
    command = [sys.executable, "-c", TWICE, "port:deliveries:DynamoDeliveries.send:lose"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True True\n"


@pytest.mark.long
def test_a_rule_is_broken_in_a_process_that_has_loaded_it() -> None:
    text = seams.source_of("contest.domain.session.limits")
    (name,) = [
        each.name
        for each in sites.sites("contest.domain.session.limits", text)
        if (each.function, each.change) == ("over_rate", "boundary")
    ]

    def said(which: str) -> tuple[str, list[str]]:
        command = [sys.executable, "-c", PLANTED, which]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(" ", 2)
        return " ".join(told[:2]), json.loads(told[2])

    assert said(name) == ("True True", [name])
    held, told = said(seams.OBSERVE)
    assert held == "False True", "watched, it changes nothing"
    assert name in told


class Players:
    """Processes that tell so much of each job, and then come to no end."""

    def __init__(self, **told: list[mutated.Told]) -> None:
        self.told_of = told

    def told(self, job: mutated.Job) -> list[mutated.Told]:
        return self.told_of["_".join(job)]


def test_a_rehearsal_without_an_end_kills_one_mutant_and_none_of_several() -> None:
    red, green = {"red": ["others_kept"], "differed": ["a"]}, {"red": [], "differed": ["b"]}
    players = Players(a_b_c=[red], b=[green], c=[])
    found = mutated._try(players, ("a", "b", "c"))  # type: ignore[arg-type]  # no process is needed
    assert [(each.name, each.word, each.by) for each in found] == [
        ("a", "killed", ("others_kept",)),
        ("b", "survived", ()),
        ("c", "killed", ("no end",)),
    ]


def test_a_mutant_that_is_not_provoked_at_the_end_has_a_rehearsal_of_its_own() -> None:
    killed: mutated.Told = {"red": ["others_kept"], "differed": ["a"]}
    unprovoked: mutated.Told = {"red": [], "differed": []}
    players = Players(a_b=[killed, unprovoked], b=[{"red": ["own_kept"], "differed": ["b"]}])
    found = mutated._try(players, ("a", "b"))  # type: ignore[arg-type]  # no process is needed
    assert [(each.name, each.word, each.by) for each in found] == [
        ("a", "killed", ("others_kept",)),
        ("b", "killed", ("own_kept",)),
    ]


def compared(seen: dict[str, str], tried: int = 20) -> tuple[dict[str, str], list[str]]:
    """Words of survivors whose rehearsals, and those of the platform as it is, were observed so; what was said."""
    said = list[str]()
    names = [name for name in seen if not name.startswith("none")]
    verdicts = [mutated.Verdict(name, "survived", (), differed=True, seconds=1) for name in names]
    verdicts += [mutated.Verdict(f"killed-{n}", "killed", ("x",), differed=True, seconds=1) for n in range(tried)]
    as_it_is = [value for name, value in seen.items() if name.startswith("none")]

    class Comparing:
        def told(self, job: mutated.Job) -> list[mutated.Told]:
            name = job[0].removeprefix("compared ")
            value = as_it_is.pop() if name == "none" else seen[name]
            return [{"red": [], "differed": [] if value.endswith("unprovoked") else [name], "seen": [value[:1]]}]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(click, "echo", said.append)
        found = mutated._compared(Comparing(), verdicts[: max(tried, len(names))])  # type: ignore[arg-type]  # no process
    return {each.name: each.word for each in found if each.name in names}, said


def test_a_survivor_with_equal_observations_is_equivalent_and_shown_to_be() -> None:
    found, said = compared({"none": "a", "none too": "a", "same": "a", "other": "b", "idle": "a unprovoked"})
    assert found == {"same": "equivalent", "other": "survived", "idle": "survived"}
    assert len(said) == 1
    assert "two runs with equal observations, a" in said[0]


def test_nothing_is_equivalent_where_the_platform_as_it_is_differs_from_itself() -> None:
    found, said = compared({"none": "a", "none too": "b", "same": "a"})
    assert found == {"same": "survived"}
    assert "no mutant can be shown to be equivalent" in said[0]


def test_at_most_five_of_a_hundred_are_called_equivalent() -> None:
    survivors = {f"m{number}": "a" for number in range(9)}
    found, _ = compared({"none": "a", "none too": "a", **survivors}, tried=100)
    assert list(found.values()).count("equivalent") == 5
    few, _ = compared({"none": "a", "none too": "a", "same": "a"}, tried=19)
    assert few == {"same": "survived"}


@pytest.mark.integration
@pytest.mark.long
def test_rehearsals_kill_mutants_and_say_by_what() -> None:
    """The gate plays three: answers whose receipts are lost; then, at the end of one rehearsal, a door of the staff
    that is open to anybody, and no mutant at all, which has to stay green behind it."""
    lost = "port:deliveries:DynamoDeliveries.send:lose"
    opened = "route:GET /v1/teams:anybody"
    command = [sys.executable, "-m", "local.rehearsal.mutated", "--serve", "--teams", "1", "--files", "3"]
    jobs = "".join(f"{json.dumps(job)}\n" for job in ([lost], [opened, "none"]))
    played = subprocess.run(command, input=jobs, capture_output=True, text=True, check=False, timeout=900)
    assert played.returncode == 0, played.stderr[-2000:]
    first, second, third = (json.loads(line) for line in played.stdout.splitlines())
    assert "acknowledged_kept" in first["red"]
    assert first["differed"] == [lost]
    assert second == {"red": ["others_kept"], "differed": [opened]}
    assert third == {"red": [], "differed": []}
