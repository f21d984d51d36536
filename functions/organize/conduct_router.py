"""The router of the function Conduct, on which its modules register their routes."""

from __future__ import annotations

from contest.edge import web

app = web.resolver()
