"""The API's document: made of all functions' routes, checked in beside the code, served as it is checked in."""

from __future__ import annotations

from functools import cache
from importlib import resources

from aws_lambda_powertools.event_handler.openapi.swagger_ui import generate_swagger_html

NAME = "openapi.json"


@cache
def text() -> str:
    """The document that was built with this code."""
    return resources.files("contest.contracts").joinpath(NAME).read_text("utf-8")


@cache
def page() -> str:
    """A page that shows the document; its script and style come with the library, from nobody else's server."""
    assets = resources.files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = assets.joinpath("swagger-ui-bundle.min.js").read_text("utf-8")
    style = assets.joinpath("swagger-ui.min.css").read_text("utf-8")
    return generate_swagger_html(
        spec=text(),
        swagger_js=script,
        swagger_css=style,
        swagger_base_url="",
        oauth2_config=None,
        persist_authorization=True,
    )
