"""Routes of data sets: the data that each caller may have of them, in parts."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import BaseModel

from contest import routes
from contest.cycle import presenting as present_cycle
from contest.cycle.wire.sets import OffersBody, PackingBody, PackPlaceBody, SetBody, SetPartBody, TablesBody
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import NoDescriptionError, NoPackError, UnknownPartError, UnknownSetError
from contest.results import downloading
from contest.routes import Function
from contest.wiring import platform

app = web.resolver()

Number = Annotated[int, Path(ge=1, le=100_000, description="A part's number, from 1")]
_NOT_YET: Final[dict[int, type[BaseModel]]] = {HTTPStatus.ACCEPTED: PackingBody}


@web.handles(app, routes.SETS, "Data sets for download (R 2.6, 4.2.1, 7.11)")
def list_sets() -> OffersBody:
    """List training sets and finals with published results for teams that take part, published sets for everybody,
    all sets for organizers."""
    return OffersBody.from_value(sets=downloading.offers(platform(), caller(app)))


@web.handles(app, routes.SET, "Parts of a data set", UnknownSetError, model=SetBody, others=_NOT_YET)
def data_set(name: str) -> Reply:
    """List them with the SHA-256 of each; 202 while they are being made, which every request continues."""
    chosen = downloading.offer(platform(), caller(app), name)
    return present_cycle.set_manifest(chosen, downloading.parts_or_progress(platform(), chosen))


@web.handles(
    app, routes.SET_PART, "A part of a data set", UnknownSetError, UnknownPartError, model=SetPartBody, others=_NOT_YET
)
def set_part(name: str, part: Number) -> Reply:
    """Return whole files, each as text with name and SHA-256; the part's SHA-256 is of these bytes."""
    return present_cycle.set_part(downloading.part(platform(), downloading.offer(platform(), caller(app), name), part))


@web.handles(
    app,
    routes.SET_PACK,
    "Get a URL of a data set as one file",
    UnknownSetError,
    NoPackError,
    model=PackPlaceBody,
    others=_NOT_YET,
)
def set_pack(name: str) -> Reply:
    """Return an address of this host with a zip of the set's files, readable for a minute without the token. After a
    403 get another one."""
    return present_cycle.set_pack(
        downloading.address_or_progress(platform(), downloading.offer(platform(), caller(app), name))
    )


@web.handles(
    app,
    routes.SET_DESCRIPTION,
    "A data set in the contest's own tables",
    UnknownSetError,
    NoDescriptionError,
    model=TablesBody,
    others=_NOT_YET,
)
def set_description(name: str) -> Reply:
    """Describe a set that the caller may read with its references; 202 while its parts are made."""
    return present_cycle.set_tables(
        downloading.description(platform(), downloading.offer(platform(), caller(app), name))
    )


handler = web.make_handler(app, Function.SETS)
