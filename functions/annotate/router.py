"""The router of experts' and clinicians' routes."""

from __future__ import annotations

from contest.edge import web

app = web.resolver()
