"""The API document as it was built with this code: its text, its page, and its responses in full.

It is made by :mod:`contest.edge.document`, which needs every route; a function that publishes it reads one file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Final

from contest import routes
from contest.wire import MEDIA_TYPE

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
