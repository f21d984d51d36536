"""Write the contents of the jobs' image: the runner's modules, their imports, and the SDK as it is locked.

The folder is put together when the stack is synthesized, and built by the person who deploys, who needs Docker for
that. Its contents alone decide whether the image is a new one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from infra.layers import LOCK, ROOT, locked

DOCKERFILE: Final = Path(__file__).parent / "runner" / "Dockerfile"
_LOCAL: Final = ROOT / "local" / "src" / "local"
_MODULES: Final = ("__init__.py", "clock.py", "ru.mo", "submissions", "texts.py")
_PACKAGES: Final = (
    ROOT / "layers" / "markup_core" / "src" / "markup_core",
    ROOT / "layers" / "tracks" / "src" / "tracks",
)
SDK: Final = ("boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3")
"""What the jobs need besides the standard library, and what that needs itself."""
_NOT_OURS: Final = shutil.ignore_patterns("__pycache__", "*.pyc")


def put_together(folder: Path) -> None:
    """Write the image's folder: Dockerfile, requirements with their hashes, code."""
    code = folder / "code"
    (code / "local").mkdir(parents=True)
    for name in _MODULES:
        place = _LOCAL / name
        if place.is_dir():
            shutil.copytree(place, code / "local" / name, ignore=_NOT_OURS)
        else:
            shutil.copy(place, code / "local" / name)
    for package in _PACKAGES:
        shutil.copytree(package, code / package.name, ignore=_NOT_OURS)
    shutil.copy(DOCKERFILE, folder / "Dockerfile")
    (folder / "requirements.txt").write_text(locked(SDK, LOCK.read_text("utf-8")), "utf-8")
