"""The structured log: what happened to which request; never a token, an essay or an answer."""

from __future__ import annotations

from aws_lambda_powertools import Logger

from contest import settings

logger = Logger(service=settings.SERVICE)
"""JSON lines with the request's id; levels and sampling come from the environment by the library's own names."""
