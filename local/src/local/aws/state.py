"""A local cloud's lasting state: its folder (see `state_database`), and the objects of a running cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from local.aws import state_database
from local.aws.state_database import StateFolderError
from local.texts import tr
from markup_core.texts import filled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from local.aws.emulator import Emulator

_BATCH_BYTES = 8 * 1024 * 1024
"""Objects are many and small: so many bytes go in one request."""

_PROBLEMS = {
    "no_state": tr("{folder} is no folder of a local cloud's state"),
    "other_version": tr("{folder} was written by another version of the local cloud"),
    "in_use": tr("another local cloud runs on {folder}"),
    "damaged": tr("the state in {folder} is damaged: put a copy of the folder in its place"),
    "unusable": tr("{folder} cannot be used: {names}"),
    "unknown": tr("{folder} has tables, buckets, queues or secrets that the template does not define: {names}"),
}


class StateError(Exception):
    """The folder is no state of a local cloud, or does not fit this one; nothing was changed."""


def keep(emulator: Emulator, folder: Path, variables: Mapping[str, str], readers: Mapping[str, Sequence[str]]) -> None:
    """Have the AWS services take the state of a folder, and keep it there from now on.

    `variables` are told to the functions instead of the template's; `readers` are those of each table's stream.
    StateError when the folder is no such state, another cloud's, or of a cloud with other variables.
    """
    for name, value in variables_of(folder).items():
        if name in variables and variables[name] != value:
            raise StateError(
                tr(
                    "the state is of a cloud with {name}={value}, this one has {running}; a cloud that is "
                    "started from it takes its name: hurdle up --state FOLDER, without --cycle",
                    name=name,
                    value=value,
                    running=variables[name],
                )
            )
    answer = emulator.call("keep", folder=str(folder.resolve()), variables=variables, readers=readers)
    if answer["problem"]:
        raise _refused(folder, *answer["problem"])


def variables_of(folder: Path) -> dict[str, str]:
    """Return the variables of the cloud whose state a folder has; none of one that is empty or not there yet.

    StateError for any other folder.
    """
    try:
        return state_database.variables_of(folder)
    except StateFolderError as error:
        raise _refused(folder, *error.args) from error


def _refused(folder: Path, problem: str, *names: str) -> StateError:
    return StateError(filled(_PROBLEMS[problem], folder=folder, names=", ".join(names)))


def objects(emulator: Emulator, buckets: list[str], prefix: str = "") -> Iterator[dict[str, Any]]:
    """Yield every object of these buckets whose key begins so, by bucket and key, its content in base 64."""
    after: list[str] = ["", ""]
    ask = {"buckets": buckets, "prefix": prefix, "limit": _BATCH_BYTES}
    while batch := emulator.call("objects", after=after, **ask)["objects"]:
        after = [batch[-1]["bucket"], batch[-1]["key"]]
        yield from batch
