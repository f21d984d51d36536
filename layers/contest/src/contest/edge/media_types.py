"""Media types of answers that are no JSON."""

from __future__ import annotations

from typing import Final

SVG: Final = "image/svg+xml"
CSV: Final = "text/csv"
HTML: Final = "text/html"
ZIP: Final = "application/zip"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LINES: Final = "application/x-ndjson"
