"""Routes by which organizers bring data sets, a zip in parts, and publish them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import errors, routes
from contest.contracts.sets import (
    ImportBody,
    ImportRequest,
    ImportsBody,
    SetPublicationBody,
    SetPublicationRequest,
    UploadPlaceBody,
)
from contest.edge import present_sets as present
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import sets
from contest.services.cycle import importing
from contest.services.results import set_publishing
from contest.wiring import platform
from organize.router import app

Part = Annotated[int, Path(ge=1, le=100_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[int, Query(ge=0, le=1_000_000, description="Faults and warnings from this one on")]


@web.on(app, routes.IMPORTS, ImportsBody, "The latest imports")
def list_imports(limit: Limit = 20) -> Reply:
    """The newest first, with how far each is; its faults stand at its own address."""
    return web.answer(present.imports(importing.latest(platform(), limit)))


@web.on(
    app,
    routes.BEGIN_IMPORT,
    ImportBody,
    "Announce a zip with a cycle or a set",
    errors.MalformedJsonError,
    sets.ImportTooLargeError,
    sets.WrongPartsError,
    status=HTTPStatus.CREATED,
)
def begin_import(said: ImportRequest) -> Reply:
    """Its parts come next; which of them are missing an import says at any time."""
    made = importing.begin(platform(), caller(app), said.order())
    return web.answer(present.imported(made, importing.missing(platform(), made)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.IMPORT_PART,
    UploadPlaceBody,
    "Where a part of a zip goes",
    sets.UnknownImportError,
    sets.ImportClosedError,
    sets.UnknownImportPartError,
)
def import_part(import_id: str, part: Part) -> Reply:
    """An address of this host, for a few minutes, that takes the part as the body of a `PUT`, with exactly its bytes in
    `Content-Length` and without the token. 403 there: the address is over, ask for another one; a part that is there
    already may come again."""
    return web.answer(present.place(importing.place_of_part(platform(), import_id, part)))


@web.on(
    app,
    routes.COMPLETE_IMPORT,
    ImportBody,
    "Check and load a zip that is whole",
    sets.UnknownImportError,
    sets.PartsMissingError,
    errors.BusyError,
)
def complete_import(import_id: str) -> Reply:
    """A worker does it, all or nothing; asked again, it is sent again."""
    done = importing.complete(platform(), caller(app), import_id)
    return web.answer(present.imported(done, ()))


@web.on(app, routes.IMPORT, ImportBody, "How far an import is", sets.UnknownImportError)
def import_status(import_id: str, after: After = 0) -> Reply:
    """With everything that is wrong with its files, page by page, when it has ended."""
    found = importing.of_id(platform(), import_id)
    told = importing.outcome(platform(), found)
    failed_at = importing.failed_at(platform(), found)
    return web.answer(present.imported(found, importing.missing(platform(), found), told, after, failed_at))


@web.on(
    app,
    routes.PUBLISH_SET,
    SetPublicationBody,
    "Publish a set to everybody, or take that back",
    errors.MalformedJsonError,
    sets.UnknownSetError,
    sets.SetDecidedError,
    sets.SetStillSecretError,
    errors.BusyError,
)
def publish_set(name: str, said: SetPublicationRequest) -> Reply:
    """Its present files, with their references; other files under its name are not published with them."""
    done = set_publishing.decide(platform(), caller(app), name, said.reason, published=said.published)
    return web.answer(present.publication(done))
