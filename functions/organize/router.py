"""The router of this function, on which its modules register their routes."""

from __future__ import annotations

from functools import partial

from contest.edge import web

app = web.resolver()
handles = partial(web.handles, app)
