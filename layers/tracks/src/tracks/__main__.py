"""The command ``tracks`` and ``python -m tracks``."""

from __future__ import annotations

import sys
from functools import partial

from markup_core.starting import start

main = partial(start, "tracks.command.cli")

if __name__ == "__main__":
    sys.exit(main())
