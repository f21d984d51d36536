"""Answers that are files or pages: compressed where the client takes it, refused where they would not fit."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types

from contest.domain.tables import Table
from contest.edge import sheets
from contest.edge.documentation import CSV, XLSX
from contest.edge.languages import Language
from contest.edge.pages.style import POLICY
from contest.edge.web import Reply
from contest.errors.exports import ExportTooLargeError

LARGEST: Final = 4_400_000
"""Bytes of an answer: a function's 6 MB, less the third that base64 takes and a little for the headers."""


def table(app: APIGatewayHttpResolver, name: str, found: Table) -> Reply:
    """A table as a CSV file of that name."""
    return _file(app, sheets.written_csv(found), f"{CSV}; charset=utf-8", f"{name}.csv")


def workbook(app: APIGatewayHttpResolver, name: str, found: Sequence[Table], language: Language) -> Reply:
    """Tables as an XLSX file of that name."""
    return _file(app, sheets.written_xlsx(found, language), XLSX, f"{name}.xlsx")


def json_text(app: APIGatewayHttpResolver, text: str) -> Reply:
    """A JSON answer that may be long."""
    return _sent(app, text.encode("utf-8"), {"Content-Type": content_types.APPLICATION_JSON})


def page(app: APIGatewayHttpResolver, html: str, language: Language) -> Reply:
    """A page, which a browser lets load nothing and run nothing."""
    headers = {
        "Content-Type": f"{content_types.TEXT_HTML}; charset=utf-8",
        "Content-Language": language,
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return _sent(app, html.encode("utf-8"), headers)


def _file(app: APIGatewayHttpResolver, content: bytes, media_type: str, name: str) -> Reply:
    """``name`` consists of signs that need no quoting: ids are made of nothing else."""
    told = {"Content-Type": media_type, "Content-Disposition": f'attachment; filename="{name}"'}
    return _sent(app, content, told)


def _sent(app: APIGatewayHttpResolver, content: bytes, told: dict[str, str]) -> Reply:
    headers: dict[str, str | list[str]] = {"Cache-Control": "no-store", "Vary": "Accept-Encoding", **told}
    if "gzip" in app.current_event.headers.get("accept-encoding", ""):
        content = gzip.compress(content, mtime=0)
        headers["Content-Encoding"] = "gzip"
    if len(content) > LARGEST:
        raise ExportTooLargeError.of(len(content), LARGEST)
    reply: Reply = Response(int(HTTPStatus.OK), None, base64.b64encode(content).decode("ascii"), headers)
    reply.base64_encoded = True  # said here: the router would take bytes for a text in UTF-8
    return reply
