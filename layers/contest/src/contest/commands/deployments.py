"""On which deployment a command works directly: the one that the environment names, a local cloud that runs on this
machine (``contest --local``), or the stack of a cycle (``contest --cycle NAME`` before anybody could sign in there).

A local cloud leaves what is needed in a file of the command's own folder; a stack's outputs name a function, whose
configuration has it.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from contest import routes, settings
from contest.commands import signing_in
from contest.commands.signing_in import LOCAL, TIMEOUT, Login
from markup_core.speaking import say


def no_local_cloud() -> click.ClickException:
    """What is said where ``--local`` finds nothing."""
    return click.ClickException(
        say(
            "no local cloud runs on this machine: make up, or hurdle up --cycle FOLDER",
            "на этой машине не запущено локальное облако: make up или hurdle up --cycle FOLDER",
        )
    )


def chosen() -> str | None:
    """The cycle that the command names, :data:`LOCAL` for the local cloud; None where it names none."""
    name = click.get_current_context().find_root().obj
    return None if name is None else str(name)


def is_direct() -> bool:
    """Whether commands work on the deployment itself: it is in the environment, or nobody has signed in to the cycle
    that is named."""
    return settings.is_deployment_named() or (chosen() not in {None, LOCAL} and signing_in.load(chosen()) is None)


def take_on() -> None:
    """Let this process's environment name the deployment that is meant; :class:`click.ClickException` without one."""
    name = chosen()
    if settings.is_deployment_named() or name is None:
        return
    if name == LOCAL:
        settings.take_on(_running()["environment"])
        return
    from contest.adapters.stacks import Stacks
    from contest.ports.stacks import NoStackError

    try:
        settings.take_on(Stacks().variables(settings.stack_name(name), settings.COMMAND_FUNCTION))
    except NoStackError as error:
        raise click.ClickException(say(error.en, error.ru)) from None


def keep_local(url: str, token_endpoint: str, client_id: str, refresh_token: str) -> None:
    """Leave for ``contest --local`` what this process's environment says of a local cloud, and a sign-in there."""
    said = {"url": url, "environment": settings.deployment_variables()}
    place = _file()
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".local.")  # made with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(said, file)
    Path(name).replace(place)
    signing_in.save(LOCAL, Login(url, token_endpoint, client_id, refresh_token), latest=False)


def forget_local(url: str) -> None:
    """Take that away again, where it is still this local cloud's."""
    try:
        said = _stored()
    except click.ClickException:
        return
    if said["url"] == url:
        _file().unlink(missing_ok=True)
        signing_in.forget(LOCAL)


def _running() -> Any:
    import httpx

    said = _stored()
    try:
        httpx.get(f"{said['url']}{routes.SIGN_IN.path}", timeout=TIMEOUT)
    except httpx.HTTPError:
        raise no_local_cloud() from None
    return said


def _stored() -> Any:
    try:
        return json.loads(_file().read_bytes())
    except (OSError, ValueError):
        raise no_local_cloud() from None


def _file() -> Path:
    return settings.command_home() / "local.json"
