"""``python -m local.drawn [FOLDER]``: write the data anew, by default where the demonstration has them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from local.drawn.pages import PAIRS, files

FOLDER = Path(__file__).parents[3] / "contests" / "fusion"


def main(arguments: list[str]) -> int:
    """Write both sets; what stood there before is gone."""
    folder = Path(arguments[0]) if arguments else FOLDER
    for name in PAIRS:
        shutil.rmtree(folder / name, ignore_errors=True)
        for path, body in files(name).items():
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
