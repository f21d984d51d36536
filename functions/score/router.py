"""The router of this function, on which its modules register their routes."""

from __future__ import annotations

from contest.edge import web

app = web.resolver()
