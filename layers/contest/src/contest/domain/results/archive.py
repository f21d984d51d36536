"""The archive of a final as bytes: the same facts make the same archive (R 7.14)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from contest.domain.canonical import canonical, sha256_hex

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
LICENCE: Final = "CC-BY-4.0"
_ROW: Final = re.compile(r"\| `(?P<place>[^/`]+)")
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The first day that the format knows, in place of the files' own times."""
_UNIX: Final = 3
_READABLE: Final = 0o644 << 16


def packed(about: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """The archive of these files by name, with a manifest of their SHA-256. O(bytes).

    Nothing is compressed in it: what compresses differs from one machine to another, and the archive is compressed as
    it is sent.

    Clause: R 7.14, platform §7 exports
    """
    listed = [{"name": name, "sha256": sha256_hex(files[name]), "bytes": len(files[name])} for name in sorted(files)]
    manifest = canonical({"format": FORMAT, "licence": LICENCE, **about, "files": listed})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in [(MANIFEST, manifest), *sorted(files.items())]:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            archive.writestr(entry, content)
    return out.getvalue()


def readme(template: str, files: Collection[str], about: str, left_out: Sequence[str]) -> str:
    """Return what is written about an archive: the template's lines, without the rows of its table that name no file
    there is, with its two places filled.

    Clause: R 7.14, D 14.7
    """
    folders = {name.split("/")[0] for name in files} | {MANIFEST}
    lines = [line for line in template.splitlines() if (found := _ROW.match(line)) is None or found["place"] in folders]
    listed = "\n".join(f"- {each}" for each in left_out)
    return "\n".join(lines).format(about=about, left_out=listed) + "\n"


def pseudonyms(authors: Sequence[str]) -> dict[str, str]:
    """A name for every author, in the order in which they first appear; nothing of their own names is in it.

    Clause: R 7.14
    """
    found: dict[str, str] = {}
    for each in authors:
        found.setdefault(each, f"expert-{len(found) + 1}")
    return found
