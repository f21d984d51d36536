"""The command ``markup-core`` and ``python -m markup_core``."""

from __future__ import annotations

import sys
from functools import partial

from markup_core.starting import start

main = partial(start, "markup_core.command.cli")

if __name__ == "__main__":
    sys.exit(main())
