"""The API document as it was built with this code: its text, its page, its responses in full; the page of refusals.

It is made by :mod:`contest.edge.document`, which needs every route; a function that publishes it reads one file.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from html import escape
from http import HTTPStatus
from importlib import resources
from string import Template
from typing import Any, Final

from contest import routes
from contest.channel import errors as channel_errors
from contest.edge import documentation
from contest.errors import UnknownRouteError, family
from contest.notifications.errors import UnknownUnsubscriptionError
from contest.refusals import ContestError, RefusedError
from contest.route import Function
from contest.routes import ROUTES, UNSUBSCRIBE
from contest.wire import MEDIA_TYPE, REFUSED

NAME: Final = "openapi.json"
TITLE: Final = "Hurdle"
_SHOWN: Final = {
    "dom_id": "#document",
    "url": routes.DOCUMENT.path,
    "docExpansion": "list",
    "deepLinking": True,
    "filter": True,
    "persistAuthorization": True,
    "layout": "BaseLayout",
}
"""Settings of the page: it filters by tag, links each operation and keeps the token for the next visit."""
_PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title: the interface · интерфейс</title>
<style>$style</style>
<div id="document"></div>
<script>$script</script>
<script>
SwaggerUIBundle({
  ...$options, presets: [SwaggerUIBundle.presets.apis], plugins: [SwaggerUIBundle.plugins.DownloadUrl]
});
</script>
</html>
""")


def responses(document: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation's responses by status, in full."""
    return {status: _in_full(document, response) for status, response in operation["responses"].items()}


def parameters(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[Any]:
    """Return an operation's parameters, in full."""
    return [_in_full(document, parameter) for parameter in operation.get("parameters", [])]


def codes(response: Mapping[str, Any]) -> list[str]:
    """Return the codes of the refusals that a response in full describes."""
    return re.findall(r"`(\w+)`", response["description"]) if MEDIA_TYPE in response.get("content", {}) else []


def _in_full(document: Mapping[str, Any], part: Mapping[str, Any]) -> Any:
    """Return the part itself, or the component to which it refers."""
    kind, _, name = part.get("$ref", "").removeprefix("#/components/").partition("/")
    return document["components"][kind][name] if name else part


@cache
def text() -> str:
    """Return the document that was built with this code."""
    return resources.files("contest").joinpath(NAME).read_text("utf-8")


@cache
def page() -> str:
    """Return a page that fetches the document, names its address and shows it.

    Script and style come with the library, from nobody else's server.
    """
    assets = resources.files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = assets.joinpath("swagger-ui-bundle.min.js").read_text("utf-8")
    style = assets.joinpath("swagger-ui.min.css").read_text("utf-8")
    return _PAGE.substitute(title=TITLE, script=script, style=style, options=json.dumps(_SHOWN))


_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Refusals · Отказы</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid #999; padding: .5rem 0 }
section:target { outline: 3px solid #36c }
pre { overflow: auto; background: #8882; padding: .5rem }
</style>
</head>
<body>
<h1>Refusals · Отказы</h1>
"""
_ABOUT_EN: Final = (
    "Every refusal is a problem (RFC 9457, application/problem+json) whose type leads to its place on this page. "
    "Programs go by error.code, which is stable; error.request_id finds the request in the platform's log. What "
    "the gateway refuses by itself (401, 403, 404, 413, 429, 503) has its own short form: {“message”: …}."
)
_ABOUT_RU: Final = (
    "Каждый отказ описан по RFC 9457 (application/problem+json), а его type ведёт к месту на этой странице. "
    "Программы смотрят на error.code, он постоянен; по error.request_id запрос находится в журнале платформы. У "
    "того, в чём отказывает сам шлюз (401, 403, 404, 413, 429, 503), своя краткая форма: {«message»: …}."
)
_OF_ORGANIZERS: Final = (
    "What is wanted is not allowed now; code and sentence of the refusal say why.",
    "То, что требуется, сейчас не разрешено; причину называют код и сообщение отказа.",
)
_OF_LEGACY_CLIENTS: Final = [route.key for route in ROUTES if route.function is Function.LEGACY_CLIENTS]
"""Paths of earlier clients, which the document of the interface leaves out."""
_ANYWHERE: Final = ("any other address", "любой другой адрес")


@cache
def refusals_page() -> str:
    """Return the page of refusals, the target of a problem's ``type``: a section for each code, in both languages.

    The codes are those of the errors in the code, their routes those of the document.
    """
    routes_by_code = _routes(json.loads(text()))
    examples = documentation.examples()
    routes_by_code.update(
        {kind.code: _OF_LEGACY_CLIENTS for kind in family() if kind.__module__ == channel_errors.__name__}
    )
    routes_by_code[UnknownUnsubscriptionError.code] = [UNSUBSCRIBE.key]
    kinds = [_kind(kind, routes_by_code[kind.code], examples[kind.code]) for kind in family()]
    last = _section(REFUSED, RefusedError.status, _OF_ORGANIZERS, "")
    about = _both(_ABOUT_EN, _ABOUT_RU)
    return "".join([_HEAD, about, *kinds, last, "</body>\n</html>\n"])


def _kind(kind: type[ContestError], routes: list[str], example: Mapping[str, Any]) -> str:
    named = "".join(f"<li><code>{escape(route)}</code></li>" for route in routes)
    anywhere = f'<li lang="en">{_ANYWHERE[0]}</li><li lang="ru">{_ANYWHERE[1]}</li>'
    body = escape(json.dumps(example, ensure_ascii=False, indent=2))
    # An address that no route has gets the same answer as one that a route's own form refuses.
    places = f"{named}{anywhere}" if not named or kind is UnknownRouteError else named
    rest = f"<ul>{places}</ul>\n<pre><code>{body}</code></pre>\n"
    return _section(kind.code, kind.status, (kind.message.en, kind.message.ru), rest)


def _section(code: str, status: HTTPStatus, sentences: tuple[str, str], rest: str) -> str:
    heading = f"<h2><code>{escape(code)}</code> {int(status)} {escape(status.phrase)}</h2>"
    return f'<section id="{escape(code)}">\n{heading}\n{_both(*sentences)}{rest}</section>\n'


def _both(en: str, ru: str) -> str:
    return f'<p lang="en">{escape(en)}</p>\n<p lang="ru">{escape(ru)}</p>\n'


def _routes(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Which routes refuse with which code."""
    routes: dict[str, list[str]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for answer in responses(document, operation).values():
                for code in codes(answer):
                    routes[code].append(f"{method.upper()} {path}")
    return routes
