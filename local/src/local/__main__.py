"""The command ``hurdle`` and ``python -m local``."""

from __future__ import annotations

import sys
from functools import partial

from markup_core.starting import start

main = partial(start, "local.cli")

if __name__ == "__main__":
    sys.exit(main())
