"""Generate what the platform's classes generate at first use, once for all processes of functions: loaded last."""

from __future__ import annotations

from markup_core.lazy import generate_all

generate_all()
