"""Keep what was played on a stage: a test that begins where another began goes on from a copy and plays nothing again.

A final of some files takes seconds to play, and a dozen tests of a file begin at its end. The copy is of everything a
stage has: tables, objects, queues, accounts, the clock, what processes remember; and of what the test holds of it.
"""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar, cast

from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import FakeKey, s3_backends
from moto.sqs.models import sqs_backends

from local.environment import ACCOUNT
from tests.stage import Stage
from tests.stage_services import BUCKET, REGION
from tests.toys import toy_cycle

T = TypeVar("T")
_AT_MOST: Final = 6
"""A worker runs one file after another, and a file has few beginnings."""
_kept: OrderedDict[Hashable, _Kept] = OrderedDict()


@dataclass(frozen=True)
class _Kept:
    """Hold a stage at one moment, and what a test holds of it."""

    data: bytes
    objects: dict[str, dict[str, Any]]
    stage: Stage
    platform: Any
    held: Any


class Setting(NamedTuple):
    """Say for which deployment a module's stage is started, and what is played on it once for all its tests."""

    cycle: str = "toy-1"
    play: Callable[[Stage], object] | None = None


def begun(stage: Stage, play: Callable[[Stage], object]) -> None:
    """Play once what the stages of several tests begin with; nobody holds anything of it."""
    played_once(stage, lambda new: bool(play(new)), play.__module__, play.__qualname__)


def played_once(stage: Stage, play: Callable[[Stage], T], *more: Hashable) -> T:
    """Return what ``play`` returns, which is called with the first stage alone; later stages become its copies.

    A stage must be new, whatever was loaded on it; ``more`` says what the outcome depends on beside ``play``.
    """
    key = (play.__module__, play.__qualname__, *more)
    if key not in _kept:
        _kept[key] = _keep(stage, play(stage))
        while len(_kept) > _AT_MOST:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return cast("T", _restore(_kept[key], stage))


def _keep(stage: Stage, held: Any) -> _Kept:
    tables = {name: table.items for name, table in dynamodb_backends[ACCOUNT][REGION].tables.items()}
    queues = {
        name: (queue._messages, queue.deleted_messages) for name, queue in sqs_backends[ACCOUNT][REGION].queues.items()
    }
    data = pickle.dumps((tables, queues, stage.accounts, stage.now, stage.believed))
    keys: Any = s3_backends[ACCOUNT]["aws"].get_bucket(BUCKET).keys
    objects = {name: keys[name].__getstate__() for name in keys}
    platform = stage.platform
    kept_stage = copy.copy(stage)
    kept_stage.memories = _copies(stage.memories)
    memo = {id(stage): kept_stage, id(platform): platform}
    return _Kept(data, objects, kept_stage, platform, copy.deepcopy(held, memo))


def _restore(kept: _Kept, stage: Stage) -> Any:
    tables, queues, accounts, now, believed = pickle.loads(kept.data)  # noqa: S301 - our own, of this process
    stored = dynamodb_backends[ACCOUNT][REGION].tables
    for name, items in tables.items():
        stored[name].items = items
    for name, (messages, deleted) in queues.items():
        queue = sqs_backends[ACCOUNT][REGION].queues[name]
        queue._messages, queue.deleted_messages = messages, deleted
    keys: Any = s3_backends[ACCOUNT]["aws"].get_bucket(BUCKET).keys
    for name in list(keys):
        keys.pop(name)
    for name, state in kept.objects.items():
        keys[name] = FakeKey.__new__(FakeKey)
        keys[name].__setstate__(state)
    stage.accounts.__dict__.update(accounts.__dict__)
    stage.set_clock(now)
    stage.believed = believed
    stage.restart()
    stage.memories = _copies(kept.stage.memories)
    return copy.deepcopy(kept.held, {id(kept.stage): stage, id(kept.platform): stage.platform})


def _copies(memories: dict[str, Any]) -> dict[str, Any]:
    """Copy what each process remembers: values are immutable, their places are not."""
    copies = {}
    for function, memory in memories.items():
        copies[function] = copy.copy(memory)
        copies[function]._values = memory._values.copy()
    return copies


def without_technical_runs(stage: Stage) -> None:
    """Load the toy cycle without technical runs, and let its subscribers be told."""
    stage.load(toy_cycle(technical={"enabled": False}))
    stage.tick()
